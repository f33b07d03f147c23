"""The page that applies a draft of a brand's rules to its past orders."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, ClassVar
from urllib.parse import urlencode

from django.contrib.admin.options import IS_POPUP_VAR
from django.contrib.admin.utils import quote, unquote
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse

from affiliates.admin_tools.base import action, requires
from affiliates.admin_tools.forms import SubmitButton, UnsavedForm, read_unsaved
from affiliates.admin_tools.theme import extend_page
from affiliates.admin_tools.visible import has_brands, offer_visible, visible_to
from affiliates.brands.models.brand import Brand
from affiliates.contrib.what_if import report
from affiliates.contrib.what_if.draft import drafted_plan
from affiliates.contrib.what_if.forms import ChooseBrandForm, WhatIfForm
from affiliates.contrib.what_if.selectors import orders_between
from affiliates.contrib.what_if.simulate import SimulatedOutcome, simulate
from affiliates.contrib.what_if.types import ChangedOrder, Draft
from affiliates.plans.models.plan import CommissionPlan
from affiliates.plans.models.rule import PlanRule
from affiliates.referrals.models import OrderReferral
from affiliates.sales.selectors import numbers_of_orders

PAGE = "affiliates/admin/what_if.html"
RESULT = "#result"
# More would take too long for a page.
MAX_ORDERS = 10_000
SHOWN_CHANGES = 200
DEFAULT_DAYS = 30
# The page shows orders and their earnings by each plan.
PERMISSIONS = ("affiliates.view_orderreferral", "affiliates.view_commissionplan")


@extend_page(OrderReferral)
class WhatIfPage:
    """Adds the page, and the button to it, to the list of orders."""

    actions_list: ClassVar[tuple[str, ...]] = ("what_if",)

    has_what_if_permission = requires(*PERMISSIONS)

    @action(description="What if…", url_path="what-if", permissions=["what_if"])
    def what_if(self, request: HttpRequest) -> HttpResponse:
        """Past orders by the current rules and by a draft. Writes nothing."""
        brands = visible_to(request.user, Brand.objects.all())
        choice = ChooseBrandForm(
            request.GET if "brand" in request.GET else None,
            initial={"brand": brands.first()},
        )
        offer_visible(request.user, choice.fields.values())
        shown = {"choice": choice, "has_choice": has_brands(request)}
        brand = _chosen(choice)
        if brand is not None:
            form = WhatIfForm(
                request.GET if "first_day" in request.GET else None,
                brand=brand,
                initial=WhatIfForm.until_today(DEFAULT_DAYS),
            )
            shown |= {"brand": brand, "form": form, **_simulated(form)}
        return _page(self, request, shown)


class SimulatesForm:
    """Mixed into the page of a brand, or of an object with a ``brand``.

    A button beside Save sends the form, as it is filled in, to the What-if page.
    """

    # Attributes of the ModelAdmin.
    opts: Any
    admin_site: Any
    get_object: Any
    has_change_permission: Any

    has_what_if_permission = requires(*PERMISSIONS)

    def simulate_form(self, request: HttpRequest, unsaved: UnsavedForm) -> HttpResponse:
        raise NotImplementedError

    def get_urls(self) -> list[URLPattern]:
        view = self.admin_site.admin_view(self.what_if)
        name = f"{self.opts.app_label}_{self.opts.model_name}_what_if"
        urls: list[URLPattern] = super().get_urls()  # type: ignore[misc] # ModelAdmin's
        return [path("<path:object_id>/what-if/", view, name=name), *urls]

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], **options: Any
    ) -> HttpResponse:
        row = options.get("obj")
        is_popup = IS_POPUP_VAR in request.GET or IS_POPUP_VAR in request.POST
        if row is not None and not is_popup and self._may_simulate(request, row):
            others = context.get("actions_submit_line") or ()
            context["actions_submit_line"] = [*others, self._button(row)]
        page: HttpResponse = super().render_change_form(request, context, **options)  # type: ignore[misc] # ModelAdmin's
        return page

    def what_if(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """The posted form of the row, applied to past orders. Writes nothing."""
        if not self._may_simulate(request):
            raise PermissionDenied
        row = self.get_object(request, unquote(object_id))
        if row is None:
            raise Http404
        if not self._may_simulate(request, row):
            raise PermissionDenied
        brand = row if isinstance(row, Brand) else row.brand
        if request.method != "POST":
            return HttpResponseRedirect(self._address({"brand": brand.pk}))
        unsaved = read_unsaved(self, request, row)
        if unsaved.faults:
            shown = {"brand": brand, "faults": unsaved.faults}
            return _page(self, request, shown)
        return self.simulate_form(request, unsaved)

    def _may_simulate(self, request: HttpRequest, row: Any = None) -> bool:
        return bool(
            self.has_what_if_permission(request)
            and self.has_change_permission(request, row)
        )

    def _button(self, row: Any) -> SubmitButton:
        name = f"{self.opts.app_label}_{self.opts.model_name}_what_if"
        address = reverse(f"{self.admin_site.name}:{name}", args=[quote(row.pk)])
        return SubmitButton(
            action_name="_what_if",
            description="What would this change?",
            icon="open_in_new",
            attrs={
                "formaction": f"{address}{RESULT}",
                # The filled-in form stays in its own tab.
                "formtarget": "_blank",
                "title": "Opens in a new tab. Nothing is saved.",
            },
        )

    def _address(self, values: dict[str, Any]) -> str:
        page = reverse(f"{self.admin_site.name}:affiliates_orderreferral_what_if")
        return f"{page}?{urlencode(values)}"


@extend_page(Brand)
class PolicyWhatIf(SimulatesForm):
    """On the page of a brand: its attribution policy fits into an address."""

    def simulate_form(self, request: HttpRequest, unsaved: UnsavedForm) -> HttpResponse:
        sent = WhatIfForm.sent(unsaved.row, days=DEFAULT_DAYS)
        return HttpResponseRedirect(f"{self._address(sent)}{RESULT}")


@extend_page(CommissionPlan)
class PlanWhatIf(SimulatesForm):
    """On the page of a plan: the form is sent again with each other draft."""

    def simulate_form(self, request: HttpRequest, unsaved: UnsavedForm) -> HttpResponse:
        plan: CommissionPlan = unsaved.row
        sent = request.POST
        form = WhatIfForm(
            sent
            if "first_day" in sent
            else WhatIfForm.sent(plan.brand, days=DEFAULT_DAYS),
            brand=plan.brand,
            initial={},
            drafted=drafted_plan(plan, _rules(plan, unsaved.formsets)),
        )
        own = {"csrfmiddlewaretoken", *form.fields}
        shown = {
            "brand": plan.brand,
            "plan": plan,
            "form": form,
            "carried": [
                (name, value)
                for name, values in sent.lists()
                for value in values
                if name not in own
            ],
            **_simulated(form),
        }
        return _page(self, request, shown)


def _page(page: Any, request: HttpRequest, shown: dict[str, Any]) -> TemplateResponse:
    context = {
        **page.admin_site.each_context(request),
        "title": "What if",
        "opts": page.opts,
        **shown,
    }
    return TemplateResponse(request, PAGE, context)


def _chosen(choice: ChooseBrandForm) -> Brand | None:
    if not choice.is_bound:
        return choice.initial["brand"]  # type: ignore[no-any-return] # of the view
    return choice.cleaned_data["brand"] if choice.is_valid() else None


def _rules(plan: CommissionPlan, formsets: Sequence[Any]) -> list[PlanRule]:
    """The rules that remain in a valid form, in the order of saving."""
    formset = next((formset for formset in formsets if formset.model is PlanRule), None)
    if formset is None:
        # Staff without permission to see rules have no formset.
        return list(plan.rules.order_by("pk"))
    deleted = formset.deleted_forms
    kept = [form.instance for form in formset.forms if form not in deleted]
    saved = sorted((rule for rule in kept if rule.pk), key=lambda rule: rule.pk)
    return [*saved, *(rule for rule in kept if rule.pk is None)]


def _simulated(form: WhatIfForm) -> dict[str, Any]:
    if not form.is_valid() or form.draft is None:
        return {}
    first, last = form.span()
    orders = orders_between(form.brand, first=first, last=last)
    simulated = {"command": form.command(), "max_orders": f"{MAX_ORDERS:,}"}
    if orders[: MAX_ORDERS + 1].count() > MAX_ORDERS:
        return simulated
    return {**simulated, **_compared(form.brand, form.draft, first, last)}


def _compared(
    brand: Brand, draft: Draft, first: datetime, last: datetime
) -> dict[str, Any]:
    outcome = SimulatedOutcome()
    changes: list[ChangedOrder] = []
    for change in simulate(brand, draft, first=first, last=last, outcome=outcome):
        if change is not None and len(changes) < SHOWN_CHANGES:
            changes.append(change)
    numbers = numbers_of_orders([change.referral_id for change in changes])
    return {
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
