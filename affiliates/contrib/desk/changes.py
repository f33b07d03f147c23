"""All changes of the configuration in one list, where auditlog records them."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Q

from affiliates.admin_tools.base import ReadOnlyAdmin
from affiliates.admin_tools.columns import column, moment
from affiliates.admin_tools.visible import register
from affiliates.db.audit.recording import is_available
from affiliates.db.audit.selectors import as_changes


class ChangeAdmin(ReadOnlyAdmin):
    about = "Who changed which row of the configuration, and when."
    nothing_yet = "A row appears here with the first change."
    list_display = ("when", "who", "content_type", "what", "action", "changed")
    list_filter = ("action", ("content_type", admin.RelatedOnlyFieldListFilter))
    list_select_related = ("actor", "content_type")
    date_hierarchy = None
    search_fields = ("=object_repr", "=object_pk")
    search_help_text = "Name or number of the row, as a whole"
    fields = ("when", "who", "what", "action")
    change_form_outer_before_template = "affiliates/admin/change.html"

    when = column("timestamp", "When", show=moment, ordering="timestamp")
    who = column("actor", "Who")
    what = column("object_repr", "What")

    @admin.display(description="Fields")
    def changed(self, entry: Any) -> str:
        return ", ".join(sorted(entry.changes or {}))

    def beside(self, row: Any) -> dict[str, Any]:
        return {"changes": as_changes([row])}


if is_available():
    from auditlog import get_logentry_model
    from auditlog.admin import LogEntryAdmin  # noqa: F401 - registers itself

    register(
        get_logentry_model()._meta.label,
        lambda staff, brands: Q(additional_data__brand__in=brands),
    )
    admin.site.unregister(get_logentry_model())
    admin.site.register(get_logentry_model(), ChangeAdmin)
