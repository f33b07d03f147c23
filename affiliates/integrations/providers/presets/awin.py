"""Awin: the sale from server to server."""

from __future__ import annotations

from affiliates.integrations.providers import field
from affiliates.integrations.providers.postback import CapturedPostback
from affiliates.integrations.providers.presets.preset import Preset
from affiliates.integrations.types import Operation


class Awin(Preset, CapturedPostback):
    code = "awin"
    name = "Awin"
    about = (
        "Server-to-server sale with the awc of the landing page. Awin wants it within "
        "minutes, and refunds in its own interface. "
        f"{field.UNVERIFIED_ANSWERS}"
    )
    address_help = "https://www.awin1.com"
    default_address = "https://www.awin1.com"
    # Of orderReference in Awin's order API, taken to hold for the same order here.
    max_order_ref = 50
    fields = (
        field.identifier("awc"),
        field.needed("merchant_id", "merchant id", "Your advertiser number at Awin."),
        field.needed(
            "commission_group",
            "commission group",
            "The code of the group that the whole amount is put in.",
            default="DEFAULT",
        ),
    )
    texts = {
        Operation.SALE: "/sread.php?tt=ss&tv=2&merchant={merchant_id}&amount={amount}"
        "&ch=aw&parts={commission_group}:{amount}&vc={coupon}&cr={currency}"
        "&ref={order_ref}&testmode=0&cks={visitor_id}",
    }
