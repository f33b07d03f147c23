"""Settings of networks that accept a sale as one request: no provider of their own.

``YOUR_`` begins a number or a name of the brand's own, which staff enter in its place.
"""

from __future__ import annotations

import re
from typing import NamedTuple

YOURS = re.compile(r"YOUR_[A-Z_]+")
_CURRENCY = "Only this currency: that of your offer, since the request names none."
_NO_REVERSAL = "It has no postback for a reversal: reject the sale there by hand."
_ANY_ANSWER = "Unverified: the answers; any 2xx except a web page counts as success."
_WHOLE = "Only whole sales are reversed: lower the others there by hand."
_IMPACT = "/Advertisers/{account}/"
_IMPACT_HEADERS = "\nAccept: application/json\nAuthorization: Basic {basic}"
_IMPACT_FACTS = "&EventDate={occurred_iso}&OrderId={order_ref}&ClickId={visitor_id}"
_EVERFLOW = {
    "address": "https://www.YOUR_DOMAIN",
    "sale_template": "/?nid=YOUR_NETWORK_ID&transaction_id={visitor_id}&amount={amount}"
    "&order_id={order_ref}&verification_token={secret}",
    "lead_template": "/?nid=YOUR_NETWORK_ID&transaction_id={visitor_id}"
    "&event_id=YOUR_LEAD_EVENT_ID&order_id={order_ref}&verification_token={secret}",
    "only_currency": "EUR",
}
_EVERFLOW_REMARKS = (
    "For the sale, &event_id=YOUR_EVENT_ID names an event; otherwise it is the offer's "
    "base conversion.",
    "The secret is the advertiser's verification token; where the network asks for none, "
    "leave &verification_token={secret} out.",
    _CURRENCY,
    _NO_REVERSAL,
    _ANY_ANSWER,
)


class Network(NamedTuple):
    """``values`` by the names of the form's fields; those not named stay as they are.

    ``remarks`` that begin with *Unverified* were not confirmed by the network's own
    documentation.
    """

    name: str
    provider: str
    values: dict[str, str]
    remarks: tuple[str, ...]


