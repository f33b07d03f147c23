"""Affise: a postback that is also how a sale is declined."""

from __future__ import annotations

from affiliates.integrations.providers import field
from affiliates.integrations.providers.postback import CapturedPostback
from affiliates.integrations.providers.presets.preset import Preset
from affiliates.integrations.types import Operation


class Affise(Preset, CapturedPostback):
    code = "affise"
    name = "Affise"
    about = (
        "Postback with the clickid of the landing page. "
        f"{field.UNVERIFIED} the path /postback; compare it with your offer's postback."
    )
    address_help = "Your tracking domain at Affise."
    fields = (
        field.identifier("clickid"),
        field.text("goal", "goal of a sale", "Empty: the offer's default goal."),
        field.lead("lead_goal", "goal of a lead"),
        field.status(("1", "Approved"), ("2", "Pending"), ("5", "On hold")),
        field.secret("secure code", "Where the offer asks for one."),
        field.reversals(
            f"{field.UNVERIFIED} that a second postback with the same clickid and action_id "
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
    needs = {Operation.LEAD: "lead_goal"}
    success = "json:status=1"
    refused = "json:status=2"
