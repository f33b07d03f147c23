"""The page that leads through the first steps of a brand."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

import affiliates
from affiliates.admin_tools.editing.returning import leading_back
from affiliates.admin_tools.visible import visible_to
from affiliates.brands.models.brand import Brand
from affiliates.brands.selectors import brand_for_origin
from affiliates.errors import AffiliatesError
from affiliates.operations.health.findings import Finding
from affiliates.operations.health.program import (
    LINK,
    PAYMENT,
    REGISTRATION,
    VISIT,
    first_steps,
    test_link,
)
from affiliates.visits.preview import preview_visit
from affiliates.visits.rules import Visit
from affiliates.visits.services import track_visit

TEMPLATE = "affiliates/admin/guide.html"
MAX_BRANDS = 50
# As the script appends it to data-api.
VISIT_PATH = "/api/affiliate_link/visit"
# A robot's: the click of a test is nobody's visit.
TEST_BROWSER = "affiliates-test-visit (bot)"
SCRIPT = Path(affiliates.__file__).parent / "static/affiliates/referral.js"
# What to paste, and where.
EXAMPLES = {
    VISIT: (
        "Copy affiliates/static/affiliates/referral.js to the shop as {script}, and paste "
        "this into every page where a visitor may arrive. Give a newer version another "
        "name and a new tag: a browser runs no other content under this tag.",
        """<script src="{script}" integrity="{integrity}" data-api="{api}"{parameters} defer></script>""",
    ),
    REGISTRATION: (
        "In the shop's form, as a field of what it sends to /api/clients/register and "
        "/api/orders/<order_id>/convert:",
        "referral_cookie: window.referral?.cookie()",
    ),
    PAYMENT: (
        "In the portal, in the transaction that records the payment:",
        """from affiliates.contracts import PaidInvoice
from affiliates.host_events import invoice_paid

invoice_paid(
    PaidInvoice(
        brand_id={brand_id},
        invoice_ref=invoice.number,
        order_ref=str(order.pk),
        payment_ref=payment.reference,
        gross=Money("119.00", "EUR"),
        lines=lines,  # an InvoiceLine for each line
        paid_at=payment.paid_at,
    ),
    now=timezone.now(),
)""",
    ),
}


def show(request: HttpRequest, brand_admin: Any) -> HttpResponse:
    page = reverse("admin:affiliates_brand_guide")
    brands = visible_to(request.user, Brand.objects.prefetch_related("domains"))
    asked = request.GET.get("brand", "")
    # Who has just added one comes back to its steps.
    brand = brands.order_by("-pk").first()
    if asked.isdecimal():
        brand = get_object_or_404(brands, pk=asked)
    if request.method == "POST" and brand is not None:
        if brand_admin.has_change_permission(request, brand):
            brand_admin.message_user(request, *_attempt_visit(brand))
        return HttpResponseRedirect(f"{page}?{urlencode({'brand': brand.pk})}")
    steps = first_steps(brand)
    here = page if brand is None else f"{page}?{urlencode({'brand': brand.pk})}"
    context = {
        **brand_admin.admin_site.each_context(request),
        "title": "First steps",
        "brand": brand,
        "brands": brands.order_by("name")[:MAX_BRANDS],
        "add": leading_back(reverse("admin:affiliates_brand_add"), page),
        "done": sum(step.is_fine for step in steps),
        "steps": [_shown(step, request, here, brand) for step in steps],
    }
    return TemplateResponse(request, TEMPLATE, context)


def _shown(
    step: Finding, request: HttpRequest, here: str, brand: Brand | None
) -> dict[str, Any]:
    """A step is done in a form, or in the shop by an example."""
    shown = {"step": step, "may": True}
    if brand is not None and step.title in EXAMPLES:
        own = _own(brand, request)
        where, text = (part.format(**own) for part in EXAMPLES[step.title])
        shown |= {"where": where, "example": text}
    if (page := step.page) is not None:
        shown |= {
            "may": request.user.has_perm(page.permission),
            "form": leading_back(page.address, here),
            "can_visit": step.title == LINK and step.is_fine,
        }
    return shown


def _own(brand: Brand, request: HttpRequest) -> dict[str, object]:
    """The brand's values in the examples."""
    visit = request.build_absolute_uri(reverse("affiliates:affiliate_link_visit"))
    name = brand.link_parameter
    return {
        "script": f"/referral-{affiliates.__version__}.js",
        "integrity": integrity(),
        "api": visit.removesuffix(VISIT_PATH),
        "parameters": f' data-params="{name},a_aid,aid"' if name != "ref" else "",
        "brand_id": brand.pk,
    }


def integrity() -> str:
    """Returns the hash that a browser compares with the script before running it."""
    digest = hashlib.sha384(SCRIPT.read_bytes()).digest()
    return f"sha384-{b64encode(digest).decode()}"


def _attempt_visit(brand: Brand) -> tuple[str, int]:
    """Returns what to say of the test visit, and the level of the message."""
    try:
        return _visit(brand)
    except AffiliatesError as refusal:
        return refusal.detail, messages.ERROR


def _visit(brand: Brand) -> tuple[str, int]:
    """Tracks a test visit as the endpoint does, with the brand found by its Origin.

    The visit requests the default redirect URL, so that the redirect guard checks it.
    """
    link = test_link(brand)
    origin = brand.client_area_url()
    if link is None or origin is None:
        return "It needs a link, and a client area.", messages.ERROR
    asked = urlencode({"redirect": brand.default_redirect_url})
    visited = f"{link.urls()[-1]}&{asked}"
    config = brand_for_origin(origin)
    guard = preview_visit(brand=config, visit_url=visited).decision.redirect.guard
    answer = track_visit(
        brand=config,
        visit=Visit(
            visit_url=visited,
            referrer_url="",
            user_agent=TEST_BROWSER,
            referral_cookie=None,
            ip="",
            ip_prefix="",
            is_prefetch=False,
        ),
        now=timezone.now(),
    )
    level = messages.SUCCESS if guard.reason.is_permitted else messages.ERROR
    return f"The visit leads to {answer.redirect_url}. {guard.reason.label}.", level
