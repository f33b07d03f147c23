"""Payments, refunds and their cancellations, and the sales that they made and changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any

import orjson
from django.db.models import (
    Count,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
)
from django.db.models.functions import Coalesce, Greatest
from moneyed import get_currency

from affiliates.commissions.models import Commission, CommissionLine
from affiliates.commissions.rules import CommissionStatus
from affiliates.core.money import rounded_minor
from affiliates.db.sums import thousandths
from affiliates.referrals.models import OrderReferral
from affiliates.sales.models import (
    InvoicePayment,
    InvoiceRefund,
    RefundCancellation,
    Sale,
    SaleReversal,
)
from affiliates.sales.refunded import (
    InvoiceAmounts,
    Refunded,
    in_proportion,
    refunded_by,
    taken_of,
)
from affiliates.verification.faults import (
    DOCUMENTS_AT_ONCE,
    Check,
    Differs,
    Faults,
    RowFaults,
    differ,
    every,
    json_text,
    summed,
    within,
)

# The cancelled part of a refund; None for all of it.
Cancelled = Sequence[Decimal | None]
_CREDITED = every(OrderReferral).filter(
    brand=OuterRef("brand"), affiliate__isnull=False
)
_OF_INVOICE = {"brand": OuterRef("brand"), "invoice_ref": OuterRef("invoice_ref")}
_LIVE = every(Commission).exclude(status=CommissionStatus.REJECTED)


def _currency_paid(refunds: QuerySet[Any]) -> Any:
    payment = every(InvoicePayment).filter(**_OF_INVOICE)
    return refunds.annotate(paid_in=Subquery(payment.values("gross_currency")[:1]))


def _sale_refunded(cancellations: QuerySet[Any]) -> Any:
    refunded = every(SaleReversal).filter(
        refund__brand=OuterRef("brand"), refund__refund_ref=OuterRef("refund_ref")
    )
    return cancellations.annotate(refunded=Subquery(refunded.values("sale")[:1]))


def _sums(sales: QuerySet[Any]) -> Any:
    own = _LIVE.filter(share_of__isnull=True)
    return sales.annotate(
        taken=-summed(every(SaleReversal), "sale", Sum(thousandths("net"))),
        times_credited=summed(own, "sale", Count("pk")),
    )


def _lines(sales: QuerySet[Any], _ids: range) -> RowFaults:
    for pk, *columns in sales.values_list(
        "pk", "net", "payment__gross_currency", json_text("payment__lines")
    ):
        yield f"Sale {pk}", _line_faults(*columns)


def _line_faults(net: Decimal, currency_code: str, lines: str) -> Iterator[str]:
    currency = get_currency(currency_code)
    units = sum(rounded_minor(line["net"], currency) for line in orjson.loads(lines))
    total = Decimal(units) / currency.sub_unit
    if total != net:
        yield (
            f"has lines of {total:.3f} {currency} but a net amount of "
            f"{net:.3f} {currency}."
        )


def _refunded(sales: QuerySet[Any], ids: range) -> RowFaults:
    """The amount taken back must be in proportion to the part still refunded."""
    taken: defaultdict[int, Decimal] = defaultdict(Decimal)
    reversals = within(every(SaleReversal), ids, "sale_id")
    for sale_id, net in reversals.values_list("sale_id", "net"):
        taken[sale_id] -= net
    rows = list(sales.select_related("payment"))
    payments = {(row.brand_id, row.invoice_ref): row.payment for row in rows}
    refunded = _refunded_of(payments)
    commissions = defaultdict(list)
    live = within(_LIVE, ids, "sale_id").filter(sale__in=list(taken)).order_by("pk")
    own_lines = _amounts_by_line(live)
    of_commissions = Sum("reversals__amount", default=0)
    for sale_id, own, *amounts in live.annotate(taken=-of_commissions).values_list(
        "sale_id", Coalesce("share_of_id", "pk"), "amount", "taken"
    ):
        parts = in_proportion(amounts[0], own_lines[own])
        commissions[sale_id].append((*amounts, parts))
    for row in rows:
        of_invoice = refunded[row.brand_id, row.invoice_ref]
        faults = _faults_of_sale(row, of_invoice, taken[row.pk], commissions[row.pk])
        yield f"Sale {row.pk}", faults


def _faults_of_sale(
    row: Sale, refunded: Refunded, taken: Decimal, commissions: Sequence[Any]
) -> Iterator[str]:
    """Reads the payment's lines only when asked: unreadable ones are a finding."""
    unit = row.net.currency.sub_unit
    invoice = InvoiceAmounts.of(row.payment.gross, row.payment.lines)
    due = partial(taken_of, invoice=invoice, refunded=refunded)
    parts = [net * unit for net in invoice.nets]
    of_sale = int(row.net.amount * unit), int(taken * unit), parts
    yield from _refund_faults(due, of_sale, commissions)


def _amounts_by_line(commissions: QuerySet[Commission]) -> Mapping[int, list[int]]:
    by_line: defaultdict[int, list[int]] = defaultdict(list)
    lines = every(CommissionLine).filter(commission__in=commissions.order_by())
    for pk, amount in lines.order_by("commission_id", "position").values_list(
        "commission_id", "amount"
    ):
        by_line[pk].append(amount)
    return by_line


