"""What the friends of affiliates get, in versions, and the codes made by affiliates."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator, RegexValidator
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Upper

from affiliates.brands.models.brand import Brand
from affiliates.brands.models.versions import TermsVersion
from affiliates.contrib.offers.rules import MAX_CODES, OfferTerms
from affiliates.core.language import translated
from affiliates.db.records import Record, optional_text
from affiliates.plans.models.coupon import (
    CouponCode,
    percent_constraints,
    percent_field,
)
from affiliates.plans.models.plan import CommissionPlan
from affiliates.plans.rules.matching import normal_coupon_code
from affiliates.program.models import OTHER_BRAND
from affiliates.referrals.models import MAX_REFERENCE

MAX_NAME = 100
MAX_PREFIX = 20
MAX_TEXT = 200
MAX_GRANTS = 1_000


def require_object(value: Any) -> None:
    """Refuses what is no JSON object, and what PostgreSQL stores in none."""
    try:
        text = json.dumps(value, allow_nan=False)
    except ValueError:
        text = ""
    if not text.startswith("{") or r"\u0000" in text:
        raise ValidationError('Write a JSON object, such as {"percent_off": "10"}.')


class Offer(Record):
    """What the friend of an affiliate gets who orders with the affiliate's code."""

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="+")
    name = models.CharField(max_length=MAX_NAME, help_text="For staff.")
    plan = models.ForeignKey(
        CommissionPlan,
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Only its affiliates make codes. Empty: every affiliate of the brand.",
    )
    is_active = models.BooleanField(
        "active",
        default=True,
        help_text="Off: it is shown no more, and no codes are made. Codes that were "
        "made credit their affiliates further, and give the discount as long as the "
        "host's coupon is valid: end a code to end both.",
    )
    text = models.CharField(
        max_length=MAX_TEXT,
        help_text="What the friend gets, shown to visitors: 10 % off your first invoice.",
    )
    translations = models.JSONField(default=dict, blank=True)
    grants = models.TextField(
        "what the host grants",
        max_length=MAX_GRANTS,
        blank=True,
        help_text="In detail, for affiliates and staff.",
    )
    grants_translations = models.JSONField(default=dict, blank=True)
    host_terms = models.JSONField(
        "the host's terms",
        default=dict,
        blank=True,
        validators=[require_object],
        help_text='Passed on as they are where a coupon is made: {"percent_off": "10"}.',
    )
    for_new_clients = models.BooleanField(
        "for new clients only", default=False, help_text="The host enforces it."
    )
    percent = percent_field(
        "own rate in percent",
        null=True,
        blank=True,
        help_text="Of orders with a code of this offer. Empty: what the plan says.",
    )
    affiliate_funds_percent = percent_field(
        "affiliate pays of the discount, in percent",
        default=Decimal(0),
        help_text="Taken from the commission, which never falls below zero.",
    )
    prefix = optional_text(
        max_length=MAX_PREFIX,
        verbose_name="prefix of codes",
        validators=[RegexValidator(r"^\S+\Z", "A coupon code has no spaces.")],
        help_text="Every code begins with it.",
    )
    max_codes = models.PositiveSmallIntegerField(
        "most codes of an affiliate",
        default=1,
        validators=[MinValueValidator(1), MaxValueValidator(MAX_CODES)],
        help_text=f"At a time, from 1 to {MAX_CODES}.",
    )
    valid_from = models.DateTimeField(
        null=True, blank=True, help_text="Empty: at once."
    )
    valid_until = models.DateTimeField(
        null=True, blank=True, help_text="Empty: for ever."
    )

    # The active codes of an affiliate, where ``open_offers`` read the offer.
    own_codes: Sequence[OfferCode] = ()

    class Meta:
        ordering = ["brand", "name"]
        constraints = [
            models.UniqueConstraint(
                fields=["brand", "name"],
                name="offer_name_is_unique_in_brand",
                violation_error_message="Another offer of this brand has this name.",
            ),
            models.CheckConstraint(
                condition=Q(prefix=Upper("prefix")), name="offer_prefix_is_upper_case"
            ),
            *percent_constraints("offer"),
            models.CheckConstraint(
                condition=Q(max_codes__gte=1, max_codes__lte=MAX_CODES),
                name="offer_gives_1_to_100_codes",
            ),
            models.CheckConstraint(
                condition=Q(valid_from__isnull=True)
                | Q(valid_until__isnull=True)
                | Q(valid_until__gt=F("valid_from")),
                name="offer_ends_after_it_begins",
                violation_error_message="The offer ends before it begins.",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def clean_fields(self, exclude: set[str] | None = None) -> None:  # type: ignore[override] # any collection
        self.prefix = normal_coupon_code(self.prefix)
        # Of an emptied field.
        self.host_terms = {} if self.host_terms is None else self.host_terms
        super().clean_fields(exclude)

    def clean(self) -> None:
        if self.plan is not None and self.plan.brand_id != self.brand_id:
            raise ValidationError({"plan": OTHER_BRAND.format("plan")})

    @property
    def shown_text(self) -> str:
        return translated(self.text, self.translations)

    @property
    def shown_grants(self) -> str:
        return translated(self.grants, self.grants_translations)

    @property
    def codes_left(self) -> int:
        return max(0, self.max_codes - len(self.own_codes))

    def is_open(self, at: datetime) -> bool:
        return self.is_active and self.to_terms().is_valid(at)

    def to_terms(self) -> OfferTerms:
        names = OfferTerms.__dataclass_fields__
        return OfferTerms(**{name: getattr(self, name) for name in names})


class OfferVersion(TermsVersion):
    """An earlier or current state of an offer. Never deleted."""

    offer = models.ForeignKey(Offer, on_delete=models.PROTECT, related_name="versions")

    class Meta:
        ordering = ["offer", "-number"]
        verbose_name = "version of an offer"
        verbose_name_plural = "versions of offers"
        constraints = [
            models.UniqueConstraint(
                fields=["offer", "number"], name="offer_version_number_is_unique"
            )
        ]

    def __str__(self) -> str:
        return f"{self.offer} version {self.number}"

    def to_terms(self) -> OfferTerms:
        return OfferTerms.from_json(self.terms)


class OfferCode(Record):
    """An affiliate's code within an offer. It keeps the terms it was made under."""

    coupon = models.OneToOneField(
        CouponCode, on_delete=models.PROTECT, related_name="offer_code"
    )
    version = models.ForeignKey(
        OfferVersion, on_delete=models.PROTECT, related_name="codes"
    )
    coupon_ref = optional_text(
        max_length=MAX_REFERENCE,
        verbose_name="the host's coupon",
        help_text="Empty: the host makes none by itself.",
    )
    made_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-id"]
        verbose_name = "code of an offer"
        verbose_name_plural = "codes of offers"

    def __str__(self) -> str:
        return str(self.coupon)
