"""The page that applies a draft of a brand's rules to its past orders."""

from __future__ import annotations

from typing import Any, ClassVar

from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from affiliates.admin_tools.base import action, requires
from affiliates.brands.models.brand import Brand
from affiliates.sales.selectors import numbers_of_orders
from affiliates.simulation import report
from affiliates.simulation.forms import ChooseBrandForm, WhatIfForm
from affiliates.simulation.selectors import orders_between
from affiliates.simulation.simulate import SimulatedOutcome, simulate
from affiliates.simulation.types import ChangedOrder, Draft

PAGE = "affiliates/admin/what_if.html"
# More would take longer than somebody waits for a page.
MAX_ORDERS = 10_000
SHOWN_CHANGES = 200
DEFAULT_DAYS = 30


class WhatIfPage:
    """Adds the page, and the button to it, to the list of orders."""

    actions_list: ClassVar[tuple[str, ...]] = ("what_if",)

    # It shows orders and what they earn by each plan.
    has_what_if_permission = requires(
        "affiliates.view_orderreferral", "affiliates.view_commissionplan"
    )

    @action(description="What if…", url_path="what-if", permissions=["what_if"])
    def what_if(self, request: HttpRequest) -> HttpResponse:
        """Past orders by the rules of today and by a draft. Writes nothing."""
        site: Any = self
        choice = ChooseBrandForm(
            request.GET if "brand" in request.GET else None,
            initial={"brand": Brand.objects.first()},
        )
        context = {
            **site.admin_site.each_context(request),
            "title": "What if",
            "opts": site.opts,
            "choice": choice,
            "has_choice": Brand.objects.count() > 1,
        }
        brand = _chosen(choice)
        if brand is not None:
            context |= _drafted(request, brand)
        return TemplateResponse(request, PAGE, context)


def _chosen(choice: ChooseBrandForm) -> Brand | None:
    if not choice.is_bound:
        return choice.initial["brand"]  # type: ignore[no-any-return] # of the view
    return choice.cleaned_data["brand"] if choice.is_valid() else None


def _drafted(request: HttpRequest, brand: Brand) -> dict[str, Any]:
    form = WhatIfForm(
        request.GET if "first_day" in request.GET else None,
        brand=brand,
        initial=WhatIfForm.until_today(DEFAULT_DAYS),
    )
    drafted: dict[str, Any] = {"brand": brand, "form": form}
    if form.is_valid() and form.draft is not None:
        drafted |= _simulated(form, form.draft)
    return drafted


def _simulated(form: WhatIfForm, draft: Draft) -> dict[str, Any]:
    first, last = form.span()
    orders = orders_between(form.brand, first=first, last=last)
    simulated = {"command": form.command(), "max_orders": f"{MAX_ORDERS:,}"}
    if orders[: MAX_ORDERS + 1].count() > MAX_ORDERS:
        return simulated
    outcome = SimulatedOutcome()
    changes: list[ChangedOrder] = []
    for change in simulate(form.brand, draft, first=first, last=last, outcome=outcome):
        if change is not None and len(changes) < SHOWN_CHANGES:
            changes.append(change)
    numbers = numbers_of_orders([change.referral_id for change in changes])
    return {
        **simulated,
        "outcome": outcome,
        "headline": report.headline(outcome),
        "caveats": report.caveats(outcome),
        "costs": report.cost_rows(outcome),
        "rows": [_row(change, numbers[change.referral_id]) for change in changes],
    }


def _row(change: ChangedOrder, number: str) -> dict[str, Any]:
    return {
        "change": change,
        "number": number,
        "earned_today": report.sums_of(change.before.amounts),
        "earned_by_draft": report.sums_of(change.after.amounts),
        "why_today": report.reason_of(change.before),
        "why_by_draft": report.draft_reason_of(change),
    }
