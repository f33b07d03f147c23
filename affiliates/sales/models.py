"""Payments, refunds and the sales they make. Rows are added, never edited."""

from __future__ import annotations

from datetime import datetime
from functools import partial

from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.db.models import Q
from djmoney.models.fields import MoneyField
from moneyed import Money

from affiliates.brands.models.brand import Brand
from affiliates.contracts import RefundKind
from affiliates.db.records import Record
from affiliates.db.seals import SaltField, SealField
from affiliates.db.sums import PLACES
from affiliates.plans.rules.matching import LABEL_LIMITS
from affiliates.program.models import Affiliate
from affiliates.referrals.models import MAX_REFERENCE, OrderReferral
from affiliates.sales.rules import (
    SaleReason,
    SaleStatus,
    net_of,
    without_descriptions,
)

MAX_DIGITS = 15
DECIMAL_PLACES = PLACES

_money_field = partial(
    MoneyField,
    max_digits=MAX_DIGITS,
    decimal_places=DECIMAL_PLACES,
    default_currency=None,
    # The default would write the names of currencies, which Babel changes, into migrations.
    currency_choices=(),
)


class InvoicePayment(Record):
    """An invoice that the host reported as paid, even when it credits nobody."""

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="+")
    invoice_ref = models.CharField("invoice", max_length=MAX_REFERENCE)
    order_ref = models.CharField("order", max_length=MAX_REFERENCE)
    payment_ref = models.CharField("payment", max_length=MAX_REFERENCE)
    gross = _money_field()
    lines = models.JSONField(encoder=DjangoJSONEncoder)
    renewal_number = models.PositiveIntegerField("renewal", default=0)
    position = models.PositiveIntegerField(
        null=True,
        blank=True,
        help_text="As the host states it. Empty: it says nothing.",
    )
    paid_at = models.DateTimeField()
    received_at = models.DateTimeField()
    salt = SaltField()
    seal = SealField(once_set=["position"], personal={"lines": without_descriptions})

    class Meta:
        ordering = ["-paid_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["brand", "invoice_ref"], name="invoice_is_paid_once"
            ),
        ]
        indexes = [
            models.Index(fields=["brand", "order_ref"], name="payments_of_order"),
            models.Index(fields=["payment_ref"], name="payment_by_reference"),
            models.Index(fields=["paid_at", "id"], name="payment_by_time"),
        ]

    def __str__(self) -> str:
        return str(getattr(self, "invoice_number", self.invoice_ref))

    @property
    def net(self) -> Money:
        """Sum of the lines, each to the minor unit: after discount, before tax."""
        return net_of(self.lines, self.gross.currency)


class InvoiceRefund(Record):
    """Money of an invoice that the host reported as refunded."""

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="+")
    invoice_ref = models.CharField("invoice", max_length=MAX_REFERENCE)
    refund_ref = models.CharField("refund", max_length=MAX_REFERENCE)
    kind = models.CharField(max_length=20, choices=RefundKind.choices)
    gross = _money_field()
    named = models.JSONField(
        default=dict,
        blank=True,
        help_text="The lines, net amount and payment that the host names. Empty: a part "
        "of the whole invoice.",
    )
    refunded_at = models.DateTimeField()
    received_at = models.DateTimeField()
    seal = SealField()

    class Meta:
        ordering = ["-refunded_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["brand", "refund_ref"], name="refund_is_recorded_once"
            ),
            models.CheckConstraint(condition=Q(gross__gt=0), name="refund_is_positive"),
        ]
        indexes = [
            models.Index(fields=["brand", "invoice_ref"], name="refunds_of_invoice"),
            models.Index(fields=["refund_ref"], name="refund_by_reference"),
            models.Index(fields=["refunded_at", "id"], name="refund_by_time"),
        ]

    def __str__(self) -> str:
        number = getattr(self, "invoice_number", "")
        of = f", invoice {number}" if number else ""
        return f"{self.get_kind_display()} of {self.gross}{of}"

    @property
    def happened_at(self) -> datetime:
        return self.refunded_at

    @property
    def named_parts(self) -> str:
        """Such as "hosting annually 10.00, 8.40 net, of payment pay-2"; may be empty."""
        lines = self.named.get("lines", ())
        # PostgreSQL does not keep the order in which a JSON object was written.
        parts = [
            " ".join(filter(None, map(line.get, (*LABEL_LIMITS, "net"))))
            for line in lines
        ]
        if net := self.named.get("net"):
            parts.append(f"{net} net")
        if payment_ref := self.named.get("payment_ref"):
            parts.append(f"of payment {payment_ref}")
        return ", ".join(parts)


