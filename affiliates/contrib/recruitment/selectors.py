"""A brand's requirements for applicants, and terms still to accept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef

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
from affiliates.core.language import translated
from affiliates.core.money import decimal_text
from affiliates.payouts.rules import DEFAULT_MINIMUM_UNITS
from affiliates.payouts.selectors import terms_of as payout_terms_of
from affiliates.plans.catalogue import Catalogue, catalogue_of
from affiliates.plans.rules.examples import EarningExample, best_example, examples_of
from affiliates.plans.rules.messages import describe_cap, describe_rule
from affiliates.plans.rules.terms import PlanTerms, percent_text
from affiliates.plans.selectors import own_terms, rates_in_words
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.models import OrderReferral
from affiliates.sales.models import InvoicePayment


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A brand's offer to newcomers and its questions.

    ``limits`` are the sentences that limit the headline's rate. ``minimums`` of a payout
    are decimal numbers with their currencies; in others it is ``other_minimum`` of whole
    units.
    """

    headline: Headline | None
    limits: tuple[str, ...]
    example: EarningExample | None
    rates: Sequence[str]
    minimums: Sequence[tuple[str, str]]
    questions: Sequence[Question]
    terms: ProgramTermsVersion | None
    other_minimum: int = DEFAULT_MINIMUM_UNITS


@dataclass(frozen=True, slots=True, kw_only=True)
class Recruits:
    """The number of an affiliate's recruits, and its share of newcomers' commissions.

    ``percent`` is empty if the newcomers' plan has no share.
    """

    percent: str
    count: int


def policy_of(brand_id: int) -> RecruitmentPolicy:
    """The brand's policy, or the defaults if none was saved."""
    saved = RecruitmentPolicy.objects.filter(brand_id=brand_id).first()
    return saved or RecruitmentPolicy(brand_id=brand_id)


def questions_of(brand_id: int) -> list[Question]:
    """In the active language."""
    asked = ApplicationQuestion.objects.filter(brand_id=brand_id)
    rows = asked.order_by("position", "pk")[:MAX_QUESTIONS]
    return [
        Question(row.pk, translated(row.text, row.translations), row.is_required)
        for row in rows
    ]


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
    """None for an affiliate who cannot recruit, or gets no share and has no recruits."""
    if affiliate.status != AffiliateStatus.ACTIVE:
        return None
    terms = own_terms(_newcomer(affiliate.brand_id), at=at)
    percent = terms and terms.recruiter_percent
    count = affiliate.recruited.count()
    if not percent and not count:
        return None
    return Recruits(percent=percent_text(percent) if percent else "", count=count)


def accepted_terms_of(affiliate: Affiliate) -> TermsAcceptance | None:
    """The latest version that the affiliate accepted. One query."""
    accepted = affiliate.accepted_terms.select_related("version")
    return accepted.order_by("-version__number").first()


def rates_of_newcomers(brand_id: int, *, at: datetime) -> tuple[str, ...]:
    """The rates of affiliates who join now, one sentence each."""
    return rates_in_words(_newcomer(brand_id), at=at)


def _newcomer(brand_id: int) -> Affiliate:
    policy = policy_of(brand_id)
    return Affiliate(
        brand_id=brand_id, group_id=policy.group_id, plan_id=policy.plan_id
    )


def offer_of(brand_id: int, *, at: datetime) -> Offer:
    newcomer = _newcomer(brand_id)
    terms = own_terms(newcomer, at=at) or PlanTerms()
    headline, catalogue = headline_of(terms.rules), catalogue_of(brand_id)
    minimums = sorted(payout_terms_of(brand_id).minimums.items())
    return Offer(
        headline=headline,
        limits=_limits(headline, terms, catalogue),
        example=best_example(examples_of(catalogue.priced(), terms=terms, at=at)),
        rates=rates_in_words(newcomer, at=at),
        minimums=[(decimal_text(amount, code), code) for code, amount in minimums],
        questions=questions_of(brand_id),
        terms=current_terms(brand_id),
    )


def _limits(
    headline: Headline | None, terms: PlanTerms, catalogue: Catalogue
) -> tuple[str, ...]:
    if headline is None or (headline.is_of_everything and not terms.cap_amounts):
        return ()
    rule = describe_rule(catalogue.named(headline.rule))
    return (f"{rule}.", *describe_cap(terms))


def has_paid(client_id: Any, *, brand_id: int) -> bool:
    """Whether an invoice of the client's is paid, of those that we were told of."""
    payments = InvoicePayment.objects.filter(
        brand_id=OuterRef("brand_id"), order_ref=OuterRef("order_ref")
    )
    orders = OrderReferral.objects.filter(brand_id=brand_id, client_id=client_id)
    return orders.filter(Exists(payments)).exists()
