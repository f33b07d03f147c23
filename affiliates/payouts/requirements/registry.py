"""What apps beside the core require of a payout, and what its statement says.

They register in ``affiliates_hooks.py``: the core imports none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Protocol

from affiliates.payouts.models import Payout
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


class ApprovalRequirement(Protocol):
    """Returns why some of these payouts cannot be approved now, by their keys.

    They are locked.
    """

    def __call__(self, payouts: Sequence[Payout]) -> Mapping[int, Refusal]: ...


class OnRequest(Protocol):
    """Called in the transaction of each request, also one by staff or a run."""

    def __call__(self, payout: Payout, *, now: datetime) -> None: ...


REQUIREMENTS: list[Requirement] = []
APPROVAL_REQUIREMENTS: list[ApprovalRequirement] = []
ON_REQUEST: list[OnRequest] = []
PAYEES: list[FindPayee] = []
# Each returns what a statement says in place of the brand's tax note, or "".
STATEMENT_NOTES: list[Callable[[Payout], str]] = []


def unmet_requirement(
    affiliate: Affiliate, *, currency: str, amount: int, now: datetime
) -> Refusal | None:
    """The first refusal of the registered requirements."""
    refusals = (
        requirement(affiliate, currency=currency, amount=amount, now=now)
        for requirement in REQUIREMENTS
    )
    return next(filter(None, refusals), None)


def unmet_approvals(payouts: Sequence[Payout]) -> dict[int, Refusal]:
    """A refusal for each payout that cannot be approved now, by its key."""
    unmet: dict[int, Refusal] = {}
    for requirement in APPROVAL_REQUIREMENTS:
        unmet |= requirement(payouts)
    return unmet


def announce_request(payout: Payout, *, now: datetime) -> None:
    for announce in ON_REQUEST:
        announce(payout, now=now)


def note_on_statement(payout: Payout) -> str:
    return next(filter(None, (note(payout) for note in STATEMENT_NOTES)), "")


def payee_of(affiliate: Affiliate, *, now: datetime) -> dict[str, Any] | None:
    """The first payee that a registered app knows."""
    return next(filter(None, (find(affiliate, now=now) for find in PAYEES)), None)
