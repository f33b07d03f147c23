"""The page that compares a brand's orders with a tracking provider's records."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.core.paginator import Page
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone

from affiliates.admin_tools import widgets
from affiliates.admin_tools.base import action, requires
from affiliates.admin_tools.forms import DaysForm
from affiliates.admin_tools.lists.changelist import BoundedPaginator
from affiliates.admin_tools.theme import extend_page
from affiliates.admin_tools.visible import offer_visible
from affiliates.contrib.reconciliation import report
from affiliates.contrib.reconciliation.compare import orders_between, reconcile
from affiliates.contrib.reconciliation.types import (
    Agreement,
    ReconciliationLine,
    money,
)
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.outbox.registry import ADAPTERS
from affiliates.referrals.models import OrderReferral
from affiliates.sales.selectors import numbers_of_orders

ORDERS_ON_A_PAGE = 20
DEFAULT_DAYS = 30
# Shorter than the usual timeouts of proxies.
MAX_SECONDS = 25.0
VERDICT_COLOURS = {
    Agreement.AGREES: "success",
    Agreement.NAMES_UNCLEAR: "success",
    Agreement.WAITING: "info",
    Agreement.NOT_ASKED: "warning",
    Agreement.DIFFERENT_AFFILIATE: "warning",
}


class IntegrationField(forms.ModelChoiceField):  # type: ignore[type-arg] # a subscript fails at run time
    def label_from_instance(self, integration: Any) -> str:
        adapter = ADAPTERS.get(integration.provider)
        provider = adapter.name if adapter else integration.provider
        return f"{integration.brand} ({provider})"


class ReconciliationForm(DaysForm):
    """The brand whose orders to compare, and the days of their conversion."""

    happened = "Converted"
    field_order = ("integration", "first_day", "last_day")

    integration = IntegrationField(
        TrackingIntegration.trackers.select_related("brand"),
        widget=widgets.Select,
        empty_label=None,
    )


@extend_page(OrderReferral)
class ReconciliationPage:
    """Adds the page, and the button to it, to the list of orders."""

    actions_list: ClassVar[tuple[str, ...]] = ("reconcile",)

    # It shows orders and deliveries, and makes calls to the provider.
    has_reconcile_permission = requires(
        "affiliates.view_orderreferral", "affiliates.view_delivery"
    )

    @action(
        description="Reconcile with the tracker",
        url_path="reconcile",
        permissions=["reconcile"],
    )
    def reconcile(self, request: HttpRequest) -> HttpResponse:
        """Compares our decisions and deliveries with the provider's. Writes nothing."""
        site: Any = self
        form = ReconciliationForm(
            request.GET if "first_day" in request.GET else None,
            initial=DaysForm.until_today(DEFAULT_DAYS),
        )
        offer_visible(request.user, form.fields.values())
        context = {
            **site.admin_site.each_context(request),
            "title": "Reconcile with the tracker",
            "opts": site.opts,
            "form": form,
            "has_integration": form.fields["integration"].queryset.exists(),  # type: ignore[attr-defined] # a choice
            "orders_on_a_page": ORDERS_ON_A_PAGE,
        }
        if form.is_valid():
            context |= _compared(request, form)
        page = "affiliates/admin/reconciliation.html"
        return TemplateResponse(request, page, context)


def _compared(request: HttpRequest, form: ReconciliationForm) -> dict[str, Any]:
    """The page's orders, newest first, each with the provider's record."""
    values = form.cleaned_data
    first, last = form.span()
    orders = orders_between(values["integration"], first=first, last=last).order_by(
        "-pk"
    )
    page: Page[Any] = BoundedPaginator(
        orders.values_list("pk", flat=True), ORDERS_ON_A_PAGE
    ).get_page(request.GET.get("p"))
    # Staff wait for this page: a provider that does not answer is asked once.
    lines = list(
        reconcile(
            values["integration"],
            list(page.object_list),
            now=timezone.now(),
            patience=1,
            seconds=MAX_SECONDS,
        )
    )
    numbers = numbers_of_orders([line.order.referral_id for line in lines])
    query = request.GET.copy()
    query.pop("p", None)
    return {
        "page": page,
        "query": query.urlencode(),
        "rows": [_row(line, numbers[line.order.referral_id]) for line in lines],
        "difference_count": sum(line.verdict.is_difference for line in lines),
    }


def _row(line: ReconciliationLine, number: str) -> dict[str, Any]:
    return {
        "line": line,
        "number": number,
        "paid": report.paid(line),
        "held": [
            (money(commission.amount, commission.currency), commission)
            for commission in line.held
        ],
        "colour": VERDICT_COLOURS.get(
            line.verdict, "danger" if line.verdict.is_difference else "default"
        ),
    }
