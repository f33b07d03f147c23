"""A simulation as people read it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from affiliates.contrib.what_if.simulate import SimulatedOutcome
from affiliates.contrib.what_if.types import ChangedOrder, Side
from affiliates.core.money import amount_text, from_minor

CSV_HEADER = (
    "order",
    "converted_at",
    "winner_today",
    "winner_by_draft",
    "earned_today",
    "earned_by_draft",
    "why_today",
    "why_by_draft",
)
TOGETHER = "All together"


class CostRow(NamedTuple):
    """Cost of the changed orders today and under the draft, as texts.

    ``affiliate_id`` is None for all affiliates together.
    """

    affiliate_id: int | None
    name: str
    today: str
    drafted: str
    difference: str


def csv_row(change: ChangedOrder) -> tuple[str, ...]:
    return (*facts_of(change), reason_of(change.before), draft_reason_of(change))


def facts_of(change: ChangedOrder) -> tuple[str, ...]:
    """The cells of a file."""
    return (
        change.order_ref,
        change.converted_at.isoformat(),
        change.before.winner,
        change.after.winner,
        sums_of(change.before.amounts, write=_in_file),
        sums_of(change.after.amounts, write=_in_file),
    )


def reason_of(side: Side) -> str:
    """Why this side comes out so, in sentences."""
    sentences = [side.reason]
    if side.is_held:
        sentences.append("Held for review.")
    if side.affiliate_id is not None:
        sentences.append(f"Earns by {side.plan}." if side.plan else "Is on no plan.")
    return " ".join(sentences)


def draft_reason_of(change: ChangedOrder) -> str:
    """The same of the draft, with what became of the affiliate of today."""
    reason = reason_of(change.after)
    if not change.loss:
        return reason
    return f"{reason} {change.before.affiliate_code}: {change.loss}."


def sums_of(
    amounts: Mapping[str, int], write: Callable[[int, str], str] = amount_text
) -> str:
    """Minor units by currency, as in €12.50, $3.00."""
    sums = [write(amount, currency) for currency, amount in amounts.items()]
    return ", ".join(sums) or "nothing"


def _in_file(amount: int, currency: str) -> str:
    return f"{from_minor(amount, currency).amount:,f} {currency}"


def cost_rows(outcome: SimulatedOutcome) -> list[CostRow]:
    """Each affiliate in each currency, by code, and then all of them together."""
    known = sorted(
        (outcome.codes[affiliate_id], currency, affiliate_id)
        for affiliate_id, currency in outcome.costs
    )
    rows = [
        _cost_row(affiliate_id, code, currency, outcome.costs[affiliate_id, currency])
        for code, currency, affiliate_id in known
    ]
    totals = sorted(outcome.totals().items())
    return rows + [_cost_row(None, TOGETHER, *total) for total in totals]


def caveats(outcome: SimulatedOutcome) -> list[str]:
    """Describes orders that could not be read, and costs that no draft changes."""
    sentences = []
    if outcome.unreadable:
        sentences.append(
            f"{outcome.unreadable:,} were decided in a form that cannot be made again."
        )
    if discounts := +outcome.discounts:
        sentences.append(
            f"Affiliates' coupon codes took {sums_of(discounts)} off these orders: a cost "
            "of the program on both sides."
        )
    return sentences


def headline(outcome: SimulatedOutcome) -> str:
    if not outcome.looked_at:
        return "No order was converted on these days. Choose others."
    if not outcome.changed:
        return f"None of {outcome.looked_at:,} orders would change."
    return f"{outcome.changed:,} of {outcome.looked_at:,} orders would change."


def summary_lines(outcome: SimulatedOutcome) -> list[str]:
    counted = f"{outcome.changed:,} of {outcome.looked_at:,}"
    costs = [
        f"{row.name}: {row.today} today, {row.drafted} by the draft ({row.difference})"
        for row in cost_rows(outcome)
    ]
    return [f"{counted} orders would change.", *caveats(outcome), *costs]


def _cost_row(
    affiliate_id: int | None, name: str, currency: str, costs: list[int]
) -> CostRow:
    today, drafted = costs
    sign = "+" if drafted > today else ""
    return CostRow(
        affiliate_id=affiliate_id,
        name=name,
        today=amount_text(today, currency),
        drafted=amount_text(drafted, currency),
        difference=f"{sign}{amount_text(drafted - today, currency)}",
    )
