from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, ClassVar

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.utils.html import format_html

from affiliates.adapter import Reference
from affiliates.admin_tools.base import (
    ReadOnlyAdmin,
    ReadOnlyInline,
    action,
    display,
    requires,
)
from affiliates.admin_tools.columns import host_link, moment, row_link
from affiliates.admin_tools.confirmation import (
    Listing,
    Question,
    is_answered,
    list_rows,
)
from affiliates.admin_tools.decisions import Chosen, Decides, StaffDecision
from affiliates.admin_tools.lists.filters import DaysFilter, VisibleFilter
from affiliates.admin_tools.lists.invoice_numbers import number_invoices
from affiliates.admin_tools.theme import register_page
from affiliates.admin_tools.visible import offer_visible
from affiliates.outbox import services
from affiliates.outbox.models.delivery import Delivery, DeliveryAttempt
from affiliates.outbox.queue.admin import STATE_COLOURS, WaitingFilter
from affiliates.outbox.queue.rules import QueueState
from affiliates.outbox.resend_form import ReplayForm, replayable
from affiliates.outbox.selectors import deliveries_of
from affiliates.outbox.sending.lease import waits_for
from affiliates.outbox.types import INVOICE_SUBJECT, WEBHOOK, Operation

REPLAY = "affiliates/admin/replay.html"
THEN = " would be sent again"
SENDING_AGAIN: dict[str, Any] = {
    "button": "Send all again",
    "paragraphs": [
        "A provider that has accepted one already may count it twice, unless it can be "
        "looked up there."
    ],
    "nothing": "Nothing here can be sent again: it is delivered, or on its way already.",
}


class AttemptInline(ReadOnlyInline):
    model = DeliveryAttempt
    verbose_name_plural = "attempts"
    fields = ("number", "started", "operation", "took", "status_code", "outcome", "why")
    readonly_fields = fields

    @admin.display(description="Started")
    def started(self, attempt: DeliveryAttempt) -> str:
        return moment(attempt.started_at)

    @admin.display(description="Took")
    def took(self, attempt: DeliveryAttempt) -> str:
        return f"{attempt.duration_ms:,} ms"

    @admin.display(description="Reason")
    def why(self, attempt: DeliveryAttempt) -> str:
        return attempt.detail or "-"


def _listing(deliveries: QuerySet[Delivery], *, then: str = "") -> Listing:
    columns: dict[str, Callable[[Delivery], object]] = {
        "Created": lambda row: row_link("delivery", row.pk, moment(row.created_at)),
        "Operation": lambda row: row.get_operation_display(),
        "Invoice": lambda row: row.invoice_number or "-",  # type: ignore[attr-defined] # asked for the page
        "State": lambda row: row.get_state_display(),
        "Reason": lambda row: row.detail or "-",
    }
    return list_rows(deliveries, columns, then=then, invoice_path="order_ref")


def _send(page: Any, request: HttpRequest, deliveries: QuerySet[Delivery]) -> None:
    count = services.retry_deliveries(deliveries, now=timezone.now())
    level = messages.SUCCESS if count else messages.WARNING
    page.message_user(request, f"{count:,} deliveries are sent again.", level)


def _resolve(arrived: bool, chosen: Chosen, answers: Mapping[str, Any]) -> str | None:
    delivery, now = chosen.row, timezone.now()
    if services.resolve_by_hand(delivery, arrived=arrived, now=now):
        return "Marked as delivered." if arrived else "Queued to be sent again."
    row = Delivery.objects.filter(pk=delivery.pk)
    if not arrived and services.retry_deliveries(row, now=now):
        return "Queued to be sent again."
    state = QueueState(delivery.state).label
    chosen.report(f"Nothing was changed. Its state: {state}.", is_success=False)
    return None


def _is_unclear(delivery: Delivery) -> bool:
    return delivery.state == QueueState.UNCLEAR


def _is_replayable(delivery: Delivery) -> bool:
    return replayable(Delivery.objects.filter(pk=delivery.pk)).exists()


RETRY = StaffDecision(
    name="retry",
    permission="send",
    title="Send selected deliveries again?",
    listing=lambda chosen: _listing(chosen.rows, then=THEN),
    waiting=replayable,
    write=lambda chosen, answers: _send(chosen.page, chosen.request, chosen.rows),
    **SENDING_AGAIN,
)
IT_ARRIVED = StaffDecision(
    name="it-arrived",
    permission="send",
    title="Did it arrive?",
    button="Yes, it arrived",
    listing=lambda chosen: _listing(chosen.rows),
    is_open=_is_unclear,
    write=partial(_resolve, True),
)
SEND_AGAIN = StaffDecision(
    name="again",
    permission="send",
    title="Send it again?",
    button="Send it again",
    listing=lambda chosen: _listing(chosen.rows),
    is_open=lambda delivery: _is_unclear(delivery) or _is_replayable(delivery),
    write=partial(_resolve, False),
)


class IntegrationFilter(VisibleFilter):
    """Leaves out affiliates' own webhooks."""

    limited_to: ClassVar = {"affiliate": None}


