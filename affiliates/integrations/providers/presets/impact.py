"""impact.com: conversions queued by the advertiser's API."""

from __future__ import annotations

from affiliates.integrations.providers import field
from affiliates.integrations.providers.postback import CapturedPostback
from affiliates.integrations.providers.presets.preset import Preset
from affiliates.integrations.providers.protocol import ProviderSettings
from affiliates.integrations.types import Operation

_HEADERS = "\nAccept: application/json\nAuthorization: Basic {basic}"
_CONVERSIONS = (
    f"POST /Advertisers/{{account_sid}}/Conversions{_HEADERS}\n\n"
    "CampaignId={campaign_id}&EventDate={occurred_iso}&OrderId={order_ref}"
    "&ClickId={visitor_id}"
)


class Impact(Preset, CapturedPostback):
    code = "impact"
    name = "impact.com"
    about = (
        "Conversions by the advertiser's API with the click id of the landing page. "
        f"{field.UNVERIFIED} the names of the amount and the currency."
    )
    address_help = "https://api.impact.com"
    default_address = "https://api.impact.com"
    fields = (
        field.identifier(
            "irclickid", f"{field.UNVERIFIED} its name on your landing pages."
        ),
        field.needed("account_sid", "account SID", "In the settings of the API."),
        field.needed("campaign_id", "campaign id", "The number of your program."),
        field.needed(
            "tracker_id", "action tracker id of a sale", "From the event types."
        ),
        field.lead("lead_tracker_id", "action tracker id of a lead"),
        field.secret("auth token", "Of the same account as the SID.", is_required=True),
        field.reversals("Reported as returned items.", default=True),
    )
    texts = {
        Operation.SALE: f"{_CONVERSIONS}&ActionTrackerId={{tracker_id}}"
        "&CustomerId={customer_ref}&CurrencyCode={currency}&ItemSubTotal1={amount}"
        "&ItemSku1={product}&ItemQuantity1=1",
        Operation.LEAD: f"{_CONVERSIONS}&ActionTrackerId={{lead_tracker_id}}"
        "&CustomerId={customer_ref}",
        Operation.REVERSAL: "DELETE /Advertisers/{account_sid}/Actions"
        "?ActionTrackerId={tracker_id}&OrderId={order_ref}"
        f"&DispositionCode=ITEM_RETURNED{_HEADERS}",
    }
    needs = {Operation.LEAD: "lead_tracker_id"}
    success = "json:Status=QUEUED"

    def basic_user(self, settings: ProviderSettings) -> str:
        return settings.text("account_sid")
