"""The orders of a brand that earned no affiliate anything: why, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib import admin
from django.core.paginator import Paginator
from django.db.models import (
    Case,
    CharField,
    Count,
    Exists,
    F,
    OuterRef,
    Q,
    QuerySet,
    When,
)
from django.db.models import Value as Text
from django.db.models.functions import Concat
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone

from affiliates.admin_tools.columns import client_link
from affiliates.admin_tools.lists.invoice_numbers import number_invoices
from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.contrib.desk.brand_choice.choosing import choose
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules.choices import Outcome, Reason
from affiliates.sales.models import InvoicePayment, Sale

PAGE = "affiliates/admin/desk/unearned.html"
ORDERS_ON_A_PAGE = 50
NOBODY = "nobody:"
UNPAID, REFUNDED, REJECTED = "unpaid", "refunded", "rejected"
NOT_INITIAL = "not_initial_invoice"
NO_PLAN, NOTHING_BY_PLAN = "no_plan", "nothing_by_plan"
EARNS_NOTHING = (CommissionStatus.REJECTED, CommissionStatus.REVERSED)


@dataclass(frozen=True, slots=True)
class Cause:
    """Why orders earned nothing, the next step, and the page of the admin it is taken on."""

    words: str
    next_step: str
    page: str = ""
    page_words: str = ""


CAUSES: Mapping[str, Cause] = {
    NOBODY + Reason.NO_TOUCH: Cause(
        Reason.NO_TOUCH.label,
        "Usually right: most clients come by themselves. If an affiliate should have "
        "been credited, try their link: it shows where the visit gets lost.",
        "affiliates_click_try_url",
        "Try a URL",
    ),
    NOBODY + Reason.NO_ELIGIBLE_TOUCH: Cause(
        Reason.NO_ELIGIBLE_TOUCH.label,
        "Open the order: each click has its verdict. A window that is often too short "
        "can be tried out on past orders before you change it.",
        "affiliates_orderreferral_what_if",
        "What if…",
    ),
    NOBODY + Reason.EXISTING_CLIENT: Cause(
        Reason.EXISTING_CLIENT.label,
        "By the brand's policy. To pay for later orders too, switch on “Existing "
        "clients earn”, and try out first what that would have cost.",
        "affiliates_orderreferral_what_if",
        "What if…",
    ),
    NOBODY + Reason.PROGRAM_OFF: Cause(
        Reason.PROGRAM_OFF.label,
        "Switch on “Own affiliate program” on the brand's page, if that was not meant.",
        "affiliates_brand_changelist",
        "Brands",
    ),
    NOBODY + Reason.BRAND_INACTIVE: Cause(
        Reason.BRAND_INACTIVE.label,
        "Tick “Active” on the brand's page, if that was not meant, and give the order to "
        "its affiliate.",
        "affiliates_brand_changelist",
        "Brands",
    ),
    NOBODY + Reason.STAFF: Cause(
        Reason.STAFF.label,
        "Somebody gave the order to nobody; the order says who and why.",
    ),
    UNPAID: Cause(
        "An affiliate is credited, but no invoice of the order is paid yet.",
        "Wait. If the client has paid, the host has not told us: look at its payments.",
        "affiliates_invoicepayment_changelist",
        "Invoice payments",
    ),
    NOT_INITIAL: Cause(
        "A paid invoice names the order as its first one, but another invoice is.",
        "It earned nothing. The host reports it again with the number of its renewal: an "
        "upgrade, and a part of a split invoice, takes the next number.",
        "affiliates_invoicepayment_changelist",
        "Invoice payments",
    ),
    NO_PLAN: Cause(
        "The affiliate was on no commission plan.",
        "Make a plan the brand's default, or put the affiliate on one. It counts for "
        "orders from then on.",
        "affiliates_commissionplan_changelist",
        "Commission plans",
    ),
    NOTHING_BY_PLAN: Cause(
        "The plan pays nothing for what was sold.",
        "The commission's receipt names the rule or cap. Change the plan if it is not "
        "what you promised.",
        "affiliates_commissionplan_changelist",
        "Commission plans",
    ),
    REJECTED: Cause(
        "The commission was rejected.",
        "The order says by whom or for which signals. If many are right after all, "
        "make that signal flag or hold instead, on the brand's page.",
        "affiliates_brand_changelist",
        "Brands",
    ),
    REFUNDED: Cause(
        "Refunds took all of it back.",
        "Nothing to do. Many refunds of one affiliate's clients deserve a look.",
        "affiliates_invoicerefund_changelist",
        "Invoice refunds",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """How many orders earned nothing for this cause."""

    name: str
    cause: Cause
    count: int


def unearned(brand_id: int, moments: tuple[datetime, datetime]) -> QuerySet[Any]:
    """Each converted between these moments with its ``cause``.

    Orders that the tracking integration was credited for earn there; what is held may
    still be earned: neither is among them, unless one of its invoices was lost.
    """
    first, end = moments
    # Of the brand alone, said for every table: else those of all brands are read.
    commissions = Commission.objects.filter(
        brand_id=brand_id,
        sale__brand_id=brand_id,
        sale__order_referral=OuterRef("pk"),
        share_of__isnull=True,
    )
    earning = commissions.filter(amount__gt=0).exclude(status__in=EARNS_NOTHING)
    orders = OrderReferral.objects.filter(
        brand_id=brand_id, converted_at__gte=first, converted_at__lt=end
    )
    sales = Sale.objects.filter(brand_id=brand_id, order_referral=OuterRef("pk"))
    lost_invoices = InvoicePayment.objects.filter(
        brand_id=brand_id,
        order_ref=OuterRef("order_ref"),
        renewal_number=0,
        sale__isnull=True,
    ).exclude(invoice_ref=OuterRef("invoice_ref"))
    is_unearned = ~Q(outcome=Outcome.THIRD_PARTY) & ~Exists(earning)
    return (
        orders.alias(has_lost=Exists(lost_invoices))
        .filter(is_unearned | (Q(has_lost=True) & ~Q(outcome=Outcome.NOBODY)))
        .annotate(
            cause=Case(
                When(outcome=Outcome.NOBODY, then=Concat(Text(NOBODY), F("reason"))),
                When(has_lost=True, then=Text(NOT_INITIAL)),
                When(~Exists(sales), then=Text(UNPAID)),
                When(
                    Exists(commissions.filter(status=CommissionStatus.REVERSED)),
                    then=Text(REFUNDED),
                ),
                When(
                    Exists(commissions.filter(status=CommissionStatus.REJECTED)),
                    then=Text(REJECTED),
                ),
                When(~Exists(commissions), then=Text(NO_PLAN)),
                default=Text(NOTHING_BY_PLAN),
                output_field=CharField(),
            )
        )
    )


def count_by_cause(orders: QuerySet[Any]) -> list[Counted]:
    """Most frequent first. Of what ``unearned`` found."""
    counts = orders.order_by().values_list("cause").annotate(count=Count("pk"))
    causes = [
        Counted(name=name, cause=cause_of(name), count=count) for name, count in counts
    ]
    return sorted(causes, key=lambda row: (-row.count, row.name))


def cause_of(name: str) -> Cause:
    """Also of a decision for which there is no advice: its own words."""
    if name in CAUSES:
        return CAUSES[name]
    reason = name.removeprefix(NOBODY)
    known: Sequence[str] = tuple(Reason)
    return Cause(Reason(reason).label if reason in known else reason, "")


def show(request: HttpRequest, site: admin.AdminSite) -> HttpResponse:
    context = {**site.each_context(request), "title": "Orders that earned nothing"}
    chosen = choose(request, now=timezone.now())
    if chosen is not None:
        orders = unearned(chosen.brand.pk, chosen.moments)
        causes = count_by_cause(orders)
        context |= {
            "chosen": chosen,
            "causes": [(cause, _path(cause.cause.page)) for cause in causes],
            "total": sum(cause.count for cause in causes),
        }
        if name := request.GET.get("cause"):
            counts = {cause.name: cause.count for cause in causes}
            context |= _of_cause(request, orders, name, count=counts.get(name, 0))
    return TemplateResponse(request, PAGE, context)


def _of_cause(
    request: HttpRequest, orders: Any, name: str, *, count: int
) -> dict[str, Any]:
    of_cause = orders.filter(cause=name).order_by("-pk")
    rows = of_cause.select_related("client", "affiliate")
    paginator = Paginator(rows, ORDERS_ON_A_PAGE)
    paginator.count = count
    page = paginator.get_page(request.GET.get("p"))
    orders = list(page)
    number_invoices(orders, "invoice_ref")
    return {
        "cause_name": name,
        "cause": cause_of(name),
        "page": page,
        "rows": [(order, client_link(order.client)) for order in orders],
    }


def _path(page: str) -> str:
    return reverse(f"admin:{page}") if page else ""
