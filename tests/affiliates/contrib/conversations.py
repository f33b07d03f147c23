"""A conversation with a payout provider whose answers are written down."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from affiliates.outbox.http.types import Call, CallFailed, FailureKind, Response
from affiliates.outbox.protocol import ProviderSettings
from affiliates.outbox.sending.exchange import drive
from affiliates.payouts.providers.sender import Batch, BatchAnswer


def converse(
    run: Callable[..., Any], sent: Batch, settings: ProviderSettings, *answers: Any
) -> tuple[BatchAnswer, list[Call]]:
    """The outcome of these answers, and the calls that led to it."""
    calls: list[Call] = []
    left = list(answers)

    def send(call: Call) -> Response:
        calls.append(call)
        answer = left.pop(0)
        if isinstance(answer, FailureKind):
            raise CallFailed(answer, "No answer.")
        status, content = answer if isinstance(answer, tuple) else (200, answer)
        body = content if isinstance(content, bytes) else json.dumps(content).encode()
        return Response(status=status, headers={}, body=body)

    answer = drive(run(sent, settings), send)
    assert left == []
    return answer, calls
