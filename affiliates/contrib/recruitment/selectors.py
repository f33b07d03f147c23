"""A brand's requirements for applicants, and terms still to accept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef
from moneyed import Money

from affiliates.contrib.recruitment.models import (
    ApplicationQuestion,
    ProgramTermsVersion,
    RecruitmentPolicy,
    TermsAcceptance,
)
from affiliates.contrib.recruitment.rules import (
    MAX_QUESTIONS,
    Headline,
    Question,
    headline_of,
)
from affiliates.core.money import decimal_text, to_minor
from affiliates.payouts.rules import DEFAULT_MINIMUM_UNITS
from affiliates.payouts.selectors import terms_of
from affiliates.plans.rules.terms import PlanTerms, percent_text
from affiliates.plans.selectors import plan_version_for, rates_in_words
from affiliates.plans.selectors import terms_of as terms_of_version
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.models import OrderReferral
from affiliates.sales.models import InvoicePayment, Sale

# What the client of the example pays each month.
EXAMPLE_UNITS = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """Commission on a client who pays ``pays`` a month: per payment, and in a year."""

    currency: str
    pays: str
    earns: str
    in_a_year: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A brand's offer to newcomers and its questions.

    ``minimums`` of a payout are decimal numbers with their currencies; in others it is
    ``other_minimum`` of whole units.
    """

    headline: Headline | None
    example: Example | None
    rates: Sequence[str]
    minimums: Sequence[tuple[str, str]]
    questions: Sequence[Question]
    terms: ProgramTermsVersion | None
    other_minimum: int = DEFAULT_MINIMUM_UNITS


@dataclass(frozen=True, slots=True, kw_only=True)
class Recruits:
    """An affiliate's share of its recruits' commissions, and the recruits' number."""

    percent: str
    count: int


def policy_of(brand_id: int) -> RecruitmentPolicy:
    """The brand's policy, or the defaults if none was saved."""
    saved = RecruitmentPolicy.objects.filter(brand_id=brand_id).first()
    return saved or RecruitmentPolicy(brand_id=brand_id)


def questions_of(brand_id: int) -> list[Question]:
    asked = ApplicationQuestion.objects.filter(brand_id=brand_id)
    rows = asked.order_by("position", "pk")[:MAX_QUESTIONS]
    return [Question(row.pk, row.text, row.is_required) for row in rows]


def current_terms(brand_id: int) -> ProgramTermsVersion | None:
    """None if the brand has no terms or has withdrawn them."""
    versions = ProgramTermsVersion.objects.filter(brand_id=brand_id)
    latest = versions.order_by("-number").first()
    return latest if latest is not None and latest.text else None


def terms_to_accept(affiliate: Affiliate) -> ProgramTermsVersion | None:
    """The current terms, unless the affiliate has accepted them. One query."""
    accepted = TermsAcceptance.objects.filter(
        affiliate=affiliate, version=OuterRef("pk")
    )
    versions = ProgramTermsVersion.objects.filter(brand_id=affiliate.brand_id)
    latest = versions.annotate(is_accepted=Exists(accepted)).order_by("-number").first()
    if latest is None or not latest.text or latest.is_accepted:
        return None
    return latest


def recruiter_id_of(code: str, *, brand_id: int) -> int | None:
    """The id of the brand's active affiliate with this code, after merges, or None."""
    affiliates = Affiliate.objects.filter(brand_id=brand_id, code=code.strip().lower())
    affiliate = affiliates.select_related("merged_into").first() if code else None
    recruiter = affiliate and affiliate.credited_as
    if recruiter is None or recruiter.status != AffiliateStatus.ACTIVE:
        return None
    return recruiter.pk


def recruits_of(affiliate: Affiliate, *, at: datetime) -> Recruits | None:
    """Returns the affiliate's share of newcomers' commissions, if there is one."""
    version = plan_version_for(_newcomer(affiliate.brand_id), at=at)
    percent = version and terms_of_version(version).recruiter_percent
    if not percent or affiliate.status != AffiliateStatus.ACTIVE:
        return None
    return Recruits(percent=percent_text(percent), count=affiliate.recruited.count())


def rates_of_newcomers(brand_id: int, *, at: datetime) -> tuple[str, ...]:
    """The rates of affiliates who join now, one sentence each."""
    return rates_in_words(_newcomer(brand_id), at=at)


def _newcomer(brand_id: int) -> Affiliate:
    policy = policy_of(brand_id)
    return Affiliate(
        brand_id=brand_id, group_id=policy.group_id, plan_id=policy.plan_id
    )


def offer_of(brand_id: int, *, at: datetime) -> Offer:
    minimums = sorted(terms_of(brand_id).minimums.items())
    version = plan_version_for(_newcomer(brand_id), at=at)
    terms = terms_of_version(version) if version else PlanTerms()
    headline = headline_of([rule for rule in terms.rules if rule.affiliate_id is None])
    currency = _currency_of(brand_id) or (minimums[0][0] if minimums else "")
    is_capped = currency and terms.cap_in(currency) is not None
    return Offer(
        headline=headline,
        example=_example(headline, currency) if currency and not is_capped else None,
        rates=rates_of_newcomers(brand_id, at=at),
        minimums=[(decimal_text(amount, code), code) for code, amount in minimums],
        questions=questions_of(brand_id),
        terms=current_terms(brand_id),
    )


def _currency_of(brand_id: int) -> str:
    """The currency of the brand's latest sale, or "" before the first one."""
    sales = Sale.objects.filter(brand_id=brand_id).order_by("-paid_at")
    return sales.values_list("net_currency", flat=True).first() or ""


def _example(headline: Headline | None, currency: str) -> Example | None:
    if headline is None:
        return None
    pays = to_minor(Money(EXAMPLE_UNITS, currency))
    earns = int(pays * headline.percent / 100)
    return Example(
        currency=currency,
        pays=decimal_text(pays, currency),
        earns=decimal_text(earns, currency),
        in_a_year=decimal_text(earns * headline.payments, currency),
    )


def has_paid(client_id: Any, *, brand_id: int) -> bool:
    """Whether an invoice of the client's is paid, of those that we were told of."""
    payments = InvoicePayment.objects.filter(
        brand_id=OuterRef("brand_id"), order_ref=OuterRef("order_ref")
    )
    orders = OrderReferral.objects.filter(brand_id=brand_id, client_id=client_id)
    return orders.filter(Exists(payments)).exists()
