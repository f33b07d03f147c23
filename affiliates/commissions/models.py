"""An affiliate's commission for a sale, its lines, and its history."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q

from affiliates.brands.models.brand import Brand
from affiliates.commissions.messages import reason_text
from affiliates.commissions.rules import MAX_NOTE, NOT_OVER, CommissionStatus
from affiliates.db.records import Record, staff_field
from affiliates.db.seals import SaltField, SealField
from affiliates.ledger.models import MAX_KEY, LedgerPosting
from affiliates.ledger.rules import ADJUSTMENT_KINDS, PostingKind
from affiliates.plans.models.plan import CommissionPlanVersion
from affiliates.plans.rules.computation import without_description
from affiliates.program.models import Affiliate
from affiliates.sales.models import Sale, SaleReversal

# For the codes of rules.StepReason.
MAX_CODE = 20
# The key of an adjustment's posting.
POSTING_KEY = "adjustment:{}"
MAX_ADJUSTMENT_KEY = MAX_KEY - len(POSTING_KEY.format(""))


class Commission(Record):
    """An affiliate's commission for one sale. Its amounts never change.

    Amounts are in minor units of ``currency``. ``amount`` is the sum of the lines. A
    sale has a second commission only if staff gave it to another affiliate: the first
    is rejected. Each may have a share: what its affiliate's recruiter gets of it.
    """

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="+")
    sale = models.ForeignKey(Sale, on_delete=models.PROTECT, related_name="commissions")
    affiliate = models.ForeignKey(
        Affiliate, on_delete=models.PROTECT, related_name="commissions"
    )
    plan_version = models.ForeignKey(
        CommissionPlanVersion,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Empty: the affiliate was on no plan.",
    )
    share_of = models.OneToOneField(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="share",
        help_text="The commission of the recruited affiliate. Empty: for a sale of its own.",
    )
    currency = models.CharField(max_length=3)
    amount = models.BigIntegerField()
    status = models.CharField(max_length=20, choices=CommissionStatus.choices)
    reason = models.CharField(max_length=MAX_CODE)
    reason_details = models.JSONField(default=dict)
    earned_at = models.DateTimeField(help_text="When the invoice was paid.")
    matures_at = models.DateTimeField()
    payout = models.ForeignKey(
        "affiliates.Payout",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="commissions",
    )
    seal = SealField(
        leaves_out=["status", "reason", "reason_details", "payout"],
        once_set=["share_of"],
    )

    class Meta:
        permissions = [
            ("judge_commission", "Can approve, hold, release and reject commissions")
        ]
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["sale"],
                condition=~Q(status=CommissionStatus.REJECTED)
                & Q(share_of__isnull=True),
                name="sale_has_one_live_commission",
            ),
            models.CheckConstraint(
                condition=Q(amount__gte=0), name="commission_is_never_negative"
            ),
            models.CheckConstraint(
                condition=~Q(status=CommissionStatus.PAID) | Q(payout__isnull=False),
                name="paid_commission_names_its_payout",
            ),
            models.CheckConstraint(
                condition=~Q(share_of=F("pk")), name="commission_is_no_share_of_itself"
            ),
        ]
        indexes = [
            models.Index(
                fields=["brand", "earned_at"], name="commission_of_brand_by_day"
            ),
            models.Index(fields=["status", "earned_at"], name="commission_by_status"),
            models.Index(
                fields=["matures_at"],
                condition=Q(status=CommissionStatus.PENDING),
                name="commission_due",
            ),
            models.Index(
                fields=["affiliate", "currency", "status"],
                name="commission_of_affiliate",
            ),
            models.Index(
                fields=["brand"],
                condition=Q(status=CommissionStatus.HELD),
                name="commission_held",
            ),
            models.Index(
                fields=["brand"],
                condition=Q(status=CommissionStatus.MATURED),
                name="commission_to_approve",
            ),
            models.Index(fields=["earned_at", "id"], name="commission_by_time"),
            models.Index(
                fields=["affiliate", "earned_at"], name="commission_of_affiliate_time"
            ),
        ]

    # Set when both are locked.
    locked_share: Commission | None = None

    def __str__(self) -> str:
        return f"Commission {self.pk}"

    @property
    def waits_for_its_own(self) -> bool:
        """Whether it is a share of a commission that is pending or held."""
        return self.share_of is not None and self.share_of.status in NOT_OVER

    @property
    def reason_text(self) -> str:
        """Why it has this status."""
        return reason_text(self.reason, self.reason_details)


class CommissionLine(Record):
    """The earnings of one invoice line, with the receipt that can recompute them."""

    commission = models.ForeignKey(
        Commission, on_delete=models.PROTECT, related_name="lines"
    )
    position = models.PositiveSmallIntegerField(
        help_text="Of the invoice's line, from 1."
    )
    amount = models.BigIntegerField()
    receipt = models.JSONField()
    salt = SaltField()
    seal = SealField(personal={"receipt": without_description})

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["commission", "position"],
                name="commission_line_position_is_unique",
            ),
            models.CheckConstraint(
                condition=Q(amount__gte=0), name="commission_line_is_never_negative"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.amount} for line {self.position}"

    @property
    def description(self) -> str:
        """The invoice line's description; its product once that was erased."""
        line = self.receipt["line"]
        return str(line["description"] or line["product_ref"])