NETWORKS = {
    "tune": Network(
        "TUNE (HasOffers)",
        "postback",
        {
            "address": "https://YOUR_NETWORK.go2cloud.org",
            "identifier_parameter": "transaction_id",
            "sale_template": "/aff_lsr?offer_id=YOUR_OFFER_ID&transaction_id={visitor_id}"
            "&amount={amount}&adv_sub={order_ref}&security_token={secret}",
            "lead_template": "/aff_lsr?offer_id=YOUR_OFFER_ID&transaction_id={visitor_id}"
            "&adv_sub={order_ref}&goal_id=YOUR_LEAD_GOAL_ID&security_token={secret}",
            "only_currency": "EUR",
            "success": "success=true",
            "duplicate": "duplicate conversion",
            "refused": "success=false",
        },
        (
            "The tracking address may be your own tracking domain.",
            "Write {transaction_id} into the offer's URL as the value of the parameter.",
            "For the sale, &goal_id=YOUR_GOAL_ID names a goal and &status=approved or "
            "&status=pending a status; otherwise the offer decides.",
            "The secret is the offer's or the advertiser's security token; where none is "
            "set, leave &security_token={secret} out.",
            _CURRENCY,
            _NO_REVERSAL,
        ),
    ),
    "everflow": Network(
        "Everflow, redirect links",
        "postback",
        {**_EVERFLOW, "identifier_parameter": "_ef_transaction_id"},
        _EVERFLOW_REMARKS,
    ),
    "everflow-direct": Network(
        "Everflow, direct links",
        "postback_remote",
        {
            **_EVERFLOW,
            "parameters": "affid",
            "click_template": "/clk?oid=YOUR_OFFER_ID&affid={affiliate}",
            "identifier_at": "json:transaction_id",
        },
        (*_EVERFLOW_REMARKS, "Unverified: the name of the identifier in the answer."),
    ),
    "awin": Network(
        "Awin",
        "postback",
        {
            "address": "https://www.awin1.com",
            "identifier_parameter": "awc",
            "sale_template": "/sread.php?tt=ss&tv=2&merchant=YOUR_MERCHANT_ID"
            "&amount={amount}&ch=aw&parts=DEFAULT:{amount}&vc={coupon}&cr={currency}"
            "&ref={order_ref}&testmode=0&cks={visitor_id}",
        },
        (
            "DEFAULT is the commission group that the whole amount is put in.",
            "Awin wants a sale within minutes. Its order API keeps 50 characters of an "
            "order's reference; longer references are sent uncut.",
            _NO_REVERSAL,
            _ANY_ANSWER,
        ),
    ),
    "affise": Network(
        "Affise",
        "postback",
        {
            "address": "https://YOUR_DOMAIN",
            "identifier_parameter": "clickid",
            "sale_template": "/postback?clickid={visitor_id}&action_id={order_ref}"
            "&sum={amount}&currency={currency}&status=1&secure={secret}&ip={ip}",
            "lead_template": "/postback?clickid={visitor_id}&action_id={order_ref}"
            "&goal=YOUR_LEAD_GOAL&status=1&secure={secret}&ip={ip}",
            "reversal_template": "/postback?clickid={visitor_id}&action_id={order_ref}"
            "&status=3&secure={secret}",
            "success": "json:status=1",
            "refused": "json:status=2",
        },
        (
            "The tracking address is your tracking domain at Affise.",
            "Status 1 is approved, 2 pending, 5 on hold. &goal=YOUR_GOAL names a goal, in "
            "the sale and in its reversal.",
            "The secret is the offer's secure code; where it asks for none, leave "
            "&secure={secret} out.",
            _WHOLE,
            "Unverified: the path /postback, and that a second postback with status 3 "
            "declines the sale. Try it, and leave the template of a reversal empty until "
            "then.",
        ),
    ),
    "scaleo": Network(
        "Scaleo",
        "postback",
        {
            "address": "https://YOUR_WORKSPACE.scaletrk.com",
            "identifier_parameter": "click_id",
            "sale_template": "/track/conv?click_id={visitor_id}&token={secret}"
            "&amount={amount}&conv_status=pending",
            "lead_template": "/track/conv?click_id={visitor_id}&token={secret}"
            "&goal_id=YOUR_LEAD_GOAL_ID&conv_status=pending",
            "reversal_template": "/track/conv-change?click_id={visitor_id}&token={secret}"
            "&conv_status=rejected",
            "only_currency": "EUR",
        },
        (
            "The status may be approved instead of pending; &goal_id=YOUR_GOAL_ID names a "
            "goal of the sale. Scaleo takes one conversion a click unless the offer "
            "allows several.",
            "The secret is the postback token of the workspace.",
            _CURRENCY,
            _WHOLE,
            "Unverified: which sale is declined when a click has several. Leave the "
            "template of a reversal empty where the offer allows that.",
            _ANY_ANSWER,
        ),
    ),
    "impact": Network(
        "impact.com",
        "postback",
        {
            "address": "https://api.impact.com",
            "identifier_parameter": "irclickid",
            "account": "YOUR_ACCOUNT_SID",
            "sale_template": f"POST {_IMPACT}Conversions{_IMPACT_HEADERS}\n\n"
            f"CampaignId=YOUR_CAMPAIGN_ID{_IMPACT_FACTS}&ActionTrackerId=YOUR_TRACKER_ID"
            "&CustomerId={customer_ref}&CurrencyCode={currency}&ItemSubTotal1={amount}"
            "&ItemSku1={product}&ItemQuantity1=1",
            "lead_template": f"POST {_IMPACT}Conversions{_IMPACT_HEADERS}\n\n"
            f"CampaignId=YOUR_CAMPAIGN_ID{_IMPACT_FACTS}"
            "&ActionTrackerId=YOUR_LEAD_TRACKER_ID&CustomerId={customer_ref}",
            "reversal_template": f"DELETE {_IMPACT}Actions?ActionTrackerId=YOUR_TRACKER_ID"
            f"&OrderId={{order_ref}}&DispositionCode=ITEM_RETURNED{_IMPACT_HEADERS}",
            "success": "json:Status=QUEUED",
        },
        (
            "The account's number and its auth token, which is the secret, are in the "
            "settings of the API there.",
            _WHOLE,
            "Unverified: the name of the identifier on your landing pages, and the names "
            "of the amount and the currency.",
        ),
    ),
}
