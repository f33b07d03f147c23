from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar

from django import forms
from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.views.decorators.debug import sensitive_variables

from affiliates.admin_tools import widgets
from affiliates.admin_tools.base import ReadOnlyAdmin, ReadOnlyInline, action, requires
from affiliates.admin_tools.columns import column, moment, page_link
from affiliates.admin_tools.confirmation import Question
from affiliates.admin_tools.decisions import Chosen, Decides, StaffDecision
from affiliates.admin_tools.forms import ModelForm
from affiliates.admin_tools.lists import search
from affiliates.admin_tools.theme import register_page
from affiliates.conf import conf
from affiliates.core.network import check_address
from affiliates.outbox.rules import WebhookEnd
from affiliates.outbox.selectors import describe_backlog
from affiliates.outbox.types import KINDS
from affiliates.tracking.admin import STATUS_FIELDS, IntegrationPage, IntegrationStatus
from affiliates.webhooks import services as webhooks
from affiliates.webhooks.announce import FactKind
from affiliates.webhooks.models import AffiliateWebhook, Webhook
from affiliates.webhooks.provider import PREVIOUS_UNTIL

DEFAULT_MAX_AGE_DAYS = 7
PING_ACCEPTED = "The receiver accepted the ping."


class WebhookForm(ModelForm):
    kinds = forms.MultipleChoiceField(
        label="Events",
        choices=FactKind.choices,
        required=False,
        widget=widgets.CheckboxSelectMultiple,
        help_text="None chosen: all of them, also those of later releases.",
    )

    class Meta:
        model = Webhook
        fields: ClassVar = (
            "brand",
            "is_active",
            "address",
            "requests_per_second",
            "sale_max_age_days",
        )
        labels: ClassVar = {
            "address": "Address",
            "sale_max_age_days": "Give up an event after",
        }
        help_texts: ClassVar = {
            "is_active": "Off: nothing is sent, and what waits is given up with that "
            "reason. It can be replayed later.",
            "address": "Where your receiver listens: https, a public name, no ? or #.",
            "sale_max_age_days": "Days.",
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # With view permission only, the form has no fields.
        if "kinds" in self.fields:
            self.fields["kinds"].initial = self.instance.config.get(KINDS, [])
        if "sale_max_age_days" in self.fields and self.instance.pk is None:
            self.fields["sale_max_age_days"].initial = DEFAULT_MAX_AGE_DAYS

    def clean_address(self) -> str:
        address: str = self.cleaned_data["address"]
        try:
            check_address(address, allowed_hosts=conf.tracking_allowed_hosts)
        except ValueError as error:
            raise forms.ValidationError(str(error)) from None
        return address

    def _post_clean(self) -> None:
        super()._post_clean()  # type: ignore[misc] # Django's own hook, untyped
        if not self.errors:
            kinds = self.cleaned_data["kinds"]
            self.instance.config = {**self.instance.config, KINDS: kinds}


class WebhookStatus(IntegrationStatus):
    @admin.display(description="Receiver answers")
    def receiver_health(self, webhook: Webhook) -> str:
        return self.delivery_health(webhook)

    @admin.display(description="Events")
    def events(self, webhook: Webhook) -> str:
        return ", ".join(webhook.config.get(KINDS, ())) or "All"

    @admin.display(description="Earlier secret")
    def earlier_secret(self, webhook: Webhook) -> str:
        until = webhook.config.get(PREVIOUS_UNTIL, "")
        if not until or datetime.fromisoformat(until) <= timezone.now():
            return "-"
        return f"Signs too until {moment(datetime.fromisoformat(until))}"


@register_page(Webhook)
class WebhookAdmin(WebhookStatus, IntegrationPage):
    """Webhooks are never deleted: a process may be about to write a delivery."""

    resumed = "{} events are sent again now."
    form = WebhookForm
    list_display = (
        "brand",
        "host",
        "events",
        "is_on",
        "receiver_health",
        "delivery_backlog",
    )
    readonly_fields = ("receiver_health", "earlier_secret", *STATUS_FIELDS[1:])
    actions_detail: ClassVar = ("ping", "new_secret")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Webhook]:
        rows: QuerySet[Webhook] = super().get_queryset(request)
        return rows.filter(affiliate=None)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        sections = [
            (None, {"fields": ["brand", "is_active", "address", "kinds"]}),
            ("Delivery", {"fields": [("requests_per_second", "sale_max_age_days")]}),
        ]
        if obj is not None:
            sections.append(("State", {"fields": list(self.readonly_fields)}))
        return sections

    @sensitive_variables()
    def save_model(
        self, request: HttpRequest, obj: Any, form: Any, change: bool
    ) -> None:
        if change:
            super().save_model(request, obj, form, change)
        else:
            # Read by response_add, which Django calls with this same request.
            request.webhook_secret = webhooks.add_webhook(obj)  # type: ignore[attr-defined]

    @sensitive_variables()
    def response_add(
        self, request: HttpRequest, obj: Webhook, post_url_continue: Any = None
    ) -> HttpResponse:
        return self._show_secret(request, obj, request.webhook_secret)  # type: ignore[attr-defined]

    @action(description="Send a ping", url_path="ping", permissions=["change"])
    def ping(self, request: HttpRequest, object_id: str) -> HttpResponse:
        webhook = self.row_of(request, object_id)
        question = Question(
            title="Send a ping?",
            button="Send a ping",
            paragraphs=[
                f"{webhook.address} is sent an event of the type ping with the stored "
                "settings. Save first what you have changed."
            ],
            row=webhook,
        )
        return self.ask_to_probe(request, question, accepted=PING_ACCEPTED)

    @sensitive_variables()
    @action(description="New secret", url_path="new-secret", permissions=["change"])
    def new_secret(self, request: HttpRequest, object_id: str) -> HttpResponse:
        webhook = self.row_of(request, object_id)
        question = Question(
            title="Make a new secret?",
            button="Make a new secret",
            paragraphs=[
                "For a day every event is signed with the old one as well, so that the "
                "receiver can be moved over. If the old one has leaked, do this twice."
            ],
            row=webhook,
        )

        @sensitive_variables()
        def rotate() -> HttpResponse:
            secret = webhooks.rotate_secret(webhook.pk, now=timezone.now())
            self.log_change(request, webhook, "Made a new secret.")
            return self._show_secret(request, webhook, secret)

        return self.ask_or_do(request, question, rotate)

    @sensitive_variables()
    def _show_secret(
        self, request: HttpRequest, webhook: Webhook, secret: str
    ) -> HttpResponse:
        """Shows the secret in this answer only: no message, session or page has it."""
        context = {
            **self.admin_site.each_context(request),
            "title": "The webhook's secret",
            "opts": self.opts,
            "webhook": webhook,
            "secret": secret,
        }
        page = "affiliates/admin/webhook_secret.html"
        answer = TemplateResponse(request, page, context)
        add_never_cache_headers(answer)
        return answer


