"""What tests of payouts look at afterwards."""

from __future__ import annotations

from affiliates.ledger.rules import Account
from affiliates.ledger.selectors import balances_of


def standing(affiliate, currency="EUR") -> tuple[int, int, int]:
    """What is payable, being paid and paid out."""
    accounts = balances_of(affiliate.pk).get(currency, {})
    names = (Account.PAYABLE, Account.CLEARING, Account.PAID_OUT)
    payable, clearing, paid_out = (accounts.get(name, 0) for name in names)
    return payable, clearing, paid_out


def steps_of(payout) -> list[tuple[str, str]]:
    return [(event.before, event.after) for event in payout.events.all()]
