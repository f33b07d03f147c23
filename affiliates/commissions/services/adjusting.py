"""Bonuses and deductions by staff, each a separate posting with its reason."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple
from uuid import uuid4

from django.db import transaction
from moneyed import CurrencyDoesNotExist, get_currency

from affiliates.brands.models.brand import Brand
from affiliates.brands.roles import has_two_who_may
from affiliates.commissions.models import POSTING_KEY, Adjustment
from affiliates.commissions.rules import MAX_NOTE
from affiliates.commissions.services.locks import lock_affiliates
from affiliates.core.money import amount_text, from_minor
from affiliates.errors import InvalidInput, NotAllowed, StateConflict, required_text
from affiliates.ledger.models import LedgerPosting
from affiliates.ledger.rules import MAX_AMOUNT, PATHS, Movement, PostingKind
from affiliates.ledger.services import post
from affiliates.program.models import Affiliate

KEYS_AT_ONCE = 500
OVER_LIMIT = (
    "It is above the brand's limit of a bonus payable at once: post it held, and let "
    "somebody else release it."
)


class NewAdjustment(NamedTuple):
    """``amount`` in minor units: above zero a bonus, below a deduction.

    Only a bonus can be held, until staff release or withdraw it.
    """

    affiliate_id: int
    currency: str
    amount: int
    reason: str
    is_held: bool = False
    key: str = ""

    @property
    def kind(self) -> PostingKind:
        if self.amount < 0:
            return PostingKind.DEDUCTION
        return PostingKind.BONUS_HELD if self.is_held else PostingKind.BONUS


@transaction.atomic
def adjust(
    wanted: Sequence[NewAdjustment], *, brand_id: int, actor_id: Any, now: datetime
) -> int:
    """Posts all of them or none. Returns how many are new: a key is posted once.

    A deduction may leave a negative balance, which later earnings offset. Raises
    InvalidInput for an adjustment that cannot be posted, NotAllowed for staff's own
    balance, StateConflict for a key that was posted with other values.
    """
    checked = [_checked(adjustment) for adjustment in wanted]
    owners = dict(
        Affiliate.objects.filter(
            brand_id=brand_id,
            pk__in={adjustment.affiliate_id for adjustment in checked},
        ).values_list("pk", "user_id")
    )
    if any(adjustment.affiliate_id not in owners for adjustment in checked):
        raise InvalidInput(
            "unknown_affiliate", "Choose an affiliate of this brand.", field="affiliate"
        )
    if actor_id is not None and actor_id in owners.values():
        raise NotAllowed("own_balance", "Nobody adjusts a balance of their own.")
    lock_affiliates(owners)
    known = _posted(adjustment.key for adjustment in checked)
    new = [adjustment for adjustment in checked if not _is_posted(adjustment, known)]
    rows = [
        Adjustment(
            brand_id=brand_id,
            affiliate_id=adjustment.affiliate_id,
            kind=adjustment.kind,
            currency=adjustment.currency,
            amount=abs(adjustment.amount),
            reason=adjustment.reason,
            key=adjustment.key,
            actor_id=actor_id,
            at=now,
        )
        for adjustment in new
    ]
    _post(rows, now=now)
    return len(rows)


def adjust_by_hand(
    wanted: NewAdjustment, *, brand_id: int, actor_id: Any, now: datetime
) -> int:
    """Posts what one person has entered, as ``adjust`` does.

    Raises InvalidInput for a bonus that somebody else must release and is not held.
    """
    if wanted.kind is PostingKind.BONUS and _is_for_two(
        wanted.amount, wanted.currency, brand_id=brand_id
    ):
        raise InvalidInput("bonus_over_limit", OVER_LIMIT, field="way")
    return adjust([wanted], brand_id=brand_id, actor_id=actor_id, now=now)


@transaction.atomic
def end_held_bonus(
    *, adjustment_id: int, kind: PostingKind, reason: str, actor_id: Any, now: datetime
) -> None:
    """Releases or withdraws a held bonus.

    Raises StateConflict if it has ended, NotAllowed if somebody else must do it.
    """
    reason = required_text(reason, field="reason", most=MAX_NOTE)
    held = Adjustment.objects.get(pk=adjustment_id, kind=PostingKind.BONUS_HELD)
    lock_affiliates([held.affiliate_id])
    if Adjustment.objects.filter(ends=held).exists():
        raise StateConflict("bonus_ended", "This bonus was released or withdrawn.")
    if held.affiliate.user_id == actor_id:
        raise NotAllowed("own_balance", "Nobody adjusts a balance of their own.")
    is_release = kind is PostingKind.BONUS_RELEASED
    if (
        is_release
        and held.actor_id == actor_id
        and _is_for_two(held.amount, held.currency, brand_id=held.brand_id)
    ):
        raise NotAllowed("second_person", "Somebody else must release it.")
    end = Adjustment(
        brand_id=held.brand_id,
        affiliate_id=held.affiliate_id,
        kind=kind,
        currency=held.currency,
        amount=held.amount,
        reason=reason,
        key=f"end:{held.pk}",
        ends=held,
        actor_id=actor_id,
        at=now,
    )
    _post([end], now=now)


def _is_for_two(amount: int, currency: str, *, brand_id: int) -> bool:
    """Whether a bonus of so many minor units takes two persons, if there are two."""
    limit = Brand.objects.values_list("bonus_limit", flat=True).get(pk=brand_id)
    if limit is None or from_minor(amount, currency).amount <= limit:
        return False
    return has_two_who_may("affiliates.change_adjustment", brand_id=brand_id)


def _checked(wanted: NewAdjustment) -> NewAdjustment:
    reason = required_text(wanted.reason, field="reason", most=MAX_NOTE)
    try:
        get_currency(wanted.currency)
    except CurrencyDoesNotExist:
        raise InvalidInput(
            "unknown_currency", "There is no such currency.", field="currency"
        ) from None
    if not 0 < abs(wanted.amount) <= MAX_AMOUNT:
        raise InvalidInput(
            "invalid_amount", "Give an amount other than zero.", field="amount"
        )
    if wanted.is_held and wanted.amount < 0:
        raise InvalidInput(
            "deduction_held", "Only a bonus can be held.", field="is_held"
        )
    key = wanted.key or str(uuid4())
    return wanted._replace(reason=reason, key=key)


def _is_posted(wanted: NewAdjustment, known: Mapping[str, Adjustment]) -> bool:
    row = known.get(wanted.key)
    if row is None:
        return False
    posted = row.affiliate_id, row.kind, row.currency, row.amount, row.reason
    amount = abs(wanted.amount)
    asked = wanted.affiliate_id, wanted.kind, wanted.currency, amount, wanted.reason
    if posted != asked:
        text = f"{row.get_kind_display()} {amount_text(row.amount, row.currency)}"
        raise StateConflict(
            "posted_otherwise",
            f"Posted already: {text}, “{row.reason}”. Begin anew to post another.",
        )
    return True


def _post(rows: Sequence[Adjustment], *, now: datetime) -> None:
    try:
        post([movement_of(row) for row in rows], now=now)
    except ValueError as error:
        raise InvalidInput("invalid_amount", str(error), field="amount") from None
    keep(rows)


def movement_of(row: Adjustment) -> Movement:
    kind = PostingKind(row.kind)
    (source,), (target,) = PATHS[kind]
    return Movement(
        kind=kind,
        key=POSTING_KEY.format(row.key),
        source=source,
        target=target,
        affiliate_id=row.affiliate_id,
        brand_id=row.brand_id,
        currency=row.currency,
        amount=row.amount,
    )


def keep(rows: Sequence[Adjustment]) -> None:
    """Writes the rows whose movements were just posted."""
    ids = _postings_of([row.key for row in rows])
    for row in rows:
        row.posting_id = ids[row.key]
    Adjustment.objects.bulk_create(rows)


def _posted(keys: Iterable[str]) -> dict[str, Adjustment]:
    """Adjustments by key."""
    return {
        row.key: row
        for part in _in_parts(keys)
        for row in Adjustment.objects.filter(key__in=part)
    }


def _postings_of(keys: Iterable[str]) -> dict[str, int]:
    """Posting ids by the adjustment's key."""
    wanted = {POSTING_KEY.format(key): key for key in keys}
    return {
        wanted[key]: pk
        for part in _in_parts(wanted)
        for key, pk in LedgerPosting.objects.filter(key__in=part).values_list(
            "key", "pk"
        )
    }


def _in_parts(keys: Iterable[str]) -> Iterator[list[str]]:
    in_order = sorted(set(keys))
    for start in range(0, len(in_order), KEYS_AT_ONCE):
        yield in_order[start : start + KEYS_AT_ONCE]
