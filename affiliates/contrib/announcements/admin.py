from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar

from django import forms
from django.conf import settings
from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html_join

from affiliates.admin_tools import widgets
from affiliates.admin_tools.base import (
    LookOnly,
    ModelAdmin,
    ReadOnlyInline,
    action,
    requires,
)
from affiliates.admin_tools.columns import (
    column,
    moment,
    page_link,
    row_column,
    row_link,
)
from affiliates.admin_tools.decisions import Chosen, Decides, StaffDecision
from affiliates.admin_tools.editing.translations import TranslationsField
from affiliates.admin_tools.forms import ModelForm
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
from affiliates.contrib.announcements.rules import LeftOut
from affiliates.emails.preview.page import show_preview
from affiliates.emails.types import EmailKind
from affiliates.errors import StateConflict
from affiliates.program.models import Affiliate

WRITTEN = ("subject", "subject_translations", "text", "text_translations")
HISTORY = ("brand", "audience", "query", "state", "sent", "sent_by", "results")
TEXT = (
    "Without a greeting. Addresses that begin with https:// become links. The page then "
    "shows who first opened them and when: a person, or a program that checks e-mails."
)
OPENED = "Links first opened, by a person or a program"
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
        help_texts: ClassVar = {"text": TEXT}


class LanguageForm(forms.Form):
    language = forms.ChoiceField(
        choices=lambda: settings.LANGUAGES, widget=widgets.Select
    )


def _result(recipient: AnnouncementRecipient) -> str:
    if (email := recipient.email) is None:
        return recipient.get_left_out_display() or "-"
    return row_link("email", email.pk, f"{email.get_state_display()} {email.detail}")


def _opened(recipient: AnnouncementRecipient) -> str:
    links, opened = recipient.announcement.links, recipient.opened.items()
    rows = ((links[int(key)], moment(datetime.fromisoformat(at))) for key, at in opened)
    return format_html_join(", ", "{} ({})", rows)


class RecipientInline(ReadOnlyInline):
    model = AnnouncementRecipient
    verbose_name_plural = "recipients"
    show_title = False
    fields = ("to", "result", "opened_links")
    related = ("announcement", "affiliate", "email")

    to = column("affiliate", "Affiliate", show=page_link)
    result = row_column("E-mail", _result)
    opened_links = row_column(OPENED, _opened)


def _results(announcement: Announcement) -> str:
    counts = {name: getattr(announcement, name) for name in selectors.COUNTS}
    named = [f"{count:,} {name}" for name, count in counts.items() if count]
    return ", ".join(named).replace("_", " ")


def _expected(chosen: Chosen) -> dict[str, Any]:
    brand = chosen.row.brand
    day = timezone.now().astimezone(brand.zone()).date()
    counts = selectors.expected_of(chosen.row, day=day)
    left_out = {reason.label: f"{counts[reason]:,}" for reason in LeftOut}
    facts = {"To": chosen.row.audience, "Get it": f"{counts[None]:,}", **left_out}
    paragraphs = [TEST_BRAND, ONCE] if brand.is_test else [ONCE]
    return {"facts": facts, "paragraphs": paragraphs}


def _send(chosen: Chosen, answers: Mapping[str, Any]) -> str:
    now = timezone.now()
    services.send_announcement(chosen.row.pk, actor_id=chosen.actor_id, now=now)
    return "The announcement is being sent."


@register_page(Announcement)
class AnnouncementAdmin(Decides, LookOnly, ModelAdmin):
    form = AnnouncementForm
    list_display = ("title", "brand", "state", "sent", "sent_by", "results")
    list_filter = ("state", "brand")
    list_select_related = ("brand", "sent_by")
    list_per_page = 25
    actions_detail: ClassVar = ("preview", "send")
    fieldsets = (
        ("Announcement", {"fields": WRITTEN}),
        ("History", {"fields": HISTORY}),
    )
    readonly_fields = HISTORY
    inlines_of_saved = (RecipientInline,)

    title = row_column("Subject", str)
    sent = column("sent_at", "Sent", show=moment)
    results = row_column("E-mails", _results)

    has_send_permission = requires("affiliates_announcements.send_announcement")
    send = StaffDecision(
        name="send",
        permission="send",
        title="Send “{rows}”?",
        button="Send",
        details=_expected,
        is_open=lambda row: row.is_draft,
        write=_send,
    ).on_row("Send…")

    @action(description="Preview and test", url_path="preview", permissions=["view"])
    def preview(self, request: HttpRequest, object_id: str) -> HttpResponse:
        row = self.row_of(request, object_id)
        return show_preview(
            self,
            request,
            LanguageForm({"language": settings.LANGUAGES[0][0], **request.GET.dict()}),
            title=f"Preview of {row}",
            kind=EmailKind.ANNOUNCEMENT,
            brand=row.brand,
            values=selectors.values_of(row),
        )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows = super().get_queryset(request)
        counted: QuerySet[Any] = rows.annotate(**selectors.COUNTS)
        return counted

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        may = request.user.has_perm("affiliates_announcements.change_announcement")
        return may and (obj is None or obj.is_draft)


@extend_page(Affiliate)
class WritesToAffiliates:
    """Adds the action to the list of affiliates, for all pages of the list too."""

    list_disable_select_all = False
    actions: ClassVar = ("write_to",)
    has_announce_permission = requires("affiliates_announcements.change_announcement")

    @action(description="Write to these affiliates…", permissions=["announce"])
    def write_to(self, request: HttpRequest, queryset: QuerySet[Any]) -> HttpResponse:
        page: Any = self
        pills = page.get_changelist_instance(request).pills
        filters = "; ".join(f"{pill.label}: {pill.value}" for pill in pills)
        share = "All" if request.POST.get("select_across") == "1" else "Chosen"
        query = normal_query(request.GET.urlencode())
        try:
            announcement = services.draft_announcement(
                queryset, audience=f"{share} of: {filters or 'affiliates'}", query=query
            )
        except StateConflict as refusal:
            page.message_user(request, refusal.detail, messages.ERROR)
            return HttpResponseRedirect(request.get_full_path())
        address = page_name("announcement", "change", site=page.admin_site.name)
        return HttpResponseRedirect(reverse(address, args=[announcement.pk]))
