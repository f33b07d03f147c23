"""Post Affiliate Pro's pixel address, for sales alone."""

from __future__ import annotations

from affiliates.integrations.providers.postback import CapturedPostback
from affiliates.integrations.providers.presets.preset import (
    UNVERIFIED,
    Preset,
    identifier_field,
    status_field,
    text_field,
)
from affiliates.integrations.types import Operation


class PapSale(Preset, CapturedPostback):
    code = "pap_sale"
    name = "Post Affiliate Pro, sale.php only"
    about = (
        "For installs where clicks are tracked by Post Affiliate Pro's own script. It "
        "sees our server's address instead of the visitor's and answers nothing: "
        "choose Post Affiliate Pro instead wherever you can."
    )
    address_help = "The install's address, without /scripts, e.g. https://pap.example."
    default_parameters = ("a_aid",)
    fields = (
        identifier_field(
            "visitorId",
            note=f"{UNVERIFIED} that your links carry it: the script keeps it in the "
            "cookie PAPVisitorId, and a page must add it to its address.",
        ),
        text_field(
            "account", "account id", "8 characters; empty: the default account."
        ),
        text_field(
            "lead_action", "action code of a lead", "Empty: leads are not reported."
        ),
        status_field(
            ("", "As the campaign says"),
            ("A", "Approved"),
            ("P", "Pending"),
            ("D", "Declined"),
        ),
    )
    texts = {
        Operation.SALE: "/scripts/sale.php?visitorId={visitor_id}&AccountId={account}"
        "&TotalCost={amount}&Currency={currency}&OrderID={order_ref}"
        "&ProductID={product}&Coupon={coupon}&PStatus={status}",
        Operation.LEAD: "/scripts/sale.php?visitorId={visitor_id}&AccountId={account}"
        "&ActionCode={lead_action}&OrderID={order_ref}",
    }
    needs = {Operation.LEAD: "lead_action"}
