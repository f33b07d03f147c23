"""SESSION_ENGINE: Django's sessions in the database, with a column for whose they are.

The browser holds the session's key, and the row a digest of it.
"""

from __future__ import annotations

from typing import Any

from asgiref.sync import sync_to_async
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends import db
from django.utils import timezone

from portal.clients.open_sessions import (
    AuthToken,
    OpenSession,
    columns_of,
    digest_of_key,
)


class SessionStore(db.SessionStore):
    @classmethod
    def get_model_class(cls) -> type[OpenSession]:
        return OpenSession

    def exists(self, session_key: str) -> bool:
        return super().exists(digest_of_key(session_key))

    async def aexists(self, session_key: str) -> bool:
        return await super().aexists(digest_of_key(session_key))

    def delete(self, session_key: str | None = None) -> None:
        if key := session_key or self.session_key:
            super().delete(digest_of_key(key))

    async def adelete(self, session_key: str | None = None) -> None:
        if key := session_key or self.session_key:
            await super().adelete(digest_of_key(key))

    def cycle_key(self) -> None:
        """Replaces the row as Django does, and moves the session's tokens to it."""
        former = self.session_key
        data = self._session  # type: ignore[attr-defined] # the stubs lack it
        self.create()
        self._session_cache = data
        if former:
            tokens = AuthToken.objects.filter(session=digest_of_key(former))
            tokens.update(session=digest_of_key(self.session_key))
            self.delete(former)

    def create_model_instance(self, data: dict[str, Any]) -> OpenSession:
        return _described(super().create_model_instance(data), data)

    async def acreate_model_instance(self, data: dict[str, Any]) -> OpenSession:
        return _described(await super().acreate_model_instance(data), data)

    def _get_session_from_db(self) -> OpenSession | None:
        row = OpenSession.objects.filter(
            pk=digest_of_key(self.session_key), expire_date__gt=timezone.now()
        ).first()
        if row is None:
            self._session_key = None
        return row

    async def _aget_session_from_db(self) -> OpenSession | None:
        return await sync_to_async(self._get_session_from_db)()


def _described(row: Any, data: dict[str, Any]) -> OpenSession:
    row.session_key = digest_of_key(row.session_key)
    row.user_id = data.get(SESSION_KEY)
    for name, value in columns_of(data).items():
        setattr(row, name, value)
    described: OpenSession = row
    return described