class RefundCancellation(Record):
    """A refund, or a part of it, that the host reported as undone: a dispute was won.

    It names the refund by its reference; the refund may be reported later.
    """

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="+")
    refund_ref = models.CharField("refund", max_length=MAX_REFERENCE)
    cancellation_ref = models.CharField("cancellation", max_length=MAX_REFERENCE)
    gross = _money_field(
        null=True, blank=True, help_text="Empty: all that is still refunded."
    )
    cancelled_at = models.DateTimeField()
    received_at = models.DateTimeField()
    seal = SealField()

    class Meta:
        ordering = ["-cancelled_at"]
        verbose_name = "cancelled refund"
        constraints = [
            models.UniqueConstraint(
                fields=["brand", "cancellation_ref"],
                name="cancellation_is_recorded_once",
            ),
            models.CheckConstraint(
                condition=Q(gross__isnull=True, gross_currency__isnull=True)
                | Q(gross__gt=0, gross_currency__isnull=False),
                name="cancellation_is_of_all_or_of_an_amount",
            ),
        ]
        indexes = [
            models.Index(
                fields=["brand", "refund_ref"], name="cancellations_of_refund"
            ),
            models.Index(fields=["cancellation_ref"], name="cancellation_by_reference"),
            models.Index(
                fields=["brand", "cancelled_at"], name="cancellation_of_brand_by_day"
            ),
        ]

    def __str__(self) -> str:
        return f"Cancellation of {self.gross or 'a whole refund'}"

    @property
    def kind(self) -> str:
        """The kind shown for a cancellation, beside those of ``RefundKind``."""
        return "cancellation"

    @property
    def happened_at(self) -> datetime:
        return self.cancelled_at


class Sale(Record):
    """A paid invoice that an affiliate is credited for. At most one per invoice."""

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="+")
    order_referral = models.ForeignKey(
        OrderReferral, on_delete=models.PROTECT, related_name="sales"
    )
    payment = models.OneToOneField(
        InvoicePayment, on_delete=models.PROTECT, related_name="sale"
    )
    invoice_ref = models.CharField("invoice", max_length=MAX_REFERENCE)
    renewal_number = models.PositiveIntegerField(
        "renewal", default=0, help_text="0: the order's initial invoice."
    )
    position = models.PositiveIntegerField(
        help_text="As what renewal plans count it: the number less the invoices of "
        "nothing known before it. 0: the order's first invoice.",
    )
    affiliate = models.ForeignKey(Affiliate, on_delete=models.PROTECT, related_name="+")
    status = models.CharField(max_length=20, choices=SaleStatus.choices)
    reason = models.CharField(max_length=40, choices=SaleReason.choices)
    net = _money_field(help_text="Sum of the lines: after discount, before tax.")
    paid_at = models.DateTimeField()
    recorded_at = models.DateTimeField()
    seal = SealField()

    class Meta:
        ordering = ["-paid_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["brand", "invoice_ref"], name="invoice_makes_one_sale"
            ),
            models.UniqueConstraint(
                fields=["order_referral", "renewal_number"],
                name="order_makes_one_sale_per_renewal",
            ),
        ]
        indexes = [
            models.Index(fields=["paid_at", "id"], name="sale_by_time"),
            models.Index(fields=["brand", "paid_at"], name="sale_of_brand_by_day"),
        ]

    def __str__(self) -> str:
        return str(getattr(self, "invoice_number", self.invoice_ref))

    @property
    def is_first(self) -> bool:
        """Whether it is the order's first invoice with an amount."""
        return self.position == 0 and self.net.amount > 0


class SaleReversal(Record):
    """The amount that a refund took back from a sale, or its cancellation restored."""

    sale = models.ForeignKey(Sale, on_delete=models.PROTECT, related_name="reversals")
    refund = models.OneToOneField(
        InvoiceRefund,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="reversal",
    )
    cancellation = models.OneToOneField(
        RefundCancellation,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="reversal",
    )
    net = _money_field(help_text="Zero or below; of a cancellation zero or above.")
    recorded_at = models.DateTimeField()
    seal = SealField(once_set=["cancellation"])

    class Meta:
        ordering = ["recorded_at", "id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(refund__isnull=False, cancellation__isnull=True, net__lte=0)
                | Q(refund__isnull=True, cancellation__isnull=False, net__gte=0),
                name="reversal_is_of_a_refund_or_its_cancellation",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.net} of {self.sale_id}"

    @property
    def fact(self) -> InvoiceRefund | RefundCancellation:
        fact = self.cancellation or self.refund
        if fact is None:
            raise ValueError("The database holds no reversal without its fact.")
        return fact
