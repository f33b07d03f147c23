from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms
from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html, format_html_join

from affiliates.admin_tools import widgets
from affiliates.admin_tools.base import ModelAdmin, ReadOnlyInline, action, requires
from affiliates.admin_tools.columns import (
    coloured_column,
    column,
    moment,
    page_link,
    row_column,
    row_link,
)
from affiliates.admin_tools.decisions import Chosen, Decides, StaffDecision, already
from affiliates.admin_tools.editing.translations import TranslationsField
from affiliates.admin_tools.forms import ModelForm
from affiliates.admin_tools.lists.filters import DaysFilter
from affiliates.admin_tools.lists.services import normal_query
from affiliates.admin_tools.naming import page_name
from affiliates.admin_tools.theme import extend_page, register_page
from affiliates.contrib.announcements import selectors, services
from affiliates.contrib.announcements.models import (
    MAX_SUBJECT,
    MAX_TEXT,
    Announcement,
    AnnouncementRecipient,
)
from affiliates.contrib.announcements.rules import AnnouncementState, LeftOut
from affiliates.emails.preview.page import show_preview
from affiliates.emails.types import EmailKind
from affiliates.errors import StateConflict
from affiliates.program.models import Affiliate

STATE_COLOURS = {
    AnnouncementState.DRAFT: "warning",
    AnnouncementState.SENDING: "info",
    AnnouncementState.SENT: "success",
}
WRITTEN = ("subject", "subject_translations", "text", "text_translations")
HISTORY = (
    ("brand", "coloured_state"),
    ("audience", "list_now"),
    ("created", "created_by"),
    ("sent", "sent_by"),
    ("chosen", "delivered", "failed", "not_sent", "waiting"),
)
ABOUT = "The announcement as an affiliate gets it."
EVERYBODY = "All affiliates"
OPENED = "Links first opened, by a person or a program"
TEXT = (
    "As it is read, after the greeting. Addresses that begin with https:// become links. "
    "Who opens one first, and when, is shown below: it may be a person or a program that "
    "checks e-mails."
)
TEST_BRAND = "This is a test brand: no e-mail is sent."
ONCE = "It is sent once, and cannot be changed or stopped afterwards."


class AnnouncementForm(ModelForm):
    subject_translations = TranslationsField(
        max_length=MAX_SUBJECT, widget=widgets.TextInput
    )
    text_translations = TranslationsField(max_length=MAX_TEXT)

    class Meta:
        model = Announcement
        fields: ClassVar = ("subject", "text")
        widgets: ClassVar = {"text": widgets.Textarea}
        help_texts: ClassVar = {"text": TEXT}


class LanguageForm(forms.Form):
    language = forms.ChoiceField(choices=selectors.languages, widget=widgets.Select)


def _result(recipient: AnnouncementRecipient) -> str:
    if recipient.email is None:
        return recipient.get_left_out_display() or "-"
    return row_link("email", recipient.email.pk, recipient.email.get_state_display())


def _opened(recipient: AnnouncementRecipient) -> str:
    links = recipient.announcement.links
    return format_html_join(
        ", ",
        "{} ({})",
        (
            (links[opening.number], moment(opening.opened_at))
            for opening in recipient.openings.all()
        ),
    )


class RecipientInline(ReadOnlyInline):
    model = AnnouncementRecipient
    verbose_name_plural = "recipients"
    hide_title = True
    fields = ("to", "result", "reason", "opened")
    related = ("announcement", "affiliate", "email")

    to = row_column("Affiliate", lambda row: page_link(row.affiliate))
    result = row_column("E-mail", _result)
    reason = row_column("Reason", lambda row: row.email.detail if row.email else "")
    opened = row_column(OPENED, _opened)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        return super().get_queryset(request).prefetch_related("openings")


def _list_of(announcement: Announcement) -> str:
    address = reverse(page_name("affiliate", "changelist"))
    link = '<a href="{}?{}" class="text-link">The list now</a>'
    return format_html(link, address, announcement.query)


def _expected(chosen: Chosen) -> dict[str, Any]:
    announcement = chosen.row
    day = timezone.now().astimezone(announcement.brand.zone()).date()
    counts = selectors.expected_of(announcement, day=day)
    facts = {"To": announcement.audience, "Get it": f"{counts.pop(None, 0):,}"}
    left_out = {reason.label: f"{counts[reason]:,}" for reason in LeftOut}
    notices = [TEST_BRAND] if announcement.brand.is_test else []
    return {"facts": facts | left_out, "paragraphs": [*notices, ONCE]}


