"""Affiliates' payout destinations, and their payouts."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models import F, Q

from affiliates.brands.models.brand import Brand
from affiliates.db.records import Record, optional_text, staff_field
from affiliates.db.seals import SaltField, SealField, no_text
from affiliates.payouts.providers.registry import choices, label_of, offered_at_first
from affiliates.payouts.rules import Numbering, PayoutStatus, Terms
from affiliates.program.models import Affiliate

OPEN_STATUSES = tuple(status for status in PayoutStatus if status.is_open)
MAX_REASON, MAX_REMOTE_REF = 255, 140


class PayoutTerms(Record):
    """How a brand pays its affiliates."""

    brand = models.OneToOneField(
        Brand, on_delete=models.PROTECT, related_name="payout_terms"
    )
    kinds = models.JSONField(
        "ways to be paid",
        default=offered_at_first,
        blank=True,
        help_text="Codes of providers.",
    )
    minimums = models.JSONField(
        default=dict,
        blank=True,
        help_text="In minor units by currency. Others: 50 units.",
    )
    pays_rest = models.BooleanField(
        "pays a rest below the minimum",
        default=True,
        db_default=True,
        help_text="On: when an affiliate leaves. Off: it is forfeited.",
    )
    cool_off_days = models.PositiveSmallIntegerField(
        default=7,
        validators=[MaxValueValidator(90)],
        help_text="A changed destination is not paid to before so many days.",
    )
    debtor_name = models.CharField(
        "account owner",
        max_length=70,
        blank=True,
        help_text="Whose account bank transfers are paid from.",
    )
    debtor_iban = models.CharField("IBAN", max_length=34, blank=True)
    debtor_bic = models.CharField("BIC", max_length=11, blank=True)
    first_run_on = models.DateField(
        "first run",
        null=True,
        blank=True,
        help_text="A payout run is drafted on this day of the brand's time zone and on "
        "the same day of each month from then on. Empty: only by hand.",
    )
    runs_approve_themselves = models.BooleanField(
        "runs approve themselves",
        default=False,
        db_default=False,
        help_text="On: a scheduled run's files are made at once.",
    )
    needs_second_person = models.BooleanField(
        default=False,
        db_default=False,
        help_text="On: a second person approves payouts, who did not start or prepare "
        "them and is not paid by them. It takes two persons to switch it off.",
    )
    single_person_asked_by = staff_field(
        editable=False,
        verbose_name="asked to do without a second person",
        help_text="Somebody else agrees by switching it off too.",
    )
    numbering = models.CharField(
        "numbers of statements",
        max_length=20,
        choices=Numbering.choices,
        default=Numbering.BRAND,
        db_default=Numbering.BRAND,
    )
    number_prefix = optional_text(
        max_length=20, help_text="Such as SB-2026-. What stands before the number."
    )
    issuer = optional_text(
        verbose_name="issued by",
        max_length=500,
        help_text="Your name, address and VAT number, as statements have them.",
    )
    tax_note = optional_text(
        max_length=255, help_text="Such as: Self-billing. Reverse charge."
    )
    seal = SealField()

    class Meta:
        verbose_name = "payout terms"
        verbose_name_plural = "payout terms"
        constraints = [
            models.CheckConstraint(
                condition=Q(runs_approve_themselves=False)
                | Q(needs_second_person=False),
                name="payout_run_approves_itself_or_needs_a_second_person",
                violation_error_message="A run that a second person has to approve "
                "cannot approve itself.",
            ),
        ]

    def __str__(self) -> str:
        return f"Payout terms of {self.brand}"

    def to_terms(self) -> Terms:
        return Terms(
            minimums=self.minimums,
            cool_off=timedelta(days=self.cool_off_days),
            kinds=frozenset(self.kinds),
        )


class PayoutDestination(Record):
    """An affiliate's payout destination. A change adds a row; the latest counts."""

    affiliate = models.ForeignKey(
        Affiliate, on_delete=models.PROTECT, related_name="destinations"
    )
    kind = models.CharField(max_length=20, choices=choices)
    details = models.TextField(
        editable=False, help_text="Encrypted: account holder, IBAN, e-mail address."
    )
    hint = models.CharField(
        max_length=64, blank=True, help_text="What people may see of the details."
    )
    fingerprint = models.CharField(
        max_length=64,
        blank=True,
        editable=False,
        help_text="The same for the same account, for finding it twice.",
    )
    usable_from = models.DateTimeField()
    created_at = models.DateTimeField()
    entered_by = staff_field(help_text="Empty: the affiliate itself.")
    salt = SaltField()
    seal = SealField(
        personal={"details": no_text, "hint": no_text, "fingerprint": no_text}
    )

    class Meta:
        ordering = ["-id"]
        indexes = [
            models.Index(
                fields=["fingerprint"],
                name="destination_by_fingerprint",
                condition=~Q(fingerprint=""),
            ),
        ]

    def __str__(self) -> str:
        return f"{label_of(self.kind)} {self.hint}".rstrip()

    @property
    def paid_from(self) -> datetime:
        """When it may be paid to: after its own and the affiliate's cool-off."""
        return max(self.usable_from, self.affiliate.cools_off_until or self.usable_from)


