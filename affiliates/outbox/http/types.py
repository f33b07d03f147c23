"""A request of ours, its answer, and why there may be none: plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from django.db.models import TextChoices


class FailureKind(TextChoices):
    """Why a call has no answer."""

    NOT_SENT = "not_sent", "The connection failed before anything was sent"
    NO_ANSWER = "no_answer", "Sent, but no whole answer came in time"
    FORBIDDEN = "forbidden", "The address may not be called"
    CERTIFICATE = "certificate", "The server's certificate is not valid"


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One HTTP request. ``secrets`` are its texts that must stay hidden.

    They may be anywhere in it, so only its method is ever printed.
    """

    method: str
    url: str = field(repr=False)
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)
    body: bytes = field(default=b"", repr=False)
    secrets: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """An answer. Header names are lower case; the body is cut at 64 KiB."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode("utf-8", "replace")


class CallFailed(Exception):  # noqa: N818 - says what happened
    """A call without an answer. Thrown into ``run``, which may let it pass."""

    def __init__(self, kind: FailureKind, detail: str) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
