"""Stores answers for a day. The only writer of these rows."""

from __future__ import annotations

import json
from collections.abc import Collection
from contextlib import suppress
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Any

from django.db import connection

from affiliates.api.idempotency.models import StoredAnswer
from affiliates.api.idempotency.rules import KEPT
from affiliates.api.idempotency.types import KeyedRequest, StoredResponse
from affiliates.encrypted.columns import Purpose, SecretUnreadable, register_column
from affiliates.errors import KeyReused, RequestInProgress
from affiliates.worker.registry import register
from affiliates.worker.types import Clock, ShouldStop

_ANSWER = Purpose(b"affiliates.stored_answers.v1")
_TRY_LOCK = "SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 0))"

register_column("affiliates.StoredAnswer", "sealed", purpose=_ANSWER)


def begin(request: KeyedRequest, *, now: datetime) -> StoredResponse | None:
    """The stored answer to the request, or None: the caller answers it, and stores that.

    Until the transaction ends, others with this key are refused. Raises
    RequestInProgress for such a one, and KeyReused if the key came with another request.
    """
    if not _lock(request.scope):
        raise RequestInProgress(
            "request_in_progress",
            "A request with this Idempotency-Key is being answered. Send it again.",
        )
    stored = _read(request, now=now)
    if stored is None:
        return None
    if stored["fingerprint"] != request.fingerprint:
        raise KeyReused(
            "idempotency_key_reused",
            "This Idempotency-Key was sent with another method, address or body. "
            "Send a new key.",
        )
    return StoredResponse(**stored["response"])


def keep(request: KeyedRequest, response: StoredResponse, *, now: datetime) -> None:
    """Stores the answer, in place of an expired one that is not deleted yet."""
    stored = {
        "fingerprint": request.fingerprint,
        "credentials": request.credentials_digest,
        "response": asdict(response),
    }
    text = json.dumps(stored).encode()
    sealed = _ANSWER.encrypt(text)
    StoredAnswer.objects.bulk_create(
        [StoredAnswer(scope=request.scope, sealed=sealed, created_at=now)],
        update_conflicts=True,
        unique_fields=["scope"],
        update_fields=["sealed", "created_at"],
    )


def was_answered(request: KeyedRequest, *, now: datetime) -> bool:
    """Whether this very request was answered, sent with the same credentials."""
    stored = _read(request, now=now)
    return (
        stored is not None
        and bool(request.credentials)
        and stored["fingerprint"] == request.fingerprint
        and stored["credentials"] == request.credentials_digest
    )


def forget_answers(emails: Collection[str]) -> int:
    """Deletes the answers that name one of these addresses. Returns how many."""
    written = [json.dumps(email)[1:-1].lower().encode() for email in emails]
    named = []
    for row in StoredAnswer.objects.iterator() if written else ():
        with suppress(SecretUnreadable):
            content = _ANSWER.decrypt(row.sealed).lower()
            if any(secret in content for secret in written):
                named.append(row.pk)
    return StoredAnswer.objects.filter(pk__in=named).delete()[0]


@register(
    "repeats",
    every=timedelta(hours=1),
    does="Deletes the answers stored for requests with an Idempotency-Key after a day.",
)
def delete_expired(now: Clock, should_stop: ShouldStop) -> str:
    count, _ = StoredAnswer.objects.filter(created_at__lte=now() - KEPT).delete()
    return f"{count:,} stored answers deleted." if count else ""


def _lock(scope: str) -> bool:
    """SQLite has one writer at a time anyway."""
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        cursor.execute(_TRY_LOCK, [f"repeat:{scope}"])
        return bool(cursor.fetchone()[0])


def _read(request: KeyedRequest, *, now: datetime) -> dict[str, Any] | None:
    """None also for an answer whose encryption key is gone."""
    rows = StoredAnswer.objects.filter(scope=request.scope, created_at__gt=now - KEPT)
    sealed = rows.values_list("sealed", flat=True).first()
    if sealed is None:
        return None
    try:
        text = _ANSWER.decrypt(sealed)
    except SecretUnreadable:
        return None
    stored: dict[str, Any] = json.loads(text)
    return stored
