"""What random refunds of an invoice take: in any order, never more than was earned."""

from __future__ import annotations

from fractions import Fraction
from functools import reduce
from operator import add

from hypothesis import given
from hypothesis import strategies as st

from affiliates.sales.refunded import InvoiceAmounts, Refunded, taken_of

CENTS = st.integers(0, 20_000).map(lambda cents: Fraction(cents, 100))
LINES = st.lists(
    st.tuples(st.integers(1, 10_000), st.integers(0, 2_000)), min_size=1, max_size=4
)
PARTS = st.sampled_from([Fraction(1), Fraction(1, 3), Fraction(0)])


@st.composite
def refunds(draw, lines: int) -> Refunded:
    gross = draw(CENTS)
    kind = draw(st.sampled_from(["gross", "net", "lines"]))
    if kind == "gross":
        return Refunded(gross=gross)
    if kind == "net":
        return Refunded(named_gross=gross, net=draw(CENTS))
    places = draw(st.lists(st.integers(0, lines - 1), max_size=3, unique=True))
    return Refunded(named_gross=gross, lines={at: draw(CENTS) for at in places})


@given(data=st.data(), lines=LINES, tax=st.integers(0, 5_000))
def test_each_takes_something_and_all_together_at_most_all(data, lines, tax):
    nets = tuple(Fraction(net, 100) for net, _ in lines)
    invoice = InvoiceAmounts(sum(nets, Fraction(tax, 100)), nets)
    by_line = [earned for _, earned in lines]
    amount = sum(by_line)
    every = data.draw(st.lists(refunds(len(lines)), max_size=5))

    def taken(some) -> int:
        refunded = reduce(add, some, Refunded())
        return taken_of(amount, by_line, invoice=invoice, refunded=refunded)

    running = [taken(every[:count]) for count in range(len(every) + 1)]
    assert running == sorted(running)
    assert running[0] == 0
    assert running[-1] <= amount
    assert taken(every[::-1]) == running[-1]
    # A refund of which all is cancelled, in two parts, leaves nothing behind.
    for refund in every:
        part = data.draw(PARTS)
        undone = [refund, refund.part(-part), refund.part(part - 1)]
        assert taken([*every, *undone]) == running[-1]


@given(lines=LINES, tax=st.integers(0, 5_000))
def test_all_of_the_invoice_takes_all(lines, tax):
    nets = tuple(Fraction(net, 100) for net, _ in lines)
    gross = sum(nets, Fraction(tax, 100))
    by_line = [earned for _, earned in lines]
    whole = [
        Refunded(gross=gross),
        Refunded(named_gross=gross, net=sum(nets, Fraction(0))),
        Refunded(named_gross=gross, lines=dict(enumerate(nets))),
    ]

    assert {
        taken_of(
            sum(by_line),
            by_line,
            invoice=InvoiceAmounts(gross, nets),
            refunded=refunded,
        )
        for refunded in whole
    } == {sum(by_line)}
