"""TUNE, once HasOffers: a postback that answers success=true or says why not."""

from __future__ import annotations

from affiliates.integrations.providers import field
from affiliates.integrations.providers.postback import CapturedPostback
from affiliates.integrations.providers.presets.preset import Preset
from affiliates.integrations.types import Operation


class Tune(Preset, CapturedPostback):
    code = "tune"
    name = "TUNE (HasOffers)"
    about = "Postback to aff_lsr with the transaction id of the landing page."
    address_help = "https://NETWORK.go2cloud.org, or your own tracking domain."
    fields = (
        field.identifier(
            "transaction_id", "Write {transaction_id} into the offer's URL."
        ),
        field.text(
            "offer_id", "offer id", "May stay empty where the transaction id is sent."
        ),
        field.text(
            "goal_id", "goal id of a sale", "Empty: the offer's own conversion."
        ),
        field.lead("lead_goal_id", "goal id of a lead"),
        field.status(
            ("", "As the offer says"), ("approved", "Approved"), ("pending", "Pending")
        ),
        field.CURRENCY,
        field.secret(
            "security token", "The offer's or the advertiser's, where one is set."
        ),
    )
    texts = {
        Operation.SALE: "/aff_lsr?offer_id={offer_id}&transaction_id={visitor_id}"
        "&amount={amount}&adv_sub={order_ref}&goal_id={goal_id}&status={status}"
        "&security_token={secret}",
        Operation.LEAD: "/aff_lsr?offer_id={offer_id}&transaction_id={visitor_id}"
        "&adv_sub={order_ref}&goal_id={lead_goal_id}&security_token={secret}",
    }
    needs = {Operation.LEAD: "lead_goal_id"}
    success = "success=true"
    duplicate = "duplicate conversion"
    refused = "success=false"
