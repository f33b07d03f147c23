"""A reconciliation for people: aligned lines, a summary, rows of a CSV file."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from decimal import Decimal

from affiliates.contrib.reconciliation.rules import is_declined
from affiliates.contrib.reconciliation.types import (
    Agreement,
    ReconciliationLine,
    money,
)
from affiliates.core.spreadsheets import neutral_text

VERDICT_WIDTH, ORDER_WIDTH, MONEY_WIDTH = 21, 36, 15
NOTHING = "-"
CSV_HEADER = (
    "brand",
    "order",
    "invoice",
    "decision",
    "own_affiliate",
    "integration_affiliate",
    "paid_net",
    "refunded_net",
    "currency",
    "delivery_state",
    "sent",
    "sent_currency",
    "held_count",
    "held",
    "held_currency",
    "held_status",
    "held_affiliate",
    "verdict",
    "is_difference",
    "reason",
)


class Summary:
    """The number of orders by verdict, and sums of money by currency.

    Sums are of what was decided for the integration and paid, of what was delivered of
    it, and of what the provider holds and has not declined.
    """

    def __init__(self) -> None:
        self.verdicts: Counter[Agreement] = Counter()
        self.paid: defaultdict[str, Decimal] = defaultdict(Decimal)
        self.sent: defaultdict[str, Decimal] = defaultdict(Decimal)
        self.held: defaultdict[str, Decimal] = defaultdict(Decimal)

    @property
    def difference_count(self) -> int:
        return sum(n for verdict, n in self.verdicts.items() if verdict.is_difference)

    @property
    def unasked_count(self) -> int:
        return self.verdicts[Agreement.NOT_ASKED]

    def add(self, line: ReconciliationLine) -> None:
        order = line.order
        self.verdicts[line.verdict] += 1
        if order.payment is not None and order.is_for_integration:
            net = order.payment.net
            self.paid[net.currency.code] += net.amount
        if order.sale is not None and order.sale.has_arrived:
            self.sent[order.sale.currency] += order.sale.amount or 0
        for sale in line.held:
            if sale.amount is not None and not is_declined(sale):
                self.held[sale.currency] += sale.amount

    def lines(self) -> Iterator[str]:
        total = self.verdicts.total()
        difference_count = self.difference_count
        yield (
            f"{total:,} order{'' if total == 1 else 's'}, "
            f"{difference_count:,} difference{'' if difference_count == 1 else 's'}."
        )
        for verdict in Agreement:
            if count := self.verdicts[verdict]:
                mark = "  difference" if verdict.is_difference else ""
                yield f"  {verdict.label:<{VERDICT_WIDTH}} {count:>9,}{mark}"
        currencies = sorted({*self.paid, *self.sent, *self.held})
        if not currencies:
            return
        heads = ("Paid net", "Delivered", "Held there")
        yield f"  {'':<{VERDICT_WIDTH}}" + "".join(
            f" {h:>{MONEY_WIDTH}}" for h in heads
        )
        for code in currencies:
            sums = (self.paid[code], self.sent[code], self.held[code])
            cells = "".join(f" {money(amount, ''):>{MONEY_WIDTH}}" for amount in sums)
            yield f"  {code or 'Currency unknown':<{VERDICT_WIDTH}}{cells}"


def heading() -> str:
    return _aligned("Verdict", "Order", "Paid net", "Delivered", "Held there")


def text_of(line: ReconciliationLine) -> str:
    """Two lines: the compared values, and the reasons for the verdict."""
    order = line.order
    facts = _aligned(
        line.verdict.label, order.order_ref, paid(line), sent(line), held(line)
    )
    reason = f"Invoice {order.invoice_ref}. {order.decided}. {line.reason}"
    return f"{facts}\n    {_printable(reason)}"


def paid(line: ReconciliationLine) -> str:
    payment = line.order.payment
    if payment is None:
        return NOTHING
    return money(payment.net.amount, payment.net.currency.code)


def sent(line: ReconciliationLine) -> str:
    """The delivered amount; the verdict explains a missing one."""
    sale = line.order.sale
    return sale.sum_of_money if sale and sale.has_arrived else NOTHING


def held(line: ReconciliationLine) -> str:
    sums = [money(sale.amount, sale.currency) for sale in line.held]
    return " + ".join(sums) or NOTHING


def csv_row(brand: str, line: ReconciliationLine) -> list[str]:
    """The cells under CSV_HEADER; several held sales are separated by semicolons."""
    order, payment, sale = line.order, line.order.payment, line.order.sale
    return [
        neutral_text(brand),
        neutral_text(order.order_ref),
        neutral_text(order.invoice_ref),
        order.outcome.label,
        neutral_text(order.own_affiliate),
        neutral_text(order.external_affiliate),
        money(payment.net.amount, "") if payment else "",
        money(payment.taken_back.amount, "") if payment else "",
        payment.net.currency.code if payment else "",
        str(sale.state.label) if sale else "",
        money(sale.amount, "") if sale else "",
        sale.currency if sale else "",
        str(len(line.held)),
        "; ".join(money(commission.amount, "") for commission in line.held),
        neutral_text("; ".join(commission.currency for commission in line.held)),
        neutral_text("; ".join(commission.status for commission in line.held)),
        neutral_text("; ".join(commission.affiliate for commission in line.held)),
        line.verdict,
        "yes" if line.verdict.is_difference else "no",
        neutral_text(line.reason),
    ]


def _aligned(verdict: str, order: str, *sums: str) -> str:
    cells = "".join(f" {_printable(amount):>{MONEY_WIDTH}}" for amount in sums)
    return f"{verdict:<{VERDICT_WIDTH}} {_printable(order):<{ORDER_WIDTH}}{cells}"


def _printable(text: str) -> str:
    """Removes terminal control characters: some of the text came from visitors."""
    return "".join(sign if sign.isprintable() else "?" for sign in text)
