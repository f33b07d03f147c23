"""The obstacles to settle before a person is erased."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from affiliates.core.money import amount_text
from affiliates.program.rules import AffiliateStatus

# What becomes of a person's rows.
EMPTIED, DELETED = "emptied", "deleted"
UNSENT = (
    "{} notifications of sales are not sent yet: wait until they are, or give them up."
)
ACTIVE = "{} takes part in the program: it must leave, or be suspended, first."
BALANCE = "{} has {} that is {}: pay it out or take it back first."


@dataclass(frozen=True, slots=True, kw_only=True)
class AffiliateFacts:
    """``balances`` has minor units by currency, each by what they are."""

    code: str
    status: AffiliateStatus
    balances: Mapping[str, Mapping[str, int]]


def obstacles(affiliates: Sequence[AffiliateFacts], *, unsent: int) -> Iterator[str]:
    """Each in a sentence that says what to do."""
    for affiliate in affiliates:
        if affiliate.status is AffiliateStatus.ACTIVE:
            yield ACTIVE.format(affiliate.code)
        for currency, parts in affiliate.balances.items():
            for what, amount in parts.items():
                if amount:
                    yield BALANCE.format(
                        affiliate.code, amount_text(amount, currency), what
                    )
    if unsent:
        yield UNSENT.format(f"{unsent:,}")
