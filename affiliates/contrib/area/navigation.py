"""Where an affiliate goes: the entries of the area's navigation, in their order."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _


@dataclass(frozen=True, slots=True)
class Section:
    """``name`` is that of its first page in the URLconf."""

    name: str
    title: str | Promise


SECTIONS = [
    Section("dashboard", _("Overview")),
    Section("links", _("Links")),
    Section("coupons", _("Coupons")),
    Section("creatives", _("Creatives")),
    Section("statistics", _("Statistics")),
    Section("orders", _("Orders")),
    Section("commissions", _("Commissions")),
    Section("balances", _("Balances")),
    Section("payouts", _("Payouts")),
    Section("destination", _("Payout destination")),
    Section("claims", _("Missing sales")),
    Section("notifications", _("Notifications")),
    Section("keys", _("API keys")),
    Section("webhook", _("Webhook")),
    Section("profile", _("Profile")),
]
