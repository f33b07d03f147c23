"""Scaleo: a postback, and another to change what it made."""

from __future__ import annotations

from affiliates.integrations.providers import field
from affiliates.integrations.providers.postback import CapturedPostback
from affiliates.integrations.providers.presets.preset import Preset
from affiliates.integrations.types import Operation


class Scaleo(Preset, CapturedPostback):
    code = "scaleo"
    name = "Scaleo"
    about = (
        "Postback with the click_id of the landing page. Scaleo takes one conversion a "
        "click unless the offer allows several. "
        f"{field.UNVERIFIED_ANSWERS}"
    )
    address_help = "https://WORKSPACE.scaletrk.com"
    fields = (
        field.identifier("click_id"),
        field.text("goal_id", "goal id of a sale", "Empty: the offer's default goal."),
        field.lead("lead_goal_id", "goal id of a lead"),
        field.status(("pending", "Pending"), ("approved", "Approved")),
        field.CURRENCY,
        field.secret("token", "The postback token of the workspace.", is_required=True),
        field.reversals(
            f"{field.UNVERIFIED} which sale is declined when a click has several. Leave it "
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
    needs = {Operation.LEAD: "lead_goal_id"}
