"""Examinations of a brand's setup for tracking and earning, and of its shop's calls."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from django.core.checks import WARNING
from django.db.models import Q, QuerySet
from django.utils import timezone

from affiliates.admin_tools.columns import moment
from affiliates.brands.models.brand import Brand
from affiliates.brands.rules import ConsentRule
from affiliates.brands.targets import is_permitted
from affiliates.operations.health.findings import (
    FINE,
    Finding,
    counted,
    error,
    form_of,
    information,
    warning,
)
from affiliates.operations.health.registry import Needs, Shown, register, titled
from affiliates.operations.health.requests import VISITS
from affiliates.payouts.models import PayoutTerms
from affiliates.payouts.selectors import has_two_who_approve, needs_second_person
from affiliates.plans.catalogue import catalogue_of
from affiliates.plans.selectors import terms_of
from affiliates.program.models import Affiliate, AffiliateLink
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.models import ClientReferral
from affiliates.sales.models import InvoicePayment
from affiliates.visits.consent.rules import Consent
from affiliates.visits.models import Click

LINK = "Link"
VISIT, REGISTRATION, PAYMENT = "Visit of your shop", "Registration", "Payment"
SEEN_WITHIN = timedelta(days=1)
BOTH = Shown.DOCTOR | Shown.FIRST_STEPS


def first_steps(brand: Brand | None) -> list[Finding]:
    """Returns the steps done and missing until the shop works, in order of the work."""
    if brand is not None:
        return list(titled(Shown.FIRST_STEPS, brand))
    said, form = "There is no brand yet: name your storefront.", form_of("brand", None)
    return [Finding(WARNING, said, title="Brand", page=form)]


@register(Needs.DATABASE)
def brands(now: datetime) -> Iterator[Finding]:
    if not Brand.objects.filter(is_active=True).exists():
        yield error(
            "D006",
            "There is no active brand: no call is answered.",
            "Run manage.py affiliates_start, or add a brand with its domains in the admin.",
        )


@register(Needs.BRAND, shown=Shown.FIRST_STEPS, title="Brand")
def switch(brand: Brand) -> Iterator[Finding]:
    said = f"{brand} is switched {'on' if brand.is_active else 'off'}."
    level = FINE if brand.is_active else WARNING
    yield Finding(level, said, page=form_of("brand", brand))


@register(Needs.BRAND, shown=BOTH, title="Domains")
def domains(brand: Brand) -> Iterator[Finding]:
    page = form_of("brand", brand)
    areas = [domain.host for domain in brand.domains.all() if domain.is_client_area]
    if areas:
        yield Finding(FINE, ", ".join(areas), page=page)
    else:
        yield error(
            "D007",
            f"The brand {brand} has no client-area domain: no page may call the API.",
            "Add the host of its client area to its domains and tick client area.",
            said="No host is a client area: no page may call the API.",
            page=page,
        )


@register(Needs.BRAND, shown=BOTH, title="Default redirect URL")
def default_redirect(brand: Brand) -> Iterator[Finding]:
    page, url = form_of("brand", brand), brand.default_redirect_url
    entries = [domain.to_entry() for domain in brand.domains.all()]
    if not url:
        yield error(
            "D007",
            f"The brand {brand} has no default redirect URL.",
            "Enter where a visitor goes whose link names no target.",
            said="There is none yet.",
            page=page,
        )
    elif not is_permitted(url, domains=entries):
        yield error(
            "D007",
            f"The default redirect URL of the brand {brand} is on none of its domains.",
            "Add its host to the brand's domains and tick redirect target, or enter "
            "another address.",
            said=f"{url} is on no domain that is a redirect target.",
            page=page,
        )
    else:
        yield Finding(FINE, url, page=page)


@register(Needs.BRAND, shown=BOTH, title="Plan")
def plan(brand: Brand) -> Iterator[Finding]:
    plan = brand.plans.order_by("-is_default", "pk").first()
    page = form_of("commissionplan", plan, brand=brand.pk, is_default="on")
    if plan is None:
        yield error(
            # A brand whose sales are those of another provider needs none.
            "D008" if brand.own_program else "",
            f"The brand {brand} has no commission plan: nobody earns anything.",
            "Add one in the admin, under Commission plans, and tick default plan.",
            said="There is no commission plan: nobody earns anything.",
            page=page,
        )
        return
    latest = plan.versions.order_by("-number").first()
    if latest is None or not terms_of(latest).rules:
        said = f"{plan} has no rules: nothing is earned by it."
    elif not plan.is_default:
        said = f"{plan} is not the default plan."
    else:
        yield Finding(FINE, f"{latest}, by default.", page=page)
        return
    yield Finding(WARNING, said, page=page)


@register(Needs.BRAND)
def rules_without_product(brand: Brand) -> Iterator[Finding]:
    catalogue = catalogue_of(brand.pk)
    for plan in brand.plans.prefetch_related("rules").order_by("pk"):
        for rule in plan.rules.all():
            for fault in catalogue.faults(rule.to_terms()):
                yield warning(
                    "D032",
                    f"A rule of the plan {plan} of the brand {brand} never earns: {fault}",
                    "Choose a product of the catalogue in the rule, or remove the rule.",
                )


@register(Needs.BRAND)
def affiliates_without_plan(brand: Brand) -> Iterator[Finding]:
    defaults = set(brand.plans.values_list("is_default", flat=True))
    if not brand.own_program or defaults != {False}:
        return
    without = _active_affiliates(brand).filter(
        Q(group=None) | Q(group__plan=None), plan=None
    )
    if count := without.count():
        yield warning(
            "D008",
            f"{counted(count, 'affiliate', 'affiliates')} of the brand {brand} "
            "earn nothing: they have no plan, and the brand has no default plan.",
            "Tick default plan on one of its plans, or give them a plan.",
        )


@register(Needs.BRAND, shown=Shown.FIRST_STEPS, title="Payout terms")
def terms(brand: Brand) -> Iterator[Finding]:
    terms = PayoutTerms.objects.filter(brand=brand).first()
    page = form_of("payoutterms", terms, brand=brand.pk)
    if terms is None:
        said = (
            "There are none: enter how you pay, from which amount on, and who issues the "
            "statements."
        )
        yield Finding(WARNING, said, page=page)
    else:
        yield Finding(FINE, "Entered.", page=page)


@register(Needs.BRAND, shown=Shown.FIRST_STEPS, title="First affiliate")
def first_affiliate(brand: Brand) -> Iterator[Finding]:
    first = _active_affiliates(brand).order_by("pk").first()
    page = form_of("affiliate", first, brand=brand.pk, status="active")
    if first is None:
        said = "There is no active affiliate: choose a client of the brand."
        yield Finding(WARNING, said, page=page)
    else:
        yield Finding(FINE, first.code, page=page)


@register(Needs.BRAND, shown=Shown.FIRST_STEPS, title=LINK)
def link(brand: Brand) -> Iterator[Finding]:
    link = test_link(brand)
    first = _active_affiliates(brand).order_by("pk").first()
    chosen = {} if first is None else {"affiliate": first.pk}
    page = form_of("affiliatelink", link, **chosen)
    if link is None:
        said = "No active link of an active affiliate."
        yield Finding(WARNING, said, page=page)
    else:
        yield Finding(FINE, link.name, page=page)


@register(Needs.BRAND, shown=Shown.FIRST_STEPS)
def shop(brand: Brand) -> Iterator[Finding]:
    """Done while the shop itself was heard of in the last day."""
    since = timezone.now() - SEEN_WITHIN
    # The desk's own visit is a robot's.
    clicks = Click.objects.filter(brand=brand, bot_signs="", created_at__gte=since)
    bound = ClientReferral.objects.filter(brand=brand, bound_at__gte=since)
    paid = InvoicePayment.objects.filter(brand=brand, paid_at__gte=since)
    yield _heard(
        VISIT,
        clicks.order_by("-created_at").values_list("created_at", flat=True),
        "Nobody has opened a link in your shop in the last 24 hours. Put the script on "
        "its pages, then open the link there.",
        brand,
    )
    yield _heard(
        REGISTRATION,
        bound.order_by("-bound_at").values_list("bound_at", flat=True),
        "No client who came by a link has registered in the last 24 hours. Send the "
        "cookie's value with the registration and the order, then register a client.",
        brand,
    )
    yield _heard(
        PAYMENT,
        paid.order_by("-paid_at").values_list("paid_at", flat=True),
        "Your shop has reported no payment in the last 24 hours. Call invoice_paid where "
        "it records one, then pay an invoice.",
        brand,
    )


def _heard(title: str, times: QuerySet[Any], missing: str, brand: Brand) -> Finding:
    if brand.is_test:
        said = "A test brand does not show that your shop works: choose its own brand."
        return Finding(WARNING, said, title=title)
    seen = times.first()
    if seen is None:
        return Finding(WARNING, missing, title=title)
    said = f"Last seen {moment(seen)}."
    return Finding(FINE, said, title=title)


def test_link(brand: Brand) -> AffiliateLink | None:
    """The link that a test visit opens: the oldest that credits somebody."""
    links = AffiliateLink.objects.filter(
        affiliate__in=_active_affiliates(brand), is_active=True
    )
    return links.select_related("affiliate__brand").order_by("pk").first()


def _active_affiliates(brand: Brand) -> QuerySet[Affiliate]:
    return Affiliate.objects.filter(brand=brand, status=AffiliateStatus.ACTIVE)


@register(Needs.DATABASE)
def consent(now: datetime) -> Iterator[Finding]:
    """Nobody earns by a click where consent is required and no page reports it."""
    asking = Brand.objects.filter(is_active=True, consent=ConsentRule.REQUIRED)
    for brand in asking:
        clicks = Click.objects.filter(brand=brand).order_by("-created_at")
        known = list(clicks.values_list("consent", flat=True)[:VISITS])
        if len(known) == VISITS and set(known) == {Consent.UNKNOWN}:
            yield warning(
                "D033",
                f"The brand {brand} requires consent, and none of its last {VISITS} "
                "clicks came with a decision: they earn nothing.",
                "Let the client area report it: data-consent of referral.js.",
            )


@register(Needs.DATABASE)
def second_person(now: datetime) -> Iterator[Finding]:
    """Where one person alone may start, approve and export a payout."""
    for brand in Brand.objects.filter(is_active=True, is_test=False, own_program=True):
        if needs_second_person(brand.pk):
            continue
        remedy = (
            "Tick needs second person in its payout terms."
            if has_two_who_approve(brand.pk)
            else "Let a second person approve payouts, and tick needs second person in "
            "the brand's payout terms."
        )
        yield information(
            "D034",
            f"One person alone can pay affiliates of the brand {brand}: start a payout, "
            "approve it and export the file.",
            remedy,
        )