@register_page(Delivery)
class DeliveryAdmin(Decides, ReadOnlyAdmin):
    about = (
        "What tracking providers and webhooks are notified of, and what came of it, newest "
        "first."
    )
    list_display = (
        "created",
        "what",
        "integration",
        "order",
        "current_state",
        "attempt_count",
        "next_try",
        "detail",
    )
    list_filter = (
        ("created_at", DaysFilter),
        "brand",
        "operation",
        "state",
        "outcome",
        WaitingFilter,
        ("integration", IntegrationFilter),
    )
    list_select_related = ("integration__brand",)
    ordering = ("-created_at",)
    sortable_by = ("created",)
    invoice_path = "order_ref"
    # Whole values only, so that the indexes are used.
    search_fields = (deliveries_of,)
    search_help_text = "A whole invoice number, visitor identifier, subject or key"
    inlines = (AttemptInline,)
    actions: ClassVar = ("retry",)
    actions_list = ("replay",)
    actions_detail: ClassVar = ("it_arrived", "send_again")
    fieldsets = (
        (
            "Delivery",
            {
                "fields": (
                    ("notified", "what"),
                    ("state", "outcome"),
                    "detail",
                    ("attempt_count", "next_try"),
                    "waits",
                    ("created", "finished"),
                    "request_id",
                )
            },
        ),
        (
            "What is sent",
            {"fields": (("order", "remote_ref"), "visitor_ref", "facts")},
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Delivery]:
        """Leaves out affiliates' own webhooks, which the affiliates maintain."""
        rows: QuerySet[Delivery] = super().get_queryset(request)
        return rows.filter(integration__affiliate=None)

    def prepare_rows(self, rows: list[Any]) -> None:
        """Numbers also the invoices that events are about."""
        super().prepare_rows(rows)
        about = [row for row in rows if row.visitor_ref.startswith(INVOICE_SUBJECT)]
        for row in about:
            row.subject_ref = row.visitor_ref.removeprefix(INVOICE_SUBJECT)
        number_invoices(about, "subject_ref")

    @admin.display(description="Created", ordering="created_at")
    def created(self, delivery: Delivery) -> str:
        return moment(delivery.created_at)

    @admin.display(description="Operation")
    def what(self, delivery: Delivery) -> str:
        label = Operation(delivery.operation).label
        return str(delivery.payload.get("type", label))

    @admin.display(description="Integration")
    def notified(self, delivery: Delivery) -> str:
        is_webhook = delivery.integration.provider == WEBHOOK
        page = "webhook" if is_webhook else "trackingintegration"
        return row_link(page, delivery.integration_id, delivery.integration)

    @admin.display(description="Finished")
    def finished(self, delivery: Delivery) -> str:
        return moment(delivery.finished_at)

    @admin.display(description="Next attempt")
    def next_try(self, delivery: Delivery) -> str:
        return moment(delivery.next_at)

    @admin.display(description="Waits for")
    def waits(self, delivery: Delivery) -> str:
        earlier = waits_for(delivery, now=timezone.now())
        return "-" if earlier is None else row_link("delivery", earlier.pk, earlier)

    @display(description="State", label=STATE_COLOURS)
    def current_state(self, delivery: Delivery) -> tuple[str, str]:
        return delivery.state, str(QueueState(delivery.state).label)

    @admin.display(description="Invoice or subject")
    def order(self, delivery: Delivery) -> str:
        ref = getattr(delivery, "subject_ref", delivery.order_ref)
        if not ref:
            return (
                delivery.visitor_ref if delivery.operation == Operation.EVENT else "-"
            )
        number = delivery.invoice_number  # type: ignore[attr-defined] # asked for the page
        return host_link(Reference.INVOICE, ref, number)

    @admin.display(description="Facts")
    def facts(self, delivery: Delivery) -> str:
        text = json.dumps(delivery.payload, indent=2, ensure_ascii=False)
        return format_html('<pre class="affiliates-facts-json">{}</pre>', text)

    has_send_permission = requires("affiliates.change_delivery")

    retry = RETRY.on_list("Send selected again")
    it_arrived = IT_ARRIVED.on_row("It arrived")
    send_again = SEND_AGAIN.on_row("Send it again")

    @action(description="Replay a time range", url_path="replay", permissions=["send"])
    def replay(self, request: HttpRequest) -> HttpResponse:
        today = timezone.localdate()
        form = ReplayForm(
            request.GET if "first_day" in request.GET else None,
            initial={"first_day": today, "last_day": today},
        )
        offer_visible(request.user, form.fields.values())
        title = "Send deliveries of a time range again"
        if not form.is_valid():
            question = Question(title=title, button="")
            return self.ask(request, question, template=REPLAY, range=form)
        deliveries = form.deliveries()
        question = Question(
            title=title,
            listing=lambda: _listing(deliveries, then=THEN),
            **SENDING_AGAIN,
        )
        if is_answered(request):
            return self.ask_or_do(
                request, question, lambda: _send(self, request, deliveries)
            )
        return self.ask(request, question, template=REPLAY, range=form)
