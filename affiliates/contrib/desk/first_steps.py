"""What a brand has and lacks until its program works: facts, and nothing that is kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urlencode

from django.db.models import Model
from django.urls import reverse

from affiliates.admin_tools.naming import page_name
from affiliates.brands.models.brand import Brand
from affiliates.brands.targets import is_permitted
from affiliates.core.redirects import RedirectReason
from affiliates.plans.models.plan import CommissionPlanVersion
from affiliates.plans.selectors import terms_of
from affiliates.program.models import Affiliate, AffiliateLink
from affiliates.program.rules import AffiliateStatus
from affiliates.visits.models import Click

# A visit of so long ago proves nothing; so many are looked at.
LOOKED_AT = 20


class Step(NamedTuple):
    """One step: whether it is done, what is so or what is missing, and where to go.

    ``form`` is the address where it is done, ``button`` the label of the button that
    does it on the page itself, ``permission`` what either takes.
    """

    title: str
    is_done: bool
    said: str
    permission: str
    form: str = ""
    button: str = ""


def first_steps(brand: Brand | None) -> list[Step]:
    """In the order in which they are taken; without a brand, the first alone."""
    if brand is None:
        said = "There is no brand yet: name your storefront."
        return [
            Step("Brand", False, said, "affiliates.add_brand", _form("brand", None))
        ]
    return [*_of_brand(brand), _plan(brand), *_of_affiliates(brand)]


def test_link(brand: Brand) -> AffiliateLink | None:
    """The link that a test visit opens: the oldest that credits somebody."""
    links = AffiliateLink.objects.filter(
        affiliate__brand=brand,
        affiliate__status=AffiliateStatus.ACTIVE,
        is_active=True,
    )
    return links.select_related("affiliate__brand").order_by("pk").first()


def _of_brand(brand: Brand) -> Iterator[Step]:
    change, form = "affiliates.change_brand", _form("brand", brand)
    said = f"{brand} is switched {'on' if brand.is_active else 'off'}."
    yield Step("Brand", brand.is_active, said, change, form)
    domains = [domain.to_entry() for domain in brand.domains.all()]
    areas = [domain.host for domain in domains if domain.is_client_area]
    said = ", ".join(areas) or "No host is a client area: no page may call the API."
    yield Step("Domains", bool(areas), said, change, form)
    url = brand.default_redirect_url
    is_on = bool(url) and is_permitted(url, domains=domains)
    missing = f"{url} is on no domain that is a redirect target."
    said = url if is_on else missing if url else "There is none yet."
    yield Step("Default redirect URL", is_on, said, change, form)


def _plan(brand: Brand) -> Step:
    plan = brand.plans.order_by("-is_default", "pk").first()
    if plan is None:
        said = "There is no commission plan: nobody earns anything."
        form = _form("commissionplan", None, brand=brand.pk, is_default="on")
        return Step("Plan", False, said, "affiliates.add_commissionplan", form)
    latest = CommissionPlanVersion.objects.filter(plan=plan).order_by("-number").first()
    has_rules = latest is not None and bool(terms_of(latest).rules)
    if not has_rules:
        said = f"{plan} has no rules: nothing is earned by it."
    elif not plan.is_default:
        said = f"{plan} is not the default plan."
    else:
        said = f"{latest}, by default."
    form = _form("commissionplan", plan)
    is_done = has_rules and plan.is_default
    return Step("Plan", is_done, said, "affiliates.change_commissionplan", form)


def _of_affiliates(brand: Brand) -> Iterator[Step]:
    active = Affiliate.objects.filter(brand=brand, status=AffiliateStatus.ACTIVE)
    first = active.order_by("pk").first()
    said = (
        "There is no active affiliate: choose a client of the brand."
        if first is None
        else first.code
    )
    form = _form("affiliate", first, brand=brand.pk, status="active")
    add = "affiliates.add_affiliate"
    yield Step("First affiliate", first is not None, said, add, form)
    link = test_link(brand)
    said = "No active link of an active affiliate." if link is None else link.name
    chosen = {} if first is None else {"affiliate": first.pk}
    form = _form("affiliatelink", link, **chosen)
    yield Step("Link", link is not None, said, "affiliates.add_affiliatelink", form)
    yield _visit(link)


def _visit(link: AffiliateLink | None) -> Step:
    """Done when one of the affiliate's latest clicks led where it asked to go."""
    title, change = "Test visit", "affiliates.change_brand"
    if link is None:
        said = "It needs a link."
        return Step(title, False, said, change)
    clicks = Click.objects.filter(affiliate=link.affiliate_id).order_by("-created_at")
    latest = list(clicks.values_list("redirect_reason", flat=True)[:LOOKED_AT])
    is_done = any(RedirectReason(reason).is_permitted for reason in latest)
    if is_done:
        said = f"A visit by a link of {link.affiliate} went through."
    elif latest:
        last = RedirectReason(latest[0]).label
        said = f"No visit led where it asked to. The last: {last}."
    else:
        said = f"Nobody has visited by a link of {link.affiliate} yet."
    return Step(title, is_done, said, change, button="Visit by this link")


def _form(model: str, row: Model | None, **initial: object) -> str:
    """The page of the row; that of a new one where there is none."""
    if row is not None:
        return reverse(page_name(model, "change"), args=[row.pk])
    asked = f"?{urlencode(initial)}" if initial else ""
    return reverse(page_name(model, "add")) + asked
