"""The navigation of the area."""

from __future__ import annotations

from django.urls import URLPattern
from django.utils.translation import gettext_lazy as _

# Apps over the area add a page in ``affiliates_hooks.py``: its path to these, and to
# MONEY its title by the path's name.
MORE_PAGES: list[URLPattern] = []
MONEY = {
    "balances": _("Balances"),
    "payouts": _("Payouts"),
    "destination": _("Payout destination"),
    "my_terms": _("My terms"),
}
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
    (_("Money"), MONEY),
)

# The pages of the account menu.
ACCOUNT_PAGES = {
    "profile": _("Profile"),
    "notifications": _("Notifications"),
    "keys": _("API keys"),
    "webhook": _("Webhook"),
}
