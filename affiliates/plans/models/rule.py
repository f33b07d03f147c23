from __future__ import annotations

from decimal import Decimal

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q

from affiliates.core.days import BillingCycle
from affiliates.db.records import Record
from affiliates.plans.models.plan import CommissionPlan, amounts_faults
from affiliates.plans.rules.amounts import minor_units_of
from affiliates.plans.rules.matching import normal_tld, normal_word
from affiliates.plans.rules.messages import describe_rule
from affiliates.plans.rules.terms import (
    AppliesTo,
    RateKind,
    Recurrence,
    RuleTerms,
    TierPeriod,
)
from affiliates.plans.rules.tiers import check_tiers, tiers_of

LIMITED_RECURRENCES = [recurrence for recurrence in Recurrence if recurrence.is_limited]
OTHER_RECURRENCES = [
    recurrence for recurrence in Recurrence if not recurrence.is_limited
]
LIMIT_FAULT = "Write how many renewals or months, and only where they are limited."


class PlanRule(Record):
    """The earnings of one kind of invoice line. An empty condition fits every line."""

    plan = models.ForeignKey(
        CommissionPlan, on_delete=models.CASCADE, related_name="rules"
    )
    affiliate = models.ForeignKey(
        "affiliates.Affiliate",
        on_delete=models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="Empty: every affiliate on this plan.",
    )
    product_ref = models.CharField("product", max_length=64, blank=True)
    kind = models.CharField(
        max_length=20, blank=True, help_text="hosting, domain, addon, setup or upgrade."
    )
    tld = models.CharField(
        "TLD", max_length=63, blank=True, help_text="Of a domain: com, co.uk."
    )
    operation = models.CharField(
        max_length=20, blank=True, help_text="Of a domain: register, transfer or renew."
    )
    billing_cycle = models.CharField(
        max_length=20, choices=BillingCycle.choices, blank=True
    )
    applies_to = models.CharField(
        max_length=20, choices=AppliesTo.choices, default=AppliesTo.ALL
    )
    rate_kind = models.CharField(
        "rate", max_length=20, choices=RateKind.choices, default=RateKind.PERCENT
    )
    percent = models.DecimalField(
        max_digits=6,
        decimal_places=3,
        default=Decimal(0),
        validators=[MinValueValidator(0), MaxValueValidator(100)],
    )
    fixed_amounts = models.JSONField(
        default=dict, blank=True, help_text="One for each currency: EUR 5.00, USD 6.00."
    )
    recurrence = models.CharField(
        max_length=20, choices=Recurrence.choices, default=Recurrence.ALWAYS
    )
    recurrence_limit = models.PositiveSmallIntegerField(
        "renewals or months",
        null=True,
        blank=True,
        help_text="How many renewals, or months since the order, still earn.",
    )
    tiers = models.JSONField(
        default=list,
        db_default=[],
        blank=True,
        help_text="Other rates for who sells more: sales 10 12.5, sales 50 15 is 12.5 % "
        "from 10 sales on. By revenue: EUR 1000 12.5, EUR 5000 15.",
    )
    tier_period = models.CharField(
        "sales count",
        max_length=20,
        choices=TierPeriod.choices,
        default=TierPeriod.MONTH,
        db_default=TierPeriod.MONTH,
    )

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(percent__gte=0, percent__lte=100),
                name="plan_rule_percent_is_0_to_100",
            ),
            models.CheckConstraint(
                condition=Q(
                    recurrence__in=LIMITED_RECURRENCES,
                    recurrence_limit__isnull=False,
                    recurrence_limit__gte=1,
                )
                | Q(recurrence__in=OTHER_RECURRENCES, recurrence_limit__isnull=True),
                name="plan_rule_has_a_limit_where_it_needs_one",
                violation_error_message=LIMIT_FAULT,
            ),
            models.CheckConstraint(
                condition=Q(rate_kind__in=list(RateKind)),
                name="plan_rule_rate_is_known",
            ),
            models.CheckConstraint(
                condition=Q(tier_period__in=list(TierPeriod)),
                name="plan_rule_tier_period_is_known",
            ),
            models.CheckConstraint(
                condition=Q(applies_to__in=list(AppliesTo)),
                name="plan_rule_applies_to_what_is_known",
            ),
        ]

    def __str__(self) -> str:
        known = (
            {} if self.affiliate is None else {self.affiliate.pk: str(self.affiliate)}
        )
        try:
            return describe_rule(self.to_terms(), affiliates=known)
        except ValueError:
            # Not stored in the database: a form's unfinished input.
            return "Unfinished rule"

    def clean(self) -> None:
        self.kind = normal_word(self.kind)
        self.tld = normal_tld(self.tld)
        self.operation = normal_word(self.operation)
        faults = amounts_faults(self, "fixed_amounts")
        try:
            self.tiers = check_tiers(self.tiers)
        except ValueError as error:
            faults["tiers"] = str(error)
        if self.tiers and self.rate_kind != RateKind.PERCENT:
            faults["tiers"] = "Only a rate in percent has tiers: leave this empty."
        is_fixed = self.rate_kind == RateKind.FIXED
        if is_fixed and not self.fixed_amounts:
            faults["fixed_amounts"] = "Write an amount for each currency: EUR 5.00."
        if self.fixed_amounts and not is_fixed:
            faults["fixed_amounts"] = "Only a fixed rate has amounts: leave this empty."
        if (self.recurrence in LIMITED_RECURRENCES) != bool(self.recurrence_limit):
            faults["recurrence_limit"] = LIMIT_FAULT
        # A form with an invalid plan has none.
        plan: CommissionPlan | None = getattr(self, "plan", None)
        brand_id = None if plan is None else plan.brand_id
        if self.affiliate is not None and brand_id not in (
            None,
            self.affiliate.brand_id,
        ):
            faults["affiliate"] = "This affiliate belongs to another brand."
        if faults:
            raise ValidationError(faults)

    def to_terms(self) -> RuleTerms:
        return RuleTerms(
            affiliate_id=self.affiliate_id,
            product_ref=self.product_ref,
            kind=self.kind,
            tld=self.tld,
            operation=self.operation,
            billing_cycle=self.billing_cycle,
            applies_to=AppliesTo(self.applies_to),
            rate_kind=RateKind(self.rate_kind),
            percent=Decimal(self.percent or 0),
            fixed_amounts=minor_units_of(self.fixed_amounts),
            recurrence=Recurrence(self.recurrence),
            recurrence_limit=self.recurrence_limit,
            tiers=tiers_of(self.tiers),
            tier_period=TierPeriod(self.tier_period),
        )
