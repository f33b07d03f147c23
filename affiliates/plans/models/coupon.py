from __future__ import annotations

from decimal import Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q
from django.db.models.functions import Upper

from affiliates.brands.models.brand import Brand
from affiliates.brands.models.versions import TermsVersion
from affiliates.db.records import Record
from affiliates.plans.rules.matching import normal_coupon_code
from affiliates.plans.rules.terms import CouponTerms

MAX_CODE = 64


def percent_field(label: str, **options: Any) -> Any:
    return models.DecimalField(
        label,
        max_digits=6,
        decimal_places=3,
        validators=[MinValueValidator(0), MaxValueValidator(100)],
        **options,
    )


def percent_constraints(name: str) -> list[models.CheckConstraint]:
    """Of ``percent``, which may be empty, and ``affiliate_funds_percent``."""
    return [
        models.CheckConstraint(
            condition=Q(percent__isnull=True) | Q(percent__gte=0, percent__lte=100),
            name=f"{name}_rate_is_0_to_100_percent",
        ),
        models.CheckConstraint(
            condition=Q(
                affiliate_funds_percent__gte=0, affiliate_funds_percent__lte=100
            ),
            name=f"{name}_funding_is_0_to_100_percent",
        ),
    ]


class CouponCode(Record):
    """A host's coupon that belongs to an affiliate: its use credits the affiliate."""

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="+")
    affiliate = models.ForeignKey(
        "affiliates.Affiliate", on_delete=models.PROTECT, related_name="coupons"
    )
    code = models.CharField(
        max_length=MAX_CODE,
        validators=[RegexValidator(r"^\S+\Z", "A coupon code has no spaces.")],
        help_text="As the client types it; upper and lower case are one.",
    )
    is_active = models.BooleanField(
        "active", default=True, help_text="An inactive coupon credits nobody."
    )
    percent = percent_field(
        "own rate in percent",
        null=True,
        blank=True,
        help_text="Empty: what the plan says.",
    )
    affiliate_funds_percent = percent_field(
        "affiliate pays of the discount, in percent",
        default=Decimal(0),
        help_text="Taken from the commission, which never falls below zero.",
    )

    class Meta:
        ordering = ["brand", "code"]
        verbose_name = "coupon code"
        constraints = [
            models.UniqueConstraint(
                fields=["brand", "code"],
                name="coupon_code_is_unique_in_brand",
                violation_error_message="Another coupon of this brand has this code.",
            ),
            models.CheckConstraint(
                condition=Q(code=Upper("code")), name="coupon_code_is_upper_case"
            ),
            *percent_constraints("coupon"),
        ]

    def __str__(self) -> str:
        return self.code

    def clean_fields(self, exclude: set[str] | None = None) -> None:  # type: ignore[override] # any collection
        self.code = normal_coupon_code(self.code)
        super().clean_fields(exclude)

    def clean(self) -> None:
        if None in (self.brand_id, self.affiliate_id):
            return
        if self.affiliate.brand_id != self.brand_id:
            raise ValidationError(
                {
                    "affiliate": "This affiliate belongs to another brand: choose one "
                    "of this brand."
                }
            )

    def to_terms(self) -> CouponTerms:
        return CouponTerms(
            code=self.code,
            percent=self.percent,
            affiliate_funds_percent=self.affiliate_funds_percent,
        )


class CouponCodeVersion(TermsVersion):
    """An earlier or current state of a coupon. Never deleted."""

    coupon = models.ForeignKey(
        CouponCode, on_delete=models.PROTECT, related_name="versions"
    )
    affiliate = models.ForeignKey(
        "affiliates.Affiliate", on_delete=models.PROTECT, related_name="+"
    )

    class Meta:
        ordering = ["coupon", "-number"]
        verbose_name = "coupon code version"
        constraints = [
            models.UniqueConstraint(
                fields=["coupon", "number"], name="coupon_version_number_is_unique"
            )
        ]

    def __str__(self) -> str:
        return f"{self.coupon} version {self.number}"
