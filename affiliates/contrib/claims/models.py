"""Claims of missing sales, and the answers."""

from __future__ import annotations

from django.db import models
from django.db.models import Q

from affiliates.brands.models.brand import Brand
from affiliates.contrib.claims.rules import ClaimStatus
from affiliates.core.ids import new_id
from affiliates.db.records import Record, staff_field
from affiliates.program.models import Affiliate
from affiliates.referrals.models import MAX_REFERENCE, OrderReferral

MAX_NOTE = 1000
MAX_KEY = 64
DECIDED = [ClaimStatus.GRANTED, ClaimStatus.DECLINED]


class MissingSaleClaim(Record):
    """An affiliate's claim that an order should be credited to it."""

    id = models.UUIDField(primary_key=True, default=new_id, editable=False)
    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="+")
    affiliate = models.ForeignKey(
        Affiliate, on_delete=models.PROTECT, related_name="claims"
    )
    key = models.CharField(
        max_length=MAX_KEY,
        editable=False,
        help_text="Digest of what is claimed: the same again is the same claim.",
    )
    order_hint = models.CharField(
        "order or invoice", max_length=MAX_REFERENCE, blank=True
    )
    client_hint = models.CharField("client", max_length=254, blank=True)
    ordered_on = models.DateField(null=True, blank=True)
    note = models.CharField(max_length=MAX_NOTE, blank=True)
    referral = models.ForeignKey(
        OrderReferral,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="claims",
        help_text="The order it is about, as far as known to staff.",
    )
    status = models.CharField(max_length=20, choices=ClaimStatus.choices)
    answer = models.TextField(blank=True, help_text="As the affiliate reads it.")
    decided_by = staff_field()
    decided_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        permissions = [("decide_missingsaleclaim", "Can decide missing sale claims")]
        ordering = ["-created_at"]
        verbose_name = "missing sale claim"
        constraints = [
            models.UniqueConstraint(
                fields=["affiliate", "key"], name="affiliate_claims_a_sale_once"
            ),
            models.CheckConstraint(
                condition=~Q(status=ClaimStatus.GRANTED) | Q(referral__isnull=False),
                name="granted_claim_names_its_order",
            ),
            models.CheckConstraint(
                condition=Q(
                    status__in=DECIDED,
                    decided_by__isnull=False,
                    decided_at__isnull=False,
                )
                | (
                    ~Q(status__in=DECIDED)
                    & Q(decided_by__isnull=True, decided_at__isnull=True)
                ),
                name="decided_claim_names_who_and_when",
            ),
        ]
        indexes = [
            models.Index(fields=["affiliate", "created_at"], name="claim_of_affiliate"),
        ]

    def __str__(self) -> str:
        return f"{self.order_hint or self.client_hint} by {self.affiliate}"
