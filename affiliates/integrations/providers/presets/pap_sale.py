"""Post Affiliate Pro's pixel address, for sales alone."""

from __future__ import annotations

from affiliates.integrations.providers import field
from affiliates.integrations.providers.postback import CapturedPostback
from affiliates.integrations.providers.presets.preset import Preset
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
        field.identifier(
            "visitorId",
            f"{field.UNVERIFIED} that your links carry it: the script keeps it in the "
            "cookie PAPVisitorId, and a page must add it to its address.",
        ),
        field.text(
            "account", "account id", "8 characters; empty: the default account."
        ),
        field.lead("lead_action", "action code of a lead"),
        field.status(
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
