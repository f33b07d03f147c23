from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar
from urllib.parse import urlencode

from django import forms
from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html, format_html_join

from affiliates.admin_tools import widgets
from affiliates.admin_tools.base import (
    KeptWhileUsed,
    ModelAdmin,
    ReadOnlyInline,
    TabularInline,
    action,
    requires,
)
from affiliates.admin_tools.columns import column, moment
from affiliates.admin_tools.editing.folding import FoldedTopics
from affiliates.admin_tools.forms import ModelForm
from affiliates.admin_tools.lists import search
from affiliates.admin_tools.visible import brands_of
from affiliates.brands.forms import DomainFormSet, PictureField
from affiliates.brands.models.brand import Brand
from affiliates.brands.models.domain import BrandDomain
from affiliates.brands.models.versions import AttributionPolicyVersion
from affiliates.brands.refused_origins import ADDED_HOST
from affiliates.brands.rules import AttributionTerms
from affiliates.brands.services import set_logo
from affiliates.brands.summaries import summaries_of
from affiliates.brands.targets import parameter_fault
from affiliates.core.domains import international_name
from affiliates.core.urls import first_parameter, parse_http_url
from affiliates.uploads.images import picture_url

MAX_HOSTS_IN_LIST = 3
SECOND_BRAND = (
    "With a second brand, the portal must say which brand it means: registrations "
    "without an Origin header and calls of brand_id_for_origin(None) are refused from "
    "then on. Have the portal keep the id of its brand first. Test brands do not count."
)


class BrandDomainInline(TabularInline):
    model = BrandDomain
    formset = DomainFormSet
    fields = ("host", "is_client_area", "is_redirect_target", "include_subdomains")
    readonly_fields = ("shown_name",)
    show_title = False

    def get_fields(self, request: HttpRequest, obj: Brand | None = None) -> Any:
        """With the names of international hosts, if there are any."""
        hosts = obj.domains.all() if obj and obj.pk else []
        has_names = any(international_name(domain.host) for domain in hosts)
        return (*self.fields, "shown_name") if has_names else self.fields

    @admin.display(description="Name")
    def shown_name(self, domain: BrandDomain) -> str:
        return international_name(domain.host) or "-"

    def get_extra(
        self, request: HttpRequest, obj: Brand | None = None, **kwargs: Any
    ) -> int:
        return 1 if obj is None or _added_host(request) else 0


class PolicyVersionInline(ReadOnlyInline):
    model = AttributionPolicyVersion
    ordering = ("-number",)
    verbose_name_plural = "versions of the attribution policy"
    show_title = False
    fields = ("number", "begins", "policy")
    readonly_fields = fields

    begins = column("effective_from", "In force from", show=moment)

    @admin.display(description="Policy")
    def policy(self, version: AttributionPolicyVersion) -> str:
        terms = AttributionTerms.from_json(version.terms)
        return format_html_join(
            "", "<div>{}</div>", ((line,) for line in terms.lines())
        )


class BrandForm(ModelForm):
    """``desk`` says which parameters other packages read for a brand."""

    upload = PictureField(
        label="Logo",
        required=False,
        help_text="PNG, JPEG or WebP, at most 2 MB; in place of the one there is.",
    )
    has_no_logo = forms.BooleanField(
        label="Remove the logo", required=False, widget=widgets.Switch
    )

    parameters_elsewhere: ClassVar[tuple[Callable[[int], Sequence[str]], ...]] = ()

    class Meta:
        labels: ClassVar = {
            "is_active": "Active",
            "attribution_policy": "Policy",
            "bound_clients": "Registered clients",
            "stand_down_minutes": "Checkout stand-down, in minutes",
            "claim_policy": "Own program or integration",
            "attribution_window_days": "Window, in days",
            "cookie_lifetime_days": "Lifetime, in days",
            "click_months": "Clicks of people, in months",
            "other_click_months": "Of robots, and repeats, in months",
            "old_addresses": "Visitors' networks after 7 days",
        }

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        if self.instance.pk is None:
            return values
        landing = parse_http_url(values.get("default_redirect_url", ""))
        brand_id = self.instance.pk
        for name in (
            name for read in self.parameters_elsewhere for name in read(brand_id)
        ):
            if name == values.get("link_parameter"):
                self.add_error(
                    "link_parameter",
                    f"'{name}' is a parameter of this brand's tracking integration: "
                    "choose another name, such as ref, or change it there first.",
                )
            if landing is not None and first_parameter(landing, name) is not None:
                self.add_error("default_redirect_url", parameter_fault(name))
        return values


def _added_host(request: HttpRequest) -> str:
    """Empty when the form is posted: a row that is as it was shown is not saved."""
    return request.GET.get(ADDED_HOST, "") if request.method == "GET" else ""