class WebhookInline(WebhookStatus, ReadOnlyInline):
    model = Webhook
    fields = ("host", "events", "is_active", "receiver_health")
    readonly_fields = fields
    show_change_link = True

    def get_queryset(self, request: HttpRequest) -> QuerySet[Webhook]:
        rows: QuerySet[Webhook] = super().get_queryset(request)
        return rows.filter(affiliate=None)


def _switch_off(chosen: Chosen, answers: Mapping[str, Any]) -> str:
    webhook = chosen.row
    webhooks.end_webhooks([webhook.affiliate_id], end=WebhookEnd.STAFF)
    chosen.page.log_change(chosen.request, webhook, "Switched off.")
    return "The webhook is off."


@register_page(AffiliateWebhook)
class AffiliateWebhookAdmin(WebhookStatus, Decides, ReadOnlyAdmin):
    """Affiliates set, test and correct their webhooks; staff may end one."""

    about = "Webhooks that affiliates have set for themselves, newest first."
    nothing_yet = "A row appears when an affiliate sets one."
    list_display = ("of", "brand", "host", "events", "is_active", "receiver_health")
    list_select_related = ("affiliate", "brand", "health")
    list_filter = ("is_active", "end", "brand")
    search_fields = (search.affiliates(), search.containing("address"))
    actions_detail: ClassVar = ("switch_off",)
    fields = (
        ("of", "brand"),
        ("address", "events"),
        ("is_active", "end"),
        "receiver_health",
        "waiting",
        STATUS_FIELDS[2:],
    )
    has_switch_permission = requires("affiliates.change_webhook")

    of = column("affiliate", "Affiliate", show=page_link)

    @admin.display(description="Waiting to be sent")
    def waiting(self, webhook: Webhook) -> str:
        return describe_backlog(webhook, now=timezone.now()) or "Nothing"

    switch_off = StaffDecision(
        name="switch-off",
        permission="switch",
        title="Switch this webhook off?",
        button="Switch off",
        paragraphs=[
            "What waits is given up. The affiliate reads that staff did it, and may "
            "switch it on again; suspend the affiliate where that must not be."
        ],
        is_open=lambda webhook: webhook.is_active,
        write=_switch_off,
    ).on_row("Switch off")
