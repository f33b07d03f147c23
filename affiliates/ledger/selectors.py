"""The balances of accounts."""

from __future__ import annotations

from affiliates.ledger.models import AccountBalance
from affiliates.ledger.rules import Account


def balance(affiliate_id: int, currency: str, account: Account) -> int:
    """In minor units; zero for an account that nothing was ever posted to."""
    found = AccountBalance.objects.filter(
        affiliate_id=affiliate_id, currency=currency, account=account
    )
    return sum(found.order_by().values_list("amount", flat=True))


def balances_of(affiliate_id: int) -> dict[str, dict[Account, int]]:
    """Every account of the affiliate, by currency. One query."""
    found: dict[str, dict[Account, int]] = {}
    rows = AccountBalance.objects.filter(affiliate_id=affiliate_id).order_by()
    for currency, account, amount in rows.values_list("currency", "account", "amount"):
        accounts = found.setdefault(currency, dict.fromkeys(Account, 0))
        accounts[Account(account)] = amount
    return found