def _brands_at(model: Any, text: str) -> Q:
    hosts = BrandDomain.objects.filter(host__icontains=text)
    return Q(pk__in=hosts.values("brand"))


class BrandAdmin(FoldedTopics, KeptWhileUsed, ModelAdmin):
    """``desk`` registers it, with what other packages show of a saved brand."""

    form = BrandForm
    instead = "Switch it off instead: an inactive brand answers no API call."
    list_display = ("name", "hosts", "landing", "own_program", "is_active")
    list_filter = ("is_active", "own_program", "landing", "attribution_policy")
    search_fields = (search.containing("name"), _brands_at)
    inlines = (BrandDomainInline,)
    readonly_fields = ("shown_logo", "created_at")
    actions_detail = ("try_url",)
    warn_unsaved_form = True
    # What a new brand needs, then topics.
    fieldsets = (
        ("Brand", {"fields": ("name", "default_redirect_url")}),
        ("State", {"fields": (("is_active", "is_test"), "time_zone")}),
        ("Landing", {"fields": ("landing", "require_https")}),
        (
            "Attribution",
            {
                "fields": (
                    ("attribution_policy", "attribution_window_days"),
                    ("bound_clients", "stand_down_minutes"),
                    ("claim_policy", "coupon_over_link"),
                    "existing_clients_earn",
                )
            },
        ),
        ("Cookie", {"fields": ("cookie_lifetime_days", "consent", "privacy_control")}),
        (
            "Clicks kept",
            {"fields": (("click_months", "other_click_months"), "old_addresses")},
        ),
        (
            "Program",
            {
                "fields": (
                    "own_program",
                    ("link_parameter", "link_place"),
                    "masks_clients",
                    "staff_emails",
                    "banned_referrers",
                    "flagged_hold_days",
                    "bonus_limit",
                )
            },
        ),
        (
            "Contact",
            {"fields": ("legal_text", "support", ("privacy_url", "imprint_url"))},
        ),
        (
            "Look",
            {"fields": ("colour", "font", "shown_logo", "upload", "has_no_logo")},
        ),
    )

    def get_fieldsets(self, request: HttpRequest, obj: Brand | None = None) -> Any:
        """Before a second brand is saved, with what it would break."""
        first, *others = super().get_fieldsets(request, obj)
        counted = Brand.objects.filter(is_active=True, is_test=False)[:2]
        if len(counted) == 1 and obj not in counted:
            name, options = first
            first = (name, {**options, "description": SECOND_BRAND})
        return (first, *others)

    def summaries_of(self, row: Brand) -> dict[str, str]:
        return summaries_of(row)

    def has_add_permission(self, request: HttpRequest) -> bool:
        """Not for staff of single brands: they would not see the new one."""
        is_allowed: bool = super().has_add_permission(request)
        return is_allowed and brands_of(request.user) is None

    def get_formset_kwargs(
        self, request: HttpRequest, obj: Brand, inline: Any, prefix: str
    ) -> dict[str, Any]:
        """A new row has the host that the address names, as a client area only."""
        options: dict[str, Any] = super().get_formset_kwargs(
            request, obj, inline, prefix
        )
        host = _added_host(request)
        if host and isinstance(inline, BrandDomainInline):
            options["initial"] = [{"host": host, "is_redirect_target": False}]
        return options

    def get_queryset(self, request: HttpRequest) -> QuerySet[Brand]:
        brands: QuerySet[Brand] = super().get_queryset(request)
        return brands.prefetch_related("domains")

    def save_model(
        self, request: HttpRequest, obj: Brand, form: Any, change: bool
    ) -> None:
        picture = form.cleaned_data.get("upload")
        if picture or form.cleaned_data.get("has_no_logo"):
            set_logo(obj, picture)
        super().save_model(request, obj, form, change)

    @admin.display(description="Present logo")
    def shown_logo(self, brand: Brand) -> str:
        url = picture_url(brand.logo)
        if url is None:
            return "None: the name is shown"
        return format_html('<img src="{}" alt="{}" height="48">', url, brand.name)

    @admin.display(description="Domains")
    def hosts(self, brand: Brand) -> str:
        hosts = [str(domain) for domain in brand.domains.all()]
        shown = ", ".join(hosts[:MAX_HOSTS_IN_LIST])
        more = len(hosts) - MAX_HOSTS_IN_LIST
        return f"{shown} and {more} more" if more > 0 else shown or "-"

    has_try_url_permission = requires("affiliates.view_click")

    @action(description="Try a URL", url_path="try-url", permissions=["try_url"])
    def try_url(self, request: HttpRequest, object_id: str) -> HttpResponse:
        page = reverse(f"{self.admin_site.name}:affiliates_click_try_url")
        return HttpResponseRedirect(f"{page}?{urlencode({'brand': object_id})}")
