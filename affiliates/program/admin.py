from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar
from urllib.parse import urlencode

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.models import CHANGE, LogEntry
from django.db.models import Q, QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from affiliates.admin_tools.base import (
    KeptWhileUsed,
    ModelAdmin,
    action,
    display,
    requires,
)
from affiliates.admin_tools.columns import column, moment
from affiliates.admin_tools.confirmation import AsksFirst, Question, answer_of
from affiliates.admin_tools.editing.offering import offer_only
from affiliates.admin_tools.forms import reason_field
from affiliates.admin_tools.heads import OnlyWhatIsPossible
from affiliates.admin_tools.lists import search
from affiliates.admin_tools.lists.filters import DaysFilter
from affiliates.admin_tools.theme import register_page
from affiliates.admin_tools.visible import told_apart
from affiliates.program.models import Affiliate, AffiliateLink
from affiliates.program.rules import AffiliateStatus, tokens_in
from affiliates.program.services import change_status
from affiliates.program.slugs import clear_slug

STATUS_COLOURS = {
    AffiliateStatus.PENDING: "warning",
    AffiliateStatus.ACTIVE: "success",
    AffiliateStatus.SUSPENDED: "danger",
    AffiliateStatus.LEFT: "info",
}

NO_CLIENT_AREA = "Add a client area to the brand's domains first."
AFTER_SAVING = "Shown after saving."
TARGET = (
    "Where the link leads. Empty: the brand's default redirect URL. Another host is added "
    "to the brand's domains first."
)
WITHDRAWN = (
    "Addresses with this name lead to the usual page and credit nobody from then on. "
    "The name cannot be given to any link again. The link's address with its hash goes "
    "on working."
)
OF = "affiliate__id__exact"


def _no_affiliates(clients: QuerySet[Any], brand_id: int) -> QuerySet[Any]:
    return clients.exclude(affiliate_profiles__brand=brand_id)


def _active(affiliates: QuerySet[Any], brand_id: int) -> QuerySet[Any]:
    return affiliates.filter(status=AffiliateStatus.ACTIVE)


offer_only("affiliate", "user", _no_affiliates)
# The affiliate that takes over what another one has.
offer_only("affiliate", "merged_into", _active)


class WithdrawForm(forms.Form):
    reason = reason_field("Kept in the link's history.")


def in_address(field: str) -> search.Finder:
    """Finds rows whose hash or code is in an address, as a path or as a parameter."""
    return lambda model, text: Q(**{f"{field}__in": tokens_in(text)})


