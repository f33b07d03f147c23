"""/api/affiliate/terms: by which rates and conditions the affiliate earns."""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar

from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.api.http.requests import utc_now
from affiliates.api.serializers import answer_of
from affiliates.contrib.area.api.base import (
    AffiliateViewSet,
    AmountField,
    MomentField,
    affiliate_of,
    described,
)
from affiliates.contrib.area.keys.rules import Scope
from affiliates.contrib.recruitment.selectors import accepted_terms_of, recruits_of
from affiliates.contrib.recruitment.services.enrolling import page_url, site_with_area
from affiliates.core.money import decimal_text
from affiliates.membership.terms import affiliate_terms
from affiliates.payouts.rules import DEFAULT_MINIMUM_UNITS
from affiliates.plans.rules.terms import SALES
from affiliates.program.models import Affiliate


class PercentField(serializers.DecimalField):
    def __init__(self, **options: Any) -> None:
        super().__init__(
            max_digits=6, decimal_places=3, normalize_output=True, **options
        )


class CountField(serializers.CharField):
    """A number of sales, or a decimal number of revenue."""

    def get_attribute(self, instance: Any) -> str:
        count: Any = super().get_attribute(instance)
        unit = instance.progress.unit
        return str(count) if unit == SALES else decimal_text(count, unit)


class EarningStageSerializer(serializers.Serializer[Any]):
    commission = AmountField(help_text="Of each of these payments.")
    payments = serializers.IntegerField(
        allow_null=True, help_text="How many earn it; null: all that follow."
    )


class ExampleSerializer(serializers.Serializer[Any]):
    product = serializers.CharField()
    billing_cycle = serializers.CharField()
    cycle = serializers.CharField(help_text="The billing cycle in words.")
    currency = serializers.CharField()
    price = AmountField(help_text="Of one billing cycle, before tax.")
    commission = AmountField(help_text="Of the first payment.")
    stages = EarningStageSerializer(
        many=True,
        help_text="From the first payment on; after the last nothing is earned.",
    )
    payments = serializers.CharField(help_text="Which payments earn, in words.")
    text = serializers.CharField(help_text="All of it in one sentence.")


class TierStandingSerializer(serializers.Serializer[Any]):
    unit = serializers.CharField(
        source="progress.unit", help_text="sales, or the currency of revenue."
    )
    counted = CountField(source="progress.counted", help_text="In the period so far.")
    percent = PercentField(source="progress.percent", help_text="The rate of now.")
    next_percent = PercentField(
        source="progress.next_percent", allow_null=True, help_text="Null: the highest."
    )
    missing = CountField(source="progress.missing", help_text="To the next rate.")
    sentences = serializers.ListField(child=serializers.CharField())


class CapUseSerializer(serializers.Serializer[Any]):
    currency = serializers.CharField()
    cap = AmountField()
    used = AmountField(help_text="Earned in the period so far, less refunds.")
    left = AmountField()
    ends_at = MomentField(allow_null=True, help_text="Of the period; null: never.")


class MinimumSerializer(serializers.Serializer[Any]):
    currency = serializers.CharField()
    amount = serializers.CharField()


class RecruitingSerializer(serializers.Serializer[Any]):
    percent = serializers.CharField(
        help_text="Of what newcomers earn; empty: their plan has no share."
    )
    count = serializers.IntegerField(help_text="Affiliates recruited so far.")
    address = serializers.CharField(
        allow_null=True, help_text="Who joins by it is a recruit."
    )


class AcceptedTermsSerializer(serializers.Serializer[Any]):
    number = serializers.IntegerField(source="version.number")
    text = serializers.CharField(source="version.own_text")
    accepted_at = MomentField()


class AffiliateTermsDataSerializer(serializers.Serializer[Any]):
    """Amounts are decimal numbers as text; null without a plan: nothing is earned."""

    rates = serializers.ListField(
        child=serializers.CharField(), help_text="Of the affiliate's plan, in words."
    )
    conditions = serializers.ListField(child=serializers.CharField())
    examples = ExampleSerializer(many=True)
    tiers = TierStandingSerializer(many=True)
    caps = CapUseSerializer(many=True)
    hold_days = serializers.IntegerField(source="plan.hold_days", allow_null=True)
    hold_days_by_cycle = serializers.DictField(
        child=serializers.IntegerField(),
        source="plan.hold_days_by_cycle",
        allow_null=True,
        help_text="By billing cycle, where it is not hold_days.",
    )
    allows_paid_ads = serializers.BooleanField(
        source="plan.allows_paid_ads", allow_null=True
    )
    recruiter_percent = PercentField(
        source="plan.recruiter_percent",
        allow_null=True,
        help_text="What the affiliate's recruiter gets beside the commission.",
    )
    window_days = serializers.IntegerField(help_text="An older click earns nothing.")
    minimums = MinimumSerializer(many=True, help_text="Of a payout, by currency.")
    other_minimum = serializers.IntegerField(
        help_text="Of a payout in any other currency, in its units."
    )
    recruiting = RecruitingSerializer(allow_null=True)
    accepted = AcceptedTermsSerializer(
        allow_null=True, help_text="The version of the program's terms accepted last."
    )


TERMS = answer_of("AffiliateTerms", AffiliateTermsDataSerializer())


class TermsViewSet(AffiliateViewSet):
    scopes: ClassVar = {"retrieve": Scope.MONEY}

    @described(
        "get_affiliate_terms",
        "By which rates and conditions the affiliate earns",
        TERMS,
        description=(
            "The rates of the affiliate's own plan with examples, tiers, caps, "
            "hold and minimum payouts, in the request's language."
        ),
    )
    def retrieve(self, request: Request) -> Response:
        return Response({"data": terms_data(affiliate_of(request), now=utc_now())})


def terms_data(affiliate: Affiliate, *, now: datetime) -> Any:
    terms = affiliate_terms(affiliate, now=now)
    shown = {name: getattr(terms, name) for name in terms.__slots__}
    shown |= {
        "minimums": [
            {"currency": code, "amount": decimal_text(amount, code)}
            for code, amount in sorted(terms.payout.minimums.items())
        ],
        "other_minimum": DEFAULT_MINIMUM_UNITS,
        "recruiting": _recruiting(affiliate, now=now),
        "accepted": accepted_terms_of(affiliate),
    }
    return AffiliateTermsDataSerializer(shown).data


def _recruiting(affiliate: Affiliate, *, now: datetime) -> dict[str, Any] | None:
    recruits = affiliate.brand.own_program and recruits_of(affiliate, at=now)
    if not recruits:
        return None
    site = site_with_area(affiliate.brand_id)
    address = f"{page_url(site, 'program')}?by={affiliate.code}" if site else None
    return {"percent": recruits.percent, "count": recruits.count, "address": address}
