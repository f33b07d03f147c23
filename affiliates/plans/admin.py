from __future__ import annotations

from itertools import chain
from typing import Any

from django.contrib import admin, messages
from django.db.models import DecimalField, Prefetch, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from affiliates.admin_tools.base import (
    KeptWhileUsed,
    ModelAdmin,
    ReadOnlyInline,
    StackedInline,
    action,
    display,
)
from affiliates.admin_tools.columns import column, moment
from affiliates.admin_tools.editing.folding import FoldedTopics
from affiliates.admin_tools.forms import PlainDecimalField
from affiliates.admin_tools.lists import search
from affiliates.admin_tools.theme import FOLDED_ROWS, register_page
from affiliates.admin_tools.visible import told_apart
from affiliates.plans.catalogue import catalogue_of
from affiliates.plans.forms import PlanForm, RuleForm, RuleFormSet, TryPlanForm
from affiliates.plans.models.coupon import CouponCode, CouponCodeVersion
from affiliates.plans.models.group import AffiliateGroup
from affiliates.plans.models.plan import CommissionPlan, CommissionPlanVersion
from affiliates.plans.models.rule import PlanRule
from affiliates.plans.rules.computation import compute_commission
from affiliates.plans.rules.explanations import explain_receipt
from affiliates.plans.rules.messages import describe_coupon, describe_terms
from affiliates.plans.rules.terms import CouponTerms
from affiliates.plans.selectors import terms_of
from affiliates.plans.services import publish_coupon, publish_plan
from affiliates.plans.summaries import summaries_of
from affiliates.program.models import Affiliate

MAX_RULES_IN_LIST = 3
NEWEST_FIRST = CommissionPlanVersion.objects.order_by("-number")
AS_PLAIN_DECIMALS: dict[Any, Any] = {DecimalField: {"form_class": PlainDecimalField}}


