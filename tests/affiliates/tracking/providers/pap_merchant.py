"""Conversations with Post Affiliate Pro's server.php, for the tests to hold."""

from __future__ import annotations

import json
from typing import Any

from affiliates.outbox.http.types import Call, CallFailed, Response
from affiliates.outbox.protocol import ProviderSettings
from affiliates.outbox.types import CallOutcome
from tests.affiliates.tracking.providers.conversation import answer, converse
from tests.affiliates.tracking.providers.pap_world import (
    ADAPTER,
    LOOKUP,
    merchant_settings,
    refund,
)

SESSION = "0a1b2c3d4e5f"
LOGGED_IN = answer(
    json.dumps(
        {
            "fields": [["name", "value", "values", "error"], ["S", SESSION, None, ""]],
            "success": "Y",
            "message": "",
        }
    )
)


def replied(*replies: Any) -> Response:
    return answer(json.dumps(list(replies)))


def action(success: str = "Y", info: str = "1 refunded") -> Response:
    return replied(
        {
            "success": success,
            "finished": "Y",
            "errorMessage": "",
            "infoMessage": info,
        }
    )


def grid(*rows: list[Any]) -> Response:
    return replied({"rows": list(rows), "count": len(rows) - 1})


def reverse(
    *answers: Response | CallFailed,
    facts: Any = None,
    configured: ProviderSettings | None = None,
) -> tuple[list[Call], CallOutcome]:
    run = ADAPTER.run(facts or refund(), "", configured or merchant_settings())
    return converse(run, *answers)


def look_up(*answers: Response | CallFailed) -> tuple[list[Call], CallOutcome]:
    run = ADAPTER.run(LOOKUP, "", merchant_settings())
    return converse(run, *answers)
