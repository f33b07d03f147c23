"""What must be there, and what must say the same as what it was made of. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

import orjson
from moneyed import Currency, get_currency

from affiliates.core.money import rounded_minor
from affiliates.referrals.rules.choices import Verdict

# What a receipt holds of its line, and what it computes with.
WORD_NAMES = (
    "description",
    "product_ref",
    "kind",
    "tld",
    "operation",
    "billing_cycle",
)
AMOUNT_NAMES = ("net", "discount", "credit")
SALE_NAMES = ("currency", "affiliate_id", "renewal_number")
RECEIPT_NAMES = (
    "position",
    *WORD_NAMES,
    "quantity",
    *AMOUNT_NAMES,
    *("currency", "affiliate", "renewal", "payment time", "order time"),
    *("plan version", "amount"),
)


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


class OrderFacts(NamedTuple):
    """An order's referral. ``decision`` is JSON."""

    id: int
    order_ref: str
    outcome: str
    affiliate_id: int | None
    decision: str


class ReceiptLine(NamedTuple):
    """``receipt`` is JSON."""

    position: int
    amount: int
    receipt: str


class ReceiptFacts(NamedTuple):
    """A commission with its receipts, and what they were made from: lines as JSON."""

    id: int
    affiliate_id: int
    currency: str
    plan_version: int | None
    renewal_number: int
    paid_at: datetime
    ordered_at: datetime
    paid_lines: str
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
    decision = orjson.loads(facts.decision)
    winner = next(
        (
            one.get("affiliate_id")
            for one in decision.get("candidates", ())
            if one.get("verdict") == Verdict.WON
        ),
        None,
    )
    if winner != facts.affiliate_id:
        yield f"is credited to affiliate {facts.affiliate_id}, by its decision to {winner}."
    outcome = decision.get("outcome")
    if outcome != facts.outcome:
        yield f"is {facts.outcome}, by its decision {outcome}."


def judge_receipts(facts: ReceiptFacts) -> Iterator[str]:
    paid = orjson.loads(facts.paid_lines)
    if [line.position for line in facts.lines] != list(range(1, len(paid) + 1)):
        yield f"has {len(facts.lines)} lines for an invoice that was paid of {len(paid)}."
        return
    currency = get_currency(facts.currency)
    for line, made in zip(paid, facts.lines, strict=True):
        kept = _receipt_values(orjson.loads(made.receipt))
        recorded = _recorded_values(facts, made, line, currency)
        if kept == recorded:
            continue
        for name, value, expected in zip(RECEIPT_NAMES, kept, recorded, strict=True):
            if value != expected:
                yield (
                    f"has a receipt of line {made.position} with {name} {value}, but "
                    f"{expected} is on record."
                )


def _receipt_values(receipt: Mapping[str, Any]) -> tuple[Any, ...]:
    line, inputs = receipt.get("line", {}), receipt.get("inputs", {})
    return (
        line.get("position"),
        *map(line.get, WORD_NAMES),
        inputs.get("quantity"),
        *map(inputs.get, AMOUNT_NAMES),
        *map(inputs.get, SALE_NAMES),
        _moment(inputs.get("paid_at")),
        _moment(inputs.get("ordered_at")),
        receipt.get("plan", {}).get("version"),
        receipt.get("amount"),
    )


def _recorded_values(
    facts: ReceiptFacts, made: ReceiptLine, paid: Mapping[str, Any], currency: Currency
) -> tuple[Any, ...]:
    return (
        made.position,
        *[paid[name] for name in WORD_NAMES],
        paid["quantity"],
        *[rounded_minor(paid[name], currency) for name in AMOUNT_NAMES],
        facts.currency,
        facts.affiliate_id,
        facts.renewal_number,
        facts.paid_at,
        facts.ordered_at,
        facts.plan_version,
        made.amount,
    )


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
