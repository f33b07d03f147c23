from __future__ import annotations

from collections.abc import Collection
from datetime import timedelta
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from affiliates.admin_tools.base import ReadOnlyAdmin, ReadOnlyInline
from affiliates.admin_tools.columns import client_link, column, moment, page_link
from affiliates.admin_tools.lists import search
from affiliates.admin_tools.lists.filters import DaysFilter
from affiliates.admin_tools.theme import register_page
from affiliates.program.models import Affiliate
from affiliates.referrals.external_fields import ExternalTouchFields
from affiliates.referrals.models import (
    ClientReferral,
    DecisionOverride,
)
from affiliates.referrals.rules.replay import winner_of
from affiliates.referrals.selectors import (
    MAX_DECISIONS,
    credited_counts,
    stood_down_counts,
)

STAND_DOWN_DAYS = 90


@register_page(ClientReferral)
class ClientReferralAdmin(ReadOnlyAdmin):
    about = (
        "Clients who registered with a referral cookie, and the affiliate each of them "
        "is bound to: the brand's own, the tracking integration's or both."
    )
    list_display = ("bound", "client_email", "affiliate", "tracked", "brand", "step")
    ordering = ("-bound_at",)
    sortable_by = ("bound",)
    list_filter = (("bound_at", DaysFilter), "brand", "step")
    list_select_related = ("client", "affiliate", "brand", "integration")
    search_fields = (
        search.affiliates(),
        search.exactly("external_affiliate", "click_id"),
        search.clients(),
    )
    search_parts = (search.clients_like(),)
    search_help_text = "Affiliate or the client's e-mail address"
    fieldsets = (
        ("Client", {"fields": (("client_email", "brand"), ("step", "bound"))}),
        ("Sent by", {"fields": (("affiliate", "clicked"), "click_id", "visitor_id")}),
        (
            "Sent by the tracking integration",
            {"fields": (("tracked", "external_clicked"), "external_click_id")},
        ),
    )

    bound = column("bound_at", "Bound", show=moment, ordering="bound_at")
    clicked = column("touched_at", "Clicked", show=moment)
    external_clicked = column("external_touched_at", "Clicked", show=moment)
    client_email = column("client", "Client", show=client_link)

    @admin.display(description="Tracking integration")
    def tracked(self, referral: ClientReferral) -> str:
        return tracked_by(referral)


@register_page(DecisionOverride)
class DecisionOverrideAdmin(ReadOnlyAdmin):
    about = "Orders that staff gave to an affiliate or took away, and why."
    list_display = (
        "made",
        "story",
        "brand",
        "replaced_winner",
        "given_to",
        "reason",
        "by",
    )
    list_filter = (("at", DaysFilter), "referral__brand")
    list_select_related = ("referral__brand", "affiliate", "actor")
    search_fields = (
        search.named("referral", search.orders()),
        search.named("referral", search.invoices()),
        search.affiliates(),
    )
    search_parts = (search.containing("reason"),)
    search_help_text = "Order, invoice, affiliate's code or a part of the reason"
    invoice_path = "referral.invoice_ref"
    fields = (("made", "by"), "story", ("replaced_winner", "given_to"), "reason")

    brand = column("referral.brand", "Brand")
    made = column("at", "Made", show=moment, ordering="id")
    by = column("actor", "Staff")
    replaced_winner = column("replaced", "Before", show=winner_of)

    @admin.display(description="Order")
    def story(self, override: DecisionOverride) -> str:
        return page_link(override.referral)

    @admin.display(description="Given to")
    def given_to(self, override: DecisionOverride) -> str:
        return str(override.affiliate or "Nobody")


class StoodDownInline(ReadOnlyInline):
    """Affiliates whose clicks came too late, on the page of their brand."""

    model = Affiliate
    verbose_name_plural = (
        f"affiliates whose clicks stood down at the checkout, {STAND_DOWN_DAYS} days, "
        f"at most {MAX_DECISIONS:,} orders"
    )
    show_title = False
    show_change_link = True
    fields = ("code", "status", "clicks", "credited")
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Affiliate]:
        affiliates: QuerySet[Affiliate] = super().get_queryset(request)
        return affiliates.filter(pk__in=self._count(request))

    def get_formset(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> Any:
        self._count(request)
        return super().get_formset(request, obj, **kwargs)

    def _count(self, request: HttpRequest) -> Collection[int]:
        """The affiliates with such clicks. Counted once per page and inline."""
        match = request.resolver_match
        brand = None if match is None else match.kwargs.get("object_id")
        if brand is not None and not hasattr(self, "counts"):
            since = timezone.now() - timedelta(days=STAND_DOWN_DAYS)
            self.counts = stood_down_counts(brand_id=int(brand), since=since)
            self.credits = credited_counts(
                self.counts.keys(), brand_id=int(brand), since=since
            )
        return getattr(self, "counts", {}).keys()

    @admin.display(description="Clicks too late")
    def clicks(self, affiliate: Affiliate) -> int:
        return self.counts[affiliate.pk]

    @admin.display(description="Orders credited")
    def credited(self, affiliate: Affiliate) -> int:
        return self.credits[affiliate.pk]


def tracked_by(referral: ExternalTouchFields) -> str:
    """The integration's provider and its affiliate, as shown in a column."""
    if referral.integration is None:
        return "-"
    return f"{referral.integration.provider} {referral.external_affiliate}".rstrip()
