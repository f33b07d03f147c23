"""Payments and refunds in words, as people report them, and what they must earn."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from moneyed import Money

from affiliates.commissions.models import Commission, CommissionReversal
from affiliates.contracts import (
    CancelledRefund,
    InvoiceLine,
    PaidInvoice,
    RefundedInvoice,
)
from affiliates.host_events import invoice_paid, invoice_refunded, refund_cancelled
from tests.affiliates.till import PAID_AT, order_of
from tests.factories.plans import CommissionPlanFactory

CORPUS = Path(__file__).resolve().parents[2] / "../shared/field/money.json"
AMOUNT = r"(\d+(?:\.\d+)?)"
ALL, HOSTING = "20 % of all", "20 % of hosting, nothing of domains"
TAXED = "invoice 119 (net 100) paid by p1"
BOTH = "200: hosting 100, domain 100"
TAXED_BOTH = "238: hosting 100, domain 100"
# The plan, the events, and what is earned in the end, in cents.
ROWS: list[tuple[str, list[str], int]] = [
    (ALL, [TAXED], 2000),
    (ALL, [TAXED, "59.50 refunded"], 1000),
    (ALL, [TAXED, "19 (net 0) refunded"], 2000),
    (ALL, [TAXED, "19 (net 0) refunded", "100 (net 100) refunded"], 0),
    (ALL, [TAXED, "19 (net 0) refunded", "100 refunded"], 0),
    (ALL, [TAXED, "59.50 refunded", "9.50 (net 0) refunded"], 1000),
    (ALL, [TAXED, "59.50 (net 50) refunded", "59.50 refunded"], 0),
    (ALL, [TAXED, "500 (net 420) refunded"], 0),
    (ALL, [TAXED, "119 of p1 refunded"], 0),
    (ALL, [TAXED, "119 of p2 refunded"], 2000),
    (ALL, [TAXED, "119 of p2 refunded", "59.50 refunded"], 1000),
    (ALL, [TAXED, "119 of p2 refunded", "the refund cancelled"], 2000),
    (HOSTING, [BOTH, "hosting 100 refunded"], 0),
    (HOSTING, [BOTH, "domain 40 refunded"], 2000),
    (HOSTING, [BOTH, "hosting 25 refunded", "hosting 25 refunded"], 1000),
    (HOSTING, [BOTH, "hosting 500 refunded"], 0),
    (HOSTING, [BOTH, "domain 100 refunded", "hosting 50 refunded"], 1000),
    (HOSTING, [BOTH, "domain 100 refunded", "50 refunded"], 1000),
    (HOSTING, [BOTH, "domain 100 refunded", "100 refunded"], 0),
    (HOSTING, [BOTH, "100 refunded", "domain 100 refunded"], 0),
    (HOSTING, [BOTH, "100 refunded"], 1000),
    (HOSTING, [BOTH, "addon 100 refunded"], 1000),
    (HOSTING, [BOTH, "hosting 100 refunded", "the refund cancelled"], 2000),
    (HOSTING, [BOTH, "hosting 100 refunded", "25 of the refund cancelled"], 500),
    (HOSTING, [TAXED_BOTH, "domain 100 refunded"], 2000),
    (HOSTING, [TAXED_BOTH, "domain 100 refunded", "119 refunded"], 0),
    (HOSTING, [TAXED_BOTH, "hosting 50 refunded"], 1000),
    (HOSTING, ["180: hosting 100, hosting 80", "hosting 80 refunded"], 2000),
    ("20 % of hosting", ["0.20: 10 lines of 0.02"], 4),
    ("20 % of hosting", ["0.06: 3 lines of 0.02"], 1),
    ("20 % of hosting", ["2.00: 100 lines of 0.02", "1.00 refunded"], 20),
    ("20 % of hosting", ["30: hosting 10, hosting 20"], 600),
]


@dataclass
class Desk:
    """Reads a row's sentences, and reports what they say."""

    brand_id: int
    invoice: PaidInvoice | None = None
    refund: RefundedInvoice | None = None
    refunds: int = 0
    sentences: dict[str, Callable[..., None]] = field(init=False)

    def __post_init__(self) -> None:
        self.sentences = {
            rf"(?:invoice )?{AMOUNT} \(net {AMOUNT}\) paid by (\w+)": self.pay,
            rf"{AMOUNT}: {AMOUNT} lines of {AMOUNT}": self.pay_many,
            rf"{AMOUNT}: (.+)": self.pay_lines,
            r"the same invoice paid by (\w+)": self.pay_again,
            rf"{AMOUNT} of (p\d) refunded": self.refund_payment,
            rf"{AMOUNT} \(net {AMOUNT}\) refunded": self.refund_net,
            rf"{AMOUNT} refunded": self.refund_gross,
            rf"(\w+) {AMOUNT} refunded": self.refund_line,
            r"the refund cancelled": self.cancel,
            rf"{AMOUNT} of the refund cancelled": self.cancel,
        }

    def read(self, sentence: str) -> None:
        for pattern, report in self.sentences.items():
            if match := re.fullmatch(pattern, sentence):
                return report(*match.groups())
        raise ValueError(f"No reading of: {sentence}")

    def pay(self, gross: str, net: str, payment_ref: str) -> None:
        self._pay(gross, [line("hosting", net)], payment_ref)

    def pay_lines(self, gross: str, lines: str) -> None:
        named = (text.split() for text in lines.split(", "))
        self._pay(gross, [line(kind, net) for kind, net in named])

    def pay_many(self, gross: str, count: str, net: str) -> None:
        self._pay(gross, [line("hosting", net)] * int(count))

    def _pay(
        self, gross: str, lines: list[InvoiceLine], payment_ref: str = "p1"
    ) -> None:
        self.invoice = PaidInvoice(
            brand_id=self.brand_id,
            invoice_ref="invoice-1",
            order_ref="order-1",
            payment_ref=payment_ref,
            gross=Money(gross, "EUR"),
            lines=tuple(lines),
            paid_at=PAID_AT,
        )
        invoice_paid(self.invoice, now=PAID_AT)

    def pay_again(self, payment_ref: str) -> None:
        """A second payment of the invoice earns nothing."""
        assert self.invoice is not None
        invoice_paid(replace(self.invoice, payment_ref=payment_ref), now=PAID_AT)

    def refund_payment(self, gross: str, payment_ref: str) -> None:
        self._refund(gross, payment_ref=payment_ref)

    def refund_net(self, gross: str, net: str) -> None:
        self._refund(gross, net=Money(net, "EUR"))

    def refund_gross(self, gross: str) -> None:
        self._refund(gross)

    def refund_line(self, kind: str, net: str) -> None:
        assert self.invoice is not None
        total = sum(one.net.amount for one in self.invoice.lines)
        gross = Decimal(net) * self.invoice.gross.amount / total
        self._refund(f"{gross:.2f}", lines=(line(kind, net),))

    def _refund(self, gross: str, **named: Any) -> None:
        self.refunds += 1
        self.refund = RefundedInvoice(
            brand_id=self.brand_id,
            invoice_ref="invoice-1",
            refund_ref=f"refund-{self.refunds}",
            gross=Money(gross, "EUR"),
            refunded_at=PAID_AT + timedelta(days=self.refunds),
            **named,
        )
        for _ in range(2):
            invoice_refunded(self.refund, now=self.refund.refunded_at)

    def cancel(self, gross: str | None = None) -> None:
        assert self.refund is not None
        event = CancelledRefund(
            brand_id=self.brand_id,
            refund_ref=self.refund.refund_ref,
            cancellation_ref="cancellation-1",
            cancelled_at=PAID_AT + timedelta(days=9),
            gross=None if gross is None else Money(gross, "EUR"),
        )
        refund_cancelled(event, now=event.cancelled_at)


