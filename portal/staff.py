"""Settings about people: staff's account menu and roles, authenticators' names."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.urls import reverse_lazy

# A quiet blue in place of the theme's purple: 4.5 to 1 and more where text has it.
INK = {
    "50": "oklch(97.5% .008 245)",
    "100": "oklch(94.5% .016 245)",
    "200": "oklch(89.5% .03 245)",
    "300": "oklch(81.5% .05 245)",
    "400": "oklch(73% .07 245)",
    "500": "oklch(58% .085 245)",
    "600": "oklch(47% .085 245)",
    "700": "oklch(40% .078 245)",
    "800": "oklch(34% .066 245)",
    "900": "oklch(29% .054 245)",
    "950": "oklch(22% .04 245)",
}
ADMIN_THEME = {
    "COLORS": {"primary": INK},
    "SIDEBAR": {
        "navigation": "affiliates.contrib.desk.theme.sidebar",
        "show_search": True,
        "command_search": True,
    },
    # Without one browsers ask for /favicon.ico, and report that there is none.
    "SITE_FAVICONS": [{"rel": "icon", "href": "data:,"}],
    "COMMAND": {"search_callback": "affiliates.contrib.desk.theme.palette"},
    "ACCOUNT": {
        "navigation": [
            {"title": "Second factor", "link": reverse_lazy("second-factor")},
            {"title": "Open sessions", "link": reverse_lazy("admin-sessions")},
        ]
    },
}
LOOKS = [
    f"portal.view_{model}"
    for model in (
        "coupon",
        "invoice",
        "invoiceline",
        "order",
        "orderitem",
        "payment",
        "paymentdetails",
        "paymentevent",
        "product",
        "refund",
        "user",
        "walletentry",
    )
]
RUNS_THE_SHOP = [
    "portal.change_coupon",
    "portal.change_product",
    "portal.change_user",
    "portal.end_order",
    "portal.renew_order",
]
MOVES_MONEY = [
    "portal.add_walletentry",
    "portal.mark_paid_invoice",
    "portal.process_paymentevent",
    "portal.refund_invoice",
]
ROLE_PERMISSIONS = {
    "operator": [*LOOKS, *RUNS_THE_SHOP],
    "finance": [*LOOKS, *MOVES_MONEY],
    "support": LOOKS,
    "read-only": LOOKS,
}


def authenticator_issuer(device: Any) -> str:
    """Returns the name that an authenticator app shows above the e-mail address."""
    brand = device.user.brand
    return str(brand or settings.DESK_TITLE)
