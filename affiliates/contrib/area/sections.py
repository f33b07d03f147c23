"""The navigation of the area."""

from __future__ import annotations

from collections.abc import Callable

from django.urls import URLPattern
from django.utils.translation import gettext_lazy as _

from affiliates.program.models import Affiliate

# Apps over the area add a page in ``affiliates_hooks.py``: its path to these, and to
# PROMOTE or MONEY its title by the path's name.
MORE_PAGES: list[URLPattern] = []
# Pages about a payout: by the path's name, the text of the link on the payout's page, of
# its number; "" if there is nothing to see.
PAYOUT_LINKS: dict[str, Callable[[Affiliate, int], str]] = {}
PROMOTE = {
    "links": _("Links"),
    "coupons": _("Coupons"),
    "creatives": _("Creatives"),
}
MONEY = {
    "balances": _("Balances"),
    "payouts": _("Payouts"),
    "destination": _("Payout destination"),
    "my_terms": _("My terms"),
}
# The navigation: groups of sections, each with its first page in the URLconf.
SECTIONS = (
    ("", {"dashboard": _("Overview")}),
    (_("Promote"), PROMOTE),
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