class CommissionReversal(Record):
    """The amount a refund took back from a commission, zero or below, in minor units.

    For the cancellation of a refund: the amount restored, zero or above.
    """

    commission = models.ForeignKey(
        Commission, on_delete=models.PROTECT, related_name="reversals"
    )
    sale_reversal = models.ForeignKey(
        SaleReversal, on_delete=models.PROTECT, related_name="commission_reversals"
    )
    amount = models.BigIntegerField()
    recorded_at = models.DateTimeField()
    seal = SealField()

    class Meta:
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["commission", "sale_reversal"],
                name="sale_reversal_reverses_a_commission_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.amount} of commission {self.commission_id}"


class CommissionEvent(Record):
    """One step in a commission's life: who did it, when and why. Only ever added."""

    commission = models.ForeignKey(
        Commission, on_delete=models.PROTECT, related_name="events"
    )
    before = models.CharField(
        max_length=20, choices=CommissionStatus.choices, blank=True
    )
    after = models.CharField(max_length=20, choices=CommissionStatus.choices)
    reason = models.CharField(max_length=MAX_CODE)
    reason_details = models.JSONField(default=dict)
    actor = staff_field(help_text="Empty: the program itself.")
    at = models.DateTimeField()
    seal = SealField()

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.before} to {self.after}"

    @property
    def reason_text(self) -> str:
        return reason_text(self.reason, self.reason_details)


class Adjustment(Record):
    """A bonus or deduction by staff or a plan, or a held bonus's end. Only ever added.

    Each is one posting, of the same kind. ``amount`` is in minor units and above zero:
    the kind gives the direction. ``key`` says what it is for, so that a repeated import
    adds it once.
    """

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="+")
    affiliate = models.ForeignKey(
        Affiliate, on_delete=models.PROTECT, related_name="adjustments"
    )
    kind = models.CharField(
        max_length=30,
        choices=[
            (kind.value, kind.label) for kind in PostingKind if kind in ADJUSTMENT_KINDS
        ],
    )
    currency = models.CharField(max_length=3)
    amount = models.BigIntegerField()
    reason = models.CharField(max_length=MAX_NOTE)
    key = models.CharField(max_length=MAX_ADJUSTMENT_KEY, unique=True)
    posting = models.OneToOneField(
        LedgerPosting, on_delete=models.PROTECT, related_name="adjustment"
    )
    ends = models.OneToOneField(
        "self",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="end",
        help_text="The held bonus that this released or withdrew.",
    )
    actor = staff_field(help_text="Empty: the program itself.")
    at = models.DateTimeField()
    seal = SealField()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=Q(amount__gt=0), name="adjustment_is_above_zero"
            ),
            models.CheckConstraint(
                condition=Q(
                    kind__in=[PostingKind.BONUS_RELEASED, PostingKind.BONUS_WITHDRAWN],
                    ends__isnull=False,
                )
                | Q(
                    kind__in=[
                        PostingKind.BONUS,
                        PostingKind.BONUS_HELD,
                        PostingKind.DEDUCTION,
                    ],
                    ends__isnull=True,
                ),
                name="only_the_end_of_a_held_bonus_names_it",
            ),
        ]

    def __str__(self) -> str:
        return f"Adjustment {self.pk}"
