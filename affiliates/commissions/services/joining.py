"""The joining bonus: given once, with the affiliate's first approved commission."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from affiliates.commissions.models import Adjustment, Commission
from affiliates.commissions.rules import JOINING_KEY
from affiliates.commissions.selectors import never_approved, terms_of_commission
from affiliates.ledger.rules import PostingKind


def joining_bonuses(
    approved: Sequence[Commission], *, now: datetime
) -> list[Adjustment]:
    """The bonuses due with these commissions, for affiliates with no earlier approval.

    A share brings none: it comes from another affiliate's client.

    They are not written yet: they are posted with the commissions. The caller has
    locked the affiliates, and a bonus given twice would hit the unique key.
    """
    first: dict[int, Commission] = {}
    for commission in approved:
        if commission.share_of_id is not None:
            continue
        first.setdefault(commission.affiliate_id, commission)
    due = {
        affiliate_id: bonus
        for affiliate_id, commission in first.items()
        if (bonus := _bonus_with(commission, now=now)) is not None
    }
    if not due:
        return []
    return [due[affiliate_id] for affiliate_id in never_approved(due)]


def _bonus_with(commission: Commission, *, now: datetime) -> Adjustment | None:
    terms = terms_of_commission(commission)
    amount = terms.joining_bonus.get(commission.currency)
    if amount is None:
        return None
    return Adjustment(
        brand_id=commission.brand_id,
        affiliate_id=commission.affiliate_id,
        kind=PostingKind.BONUS,
        currency=commission.currency,
        amount=amount,
        reason=f"Joining bonus of {commission.plan_version}.",
        key=JOINING_KEY.format(commission.affiliate_id),
        at=now,
    )
