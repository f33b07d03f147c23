"""Affise: a postback that is also how a sale is declined."""

from __future__ import annotations

from affiliates.integrations.providers.postback import CapturedPostback
from affiliates.integrations.providers.presets.preset import (
    SEND_REVERSALS,
    UNVERIFIED,
    Preset,
    identifier_field,
    reversals_field,
    secret_field,
    status_field,
    text_field,
)
from affiliates.integrations.types import Operation


class Affise(Preset, CapturedPostback):
    code = "affise"
    name = "Affise"
    about = (
        "Postback with the clickid of the landing page. "
        f"{UNVERIFIED} the path /postback; compare it with your offer's postback."
    )
    address_help = "Your tracking domain at Affise."
    fields = (
        identifier_field("clickid"),
        text_field("goal", "goal of a sale", "Empty: the offer's default goal."),
        text_field("lead_goal", "goal of a lead", "Empty: leads are not reported."),
        status_field(("1", "Approved"), ("2", "Pending"), ("5", "On hold")),
        secret_field("secure code", "Where the offer asks for one."),
        reversals_field(
            f"{UNVERIFIED} that a second postback with the same clickid and action_id "
            "and the status 3 declines the sale. Try it before you rely on it."
        ),
    )
    texts = {
        Operation.SALE: "/postback?clickid={visitor_id}&action_id={order_ref}"
        "&sum={amount}&currency={currency}&goal={goal}&status={status}"
        "&secure={secret}&ip={ip}",
        Operation.LEAD: "/postback?clickid={visitor_id}&action_id={order_ref}"
        "&goal={lead_goal}&status=1&secure={secret}&ip={ip}",
        Operation.REVERSAL: "/postback?clickid={visitor_id}&action_id={order_ref}"
        "&goal={goal}&status=3&secure={secret}",
    }
    needs = {Operation.LEAD: "lead_goal", Operation.REVERSAL: SEND_REVERSALS}
    success = "json:status=1"
    refused = "json:status=2"