class AffiliateAdmin(KeptWhileUsed, ModelAdmin):
    """Registered by ``desk``, with other packages' sections on a saved affiliate."""

    instead = "Suspend it instead: its clicks and orders earn nothing from then on."
    list_display = ("code", "client", "brand", "coloured_status", "created")
    list_filter = (("created_at", DaysFilter), "status", "brand", "group")
    list_select_related = ("brand", "user")
    list_per_page = 50
    list_disable_select_all = True
    show_full_result_count = False
    ordering = ("-pk",)
    autocomplete_fields = ("brand", "user", "group", "plan", "recruiter")
    actions: tuple[str, ...] = ()
    actions_detail: ClassVar[tuple[str, ...]] = (
        "show_links",
        "add_link",
        "show_emails",
    )
    search_fields = (
        search.exactly("code"),
        in_address("code"),
        search.clients("user"),
    )
    search_parts = (search.containing("code"), search.clients_like("user"))
    search_help_text = "Code, address with the code or the client's e-mail address"
    # Clicks and orders are recorded under these, so they cannot change.
    # Actions change the status: they ask for the reason and notify the affiliate.
    fixed_once_saved = ("brand", "user", "status")
    readonly_fields = ("address", "created")
    fieldsets = (
        ("Affiliate", {"fields": ("brand", "user", "code", "status", "time_zone")}),
        ("Commission", {"fields": (("group", "plan"), "recruiter")}),
        ("Link with the code", {"fields": ("address", "created")}),
    )

    client = column("user", "Client")
    created = column("created_at", "Created", show=moment, ordering="id")

    def get_queryset(self, request: HttpRequest) -> QuerySet[Affiliate]:
        """Adds the brands' names, also for fields to choose an affiliate."""
        rows: QuerySet[Affiliate] = super().get_queryset(request)
        return told_apart(request, rows)

    @display(description="Status", ordering="status", label=STATUS_COLOURS)
    def coloured_status(self, affiliate: Affiliate) -> tuple[str, str]:
        return affiliate.status, affiliate.get_status_display()

    @admin.display(description="Address")
    def address(self, affiliate: Affiliate) -> str:
        if affiliate._state.adding:
            return AFTER_SAVING
        return _to_copy([affiliate.url()])

    has_view_links_permission = requires("affiliates.view_affiliatelink")
    has_add_link_permission = requires("affiliates.add_affiliatelink")
    has_view_emails_permission = requires("affiliates.view_email")

    @action(description="Links", url_path="links", permissions=["view_links"])
    def show_links(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._to_rows(request, object_id, "affiliatelink_changelist", OF)

    @action(description="Add a link", url_path="add-link", permissions=["add_link"])
    def add_link(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._to_rows(request, object_id, "affiliatelink_add", "affiliate")

    @action(description="E-mails", url_path="emails", permissions=["view_emails"])
    def show_emails(self, request: HttpRequest, object_id: str) -> HttpResponse:
        return self._to_rows(request, object_id, "email_changelist", OF)

    def change_status_of(
        self,
        request: HttpRequest,
        affiliates: QuerySet[Affiliate],
        status: AffiliateStatus,
        *,
        reason: str = "",
    ) -> None:
        rows = list(affiliates)
        # An application may be approved by itself at this moment: it is left as it is.
        chosen = Affiliate.objects.filter(
            pk__in=[row.pk for row in rows], status__in={row.status for row in rows}
        )
        others = change_status(chosen, status=status, reason=reason)
        self.report(request, rows, others, status, reason)

    def report(
        self,
        request: HttpRequest,
        rows: Sequence[Affiliate],
        others: Sequence[Affiliate],
        status: AffiliateStatus,
        reason: str,
    ) -> None:
        """Shows how many changed, and logs it in the history of each of them."""
        staff: Any = request.user
        said = f"Status: {status.label}. {reason}".rstrip()
        LogEntry.objects.log_actions(staff.pk, others, CHANGE, said)
        text = f"{len(others)} changed to {status.label.lower()}."
        if unchanged := len(rows) - len(others):
            text += f" {unchanged} unchanged."
        level = messages.SUCCESS if others else messages.WARNING
        self.message_user(request, text, level)

    def _to_rows(
        self, request: HttpRequest, object_id: str, page: str, parameter: str
    ) -> HttpResponse:
        affiliate = self.get_object(request, object_id)
        if affiliate is None:
            raise Http404
        url = reverse(f"{self.admin_site.name}:affiliates_{page}")
        return HttpResponseRedirect(f"{url}?{urlencode({parameter: affiliate.pk})}")


@register_page(AffiliateLink)
class AffiliateLinkAdmin(AsksFirst, OnlyWhatIsPossible, ModelAdmin):
    list_display = ("name", "affiliate", "brand", "target", "is_active", "created")
    list_filter = (("created_at", DaysFilter), "is_active", "affiliate__brand")
    list_select_related = ("affiliate__brand",)
    list_per_page = 50
    show_full_result_count = False
    ordering = ("-pk",)
    autocomplete_fields = ("affiliate",)
    search_fields = (
        search.exactly("hash", "slug", "old_code", "name", "target_url"),
        in_address("hash"),
        in_address("slug"),
        search.affiliates(),
        search.named("affiliate", search.clients("user")),
    )
    search_parts = (search.beginning("hash"), search.containing("name"))
    search_help_text = (
        "Its address, name or hash, the affiliate's code or the client's e-mail address"
    )
    fieldsets = (
        ("Link", {"fields": ("affiliate", "name", "target_url", "is_active")}),
        ("To copy", {"fields": ("addresses", "slug", "hash", "old_code", "created")}),
    )
    fixed_once_saved = ("affiliate",)
    readonly_fields = ("addresses", "slug", "hash", "old_code", "created")
    actions_detail = ("clear_slug",)

    brand = column("affiliate.brand", "Brand", ordering="affiliate__brand")
    created = column("created_at", "Created", show=moment, ordering="id")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Never: clicks name their link. Turn it off instead."""
        return False

    def get_form(self, *args: Any, **kwargs: Any) -> Any:
        return super().get_form(*args, help_texts={"target_url": TARGET}, **kwargs)

    has_clear_slug_permission = requires("affiliates.change_affiliatelink")

    def is_possible(self, request: HttpRequest, row: AffiliateLink, path: str) -> bool:
        return bool(row.slug_in_use)

    @action(
        description="Withdraw the name…",
        url_path="clear-slug",
        permissions=["clear_slug"],
    )
    def clear_slug(self, request: HttpRequest, object_id: str) -> HttpResponse:
        link = self.row_of(request, object_id)
        form = WithdrawForm(answer_of(request))
        question = Question(
            title=f"Withdraw the name {link.slug}?",
            button="Withdraw",
            paragraphs=[WITHDRAWN],
            form=form,
            row=link,
        )

        def withdraw() -> str:
            clear_slug(link.pk)
            said = f"Name {link.slug} withdrawn. {form.cleaned_data['reason']}"
            self.log_change(request, link, said)
            return f"The name {link.slug} is withdrawn."

        return self.ask_or_do(request, question, withdraw)

    @admin.display(description="Target")
    def target(self, link: AffiliateLink) -> str:
        return link.target_url or "Default redirect URL"

    @admin.display(description="Addresses")
    def addresses(self, link: AffiliateLink) -> str:
        if link._state.adding:
            return AFTER_SAVING
        return _to_copy(link.urls())


def _to_copy(addresses: list[str | None] | list[str]) -> str | SafeString:
    """Addresses that one click selects as a whole."""
    known = [address for address in addresses if address is not None]
    if not known:
        return NO_CLIENT_AREA
    lines = format_html_join(
        "", '<code class="affiliates-copy">{}</code>', ((code,) for code in known)
    )
    return format_html('<div class="affiliates-addresses">{}</div>', lines)
