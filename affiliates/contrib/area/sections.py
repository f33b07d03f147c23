"""The navigation of the area."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

# The navigation: groups of sections, each with its first page in the URLconf.
SECTIONS = (
    ("", {"dashboard": _("Overview")}),
    (
        _("Promote"),
        {
            "links": _("Links"),
            "coupons": _("Coupons"),
            "creatives": _("Creatives"),
        },
    ),
    (
        _("Results"),
        {
            "statistics": _("Statistics"),
            "orders": _("Orders"),
            "commissions": _("Commissions"),
            "claims": _("Missing sales"),
        },
    ),
    (
        _("Money"),
        {
            "balances": _("Balances"),
            "payouts": _("Payouts"),
            "destination": _("Payout destination"),
            "my_terms": _("My terms"),
        },
    ),
)

# The pages of the account menu.
ACCOUNT_PAGES = {
    "profile": _("Profile"),
    "notifications": _("Notifications"),
    "keys": _("API keys"),
    "webhook": _("Webhook"),
}
