"""Scaleo: a postback, and another to change what it made."""

from __future__ import annotations

from affiliates.integrations.providers.postback import CapturedPostback
from affiliates.integrations.providers.presets.preset import (
    CURRENCY_FIELD,
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


class Scaleo(Preset, CapturedPostback):
    code = "scaleo"
    name = "Scaleo"
    about = (
        "Postback with the click_id of the landing page. Scaleo takes one conversion a "
        "click unless the offer allows several. "
        f"{UNVERIFIED} what its answers look like; any 2xx that is no page counts."
    )
    address_help = "https://WORKSPACE.scaletrk.com"
    fields = (
        identifier_field("click_id"),
        text_field("goal_id", "goal id of a sale", "Empty: the offer's default goal."),
        text_field(
            "lead_goal_id", "goal id of a lead", "Empty: leads are not reported."
        ),
        status_field(("pending", "Pending"), ("approved", "Approved")),
        CURRENCY_FIELD,
        secret_field("token", "The postback token of the workspace.", is_required=True),
        reversals_field(
            f"{UNVERIFIED} which sale is declined when a click has several. Leave it "
            "off where the offer allows that."
        ),
    )
    texts = {
        Operation.SALE: "/track/conv?click_id={visitor_id}&token={secret}"
        "&goal_id={goal_id}&amount={amount}&conv_status={status}",
        Operation.LEAD: "/track/conv?click_id={visitor_id}&token={secret}"
        "&goal_id={lead_goal_id}&conv_status={status}",
        Operation.REVERSAL: "/track/conv-change?click_id={visitor_id}&token={secret}"
        "&conv_status=rejected",
    }
    needs = {Operation.LEAD: "lead_goal_id", Operation.REVERSAL: SEND_REVERSALS}
