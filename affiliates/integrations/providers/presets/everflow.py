"""Everflow: links that bring a transaction id, and links that have one made."""

from __future__ import annotations

from affiliates.integrations.providers import field
from affiliates.integrations.providers.postback import CapturedPostback, RemotePostback
from affiliates.integrations.providers.presets.preset import Preset
from affiliates.integrations.types import Operation

_EVERFLOW_FIELDS = (
    field.needed(
        "network_id", "network id (nid)", "The number of your Everflow network."
    ),
    field.text("event_id", "event id of a sale", "Empty: the offer's base conversion."),
    field.lead("lead_event_id", "event id of a lead"),
    field.CURRENCY,
    field.secret(
        "verification token", "The advertiser's, where the network asks for one."
    ),
)
_EVERFLOW_TEXTS = {
    Operation.SALE: "/?nid={network_id}&transaction_id={visitor_id}&amount={amount}"
    "&event_id={event_id}&order_id={order_ref}&verification_token={secret}",
    Operation.LEAD: "/?nid={network_id}&transaction_id={visitor_id}"
    "&event_id={lead_event_id}&order_id={order_ref}&verification_token={secret}",
}


class Everflow(Preset, CapturedPostback):
    code = "everflow"
    name = "Everflow, redirect links"
    about = (
        "Postback with the transaction id of the landing page. "
        f"{field.UNVERIFIED_ANSWERS}"
    )
    address_help = "Your tracking domain, e.g. https://www.TRACKING-DOMAIN.com."
    fields = (field.identifier("_ef_transaction_id"), *_EVERFLOW_FIELDS)
    texts = _EVERFLOW_TEXTS
    needs = {Operation.LEAD: "lead_event_id"}


class EverflowDirect(Preset, RemotePostback):
    code = "everflow_direct"
    name = "Everflow, direct links"
    about = (
        "Everflow is notified of the click and answers with its transaction id. "
        f"{field.UNVERIFIED} the id's name in that answer (transaction_id)."
    )
    address_help = Everflow.address_help
    default_parameters = ("affid",)
    fields = (
        field.needed(
            "offer_id", "offer id (oid)", "The offer that the clicks belong to."
        ),
        *_EVERFLOW_FIELDS,
    )
    texts = {
        Operation.CLICK: "/clk?oid={offer_id}&affid={affiliate}",
        **_EVERFLOW_TEXTS,
    }
    needs = Everflow.needs
    identifier_at = "json:transaction_id"
