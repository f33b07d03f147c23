"""The scopes, the prefix and the ends of a key. Pure."""

from __future__ import annotations

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

# Distinguishes keys from other credentials, and makes leaked ones easy to find.
KEY_PREFIX = "afk_"


class Scope(TextChoices):
    """No scope allows changing payout destinations or keys."""

    STATISTICS = (
        "statistics",
        _("Read profile, links, coupons, creatives, referrals, orders and statistics"),
    )
    MONEY = "money", _("Read balances, commissions, payouts and notifications")
    LINKS = "links", _("Make and change links and codes")
    CLAIMS = "claims", _("Read and submit claims")
    PAYOUTS = "payouts", _("Ask for payouts")


class KeyEnd(TextChoices):
    REVOKED = "revoked", _("Revoked")
    SUSPENDED = "suspended", _("Ended by a suspension")
    LEFT = "left", _("Ended by leaving the program")
    CREDENTIALS = "credentials", _("Ended by a change of password, address or logins")
