"""What must be there, and what must say the same as what it was made of. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from moneyed import get_currency

from affiliates.commissions.amounts import paid_lines
from affiliates.plans.rules.matching import LineFacts
from affiliates.referrals.rules.choices import Verdict

# What a receipt holds of its line, and what it computes with.
LINE_NAMES = (
    "position",
    "description",
    "product_ref",
    "kind",
    "tld",
    "operation",
    "billing_cycle",
)
INPUT_NAMES = ("quantity", "net", "discount", "credit")


class PaymentFacts(NamedTuple):
    id: int
    invoice_ref: str
    is_credited: bool
    has_sale: bool


class RefundFacts(NamedTuple):
    """``has_sale``: of its invoice, in its currency."""

    id: int
    refund_ref: str
    has_sale: bool
    reversal_id: int | None


class Override(NamedTuple):
    affiliate_id: int | None
    reason: str
    at: datetime
    replaced: Mapping[str, Any]


class OrderFacts(NamedTuple):
    """The columns of an order's referral, its decision, and the overrides in order."""

    id: int
    order_ref: str
    outcome: str
    reason: str
    affiliate_id: int | None
    click_id: UUID | None
    touched_at: datetime | None
    decision: Mapping[str, Any]
    overrides: Sequence[Override]


class ReceiptLine(NamedTuple):
    position: int
    amount: int
    receipt: Mapping[str, Any]


class ReceiptFacts(NamedTuple):
    """A commission with its receipts, and what they were made from."""

    id: int
    affiliate_id: int
    currency: str
    plan_version: int | None
    renewal_number: int
    paid_at: datetime
    ordered_at: datetime
    paid_lines: Sequence[Mapping[str, Any]]
    lines: Sequence[ReceiptLine]


class Version(NamedTuple):
    """``computed`` is the digest that its terms have, ``digest`` the one it names."""

    number: int
    effective_from: datetime
    digest: str
    computed: str
    affiliate_id: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionsFacts:
    """A brand, plan or coupon: its versions by number, and what it says at present."""

    id: int
    name: str
    versions: Sequence[Version]
    present: str
    affiliate_id: int | None


def judge_payment(facts: PaymentFacts) -> Iterator[str]:
    if facts.is_credited and not facts.has_sale:
        yield "is of an order that credits an affiliate, but made no sale."


def judge_refund(facts: RefundFacts) -> Iterator[str]:
    if facts.has_sale and facts.reversal_id is None:
        yield "took nothing back of its invoice's sale: the reversal is missing."


def judge_order(facts: OrderFacts) -> Iterator[str]:
    winner = next(
        (
            one.get("affiliate_id")
            for one in facts.decision.get("candidates", ())
            if one.get("verdict") == Verdict.WON
        ),
        None,
    )
    if winner != facts.affiliate_id:
        yield f"is credited to affiliate {facts.affiliate_id}, by its decision to {winner}."
    outcome = facts.decision.get("outcome")
    if outcome != facts.outcome:
        yield f"is {facts.outcome}, by its decision {outcome}."


def judge_receipts(facts: ReceiptFacts) -> Iterator[str]:
    paid = paid_lines(facts.paid_lines, get_currency(facts.currency))
    if [line.position for line in paid] != [line.position for line in facts.lines]:
        yield f"has {len(facts.lines)} lines for an invoice that was paid of {len(paid)}."
        return
    for line, made in zip(paid, facts.lines, strict=True):
        for name, kept, expected in _receipt_values(facts, line, made):
            if kept != expected:
                yield (
                    f"has a receipt of line {line.position} with {name} {kept}, but "
                    f"{expected} is on record."
                )


def _receipt_values(
    facts: ReceiptFacts, paid: LineFacts, made: ReceiptLine
) -> Iterator[tuple[str, Any, Any]]:
    receipt = made.receipt
    line, inputs = receipt.get("line", {}), receipt.get("inputs", {})
    for name in LINE_NAMES:
        yield name, line.get(name), getattr(paid, name)
    for name in INPUT_NAMES:
        yield name, inputs.get(name), getattr(paid, name)
    yield "currency", inputs.get("currency"), facts.currency
    yield "affiliate", inputs.get("affiliate_id"), facts.affiliate_id
    yield "renewal", inputs.get("renewal_number"), facts.renewal_number
    yield "payment time", _moment(inputs.get("paid_at")), facts.paid_at
    yield "order time", _moment(inputs.get("ordered_at")), facts.ordered_at
    yield "plan version", receipt.get("plan", {}).get("version"), facts.plan_version
    yield "amount", receipt.get("amount"), made.amount


def judge_versions(facts: VersionsFacts) -> Iterator[str]:
    numbers = [version.number for version in facts.versions]
    if not numbers:
        yield "has no version of its terms."
        return
    if numbers != list(range(1, len(numbers) + 1)):
        yield f"has the versions {', '.join(map(str, numbers))}: not one after another."
    begins = [version.effective_from for version in facts.versions]
    if begins != sorted(begins):
        yield "has a version that takes effect before an earlier one."
    for version in facts.versions:
        if version.computed != version.digest:
            yield f"has other terms in version {version.number} than it was made with."
    latest = facts.versions[-1]
    if (latest.digest, latest.affiliate_id) != (facts.present, facts.affiliate_id):
        yield "says something else than its latest version: save it again."


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)
