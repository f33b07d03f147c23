"""How much of an amount the refunds of its invoice take back. Pure.

Refunds that name lines take of those lines only. Then refunds that name a net amount
take that part of what is left, and the others their part of the gross amount. So the
order of refunds does not matter, each takes zero or more, and all together at most the
amount.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import floor
from typing import Any, NamedTuple, Self

from moneyed import Currency, Money

from affiliates.core.money import from_minor, rounded, to_minor

# The labels by which a refunded line is found among the paid ones, all with the same net
# first. Case does not matter.
_LABELS = ("product_ref", "kind", "tld", "operation", "billing_cycle")
_MATCHES = (_LABELS, _LABELS[:2], _LABELS[:1], _LABELS[1:2])
_ZERO, _WHOLE = Fraction(0), Fraction(1)


class InvoiceAmounts(NamedTuple):
    """A paid invoice: its gross amount, and the net amount of each line."""

    gross: Fraction
    nets: tuple[Fraction, ...] = ()

    @classmethod
    def of(cls, gross: Money, lines: Sequence[Mapping[str, Any]]) -> Self:
        """``lines`` as the payment stores them."""
        nets = tuple(_net(line, gross.currency) for line in lines)
        return cls(Fraction(gross.amount), nets)


@dataclass(frozen=True, slots=True, kw_only=True)
class Refunded:
    """The sum of refunds of an invoice, less their cancellations.

    ``gross`` is of refunds that name neither lines nor a net amount, ``named_gross`` of
    the others. ``net`` is of those without lines, ``lines`` by position from 0.
    """

    gross: Fraction = _ZERO
    named_gross: Fraction = _ZERO
    net: Fraction = _ZERO
    lines: Mapping[int, Fraction] = field(default_factory=dict)

    def __add__(self, other: Refunded) -> Refunded:
        positions = sorted({*self.lines, *other.lines})
        return Refunded(
            gross=self.gross + other.gross,
            named_gross=self.named_gross + other.named_gross,
            net=self.net + other.net,
            lines={
                position: self.lines.get(position, _ZERO)
                + other.lines.get(position, _ZERO)
                for position in positions
            },
        )

    def __sub__(self, other: Refunded) -> Refunded:
        return self + other.part(-_WHOLE)

    def part(self, part: Fraction) -> Refunded:
        return Refunded(
            gross=self.gross * part,
            named_gross=self.named_gross * part,
            net=self.net * part,
            lines={position: net * part for position, net in self.lines.items()},
        )


def refunded_by(
    gross: Money,
    named: Mapping[str, Any],
    payment_ref: str,
    lines: Sequence[Mapping[str, Any]],
) -> Refunded:
    """A stored refund of a payment with this reference and these lines.

    ``named`` is what the host names of the refund. Another payment than the one that
    paid the invoice takes nothing. A line that the payment does not have counts as a net
    amount.
    """
    of_payment = named.get("payment_ref", "")
    if of_payment and payment_ref and of_payment != payment_ref:
        return Refunded()
    amount = Fraction(gross.amount)
    if "lines" in named:
        by_place, net = _by_place(named["lines"], lines, gross.currency)
        return Refunded(named_gross=amount, net=net, lines=by_place)
    if "net" in named:
        return Refunded(named_gross=amount, net=Fraction(named["net"]))
    return Refunded(gross=amount)


def taken_of(
    amount: int,
    by_line: Sequence[int | Fraction],
    *,
    invoice: InvoiceAmounts,
    refunded: Refunded,
) -> int:
    """The minor units that the refunds take of an amount, rounded half up.

    ``by_line`` are the amount's parts by line. An amount below zero is not taken back.
    """
    if amount <= 0 or invoice.gross <= 0:
        return 0
    of_lines = _of_lines(by_line, invoice, refunded)
    left = max(amount - of_lines, _ZERO) * _left_by_net(invoice, refunded)
    taken = amount - left * (1 - _part_of_gross(invoice, refunded))
    return floor(taken + Fraction(1, 2))


def net_taken(net: Money, *, invoice: InvoiceAmounts, refunded: Refunded) -> Money:
    """The part of the invoice's own net amount."""
    unit = net.currency.sub_unit
    by_line = [part * unit for part in invoice.nets]
    taken = taken_of(to_minor(net), by_line, invoice=invoice, refunded=refunded)
    return from_minor(taken, net.currency.code)


