"""What apps beside the core require of a payout, and whom its statement names.

They register in ``affiliates_hooks.py``: the core imports none of them.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Protocol

from affiliates.payouts.rules import Refusal
from affiliates.program.models import Affiliate


class Requirement(Protocol):
    """Returns why this payout cannot be requested now, or None.

    ``amount`` is in minor units. Called after ``rules.judge_request`` has allowed it.
    """

    def __call__(
        self, affiliate: Affiliate, *, currency: str, amount: int, now: datetime
    ) -> Refusal | None: ...


class FindPayee(Protocol):
    """Returns the payee on the day of payment, or None if unknown.

    ``name``, the ``lines`` of the address, and ``ids`` such as "VAT DE136695976".
    """

    def __call__(
        self, affiliate: Affiliate, *, now: datetime
    ) -> dict[str, Any] | None: ...


REQUIREMENTS: list[Requirement] = []
PAYEES: list[FindPayee] = []


def unmet_requirement(
    affiliate: Affiliate, *, currency: str, amount: int, now: datetime
) -> Refusal | None:
    """The first refusal of the registered requirements."""
    refusals = (
        requirement(affiliate, currency=currency, amount=amount, now=now)
        for requirement in REQUIREMENTS
    )
    return next(filter(None, refusals), None)


def payee_of(affiliate: Affiliate, *, now: datetime) -> dict[str, Any] | None:
    """The first payee that a registered app knows."""
    return next(filter(None, (find(affiliate, now=now) for find in PAYEES)), None)
