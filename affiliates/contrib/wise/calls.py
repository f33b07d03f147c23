"""Calls of Wise's API, and its answers: JSON, or a refusal in its own words."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from typing import Any

from affiliates.outbox.http.types import Call, Response
from affiliates.outbox.protocol import ProviderSettings
from affiliates.outbox.rules import judge_status
from affiliates.outbox.types import Operation, OutcomeKind

PROFILE, TOKEN = "profile", "token"
UNAUTHORIZED, CONFLICT = 401, 409
WRONG_TOKEN = "Wise refuses the API token: enter it again."  # noqa: S105 - a sentence
UNREADABLE = "Wise's answer cannot be read."

Parsed = Mapping[str, Any]
Ask = Generator[Call, Response, Parsed]


class WiseRefused(Exception):  # noqa: N818 - says what happened
    """An answer that leads no further; ``kind`` is for the whole batch."""

    def __init__(self, kind: OutcomeKind, detail: str, *, status: int = 0) -> None:
        super().__init__(detail)
        self.kind, self.detail, self.status = kind, detail, status


class Session:
    """Calls with the account's token. Any of them may be repeated without harm."""

    def __init__(self, settings: ProviderSettings) -> None:
        self.profile = settings.text(PROFILE)
        self._address = settings.address.rstrip("/")
        self._token = settings.secrets.get(TOKEN, "")

    def ask(self, method: str, path: str, content: Parsed | None = None) -> Ask:
        """The object in the answer, or its list as ``rows``. Raises WiseRefused."""
        response = yield Call(
            method=method,
            url=self._address + path,
            headers=(
                ("Authorization", f"Bearer {self._token}"),
                ("Content-Type", "application/json"),
            ),
            body=b"" if content is None else json.dumps(content).encode(),
            secrets=(self._token,),
        )
        answer = _parsed(response.body)
        outcome = judge_status(Operation.LOOKUP, response)
        if outcome is None:
            if answer is None:
                raise unreadable()
            return answer
        kind, said = outcome.kind, outcome.detail.rstrip(".")
        if response.status == UNAUTHORIZED:
            said = WRONG_TOKEN
        elif response.status == CONFLICT:
            kind = OutcomeKind.RETRY
        detail = ": ".join([said, *_words(answer or {})])
        raise WiseRefused(kind, detail, status=response.status)


def unreadable() -> WiseRefused:
    return WiseRefused(OutcomeKind.RETRY, UNREADABLE)


def objects(rows: object) -> list[Parsed]:
    return (
        [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    )


def _parsed(body: bytes) -> Parsed | None:
    """Decimals stay the text that they are written as."""
    try:
        content = json.loads(body, parse_float=str)
    except (ValueError, RecursionError):
        return None
    content = {"rows": content} if isinstance(content, list) else content
    return content if isinstance(content, dict) else None


def _words(answer: Parsed) -> list[str]:
    faults = objects(answer.get("errors")) or [answer]
    return [str(fault["message"]) for fault in faults if fault.get("message")]
