"""Amounts of commissions and refunds, worked out from the documentation alone.

All amounts are minor units. The plans are those of ``make_world``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor
from operator import mul

from tests.factories.credits import bases_after_credits
from tests.factories.world import Invoice

Line = tuple[str, str, int]
SHARE = Fraction("0.33333")


@dataclass(frozen=True, kw_only=True)
class ModelPlan:
    """A plan of ``make_world``, as percentages of one and minor units."""

    rate: Fraction
    tiers: Mapping[str, tuple[int, Fraction]] = field(default_factory=dict)
    fixed: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    caps: Mapping[str, int] = field(default_factory=dict)
    bonus: Mapping[str, int] = field(default_factory=dict)
    renewal_rate: Fraction | None = None
    last_position: int | None = None


PLANS = (
    ModelPlan(
        rate=Fraction("0.125"),
        tiers={"JPY": (9_000, Fraction("0.15"))},
        fixed={"domain": {"EUR": 300, "JPY": 500}},
    ),
    ModelPlan(
        rate=Fraction("0.33333"),
        renewal_rate=Fraction("0.2"),
        bonus={"JPY": 900, "KWD": 2_000},
    ),
    ModelPlan(rate=Fraction("0.5"), caps={"EUR": 50_000}, last_position=2),
)


@dataclass(frozen=True, kw_only=True)
class ReportedRefund:
    invoice_ref: str
    kind: str
    gross: int
    currency: str
    lines: tuple[Line, ...] = ()
    net: int | None = None
    payment_ref: str = ""


def half_up(exact: Fraction) -> int:
    return floor(exact + Fraction(1, 2))


def earned_by_line(
    plan: ModelPlan,
    lines: Sequence[Line],
    *,
    currency: str,
    position: int,
    sold_before: int,
    earned_before: int,
) -> list[int]:
    """The lines' amounts: rounded once by rule, then cut by the cap in their order."""
    if plan.last_position is not None and position > plan.last_position:
        return [0] * len(lines)
    bases = bases_after_credits([(f"{kind}-1", kind, net) for kind, _, net in lines])
    of_position = (position and plan.renewal_rate) or plan.rate
    at_least, higher = plan.tiers.get(currency, (0, of_position))
    rate = higher if sold_before >= at_least else of_position
    amounts = [0] * len(lines)
    dues: dict[int, Fraction] = {}
    for place, ((kind, _, _), base) in enumerate(zip(lines, bases, strict=True)):
        if kind in plan.fixed:
            amounts[place] = plan.fixed[kind].get(currency, 0) if base > 0 else 0
        elif base > 0:
            dues[place] = base * rate
    rest = half_up(sum(dues.values(), Fraction(0))) - sum(map(floor, dues.values()))
    by_fraction = sorted(dues, key=lambda place: floor(dues[place]) - dues[place])
    for rank, place in enumerate(by_fraction):
        amounts[place] = floor(dues[place]) + (rank < rest)
    if currency in plan.caps:
        left = max(plan.caps[currency] - earned_before, 0)
        for place, amount in enumerate(amounts):
            amounts[place] = min(amount, left)
            left -= amounts[place]
    return amounts


def taken_back(
    amount: int,
    by_line: Sequence[int],
    invoice: Invoice,
    refunds: Sequence[tuple[ReportedRefund, Fraction]],
) -> int:
    """Of an amount that follows from amounts by line. Each refund has its live part."""
    if amount <= 0 or invoice.gross <= 0:
        return 0
    nets = [net for _, _, net in invoice.lines]
    kept = [Fraction(1) for _ in nets]
    of_net = of_gross = whole = Fraction(0)
    for refund, part in refunds:
        if refund.currency != invoice.currency or refund.payment_ref not in (
            "",
            invoice.payment_ref,
        ):
            continue
        whole += refund.gross * part
        if refund.lines:
            for line in refund.lines:
                places = paid_places(line, invoice.lines)
                of_net += 0 if places else line[2] * part
                total = sum(nets[place] for place in places)
                for place in places:
                    kept[place] -= line[2] * part / total
        elif refund.net is not None:
            of_net += refund.net * part
        else:
            of_gross += refund.gross * part
    if of_gross and whole >= invoice.gross:
        return amount
    kept = [max(part, Fraction(0)) for part in kept]
    net_left = sum(map(mul, nets, kept), Fraction(0))
    left = Fraction(1)
    for net in (of_net, of_gross * sum(nets) / invoice.gross):
        if net > 0:
            left *= max(1 - net / net_left, 0) if net_left > 0 else 0
            net_left -= net
    # A credit lowers what other lines earn: it is not kept when they are refunded.
    kept_amount = max(sum(map(mul, by_line, kept), Fraction(0)), Fraction(0)) * left
    return half_up(amount - amount * kept_amount / sum(by_line))


def paid_places(line: Line, paid: Sequence[Line]) -> list[int]:
    """The paid lines that the refunded line may be: by all labels and net, or fewer."""
    for alike in (
        lambda other: other == line,
        lambda other: other[:2] == line[:2],
        lambda other: other[0] == line[0],
    ):
        places = [at for at, other in enumerate(paid) if other[2] > 0 and alike(other)]
        if places:
            return places
    return []
