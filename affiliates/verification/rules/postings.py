"""Rules for postings, and for the adjustments that have one. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from affiliates.ledger.rules import ADJUSTMENT_KINDS, PATHS, PAYOUT_KINDS, PostingKind
from affiliates.verification.rules.books import Owner

_SUBJECTS: Mapping[str, str] = {
    **dict.fromkeys(PAYOUT_KINDS, "payout"),
    **dict.fromkeys(ADJUSTMENT_KINDS, "adjustment"),
}


class PostingFacts(NamedTuple):
    """A posting with its entries' sums, and the owner of its commission or payout."""

    id: int
    key: str
    kind: str
    brand_id: int
    commission_id: int | None
    payout_id: int | None
    adjustment_id: int | None
    for_brand_id: int | None
    for_affiliate_id: int | None
    for_currency: str | None
    entry_count: int
    total: int | None
    source: str | None
    target: str | None
    first_affiliate_id: int | None
    last_affiliate_id: int | None
    first_currency: str | None
    last_currency: str | None


class AdjustmentFacts(NamedTuple):
    """What staff adjusted, what its posting moves, and the held bonus that it ends."""

    id: int
    kind: str
    amount: int
    owner: Owner
    posted_kind: str | None
    posted: int | None
    ended: tuple[str, Owner, int] | None


def judge_posting(facts: PostingFacts) -> Iterator[str]:
    if facts.entry_count != 2:
        yield f"has {facts.entry_count} entries, not two: money has no other side."
    if facts.total:
        yield f"sums to {facts.total}, not to zero: money came from or went nowhere."
    if facts.first_currency != facts.last_currency:
        yield "has entries in two currencies: no currency sums to zero."
    if facts.first_affiliate_id != facts.last_affiliate_id:
        yield "has entries of two affiliates: one is given what is another's."
    yield from _judge_path(facts)
    yield from _judge_subject(facts)


def _judge_path(facts: PostingFacts) -> Iterator[str]:
    path = PATHS.get(facts.kind)  # type: ignore[call-overload] # a kind is a string
    way = f"from {facts.source} to {facts.target}"
    if path is None:
        yield f"is of an unknown kind, {facts.kind}."
    elif not path.allows(facts.source, facts.target):
        yield f"goes {way}: {facts.kind} money does not go that way."


def _judge_subject(facts: PostingFacts) -> Iterator[str]:
    name = _SUBJECTS.get(facts.kind, "commission")
    named = {
        one
        for one in ("commission", "payout", "adjustment")
        if getattr(facts, f"{one}_id") is not None
    }
    if named != {name}:
        yield f"does not name one {name} and nothing else: nothing explains it."
    elif (facts.brand_id, facts.first_affiliate_id, facts.first_currency) != (
        facts.for_brand_id,
        facts.for_affiliate_id,
        facts.for_currency,
    ):
        yield "is not of the brand, affiliate and currency of what it is for."


def judge_adjustment(facts: AdjustmentFacts) -> Iterator[str]:
    if facts.kind != facts.posted_kind or facts.amount != facts.posted:
        yield (
            f"is {facts.kind} of {facts.amount}, but the books have "
            f"{facts.posted_kind} of {facts.posted}."
        )
    if facts.ended is None:
        return
    if facts.ended != (PostingKind.BONUS_HELD, facts.owner, facts.amount):
        yield "ends what is no held bonus of just this affiliate and amount."
