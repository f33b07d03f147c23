"""Post Affiliate Pro's pixel address, for sales only."""

from __future__ import annotations

from affiliates.outbox.protocol import ProviderSettings
from affiliates.outbox.registry import register
from affiliates.outbox.types import Operation
from affiliates.tracking.providers import field
from affiliates.tracking.providers.postback import CapturedPostback

_LEAD_ACTION = "lead_action"
_SALE = (
    "/scripts/sale.php?visitorId={visitor_id}&AccountId={account}"
    "&TotalCost={amount}&Currency={currency}&OrderID={order_ref}"
    "&ProductID={product}&Coupon={coupon}&PStatus={status}"
)
_LEAD = (
    "/scripts/sale.php?visitorId={visitor_id}&AccountId={account}"
    "&ActionCode={lead_action}&OrderID={order_ref}"
)


@register
class PapSale(CapturedPostback):
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
        field.needed(
            field.IDENTIFIER_PARAMETER,
            "identifier parameter",
            "The parameter of the visited page's address that has the network's click "
            "identifier. Unverified: that your links carry it: the script keeps it in "
            "the cookie PAPVisitorId, and a page must add it to its address.",
            default="visitorId",
        ),
        field.text(
            "account", "account id", "8 characters; empty: the default account."
        ),
        field.text(
            _LEAD_ACTION, "action code of a lead", "Empty: leads are not reported."
        ),
        field.choice(
            "status",
            "status of a sale",
            "What a sale is reported as.",
            ("", "As the campaign says"),
            ("A", "Approved"),
            ("P", "Pending"),
            ("D", "Declined"),
        ),
    )

    def template_text(self, operation: Operation, settings: ProviderSettings) -> str:
        if operation is Operation.SALE:
            return _SALE
        is_lead = operation is Operation.LEAD
        return _LEAD if is_lead and settings.text(_LEAD_ACTION) else ""