class PayoutBatch(Record):
    """Payouts that were exported in one file for a bank or PayPal."""

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=20, choices=choices)
    currency = models.CharField(max_length=3)
    content = models.TextField(
        editable=False, help_text="The file, encrypted: it names accounts."
    )
    exported_at = models.DateTimeField()
    exported_by = staff_field()
    digest = optional_text(
        verbose_name="SHA-256",
        max_length=64,
        help_text="Of the file as it is downloaded.",
    )
    reference = optional_text(max_length=35, help_text="In the bank's answers.")
    seal = SealField(once_set=["digest", "reference"])

    class Meta:
        ordering = ["-id"]
        verbose_name_plural = "payout batches"

    def __str__(self) -> str:
        return f"Batch {self.pk}"


class Payout(Record):
    """Money on its way to an affiliate. ``amount`` is in minor units, above zero."""

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="+")
    affiliate = models.ForeignKey(
        Affiliate, on_delete=models.PROTECT, related_name="payouts"
    )
    destination = models.ForeignKey(
        PayoutDestination, on_delete=models.PROTECT, related_name="+"
    )
    batch = models.ForeignKey(
        PayoutBatch,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="payouts",
    )
    currency = models.CharField(max_length=3)
    amount = models.BigIntegerField()
    status = models.CharField(max_length=20, choices=PayoutStatus.choices)
    reason = models.CharField(max_length=MAX_REASON, blank=True)
    remote_ref = models.CharField(
        "reference",
        max_length=MAX_REMOTE_REF,
        blank=True,
        help_text="The bank's, PayPal's or the wallet's own.",
    )
    is_for_two = models.BooleanField(
        "second person needed", default=False, help_text="As it was at the approval."
    )
    # Started it, gave the first of two approvals, or prepared its run for two.
    prepared_by = staff_field()
    approved_by = staff_field()
    requested_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)
    # The number of its statement, once it has one.
    stated_as = optional_text(max_length=80, editable=False)
    received_amount = models.BigIntegerField(null=True, editable=False)
    received_currency = optional_text(max_length=3, editable=False)
    seal = SealField(once_set=["stated_as", "received_amount", "received_currency"])

    class Meta:
        permissions = [
            ("approve_payout", "Can approve and reject payouts"),
            ("confirm_payout", "Can export payouts and confirm money"),
        ]
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(amount__gt=0), name="payout_is_above_zero"
            ),
            models.CheckConstraint(
                condition=Q(received_amount=None, received_currency="")
                | Q(received_amount__gte=0) & ~Q(received_currency=""),
                name="payout_received_has_its_currency",
            ),
            models.CheckConstraint(
                condition=Q(status__in=OPEN_STATUSES, finished_at__isnull=True)
                | (~Q(status__in=OPEN_STATUSES) & Q(finished_at__isnull=False)),
                name="payout_is_open_until_finished",
            ),
            models.CheckConstraint(
                condition=Q(is_for_two=False)
                | Q(status__in=(PayoutStatus.REQUESTED, PayoutStatus.REJECTED))
                | Q(prepared_by__isnull=False, approved_by__isnull=False)
                & ~Q(approved_by=F("prepared_by")),
                name="payout_for_two_is_approved_by_the_second",
            ),
            models.UniqueConstraint(
                fields=["affiliate", "currency"],
                condition=Q(status__in=OPEN_STATUSES),
                name="affiliate_has_one_open_payout_per_currency",
            ),
        ]
        indexes = [
            models.Index(
                fields=["remote_ref"],
                name="payout_by_reference",
                condition=~Q(remote_ref=""),
            ),
        ]

    def __str__(self) -> str:
        return f"Payout {self.pk}"


class PayoutEvent(Record):
    """One step of a payout. Only ever added."""

    payout = models.ForeignKey(Payout, on_delete=models.PROTECT, related_name="events")
    before = models.CharField(max_length=20, choices=PayoutStatus.choices, blank=True)
    after = models.CharField(max_length=20, choices=PayoutStatus.choices)
    reason = models.CharField(max_length=MAX_REASON, blank=True)
    actor = staff_field()
    at = models.DateTimeField()
    seal = SealField()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.before} to {self.after}"
