from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from affiliates.payouts.providers.protocol import PayoutProvider, Way


class AccountCredit(PayoutProvider):
    """Credit of the client's account, where the host keeps one."""

    code = "wallet"
    label = _("Account credit")
    way = Way.CREDIT
