"""An adapter's conversation with a provider that was told what to answer."""

from __future__ import annotations

from collections.abc import Mapping

from affiliates.outbox.http.types import Call, CallFailed, Response
from affiliates.outbox.protocol import Run
from affiliates.outbox.types import CallOutcome


def answer(
    body: str | bytes = "",
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Response:
    content = body.encode() if isinstance(body, str) else body
    return Response(status=status, headers=headers or {}, body=content)


def converse(
    run: Run, *answers: Response | CallFailed
) -> tuple[list[Call], CallOutcome]:
    """Every call that was made, and the outcome. Each answer must be asked for."""
    calls: list[Call] = []
    waiting = list(answers)
    try:
        calls.append(next(run))
        while True:
            given = waiting.pop(0)
            if isinstance(given, CallFailed):
                calls.append(run.throw(given))
            else:
                calls.append(run.send(given))
    except StopIteration as end:
        assert waiting == []
        outcome: CallOutcome = end.value
        return calls, outcome
