from __future__ import annotations

from typing import Any, ClassVar

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.html import format_html, format_html_join
from django.views.decorators.debug import sensitive_post_parameters

from affiliates.admin_tools.base import (
    KeptWhileUsed,
    ModelAdmin,
    ReadOnlyInline,
    action,
    display,
)
from affiliates.admin_tools.columns import moment
from affiliates.admin_tools.confirmation import AsksFirst, Question
from affiliates.admin_tools.forms import ModelForm
from affiliates.admin_tools.lists import search
from affiliates.admin_tools.theme import register_page
from affiliates.outbox import services
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.outbox.protocol import TrackingAdapter
from affiliates.outbox.registry import ADAPTERS, trackers
from affiliates.outbox.selectors import describe_backlog, describe_health
from affiliates.outbox.types import WEBHOOK, OutcomeKind
from affiliates.tracking.forms import IntegrationForm
from affiliates.tracking.inquiry import probe
from affiliates.tracking.networks import NETWORKS, Network
from affiliates.tracking.provider_form import form_for

REPLACE = (
    "Replace each word that begins with YOUR_ by your own number or name; words in braces "
    "stay."
)
ABOUT = (
    "A brand has one active tracking provider beside its own affiliate program. It is "
    "then notified of clicks and sales as well. To change providers, switch the present "
    "one off first: it stays, with what was sent to it."
)
STATUS_FIELDS = ("delivery_health", "delivery_backlog", "last_accepted", "last_failed")


class IntegrationStatus:
    """The state of the deliveries to a provider."""

    @admin.display(description="Provider")
    def provider_name(self, integration: TrackingIntegration) -> str:
        return integration.provider_name

    @admin.display(description="Provider answers")
    def delivery_health(self, integration: TrackingIntegration) -> str:
        return describe_health(integration, now=timezone.now())

    @admin.display(description="Waiting to be sent")
    def delivery_backlog(self, integration: TrackingIntegration) -> str:
        backlog = describe_backlog(integration, now=timezone.now())
        if not backlog:
            return "Nothing"
        return format_html(
            '<a class="text-link" href="{}?integration__id__exact={}&waiting=yes">{}</a>',
            reverse("admin:affiliates_delivery_changelist"),
            integration.pk,
            backlog,
        )

    @admin.display(description="Last accepted")
    def last_accepted(self, integration: TrackingIntegration) -> str:
        health = getattr(integration, "health", None)
        return moment(health.last_ok_at if health else None)

    @admin.display(description="Last failure")
    def last_failed(self, integration: TrackingIntegration) -> str:
        health = getattr(integration, "health", None)
        if health is None or health.last_failure_at is None:
            return "-"
        return f"{moment(health.last_failure_at)}: {health.last_failure}"


class IntegrationPage(IntegrationStatus, AsksFirst, ModelAdmin):
    """Shared parts of the pages of trackers and of webhooks."""

    list_select_related = ("brand", "health")
    search_fields = (search.containing("brand__name", "address"),)
    warn_unsaved_form = True
    # Message with the number of deliveries sent again because the settings were saved.
    resumed: ClassVar[str]

    class Media:
        css: ClassVar = {"all": ("affiliates/admin.css",)}

    @display(description="Active", label={"On": "success", "Off": "default"})
    def is_on(self, integration: TrackingIntegration) -> str:
        return "On" if integration.is_active else "Off"

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        # Clicks and sales belong to the brand: moved, they would be credited elsewhere.
        return self.readonly_fields if obj is None else ("brand", *self.readonly_fields)

    def save_model(
        self, request: HttpRequest, obj: TrackingIntegration, form: Any, change: bool
    ) -> None:
        super().save_model(request, obj, form, change)
        if count := services.resume_deliveries(obj, now=timezone.now()):
            self.message_user(request, self.resumed.format(count))

    def ask_to_probe(
        self, request: HttpRequest, question: Question, *, accepted: str = ""
    ) -> HttpResponse:
        """Asks first: a call counts towards the provider's limit of failed logins."""

        def call() -> None:
            outcome = probe(question.row, now=timezone.now())
            is_good = outcome.kind is OutcomeKind.OK
            text = (is_good and accepted) or outcome.detail or outcome.kind.label
            level = messages.SUCCESS if is_good else messages.ERROR
            self.message_user(request, text, level)

        return self.ask_or_do(request, question, call)


