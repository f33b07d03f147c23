"""Payments, refunds and their cancellations, and the sales that they made and changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from math import floor
from typing import Any

import orjson
from django.db.models import (
    BigIntegerField,
    Count,
    Exists,
    ExpressionWrapper,
    F,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    Value,
)
from django.db.models.functions import Cast, Greatest, Round
from moneyed import get_currency

from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.core.money import rounded_minor
from affiliates.referrals.models import OrderReferral
from affiliates.sales.models import (
    InvoicePayment,
    InvoiceRefund,
    RefundCancellation,
    Sale,
    SaleReversal,
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


def _thousandths(column: str) -> Cast:
    """Whole numbers: SQLite would sum decimals as floats."""
    scaled = ExpressionWrapper(F(column) * 1000, output_field=BigIntegerField())
    return Cast(Round(scaled), BigIntegerField())


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
        taken=-summed(every(SaleReversal), "sale", Sum(_thousandths("net"))),
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
    columns = ("pk", "net_currency", "net", "payment__gross", "brand_id", "invoice_ref")
    rows = list(sales.values_list(*columns))
    refunded = _refunded_of([row[4:] for row in rows])
    commissions = defaultdict(list)
    live = within(_LIVE, ids, "sale_id").filter(sale__in=list(taken)).order_by("pk")
    of_commissions = Sum("reversals__amount", default=0)
    for sale_id, *amounts in live.annotate(taken=-of_commissions).values_list(
        "sale_id", "amount", "taken"
    ):
        commissions[sale_id].append(amounts)
    for pk, currency, net, gross, *invoice in rows:
        still = refunded[*invoice, currency]
        share = (
            Fraction(min(still, gross)) / Fraction(gross) if gross > 0 else Fraction(0)
        )
        unit = get_currency(currency).sub_unit
        amounts = int(max(net, 0) * unit), int(taken[pk] * unit)
        yield f"Sale {pk}", _refund_faults(share, *amounts, commissions[pk])


def _refund_faults(
    share: Fraction, net: int, taken: int, commissions: Iterable[Sequence[int]]
) -> Iterator[str]:
    if taken != (due := _part(net, share)):
        yield f"had {taken} taken back, but by its refunds it is {due}."
    for amount, of_commission in commissions:
        if of_commission != (due := _part(amount, share)):
            yield (
                f"has a commission of {amount}, of which {of_commission} was taken back, "
                f"but by its refunds it is {due}."
            )


def _part(amount: int, share: Fraction) -> int:
    """Rounded half up."""
    return floor(amount * share + Fraction(1, 2))


def _refunded_of(
    invoices: Sequence[tuple[int, str]],
) -> Mapping[tuple[int, str, str], Decimal]:
    """Returns the refunds of each invoice by currency, less their cancellations.

    Summed here and not by SQLite, which would sum decimals as floats.
    """
    of = {"brand_id__in": {brand_id for brand_id, _ in invoices}}
    refunds = (
        every(InvoiceRefund)
        .filter(invoice_ref__in=[invoice_ref for _, invoice_ref in invoices], **of)
        .values_list("brand_id", "invoice_ref", "gross_currency", "refund_ref", "gross")
    )
    cancelled: defaultdict[tuple[int, str], list[tuple[str | None, Decimal | None]]]
    cancelled = defaultdict(list)
    for brand_id, refund_ref, *part in (
        every(RefundCancellation)
        .filter(refund_ref__in=[row[3] for row in refunds], **of)
        .values_list("brand_id", "refund_ref", "gross_currency", "gross")
    ):
        cancelled[brand_id, refund_ref].append((part[0], part[1]))
    still: defaultdict[tuple[int, str, str], Decimal] = defaultdict(Decimal)
    for brand_id, invoice_ref, currency, refund_ref, gross in refunds:
        parts = cancelled[brand_id, refund_ref]
        if (None, None) not in parts:
            back = sum(part for of_part, part in parts if part and of_part == currency)
            still[brand_id, invoice_ref, currency] += max(gross - back, Decimal(0))
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
                        taken__gt=Greatest(_thousandths("net"), Value(0))
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
