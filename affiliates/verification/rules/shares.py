"""Rules for a recruiter's share and its commission. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

import orjson

from affiliates.commissions.rules import CommissionStatus
from affiliates.plans.rules.receipts import is_sound


class Half(NamedTuple):
    """A share, or the commission that it is of: ``taken`` by refunds.

    ``approval``: the id of the event by which it was approved first.
    """

    id: int
    affiliate_id: int
    amount: int
    status: str
    taken: int
    approval: int | None
    origin: tuple[Any, ...]


class ShareFacts(NamedTuple):
    """``receipts`` are JSON, one for each line; ``terms`` are those of its version."""

    id: int
    share: Half
    of: Half
    is_of_share: bool
    currency: str
    version: int | None
    terms: Mapping[str, Any]
    receipts: Sequence[str]


def judge_share(facts: ShareFacts) -> Iterator[str]:
    share, of = facts.share, facts.of
    if facts.is_of_share:
        yield f"is a share of commission {of.id}, which is a share: only one level earns."
    if share.origin != of.origin:
        yield (
            f"is of another brand, sale, currency, plan version or time than commission "
            f"{of.id}, which it is a share of."
        )
    if share.affiliate_id == of.affiliate_id:
        yield f"is a share of commission {of.id} for the affiliate who earned that."
    yield from _judge_approval(share, of)
    yield from _judge_end(share, of)
    yield from _judge_receipt(facts)


def _judge_approval(share: Half, of: Half) -> Iterator[str]:
    if share.approval is None:
        return
    # By ids, which are in order under the locks: machines' clocks may differ.
    if of.approval is None or share.approval < of.approval:
        yield f"was approved before commission {of.id}, which it is a share of."


def _judge_end(share: Half, of: Half) -> Iterator[str]:
    if share.status == CommissionStatus.REJECTED:
        return
    if of.status == CommissionStatus.REJECTED:
        yield f"is {share.status}, but commission {of.id}, which it is a share of, is rejected."
        return
    # Both are rounded to whole units, and a share is no more than what it is of.
    is_whole = of.taken == of.amount and share.taken != share.amount
    apart = abs(share.taken * of.amount - of.taken * share.amount)
    if is_whole or apart > of.amount:
        yield (
            f"had {share.taken} of {share.amount} taken back, but commission {of.id} "
            f"{of.taken} of {of.amount}."
        )


def _judge_receipt(facts: ShareFacts) -> Iterator[str]:
    if len(facts.receipts) != 1:
        yield f"has {len(facts.receipts)} lines: a share has one."
        return
    receipt = orjson.loads(facts.receipts[0])
    inputs = receipt["inputs"]
    kept = (
        inputs["commission"],
        inputs["earned"],
        inputs["currency"],
        Decimal(inputs["percent"]),
        receipt["plan"]["version"],
        receipt["amount"],
    )
    recorded = (
        facts.of.id,
        facts.of.amount,
        facts.currency,
        Decimal(facts.terms.get("recruiter_percent", 0)),
        facts.version,
        facts.share.amount,
    )
    names = ("commission", "commission of", "currency", "percent", "version", "amount")
    for name, value, expected in zip(names, kept, recorded, strict=True):
        if value != expected:
            yield f"has a receipt with {name} {value}, but {expected} is on record."


def judge_share_sums(facts: ShareFacts) -> Iterator[str]:
    """Recomputes the receipt from its own values."""
    for receipt in facts.receipts:
        if not is_sound(orjson.loads(receipt)):
            yield "has a receipt that does not follow from it."