def _send(chosen: Chosen, answers: Mapping[str, Any]) -> str:
    services.send_announcement(
        chosen.row.pk, actor_id=chosen.actor_id, now=timezone.now()
    )
    return "The announcement is being sent."


SEND = StaffDecision(
    name="send",
    permission="send",
    title="Send “{rows}”?",
    button="Send",
    details=_expected,
    is_open=lambda row: row.is_draft,
    is_late=lambda row: already(row, AnnouncementState(row.state), row.sent_by),
    write=_send,
)


def _count(name: str, label: str) -> Any:
    return row_column(label, lambda row: f"{row.counts[name]:,}")


@register_page(Announcement)
class AnnouncementAdmin(Decides, ModelAdmin):
    form = AnnouncementForm
    list_display = (
        "title",
        "brand",
        "coloured_state",
        "sent",
        "sent_by",
        "chosen",
        "delivered",
        "failed",
        "not_sent",
        "waiting",
    )
    list_filter = (("sent_at", DaysFilter), "state", "brand")
    list_select_related = ("brand", "sent_by")
    ordering = ("-pk",)
    actions_detail: ClassVar = ("preview", "send")
    fieldsets = (
        ("Announcement", {"fields": WRITTEN}),
        ("History", {"fields": HISTORY}),
    )
    inlines_of_saved = (RecipientInline,)

    title = row_column("Subject", str)
    list_now = row_column("List", _list_of)
    coloured_state = coloured_column("state", "State", STATE_COLOURS)
    created = column("created_at", "Drafted", show=moment)
    sent = column("sent_at", "Sent", show=moment, ordering="sent_at")
    chosen = _count("chosen", "Recipients")
    delivered = _count("delivered", "Delivered")
    failed = _count("failed", "Failed")
    not_sent = _count("not_sent", "Not sent")
    waiting = _count("waiting", "Waiting")

    has_send_permission = requires("affiliates_announcements.send_announcement")
    send = SEND.on_row("Send…")

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> Any:
        return [name for line in HISTORY for name in line]

    @action(description="Preview and test", url_path="preview", permissions=["view"])
    def preview(self, request: HttpRequest, object_id: str) -> HttpResponse:
        announcement = self.row_of(request, object_id)
        return show_preview(
            self,
            request,
            LanguageForm(
                {"language": selectors.languages()[0][0], **request.GET.dict()}
            ),
            title=f"Preview of {announcement}",
            about=ABOUT,
            kind=EmailKind.ANNOUNCEMENT,
            brand=announcement.brand,
            values=selectors.values_of(announcement),
        )

    def prepare_rows(self, rows: list[Any]) -> None:
        super().prepare_rows(rows)
        counts = selectors.counts_of(rows)
        for row in rows:
            row.counts = counts[row.pk]

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        is_open = obj is None or obj.is_draft
        return is_open and bool(super().has_change_permission(request, obj))

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@extend_page(Affiliate)
class WritesToAffiliates:
    """Adds the action to the list of affiliates."""

    # One announcement may go to all pages of the list.
    list_disable_select_all = False
    actions: ClassVar = ("write_to",)

    has_announce_permission = requires("affiliates_announcements.change_announcement")

    @action(description="Write to these affiliates…", permissions=["announce"])
    def write_to(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse:
        page: Any = self
        pills = page.get_changelist_instance(request).pills
        filters = "; ".join(f"{pill.label}: {pill.value}" for pill in pills)
        is_all = request.POST.get("select_across") == "1"
        try:
            announcement = services.draft_announcement(
                queryset,
                audience=f"{'All' if is_all else 'Chosen'} of: {filters or EVERYBODY}",
                query=normal_query(request.GET.urlencode()),
                actor_id=request.user.pk,
                now=timezone.now(),
            )
        except StateConflict as refusal:
            page.message_user(request, refusal.detail, messages.ERROR)
            return HttpResponseRedirect(request.get_full_path())
        address = page_name("announcement", "change", site=page.admin_site.name)
        return HttpResponseRedirect(reverse(address, args=[announcement.pk]))
