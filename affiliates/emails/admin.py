from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.contrib import admin
from django.utils import timezone
from django.utils.html import format_html

from affiliates.admin_tools.base import ReadOnlyAdmin, requires
from affiliates.admin_tools.columns import (
    coloured_column,
    column,
    moment,
    row_column,
    row_link,
)
from affiliates.admin_tools.confirmation import Listing, list_rows
from affiliates.admin_tools.decisions import Chosen, Decides, StaffDecision
from affiliates.admin_tools.lists import search
from affiliates.admin_tools.lists.filters import DaysFilter
from affiliates.admin_tools.theme import register_page
from affiliates.emails import services
from affiliates.emails.models import Email
from affiliates.emails.preview.page import PreviewPage
from affiliates.outbox.queue.admin import STATE_COLOURS, WaitingFilter

GETS_IT_TWICE = (
    "A recipient who already has an unclear e-mail gets it twice. Both have the same "
    "Message-ID, by which many mail programs show one of them only."
)
NOTHING = (
    "Nothing here can be sent again: it is sent, on its way, or emptied for its age."
)


def _listing(chosen: Chosen) -> Listing:
    return list_rows(
        chosen.rows,
        {
            "Created": lambda row: row_link("email", row.pk, moment(row.created_at)),
            "Subject": lambda row: row.subject,
            "Recipient": lambda row: row.recipient,
            "State": lambda row: row.get_state_display(),
            "Reason": lambda row: row.detail or "-",
        },
        then=" would be sent again",
    )


def _send(chosen: Chosen, answers: Mapping[str, Any]) -> None:
    emails = Email.objects.filter(pk__in=chosen.ids)
    count = services.send_again(emails, now=timezone.now())
    text = f"Queued to be sent again: {count:,}."
    chosen.report(text, is_success=count > 0)


SEND_AGAIN = StaffDecision(
    name="send-again",
    permission="send",
    title="Send again?",
    button="Send again",
    paragraphs=[GETS_IT_TWICE],
    listing=_listing,
    waiting=services.repeatable,
    nothing=NOTHING,
    write=_send,
)


@register_page(Email)
class EmailAdmin(PreviewPage, Decides, ReadOnlyAdmin):
    about = "The e-mails to affiliates and what came of them, newest first."
    nothing_yet = "E-mails appear here by themselves, as when somebody has applied."
    list_display = (
        "created",
        "brand",
        "shown_subject",
        "recipient",
        "current_state",
        "attempt_count",
        "next_try",
        "detail",
    )
    list_filter = (("created_at", DaysFilter), "brand", "state", WaitingFilter, "kind")
    list_select_related = ("brand", "affiliate")
    ordering = ("-created_at",)
    sortable_by = ("created",)
    search_fields = (search.exactly("recipient", "message_id"),)
    search_help_text = "A whole address or Message-ID"
    actions: ClassVar = ("send_again",)
    actions_detail: ClassVar = ("send_this_again",)
    fieldsets = (
        (
            "E-mail",
            {
                "fields": (
                    ("brand", "affiliate"),
                    ("kind", "key"),
                    ("state", "detail"),
                    ("attempt_count", "next_try"),
                    ("created", "finished"),
                    ("message_id", "request_id"),
                )
            },
        ),
        ("What is sent", {"fields": ("recipient", "subject", "body")}),
    )
    has_send_permission = requires("affiliates.change_email")

    created = column("created_at", "Created", show=moment, ordering="created_at")
    finished = row_column("Finished", lambda row: moment(row.finished_at))
    shown_subject = row_column("Subject", str)
    next_try = row_column("Next attempt", lambda row: moment(row.next_at))
    current_state = coloured_column("state", "State", STATE_COLOURS)

    @admin.display(description="Text")
    def body(self, email: Email) -> str:
        return format_html(
            '<pre class="whitespace-pre-wrap">{}</pre>', email.shown_text
        )

    send_again = SEND_AGAIN.on_list("Send selected again")
    send_this_again = SEND_AGAIN.on_row("Send again")
