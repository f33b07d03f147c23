from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.template.response import TemplateResponse

from affiliates.admin_tools import widgets
from affiliates.admin_tools.base import ReadOnlyAdmin, action, display
from affiliates.admin_tools.columns import moment
from affiliates.admin_tools.lists import search
from affiliates.admin_tools.lists.changelist import ChangeList, PaginatorInOrder
from affiliates.admin_tools.lists.filters import DaysOfIdsFilter
from affiliates.admin_tools.theme import register_page
from affiliates.admin_tools.visible import offer_visible, visible_to
from affiliates.brands.models.brand import Brand
from affiliates.core.redirects import RedirectReason
from affiliates.errors import InvalidInput
from affiliates.program.models import Affiliate, AffiliateLink
from affiliates.visits.models import Click
from affiliates.visits.preview import VisitPreview, preview_visit
from affiliates.visits.rules import BotSign, Embedding

VISIT_URL_EXAMPLE = "https://shop.example.com/?ref=CODE&redirect=/plans"


class BotFilter(admin.SimpleListFilter):
    title = "made by"
    parameter_name = "bot"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("no", "A person"), ("yes", "A robot or prefetch")]

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[Click]
    ) -> QuerySet[Click]:
        match self.value():
            case "no":
                return queryset.filter(bot_signs="")
            case "yes":
                return queryset.exclude(bot_signs="")
            case _:
                return queryset


class TryUrlForm(forms.Form):
    brand = forms.ModelChoiceField(
        Brand.objects.prefetch_related("domains"), widget=widgets.Select
    )
    visit_url = forms.CharField(
        label="Visit URL",
        widget=widgets.TextInput(attrs={"placeholder": VISIT_URL_EXAMPLE}),
        help_text="The address as the browser shows it, with its query and fragment.",
    )

    def clean(self) -> dict[str, Any]:
        values = self.cleaned_data
        if "brand" in values and "visit_url" in values:
            try:
                values["preview"] = preview_visit(
                    brand=values["brand"].to_config(), visit_url=values["visit_url"]
                )
            except InvalidInput as error:
                self.add_error(error.field, error.detail)
        return values


class ClickList(ChangeList):
    """Sorts a brand's or an affiliate's clicks by time, which has an index."""

    narrowing = frozenset(("brand__id__exact", "affiliate__id__exact"))

    def get_ordering(self, request: HttpRequest, queryset: QuerySet[Click]) -> Any:
        by_id = super().get_ordering(request, queryset)
        if self.narrowing.isdisjoint(self.params):
            return by_id
        sign = "-" if by_id[0].startswith("-") else ""
        return [f"{sign}created_at", f"{sign}pk"]


@register_page(Click)
class ClickAdmin(ReadOnlyAdmin):
    about = "Every visit that named an affiliate, credited or not, newest first."
    list_display = (
        "clicked",
        "brand",
        "sent_by",
        "came_by",
        "page",
        "marks",
        "redirect",
    )
    list_filter = (
        "brand",
        "is_repeat",
        BotFilter,
        "affiliate_status",
        ("created_at", DaysOfIdsFilter),
    )
    list_select_related = ("affiliate", "brand")
    paginator = PaginatorInOrder
    # Sorting by another column would sort millions of rows.
    sortable_by = ("clicked",)
    # Whole values only: each of these is looked up in an index.
    search_fields = (search.exactly("id", "visitor_id"), search.affiliates())
    search_help_text = "A click's or visitor's id, or an affiliate's whole code"
    actions_list = ("try_url",)
    fieldsets = (
        (
            "Affiliate",
            {
                "fields": (
                    ("affiliate", "link"),
                    ("brand", "came_by"),
                    ("affiliate_status", "own_program"),
                    ("integration", "external_affiliate"),
                )
            },
        ),
        (
            "Visit",
            {
                "fields": (
                    ("clicked", "all_marks"),
                    "visit_url",
                    "referrer_url",
                    "redirect",
                    "refused_redirect",
                    ("sub_id", "more_sub_ids"),
                    "country",
                )
            },
        ),
        ("Visitor", {"fields": ("consent", "visitor_id", "user_agent", "ip_prefix")}),
    )

    # The id grows with time; ClickList sorts by time where an index allows it.
    @admin.display(description="Clicked", ordering="id")
    def clicked(self, click: Click) -> str:
        return moment(click.created_at)

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> Any:
        return ClickList

    @admin.display(description="Affiliate")
    def sent_by(self, click: Click) -> str:
        """The brand's own affiliate, the integration's, or both."""
        own = click.affiliate.code if click.affiliate else ""
        outside = (
            click.external_affiliate and f"{click.external_affiliate} (integration)"
        )
        return ", ".join(filter(None, (own, outside))) or "-"

    @admin.display(description="Came by")
    def came_by(self, click: Click) -> str:
        return str(click.get_source_display())

    @admin.display(description="Page")
    def page(self, click: Click) -> str:
        text = click.visit_url
        return text if len(text) <= 45 else f"{text[:44]}…"

    @display(description="Marks", label=True)
    def marks(self, click: Click) -> list[str]:
        marks = ["Repeat"] if click.is_repeat else []
        return marks + _person_signs(click)

    @admin.display(description="Marks")
    def all_marks(self, click: Click) -> str:
        repeat = ["A repeat within 30 minutes"] if click.is_repeat else []
        return ". ".join(repeat + _person_signs(click))

    @admin.display(description="Redirect")
    def redirect(self, click: Click) -> str:
        return RedirectReason(click.redirect_reason).label

    @action(description="Try a URL", url_path="try-url", permissions=["view"])
    def try_url(self, request: HttpRequest) -> HttpResponse:
        """Shows what the visit endpoint would answer. Writes nothing."""
        is_asked = "visit_url" in request.GET
        brands = visible_to(request.user, Brand.objects.all())
        form = TryUrlForm(
            request.GET if is_asked else None,
            initial={"brand": request.GET.get("brand") or brands.first()},
        )
        offer_visible(request.user, form.fields.values())
        preview = form.cleaned_data.get("preview") if form.is_valid() else None
        context = {
            **self.admin_site.each_context(request),
            "title": "Try a URL",
            "form": form,
            "brand": form.cleaned_data.get("brand") if preview else None,
            "preview": preview,
            "decision": preview.decision if preview else None,
            **_named(preview),
        }
        return TemplateResponse(request, "affiliates/admin/try_url.html", context)


def _person_signs(click: Click) -> list[str]:
    signs = [sign.label for sign in BotSign if sign in click.bot_signs.split(",")]
    if click.embedding:
        signs.append(Embedding(click.embedding).label)
    return signs if click.visitor_id else [*signs, "Without a person"]


def _named(preview: VisitPreview | None) -> dict[str, Any]:
    """The rows behind the preview's link, to show their names."""
    if preview is None or preview.decision.inputs.named is None:
        return {}
    facts = preview.decision.inputs.named.link
    named = {"affiliate": get_object_or_404(Affiliate, pk=facts.affiliate_id)}
    if facts.link_id is None:
        return named
    return named | {"link": get_object_or_404(AffiliateLink, pk=facts.link_id)}