def in_proportion(amount: int, by_line: Sequence[int]) -> list[Fraction]:
    """The parts of an amount that follows from amounts by line, such as a share."""
    whole = sum(by_line)
    return [Fraction(amount * part, whole or 1) for part in by_line]


def _of_lines(
    by_line: Sequence[int | Fraction], invoice: InvoiceAmounts, refunded: Refunded
) -> Fraction:
    """A credit has no part of its own: it lowers what other lines earn."""
    return sum(
        (
            by_line[position] * min(net / invoice.nets[position], _WHOLE)
            for position, net in refunded.lines.items()
            if by_line
        ),
        _ZERO,
    )


def _net_left(invoice: InvoiceAmounts, refunded: Refunded) -> Fraction:
    """The net amount that refunded lines leave."""
    return sum(invoice.nets, _ZERO) - _of_lines(invoice.nets, invoice, refunded)


def _left_by_net(invoice: InvoiceAmounts, refunded: Refunded) -> Fraction:
    if not refunded.net:
        return _WHOLE
    left = _net_left(invoice, refunded)
    return _ZERO if refunded.net >= left else 1 - refunded.net / left


def _part_of_gross(invoice: InvoiceAmounts, refunded: Refunded) -> Fraction:
    if not refunded.gross:
        return _ZERO
    if refunded.gross + refunded.named_gross >= invoice.gross:
        return _WHOLE
    part, net = refunded.gross / invoice.gross, sum(invoice.nets, _ZERO)
    if net <= 0:
        return part
    left = _net_left(invoice, refunded) * _left_by_net(invoice, refunded)
    return _WHOLE if part * net >= left else part * net / left


def _by_place(
    refunded: Sequence[Mapping[str, Any]],
    paid: Sequence[Mapping[str, Any]],
    currency: Currency,
) -> tuple[Mapping[int, Fraction], Fraction]:
    """The refunded net of each paid line, and of lines that were not paid.

    A line is divided among the paid lines that it may be, in proportion to their nets.
    """
    nets = [_net(line, currency) for line in paid]
    places: defaultdict[tuple[Any, ...], list[int]] = defaultdict(list)
    for place, line in enumerate(paid):
        for key in _keys(line, currency) if nets[place] > 0 else ():
            places[key].append(place)
    by_place: defaultdict[int, Fraction] = defaultdict(Fraction)
    unknown = _ZERO
    # By key first: many equal lines on both sides would be multiplied.
    amounts: defaultdict[tuple[Any, ...], Fraction] = defaultdict(Fraction)
    for line in refunded:
        amount = max(Fraction(line["net"]), _ZERO)
        matching = [key for key in _keys(line, currency) if key in places]
        if matching:
            amounts[matching[0]] += amount
        else:
            unknown += amount
    for key, amount in amounts.items():
        total = sum((nets[place] for place in places[key]), _ZERO)
        for place in places[key]:
            by_place[place] += amount * nets[place] / total
    return by_place, unknown


def _keys(line: Mapping[str, Any], currency: Currency) -> Iterator[tuple[Any, ...]]:
    words = {name: str(line[name]).strip().lower() for name in _LABELS}
    yield *words.items(), _net(line, currency)
    for names in _MATCHES:
        if any(words[name] for name in names):
            yield tuple((name, words[name]) for name in names)


def _net(line: Mapping[str, Any], currency: Currency) -> Fraction:
    return Fraction(rounded(Money(line["net"], currency)).amount)
