from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from affiliates.brands.models.brand import Brand
from affiliates.brands.models.versions import TermsVersion
from affiliates.core.days import BillingCycle
from affiliates.db.records import Record
from affiliates.plans.rules.amounts import check_amounts, minor_units_of
from affiliates.plans.rules.rounding import Rounding
from affiliates.plans.rules.terms import (
    MAX_PERCENT,
    PERCENT_DECIMALS,
    CapPeriod,
    PlanTerms,
    RuleTerms,
)

MAX_NAME = 100
MAX_HOLD_DAYS = 400


class CommissionPlan(Record):
    """Commission terms, as staff edit them. Saving a change makes a new version."""

    brand = models.ForeignKey(Brand, on_delete=models.PROTECT, related_name="plans")
    name = models.CharField(max_length=MAX_NAME)
    is_default = models.BooleanField(
        "default plan",
        default=False,
        help_text="For every affiliate with no plan of its own or of its group.",
    )
    hold_days = models.PositiveSmallIntegerField(
        default=30,
        validators=[MaxValueValidator(MAX_HOLD_DAYS)],
        help_text="Days between payment and approval. 0: at once.",
    )
    hold_days_by_cycle = models.JSONField(
        "hold days by billing cycle",
        default=dict,
        blank=True,
        help_text="Where a billing cycle is held for another time: "
        "monthly 90, annually 30.",
    )
    needs_active_service = models.BooleanField(
        "only while the service is active",
        default=False,
        help_text="A commission whose service has ended by the end of its hold is "
        "rejected, where the portal can say so.",
    )
    approves_itself = models.BooleanField(
        "approve after the hold",
        default=True,
        help_text="Off: staff approve each commission after its hold.",
    )
    counts_discount = models.BooleanField(
        "earn on the price before discounts",
        default=False,
        help_text="Off: the base is what the line costs after its discount.",
    )
    counts_credit = models.BooleanField(
        "earn on what account credit pays",
        default=False,
        help_text="Off: what the client's account credit pays is taken from the base.",
    )
    allows_paid_ads = models.BooleanField(
        "paid advertising allowed",
        default=True,
        help_text="Off: clicks with an ad platform's parameters are a fraud signal.",
    )
    rounding = models.CharField(
        max_length=20, choices=Rounding.choices, default=Rounding.HALF_UP
    )
    cap_period = models.CharField(
        max_length=20, choices=CapPeriod.choices, default=CapPeriod.NONE
    )
    cap_amounts = models.JSONField(
        default=dict,
        blank=True,
        help_text="The most an affiliate earns in a period: EUR 500, USD 550.",
    )
    joining_bonus = models.JSONField(
        default=dict,
        db_default={},
        blank=True,
        help_text="Once for each affiliate, with the first commission that is approved, "
        "in its currency: EUR 10, USD 11.",
    )
    recruiter_percent = models.DecimalField(
        "share of recruiters, in percent",
        max_digits=6,
        decimal_places=PERCENT_DECIMALS,
        default=0,
        db_default=0,
        validators=[MinValueValidator(0), MaxValueValidator(MAX_PERCENT)],
        help_text="Of what affiliates on this plan earn, for their recruiter, "
        "beside it. 0: nothing.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["brand", "name"]
        constraints = [
            models.UniqueConstraint(
                fields=["brand", "name"],
                name="plan_name_is_unique_in_brand",
                violation_error_message="Another plan of this brand has this name.",
            ),
            models.UniqueConstraint(
                fields=["brand"],
                condition=Q(is_default=True),
                name="brand_has_one_default_plan",
                violation_error_message="This brand has a default plan already: "
                "untick it there first.",
            ),
            models.CheckConstraint(
                condition=Q(hold_days__lte=MAX_HOLD_DAYS),
                name="plan_holds_400_days_at_most",
            ),
            models.CheckConstraint(
                condition=Q(rounding__in=list(Rounding)), name="plan_rounding_is_known"
            ),
            models.CheckConstraint(
                condition=Q(cap_period__in=list(CapPeriod)),
                name="plan_cap_period_is_known",
            ),
            models.CheckConstraint(
                condition=Q(recruiter_percent__gte=0)
                & Q(recruiter_percent__lte=MAX_PERCENT),
                name="share_of_recruiters_is_from_0_to_100_percent",
            ),
        ]

    def __str__(self) -> str:
        # The admin annotates the brand's name if there are several brands.
        brand = getattr(self, "told_apart_by", "")
        return f"{self.name} ({brand})" if brand else self.name

    def clean(self) -> None:
        faults = amounts_faults(self, "cap_amounts")
        faults |= amounts_faults(self, "joining_bonus")
        is_capped = self.cap_period != CapPeriod.NONE
        if is_capped and not self.cap_amounts:
            faults["cap_amounts"] = "Write the most that is earned: EUR 500, USD 550."
        if self.cap_amounts and not is_capped:
            faults["cap_period"] = "Choose the period, or leave the amounts empty."
        if fault := _days_fault(self.hold_days_by_cycle):
            faults["hold_days_by_cycle"] = fault
        if faults:
            raise ValidationError(faults)

    def to_terms(self, rules: Iterable[RuleTerms] | None = None) -> PlanTerms:
        """The plan's current terms, with rules read from the database unless given."""
        if rules is None:
            rules = (rule.to_terms() for rule in self.rules.order_by("pk"))
        return PlanTerms(
            rules=tuple(rules),
            hold_days=self.hold_days,
            hold_days_by_cycle=self.hold_days_by_cycle,
            needs_active_service=self.needs_active_service,
            approves_itself=self.approves_itself,
            counts_discount=self.counts_discount,
            counts_credit=self.counts_credit,
            allows_paid_ads=self.allows_paid_ads,
            rounding=Rounding(self.rounding),
            cap_period=CapPeriod(self.cap_period),
            cap_amounts=minor_units_of(self.cap_amounts),
            joining_bonus=minor_units_of(self.joining_bonus),
            recruiter_percent=self.recruiter_percent,
        )


class CommissionPlanVersion(TermsVersion):
    """An earlier or current state of a plan. Never deleted."""

    plan = models.ForeignKey(
        CommissionPlan, on_delete=models.PROTECT, related_name="versions"
    )

    class Meta:
        ordering = ["plan", "-number"]
        verbose_name = "plan version"
        constraints = [
            models.UniqueConstraint(
                fields=["plan", "number"], name="plan_version_number_is_unique"
            )
        ]

    def __str__(self) -> str:
        return f"{self.plan} version {self.number}"


def amounts_faults(row: models.Model, name: str) -> dict[str, Any]:
    """Converts the amounts to their stored form, or returns the fault."""
    try:
        setattr(row, name, check_amounts(getattr(row, name)))
    except ValueError as error:
        return {name: str(error)}
    return {}


def _days_fault(days: object) -> str | None:
    cycles = list(BillingCycle)
    if not isinstance(days, dict):
        return "Write the days of each billing cycle: monthly 90, annually 30."
    for cycle, number in days.items():
        if cycle not in cycles:
            return f"{cycle} is no billing cycle: choose from {', '.join(cycles)}."
        if type(number) is not int or not 0 <= number <= MAX_HOLD_DAYS:
            return f"{cycle} {number}: write 0 to {MAX_HOLD_DAYS} days."
    return None
