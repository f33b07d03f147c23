"""SESSION_ENGINE: Django's sessions in the database, with a column for whose they are."""

from __future__ import annotations

from typing import Any

from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends import db

from portal.clients.open_sessions import AuthToken, OpenSession, columns_of


class SessionStore(db.SessionStore):
    @classmethod
    def get_model_class(cls) -> type[OpenSession]:
        return OpenSession

    def cycle_key(self) -> None:
        """Replaces the row as Django does, and moves the session's tokens to it."""
        former = self.session_key
        data = self._session  # type: ignore[attr-defined] # the stubs lack it
        self.create()
        self._session_cache = data
        if former:
            tokens = AuthToken.objects.filter(session=former)
            tokens.update(session=self.session_key)
            self.delete(former)

    def create_model_instance(self, data: dict[str, Any]) -> OpenSession:
        return _described(super().create_model_instance(data), data)

    async def acreate_model_instance(self, data: dict[str, Any]) -> OpenSession:
        return _described(await super().acreate_model_instance(data), data)


def _described(row: Any, data: dict[str, Any]) -> OpenSession:
    row.user_id = data.get(SESSION_KEY)
    for name, value in columns_of(data).items():
        setattr(row, name, value)
    described: OpenSession = row
    return described