def _refund_faults(
    due: Callable[..., int],
    of_sale: tuple[int, int, Sequence[Fraction]],
    commissions: Iterable[tuple[int, int, Sequence[Fraction]]],
) -> Iterator[str]:
    net, taken, parts = of_sale
    if taken != (expected := due(net, parts)):
        yield f"had {taken} taken back, but by its refunds it is {expected}."
    for amount, of_commission, parts in commissions:
        if of_commission != (expected := due(amount, parts)):
            yield (
                f"has a commission of {amount}, of which {of_commission} was taken back, "
                f"but by its refunds it is {expected}."
            )


def _refunded_of(
    payments: Mapping[tuple[int, str], InvoicePayment],
) -> Mapping[tuple[int, str], Refunded]:
    """Returns the refunds of each invoice in its currency, less their cancellations.

    Summed here: SQLite would sum decimals as floats.
    """
    of = {"brand_id__in": {brand_id for brand_id, _ in payments}}
    refunds = every(InvoiceRefund).filter(
        invoice_ref__in=[invoice_ref for _, invoice_ref in payments], **of
    )
    cancelled: defaultdict[tuple[int, str], list[tuple[str | None, Decimal | None]]]
    cancelled = defaultdict(list)
    for brand_id, refund_ref, *part in (
        every(RefundCancellation)
        .filter(refund_ref__in=[row.refund_ref for row in refunds], **of)
        .values_list("brand_id", "refund_ref", "gross_currency", "gross")
    ):
        cancelled[brand_id, refund_ref].append((part[0], part[1]))
    still: defaultdict[tuple[int, str], Refunded] = defaultdict(Refunded)
    for row in refunds:
        paid = payments.get((row.brand_id, row.invoice_ref))
        parts = cancelled[row.brand_id, row.refund_ref]
        gross, currency = row.gross.amount, row.gross.currency
        if paid and paid.gross.currency == currency and (None, None) not in parts:
            back = sum(part for code, part in parts if part and code == currency.code)
            left = Fraction(max(gross - back, Decimal(0))) / Fraction(gross)
            whole = refunded_by(row.gross, row.named, paid.payment_ref, paid.lines)
            still[row.brand_id, row.invoice_ref] += whole.part(left)
    return still


CHECKS = [
    Check(
        label="payments",
        model=InvoicePayment,
        rules=(
            Faults(
                "The payment of invoice {invoice_ref}",
                {
                    "belongs to an order that credits an affiliate, but made no sale.": (
                        Q(sale__isnull=True)
                        & (
                            Exists(
                                _CREDITED.filter(invoice_ref=OuterRef("invoice_ref"))
                            )
                            | Q(renewal_number__gt=0)
                            & Exists(_CREDITED.filter(order_ref=OuterRef("order_ref")))
                        )
                    )
                },
            ),
        ),
    ),
    Check(
        label="refunds",
        model=InvoiceRefund,
        rules=(
            Faults(
                "Refund {refund_ref}",
                {
                    "is in {gross_currency}, but its invoice was paid in {paid_in}: it "
                    "took nothing back. Report it again with the same reference, in "
                    "{paid_in}.": ~Q(paid_in=F("gross_currency")),
                    "took nothing back of its invoice's sale: the reversal is missing.": (
                        Q(paid_in__isnull=True) | Q(paid_in=F("gross_currency"))
                    )
                    & Q(reversal__isnull=True)
                    & Exists(every(Sale).filter(**_OF_INVOICE)),
                },
                _currency_paid,
            ),
        ),
    ),
    Check(
        label="cancelled refunds",
        model=RefundCancellation,
        rules=(
            Faults(
                "Cancellation {cancellation_ref}",
                {
                    "gave nothing back of its refund's sale: the reversal is missing.": (
                        Q(reversal__isnull=True, refunded__isnull=False)
                    ),
                    "gave something back of a sale that its refund took nothing of.": (
                        Q(reversal__isnull=False)
                        & Differs("reversal__sale_id", "refunded")
                    ),
                },
                _sale_refunded,
            ),
        ),
    ),
    Check(
        label="sales",
        model=Sale,
        rules=(
            Faults(
                "Sale {pk}",
                {
                    "has its payment or its affiliate from another brand.": (
                        Differs("brand_id", "payment__brand_id")
                        | Differs("brand_id", "affiliate__brand_id")
                    ),
                    "has its payment or reversals in another currency than its own.": (
                        differ({"net_currency": "payment__gross_currency"})
                        | Exists(
                            every(SaleReversal)
                            .filter(sale=OuterRef("pk"))
                            .exclude(net_currency=OuterRef("net_currency"))
                        )
                    ),
                    "has reversals of {taken:thousandths} {net_currency}, more than its "
                    "net amount of {net} {net_currency}.": Q(
                        taken__gt=Greatest(thousandths("net"), Value(0))
                    ),
                    "had {taken:thousandths} {net_currency} taken back: more was restored "
                    "than refunds took.": Q(taken__lt=0),
                    "is credited {times_credited} times.": Q(times_credited__gt=1),
                },
                _sums,
            ),
            _lines,
        ),
    ),
    Check(
        label="refunded sales",
        model=Sale,
        only=Q(Exists(every(SaleReversal).filter(sale=OuterRef("pk")))),
        rules=(_refunded,),
        at_once=DOCUMENTS_AT_ONCE,
    ),
]