def line(kind: str, net: str) -> InvoiceLine:
    return InvoiceLine(
        description="",
        product_ref=f"{kind}-1",
        kind=kind,
        billing_cycle="monthly",
        quantity=1,
        net=Money(net, "EUR"),
    )


def corpus() -> list[tuple[str, list[str], int]]:
    if not CORPUS.is_file():
        return []
    rows = json.loads(CORPUS.read_text("utf-8"))
    return [(row["plan"], row["events"], row["right_cents"]) for row in rows]


def left() -> int:
    earned = sum(row.amount for row in Commission.objects.all())
    return earned + sum(row.amount for row in CommissionReversal.objects.all())


@pytest.fixture
def desk(brand, affiliate, host) -> Desk:
    client = host.client(brand, email="buyer@example.com")
    order_of(affiliate, client, order_ref="order-1", invoice_ref="invoice-1")
    return Desk(brand.pk)


def rules(words: str) -> list[dict[str, Any]]:
    """``20 % of hosting, nothing of domains`` as fields of rules."""
    parsed = re.findall(r"(?:(\d+) %|nothing) of (all|\w+?)s?\b", words)
    return [
        {"kind": "" if kind == "all" else kind}
        | ({"percent": percent} if percent else {"rate_kind": "none"})
        for percent, kind in parsed
    ]


@pytest.mark.parametrize(("plan", "events", "right"), [*ROWS, *corpus()])
def test_events_earn_what_is_right(plan, events, right, desk, brand):
    CommissionPlanFactory(brand=brand, is_default=True, rules=rules(plan))

    for sentence in events:
        desk.read(sentence)

    out = StringIO()
    call_command("verify_ledger", stdout=out, stderr=out)
    assert (left(), "differ" in out.getvalue()) == (right, False)


def test_the_rows_beside_the_repository_are_read():
    if not CORPUS.is_file():
        pytest.skip(f"needs {CORPUS.name}, which is kept beside the repository")

    assert len(corpus()) >= 3