@register_page(TrackingIntegration)
class TrackingIntegrationAdmin(KeptWhileUsed, IntegrationPage):
    instead = "Switch it off instead: nothing is matched or sent any more."
    resumed = "{} deliveries are tried again with these settings."
    list_display = (
        "brand",
        "provider_name",
        "address",
        "is_on",
        "delivery_health",
        "delivery_backlog",
    )
    readonly_fields = ("provider_name", *STATUS_FIELDS)
    actions_detail: ClassVar = ("test_connection",)

    @method_decorator(sensitive_post_parameters())
    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        return super().changeform_view(request, *args, **kwargs)

    def get_queryset(self, request: HttpRequest) -> QuerySet[TrackingIntegration]:
        rows: QuerySet[TrackingIntegration] = super().get_queryset(request)
        return rows.exclude(provider=WEBHOOK)

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        is_chosen = _adapter_for(request, None) is not None
        if is_chosen or not self.has_add_permission(request):
            page: HttpResponse = super().add_view(request, form_url, extra_context)
            return page
        context = {
            **self.admin_site.each_context(request),
            "title": "Which tracking provider?",
            "about": ABOUT,
            "adapters": trackers(),
            "networks": NETWORKS.items(),
            "opts": self.opts,
        }
        return TemplateResponse(
            request, "affiliates/admin/choose_provider.html", context
        )

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        network = _network_of(request)
        values = {} if network is None else network.values
        return {**super().get_changeform_initial_data(request), **values}

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any
    ) -> Any:
        adapter = _adapter_for(request, obj)
        form = ModelForm if adapter is None else form_for(IntegrationForm, adapter)
        return super().get_form(request, obj, change, **{**kwargs, "form": form})

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        adapter = _adapter_for(request, obj)
        if adapter is None:
            return [(None, {"fields": ("brand", "provider_name", *STATUS_FIELDS)})]
        name, about = _heading(request, adapter)
        common = ["brand", "is_active", "address", "parameters"]
        max_ages = ("click_max_age_days", "sale_max_age_days")
        sections: dict[str, Any] = {
            "Provider's settings": [f.name for f in adapter.fields if not f.is_secret],
            "Credentials": [f.name for f in adapter.fields if f.is_secret],
            "Delivery": ["ambiguous_sales", "requests_per_second", max_ages],
            "State": STATUS_FIELDS if obj is not None else (),
        }
        return [
            (name, {"fields": common, "description": about}),
            *[(name, {"fields": names}) for name, names in sections.items() if names],
        ]

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        # A provider of another release can only be viewed, not edited. The action's
        # own check passes an id instead of the row.
        provider = getattr(obj, "provider", None)
        is_known = provider is None or provider in ADAPTERS
        return is_known and super().has_change_permission(request, obj)

    @action(
        description="Test connection",
        url_path="test-connection",
        permissions=["change"],
    )
    def test_connection(self, request: HttpRequest, object_id: str) -> HttpResponse:
        integration = self.row_of(request, object_id)
        question = Question(
            title="Test the connection?",
            button="Test connection",
            paragraphs=[
                f"{integration.address} is called with the stored settings, for up to "
                "some seconds. Nothing is tracked there. Save first what you have "
                "changed."
            ],
            row=integration,
        )
        return self.ask_to_probe(request, question)


def _adapter_for(
    request: HttpRequest, integration: TrackingIntegration | None
) -> TrackingAdapter | None:
    code = integration.provider if integration else request.GET.get("provider", "")
    return None if code == WEBHOOK else ADAPTERS.get(code)


def _network_of(request: HttpRequest) -> Network | None:
    return NETWORKS.get(request.GET.get("network", ""))


def _heading(request: HttpRequest, adapter: TrackingAdapter) -> tuple[str, str]:
    """The title and the sentences above the form."""
    network = _network_of(request)
    if network is None:
        return adapter.name, adapter.about
    sentences = [REPLACE, *network.remarks]
    return network.name, format_html_join("", "<p>{}</p>", zip(sentences, strict=True))


class IntegrationInline(IntegrationStatus, ReadOnlyInline):
    model = TrackingIntegration
    verbose_name_plural = "tracking integrations"
    fields = ("provider_name", "is_active", *STATUS_FIELDS)
    readonly_fields = fields
    show_change_link = True

    def get_queryset(self, request: HttpRequest) -> QuerySet[TrackingIntegration]:
        rows: QuerySet[TrackingIntegration] = super().get_queryset(request)
        return rows.exclude(provider=WEBHOOK)
