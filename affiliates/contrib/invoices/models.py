"""Affiliates' own invoices for payouts, their files, and the terms of a brand."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from affiliates.brands.models.brand import Brand
from affiliates.contrib.invoices.rules import InvoiceEnd, InvoiceState, state_of
from affiliates.db.records import Record, optional_text, staff_field
from affiliates.db.seals import SealField
from affiliates.payouts.models import MAX_REASON, Payout

MAX_NUMBER = 40


class InvoiceTerms(Record):
    """Which payouts of a brand wait for the affiliate's own invoice."""

    brand = models.OneToOneField(
        Brand, on_delete=models.PROTECT, related_name="invoice_terms"
    )
    needed_from = models.JSONField(default=dict, blank=True)

    class Meta:
        verbose_name = "invoice terms"
        verbose_name_plural = "invoice terms"

    def __str__(self) -> str:
        return f"Invoice terms of {self.brand}"


class PayoutInvoice(Record):
    """An invoice that the affiliate sent for a payout. One that has not ended counts.

    The sums are in minor units of the payout's currency.
    """

    payout = models.ForeignKey(
        Payout, on_delete=models.PROTECT, related_name="invoices"
    )
    number = models.CharField(max_length=MAX_NUMBER)
    issued_on = models.DateField()
    net = models.BigIntegerField()
    tax = models.BigIntegerField()
    total = models.BigIntegerField()
    size = models.PositiveIntegerField("bytes")
    digest = models.CharField("SHA-256", max_length=64, help_text="Of the file.")
    uploaded_at = models.DateTimeField()
    end = optional_text(max_length=20, choices=InvoiceEnd.choices)
    reason = optional_text(max_length=MAX_REASON)
    refused_by = staff_field()
    seal = SealField()

    class Meta:
        ordering = ["-id"]
        verbose_name = "affiliate's invoice"
        constraints = [
            models.CheckConstraint(
                condition=Q(net__gt=0, tax__gte=0, total=F("net") + F("tax")),
                name="invoice_of_affiliate_adds_up",
            ),
            models.UniqueConstraint(
                fields=["payout"],
                condition=Q(end=""),
                name="payout_has_one_invoice_that_counts",
            ),
        ]

    def __str__(self) -> str:
        return f"Invoice {self.number}"

    @property
    def state(self) -> InvoiceState:
        return state_of(
            self.end,
            status=self.payout.status,
            is_equal=self.total == self.payout.amount,
        )


class InvoiceFile(Record):
    """The file, apart from its invoice: lists and proofs need not read it."""

    invoice = models.OneToOneField(
        PayoutInvoice, on_delete=models.PROTECT, related_name="file"
    )
    content = models.TextField(editable=False, help_text="Encrypted.")

    class Meta:
        verbose_name = "file of an invoice"
        verbose_name_plural = "files of invoices"

    def __str__(self) -> str:
        return f"File of {self.invoice}"
