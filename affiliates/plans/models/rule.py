from __future__ import annotations

from decimal import Decimal

from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q

from affiliates.core.days import BillingCycle
from affiliates.db.records import Record
from affiliates.plans.models.plan import CommissionPlan, amounts_faults
from affiliates.plans.rules.amounts import minor_units_of
from affiliates.plans.rules.matching import normal_tld, normal_word
from affiliates.plans.rules.messages import describe_rule
from affiliates.plans.rules.terms import RateKind, RuleTerms, TierPeriod
from affiliates.plans.rules.tiers import check_tiers, tiers_of

POSITIONS_FAULT = "The last payment is before the first."


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
    position_from = models.PositiveSmallIntegerField(
        "from payment",
        default=0,
        help_text="0 is the order's first payment, 1 its first renewal.",
    )
    position_to = models.PositiveSmallIntegerField(
        "to payment",
        null=True,
        blank=True,
        help_text="The last one, counted in the same way; empty: no end.",
    )
    months = models.PositiveSmallIntegerField(
        "within months",
        null=True,
        blank=True,
        validators=[MinValueValidator(1)],
        help_text="Renewals that are paid so many months after the order, at most; "
        "empty: no end.",
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
                condition=Q(position_to__isnull=True)
                | Q(position_to__gte=F("position_from")),
                name="plan_rule_ends_after_it_begins",
            ),
            models.CheckConstraint(
                condition=Q(months__isnull=True) | Q(months__gte=1),
                name="plan_rule_months_are_positive",
            ),
            models.CheckConstraint(
                condition=Q(rate_kind__in=list(RateKind)),
                name="plan_rule_rate_is_known",
            ),
            models.CheckConstraint(
                condition=Q(tier_period__in=list(TierPeriod)),
                name="plan_rule_tier_period_is_known",
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
        if self.position_to is not None and self.position_to < self.position_from:
            faults["position_to"] = POSITIONS_FAULT
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
            position_from=self.position_from,
            position_to=self.position_to,
            months=self.months,
            rate_kind=RateKind(self.rate_kind),
            percent=Decimal(self.percent or 0),
            fixed_amounts=minor_units_of(self.fixed_amounts),
            tiers=tiers_of(self.tiers),
            tier_period=TierPeriod(self.tier_period),
        )
