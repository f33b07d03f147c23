"""Payments and refunds of a random program, as hosts report them, and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction
from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule

from affiliates.contracts import RefundKind
from affiliates.core.money import from_minor
from affiliates.errors import InvalidInput
from affiliates.sales.models import InvoiceRefund, RefundCancellation
from tests.affiliates.till import written
from tests.affiliates.verification.acts import ANY, CURRENCY, LINES, Acts, pick
from tests.affiliates.verification.money_model import ReportedRefund
from tests.affiliates.verification.predicted_books import PredictedBooks
from tests.factories.world import Invoice, lines_of

SHARE = st.sampled_from([1, 10, 33, 50, 99, 100, 130])
FORMS = ("gross", "lines", "line", "foreign", "net", "tax", "this", "other")
REFUSALS = ("foreign gross", "foreign line", "negative net", "zero", "other facts")
# Place, share of the invoice, kind, form, whether it is reported twice, and the share of
# it that is cancelled.
Drawn = tuple[int, int, RefundKind, str, bool, int]
REFUNDS = st.lists(
    st.tuples(
        ANY,
        SHARE,
        st.sampled_from(RefundKind),
        st.sampled_from(FORMS),
        st.booleans(),
        st.sampled_from([0, 0, 50, 100]),
    ),
    min_size=1,
    max_size=4,
)
# Place, share of the invoice, whether it is reported twice, and before its refund.
CANCELLATIONS = st.lists(
    st.tuples(
        ANY, st.sampled_from([None, 1, 50, 100, 130]), st.booleans(), st.booleans()
    ),
    min_size=1,
    max_size=3,
)


class RefundActs(Acts):
    """Keeps what was accepted in the books that predict every amount after each step."""

    def __init__(self) -> None:
        super().__init__()
        self.books = PredictedBooks(world=self.world)

    @invariant()
    def amounts_are_as_predicted(self) -> None:
        self.books.compare()

    @precondition(lambda self: self.world.invoices)
    @rule(which=ANY)
    def pay(self, which: int) -> None:
        self.world.pay(pick(self.world.invoices, which))

    @precondition(lambda self: self.unpaid())
    @rule(which=ANY)
    def pay_what_is_due(self, which: int) -> None:
        self.world.pay(pick(self.unpaid(), which))

    @precondition(lambda self: self.paid())
    @rule(which=ANY)
    def pay_a_second_time(self, which: int) -> None:
        invoice = pick(self.paid(), which)
        before = written()
        self.world.pay(invoice, payment_ref=f"second-{invoice.ref}"[:64])
        assert written() == before

    @precondition(lambda self: self.world.invoices)
    @rule(drawn=REFUNDS)
    def refund(self, drawn: list[Drawn]) -> None:
        """Before the payment as well, and more than was paid."""
        for which, *refund in drawn:
            self.report_refund(pick(self.world.invoices, which), which, *refund)

    @rule(whom=ANY, currency=CURRENCY, lines=LINES, drawn=REFUNDS)
    def sell_and_refund(
        self, whom: int, currency: str, lines: list[Any], drawn: list[Drawn]
    ) -> None:
        self.sell(whom, currency, lines, is_paid=True)
        for place, *refund in drawn:
            self.report_refund(self.world.orders[-1].invoices[0], place, *refund)

    def report_refund(
        self,
        invoice: Invoice,
        place: int,
        share: int,
        kind: RefundKind,
        form: str,
        again: bool,
        cancelled: int,
    ) -> None:
        refund = refund_of(invoice, form, share=share, place=place, kind=kind)
        ref = f"{invoice.ref[:40]}-{share}-{form}-{kind}"
        if refund.gross == 0:
            return
        if self.books.refunds.setdefault(ref, refund) != refund:
            self.refused("refund_exists", lambda: self.report(ref, refund, invoice))
            return
        self.report(ref, refund, invoice)
        if again:
            before = written()
            self.report(ref, refund, invoice)
            assert written() == before
        if cancelled:
            part = max(refund.gross * cancelled // 100, 1)
            self.report_cancellation(f"{ref[:55]}-{place}", ref, part, refund.currency)

    @precondition(lambda self: self.paid())
    @rule(which=ANY, reason=st.sampled_from(REFUSALS))
    def refund_wrongly(self, which: int, reason: str) -> None:
        invoice = pick(self.paid(), which)
        foreign = "JPY" if invoice.currency == "EUR" else "EUR"
        code, gross, named = {
            "foreign gross": ("currency_mismatch", 1, {"currency": foreign}),
            "foreign line": (
                "currency_mismatch",
                1,
                {"lines": lines_of([("hosting", "monthly", 1)], foreign)},
            ),
            "negative net": (
                "invalid_amount",
                1,
                {"net": from_minor(-1, invoice.currency)},
            ),
            "zero": ("invalid_amount", 0, {}),
            "other facts": ("refund_exists", 10**9, {}),
        }[reason]
        known = [*self.books.refunds] if code == "refund_exists" else ["wrong"]
        if known:
            self.refused(
                code,
                lambda: self.world.refund(
                    invoice,
                    gross,
                    kind=RefundKind.REFUND,
                    ref=pick(known, which),
                    **named,
                ),
            )

    @precondition(lambda self: self.world.invoices)
    @rule(drawn=CANCELLATIONS)
    def cancel_refund(self, drawn: list[tuple[int, int | None, bool, bool]]) -> None:
        """Of what is left of a refund or a part, also before the refund, and told twice."""
        for which, share, again, is_early in drawn:
            invoice = pick(self.world.invoices, which)
            refund_ref = f"{invoice.ref[:40]}-{pick([1, 33, 100], which)}-gross-refund"
            if self.books.refunds and not is_early:
                refund_ref = pick([*self.books.refunds], which)
            gross = None if share is None else max(invoice.gross * share // 100, 1)
            ref = f"cancellation-{which}-{share}-{len(self.books.refunds)}"
            for _ in range(2 if again else 1):
                self.report_cancellation(ref, refund_ref, gross, invoice.currency)

    def report_cancellation(
        self, ref: str, refund_ref: str, gross: int | None, currency: str
    ) -> None:
        is_right = self.books.cancel(ref, refund_ref, gross, currency)
        money = None if gross is None else from_minor(gross, currency)
        assert self.world.cancel_refund(refund_ref, money, ref=ref) is is_right

    def report(self, ref: str, refund: ReportedRefund, invoice: Invoice) -> None:
        currency = refund.currency
        self.world.refund(
            invoice,
            refund.gross,
            kind=RefundKind(refund.kind),
            ref=ref,
            lines=lines_of(refund.lines, currency),
            net=None if refund.net is None else from_minor(refund.net, currency),
            payment_ref=refund.payment_ref,
        )

    def refused(self, code: str, act: Callable[[], object]) -> None:
        before = self.stored()
        with pytest.raises(InvalidInput) as refusal, transaction.atomic():
            act()
        assert (refusal.value.code, self.stored()) == (code, before)

    def stored(self) -> tuple[Any, ...]:
        refunds = list(InvoiceRefund.objects.order_by("pk").values_list())
        return *written(), refunds, RefundCancellation.objects.count()

    def paid(self) -> list[Invoice]:
        return [invoice for invoice in self.world.invoices if invoice.is_paid]

    def unpaid(self) -> list[Invoice]:
        return [invoice for invoice in self.world.invoices if not invoice.is_paid]


def refund_of(
    invoice: Invoice, form: str, *, share: int, place: int, kind: RefundKind
) -> ReportedRefund:
    gross, named = invoice.gross * share // 100, {}
    net, lines = gross * 100 // 119, [line for line in invoice.lines if line[2] > 0]
    if form == "lines":
        named["lines"] = tuple(lines[: place % len(lines) + 1]) if lines else ()
    elif form == "line" and lines:
        *labels, amount = pick(lines, place)
        named["lines"] = ((*labels, amount * share // 100),)
    elif form == "foreign":
        named["lines"] = (("backup", "monthly", net),)
    elif form == "net":
        named["net"] = net
    elif form == "tax":
        gross, named["net"] = gross - net, 0
    elif form in ("this", "other"):
        ref = invoice.payment_ref
        named["payment_ref"] = ref if form == "this" else f"second-{invoice.ref}"[:64]
    if named.get("lines"):
        gross = sum(amount for _, _, amount in named["lines"]) * 119 // 100
    return ReportedRefund(
        invoice_ref=invoice.ref,
        kind=kind,
        gross=gross,
        currency=invoice.currency,
        **named,
    )
