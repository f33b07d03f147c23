"""Rules for required rows, and for rows that must match their sources. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from fractions import Fraction
from math import floor
from typing import Any, NamedTuple

import orjson
from moneyed import Currency, get_currency

from affiliates.core.money import rounded_minor
from affiliates.referrals.rules.choices import Verdict

# A receipt's data about its line, and its inputs.
WORD_NAMES = (
    "description",
    "product_ref",
    "kind",
    "tld",
    "operation",
    "billing_cycle",
)
AMOUNT_NAMES = ("net", "discount", "credit")
SALE_NAMES = ("currency", "affiliate_id", "renewal_number", "position")
RECEIPT_NAMES = (
    "position",
    *WORD_NAMES,
    "quantity",
    *AMOUNT_NAMES,
    *("currency", "affiliate", "renewal", "position", "payment time", "order time"),
    *("plan version", "amount"),
)


class PaymentFacts(NamedTuple):
    id: int
    invoice_ref: str
    is_credited: bool
    has_sale: bool


class RefundFacts(NamedTuple):
    """``has_sale``: of its invoice. ``paid_currency`` is empty where no payment is known."""

    id: int
    refund_ref: str
    currency: str
    paid_currency: str | None
    has_sale: bool
    reversal_id: int | None


class CancellationFacts(NamedTuple):
    """Which sale its refund took something of, and which one it gave something back of."""

    id: int
    cancellation_ref: str
    refunded_sale_id: int | None
    restored_sale_id: int | None


class RefundedSale(NamedTuple):
    """A sale with reversals, and the refunds known of its invoice, in its currency.

    Amounts are those of the database. Of each refund its gross amount and those of its
    cancellations, None for all of it; ``taken`` is what was taken back in all. So are
    the live commissions: amount and what was taken back, in minor units.
    """

    id: int
    currency: str
    net: Decimal
    gross: Decimal
    refunds: Sequence[tuple[Decimal, Sequence[Decimal | None]]]
    taken: Decimal
    commissions: Sequence[tuple[int, int]]


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
    """A commission with its receipts and their sources: lines as JSON."""

    id: int
    affiliate_id: int
    currency: str
    plan_version: int | None
    renewal_number: int
    position: int
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
    if facts.paid_currency not in (None, facts.currency):
        yield (
            f"is in {facts.currency}, but its invoice was paid in {facts.paid_currency}: it "
            "took nothing back. Tell it again with the same reference, in "
            f"{facts.paid_currency}."
        )
    elif facts.has_sale and facts.reversal_id is None:
        yield "took nothing back of its invoice's sale: the reversal is missing."


def judge_cancellation(facts: CancellationFacts) -> Iterator[str]:
    if facts.restored_sale_id is None and facts.refunded_sale_id is not None:
        yield "gave nothing back of its refund's sale: the reversal is missing."
    elif facts.restored_sale_id != facts.refunded_sale_id:
        yield "gave something back of a sale that its refund took nothing of."


def judge_refunded_sale(facts: RefundedSale) -> Iterator[str]:
    """The amount taken back must be in proportion to the part still refunded."""
    unit = get_currency(facts.currency).sub_unit
    still = sum(map(_still_refunded, facts.refunds), Decimal(0))
    share = Fraction(0)
    if facts.gross > 0:
        share = Fraction(min(still, facts.gross)) / Fraction(facts.gross)
    net, taken = int(facts.net * unit), int(facts.taken * unit)
    if taken != (due := _part(max(net, 0), share)):
        yield f"had {taken} taken back, but by its refunds it is {due}."
    for amount, of_commission in facts.commissions:
        if of_commission != (due := _part(amount, share)):
            yield (
                f"has a commission of {amount}, of which {of_commission} was taken back, "
                f"but by its refunds it is {due}."
            )


def _still_refunded(refund: tuple[Decimal, Sequence[Decimal | None]]) -> Decimal:
    gross, cancelled = refund
    parts = [one for one in cancelled if one is not None]
    is_whole = len(parts) < len(cancelled)
    return Decimal(0) if is_whole else max(gross - sum(parts), Decimal(0))


def _part(amount: int, share: Fraction) -> int:
    """Rounded half up."""
    return floor(amount * share + Fraction(1, 2))


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
    # Receipts from before positions.
    inputs = {"position": inputs.get("renewal_number"), **inputs}
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
        facts.position,
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