class PlanRuleInline(StackedInline):
    model = PlanRule
    form = RuleForm
    formset = RuleFormSet
    template = FOLDED_ROWS
    formfield_overrides = AS_PLAIN_DECIMALS
    # Shows a row to fill in where there is none.
    min_num = 1
    extra = 0
    verbose_name = "rule"
    verbose_name_plural = "rules"
    autocomplete_fields = ("affiliate",)
    fieldsets = (
        (
            None,
            {
                "fields": (
                    "rate_kind",
                    ("percent", "fixed_amounts"),
                    ("tiers", "tier_period"),
                    ("position_from", "position_to"),
                    "months",
                    ("kind", "billing_cycle"),
                    ("tld", "operation"),
                    ("product_ref", "affiliate"),
                )
            },
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[PlanRule]:
        rules: QuerySet[PlanRule] = super().get_queryset(request)
        return rules.select_related("affiliate")


class PlanVersionInline(ReadOnlyInline):
    model = CommissionPlanVersion
    fields = ("number", "since", "terms_in_words")
    readonly_fields = ("since", "terms_in_words")
    verbose_name_plural = "versions"

    since = column("effective_from", "Orders since", show=moment)

    @admin.display(description="Terms")
    def terms_in_words(self, version: CommissionPlanVersion) -> str:
        terms = terms_of(version)
        named = [rule.affiliate_id for rule in terms.rules if rule.affiliate_id]
        codes = Affiliate.objects.filter(pk__in=named).values_list("pk", "code")
        known = dict(codes) if named else {}
        return _lines(describe_terms(terms, affiliates=known))


@register_page(CommissionPlan)
class CommissionPlanAdmin(FoldedTopics, KeptWhileUsed, ModelAdmin):
    """Registered by ``desk``, with the link to the What-if page."""

    form = PlanForm
    formfield_overrides = AS_PLAIN_DECIMALS
    instead = "Take its affiliates, groups and the default off it instead."
    list_display = ("name", "brand", "default", "in_words", "hold", "version")
    list_filter = ("brand", "is_default")
    list_select_related = ("brand",)
    list_per_page = 50
    search_fields = (search.exactly("name"),)
    search_parts = (search.containing("name", "brand__name"),)
    inlines = (PlanRuleInline,)
    inlines_of_saved = (PlanVersionInline,)
    # Commissions name its versions: it cannot change its brand.
    fixed_once_saved = ("brand",)
    actions_detail = ("what_it_earns",)
    warn_unsaved_form = True
    fieldsets = (
        ("Plan", {"fields": ("brand", ("name", "is_default"))}),
        (
            "Hold and approval",
            {
                "fields": (
                    ("hold_days", "hold_days_by_cycle"),
                    ("approves_itself", "needs_active_service"),
                )
            },
        ),
        ("Base", {"fields": (("counts_discount", "counts_credit"), "rounding")}),
        ("Limits", {"fields": (("cap_period", "cap_amounts"), "allows_paid_ads")}),
        ("Joining bonus", {"fields": ("joining_bonus",)}),
        ("Recruiters", {"fields": ("recruiter_percent",)}),
    )

    hold = column("hold_days", "Hold", show="{} days".format, ordering="hold_days")

    def get_queryset(self, request: HttpRequest) -> QuerySet[CommissionPlan]:
        plans: QuerySet[CommissionPlan] = super().get_queryset(request)
        return told_apart(request, plans).prefetch_related(
            Prefetch("rules", PlanRule.objects.select_related("affiliate")),
            Prefetch("versions", NEWEST_FIRST.only("plan", "number")),
        )

    def summaries_of(self, row: CommissionPlan) -> dict[str, str]:
        return summaries_of(row)

    def save_related(
        self, request: HttpRequest, form: Any, formsets: Any, change: bool
    ) -> None:
        super().save_related(request, form, formsets, change)
        now = timezone.now()
        version = publish_plan(form.instance, now=now)
        rules = terms_of(version).rules
        catalogue = catalogue_of(form.instance.brand_id)
        for fault in chain.from_iterable(map(catalogue.faults, rules)):
            text = f"A rule of this plan never earns: {fault}"
            self.message_user(request, text, messages.WARNING)
        if version.effective_from == now:
            text = f"Orders from now on earn by version {version.number}."
            self.message_user(request, text)

    @display(description="Default", boolean=True, ordering="is_default")
    def default(self, plan: CommissionPlan) -> bool:
        return plan.is_default

    @admin.display(description="Earns")
    def in_words(self, plan: CommissionPlan) -> str:
        rules = [str(rule) for rule in plan.rules.all()]
        more = len(rules) - MAX_RULES_IN_LIST
        shown = rules[:MAX_RULES_IN_LIST] + ([f"{more} more rules"] if more > 0 else [])
        return _lines(shown or ["Nothing"])

    @admin.display(description="Version")
    def version(self, plan: CommissionPlan) -> str:
        numbers = [str(version.number) for version in plan.versions.all()]
        return numbers[0] if numbers else "-"

    @action(
        description="What would this earn?",
        url_path="what-it-earns",
        permissions=["view"],
    )
    def what_it_earns(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """An example line's receipt by the plan's latest version. Writes nothing."""
        plan = self.get_object(request, object_id)
        version = plan and NEWEST_FIRST.filter(plan=plan).first()
        if version is None:
            raise Http404
        form = TryPlanForm(
            request.GET if "amount" in request.GET else None, brand_id=plan.brand_id
        )
        context = {
            **self.admin_site.each_context(request),
            "title": f"What would {plan} earn?",
            "opts": self.opts,
            "form": form,
            "plan": plan,
            "version": version,
        }
        if form.is_valid():
            context["made"] = commission = compute_commission(
                form.to_sale(now=timezone.now()),
                terms=terms_of(version),
                plan_name=plan.name,
                version_number=version.number,
            )
            context["sentences"] = explain_receipt(commission.lines[0].receipt)
        return TemplateResponse(request, "affiliates/admin/what_it_earns.html", context)


@register_page(AffiliateGroup)
class AffiliateGroupAdmin(KeptWhileUsed, ModelAdmin):
    instead = "Move its affiliates to another group first."
    list_display = ("name", "brand", "plan")
    list_filter = ("brand",)
    list_select_related = ("brand", "plan")
    list_per_page = 50
    search_fields = (search.exactly("name"),)
    search_parts = (search.containing("name", "brand__name"),)
    autocomplete_fields = ("brand", "plan")
    # Its affiliates belong to its brand.
    fixed_once_saved = ("brand",)


class CouponVersionInline(ReadOnlyInline):
    model = CouponCodeVersion
    fields = ("number", "since", "affiliate", "terms_in_words")
    readonly_fields = ("since", "terms_in_words")
    verbose_name_plural = "versions"

    since = column("effective_from", "Orders since", show=moment)

    @admin.display(description="Terms")
    def terms_in_words(self, version: CouponCodeVersion) -> str:
        return _lines(describe_coupon(CouponTerms.from_json(version.terms)))


@register_page(CouponCode)
class CouponCodeAdmin(KeptWhileUsed, ModelAdmin):
    formfield_overrides = AS_PLAIN_DECIMALS
    instead = "Switch it off instead: it credits nobody from then on."
    list_display = ("code", "affiliate", "brand", "in_words", "is_active")
    list_filter = ("is_active", "brand")
    list_select_related = ("brand", "affiliate")
    list_per_page = 50
    search_fields = (search.exactly("code"), search.affiliates())
    search_parts = (search.containing("code"),)
    search_help_text = "Code, or the affiliate's code"
    autocomplete_fields = ("brand", "affiliate")
    inlines_of_saved = (CouponVersionInline,)
    # Orders are recorded under its code.
    fixed_once_saved = ("brand", "code")
    fieldsets = (
        ("Coupon", {"fields": ("brand", ("code", "is_active"), "affiliate")}),
        ("Terms", {"fields": (("percent", "affiliate_funds_percent"),)}),
    )

    def save_related(
        self, request: HttpRequest, form: Any, formsets: Any, change: bool
    ) -> None:
        super().save_related(request, form, formsets, change)
        publish_coupon(form.instance, now=timezone.now())

    @admin.display(description="Terms")
    def in_words(self, coupon: CouponCode) -> str:
        return _lines(describe_coupon(coupon.to_terms()))


def _lines(sentences: Any) -> SafeString:
    return format_html_join("", "<p>{}</p>", ((sentence,) for sentence in sentences))
