"""What migrations are made of beside Django's own operations; the host's may be too."""

from __future__ import annotations

from typing import Any

from django.db.migrations import AddIndex


class AddIndexBesideWriters(AddIndex):
    """Builds the index while others write; its migration says ``atomic = False``.

    It may be run again after it was interrupted. On SQLite, which has one writer, it is
    built as any other.
    """

    def database_forwards(
        self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any
    ) -> None:
        if schema_editor.connection.vendor != "postgresql":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        model = to_state.apps.get_model(app_label, self.model_name)
        if self.allow_migrate_model(schema_editor.connection.alias, model):
            name = schema_editor.quote_name(self.index.name)
            # It waits for whoever writes, and nobody waits for it: no reason to give up.
            schema_editor.execute("SET lock_timeout = 0")
            # An interrupted one leaves its index behind, unfinished.
            schema_editor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {name}")
            schema_editor.add_index(model, self.index, concurrently=True)
            schema_editor.execute("RESET lock_timeout")
