from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, ClassVar

from django.http import HttpRequest
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html

from affiliates.admin_tools.base import (
    KeptWhileUsed,
    ModelAdmin,
    ReadOnlyAdmin,
    ReadOnlyInline,
    requires,
)
from affiliates.admin_tools.columns import column, moment, page_link, row_column
from affiliates.admin_tools.decisions import Chosen, Decides, StaffDecision
from affiliates.admin_tools.lists import search
from affiliates.admin_tools.lists.filters import DaysFilter
from affiliates.admin_tools.theme import register_page
from affiliates.contrib.offers.forms import OfferForm
from affiliates.contrib.offers.models import Offer, OfferCode, OfferVersion
from affiliates.contrib.offers.services import end_code, publish_offer
from affiliates.plans.admin import AS_PLAIN_DECIMALS


class OfferVersionInline(ReadOnlyInline):
    model = OfferVersion
    fields = ("number", "since", "text", "host_terms")
    verbose_name_plural = "versions"

    since = column("effective_from", "Codes since", show=moment)
    text = row_column("Text", lambda version: version.terms["text"])
    host_terms = row_column(
        "The host's terms", lambda row: json.dumps(row.terms["host_terms"])
    )


@register_page(Offer)
class OfferAdmin(KeptWhileUsed, ModelAdmin):
    form = OfferForm
    formfield_overrides = AS_PLAIN_DECIMALS
    instead = "Switch it off instead: no codes are made from then on."
    list_display = ("name", "brand", "plan", "text", "valid_until", "is_active")
    list_filter = ("is_active", "brand")
    list_select_related = ("brand", "plan")
    list_per_page = 50
    search_fields = (search.exactly("name"),)
    search_parts = (search.containing("name", "text"),)
    autocomplete_fields = ("brand", "plan")
    readonly_fields = ("codes",)
    inlines_of_saved = (OfferVersionInline,)
    # Its codes are coupons of its brand.
    fixed_once_saved = ("brand",)
    fieldsets = (
        ("Offer", {"fields": ("brand", ("name", "is_active"), ("plan", "codes"))}),
        (
            "What the friend gets",
            {
                "fields": (
                    ("text", "translations"),
                    ("grants", "grants_translations"),
                    ("host_terms", "for_new_clients"),
                    "valid_from",
                    "valid_until",
                )
            },
        ),
        (
            "What the affiliate gets",
            {
                "fields": (
                    ("percent", "affiliate_funds_percent"),
                    ("prefix", "max_codes"),
                )
            },
        ),
    )

    codes = row_column("Codes", lambda offer: _codes_link(offer))

    def save_related(
        self, request: HttpRequest, form: Any, formsets: Any, change: bool
    ) -> None:
        super().save_related(request, form, formsets, change)
        publish_offer(form.instance, now=timezone.now())


def _codes_link(offer: Offer) -> str:
    codes = OfferCode.objects.filter(version__offer=offer.pk)
    page = reverse("admin:affiliates_offers_offercode_changelist")
    address = f"{page}?version__offer__id__exact={offer.pk}"
    return format_html('<a href="{}" class="text-link">{}</a>', address, codes.count())


def _end(chosen: Chosen, answers: Mapping[str, Any]) -> None:
    end_code(coupon_id=chosen.row.coupon_id, now=timezone.now())
    chosen.report("Ended.", is_success=True)


@register_page(OfferCode)
class OfferCodeAdmin(Decides, ReadOnlyAdmin):
    about = (
        "Codes that affiliates made within offers. Each is a coupon code of its "
        "affiliate, and keeps the version of the offer that it was made under."
    )
    nothing_yet = "A row appears when an affiliate makes a code in its area."
    list_display = ("code", "affiliate", "version", "coupon_ref", "made", "ended")
    list_filter = (("made_at", DaysFilter), "version__offer")
    list_select_related = ("coupon__affiliate", "version__offer")
    search_fields = (
        search.named("coupon", search.exactly("code")),
        search.named("coupon", search.affiliates()),
    )
    search_help_text = "Code, or the affiliate's code"
    actions_detail: ClassVar = ("end",)
    fields = (("code", "affiliate"), ("version", "coupon_ref"), ("made", "ended"))

    has_change_code_permission = requires("affiliates_offers.change_offercode")

    code = column("coupon", "Code", show=page_link)
    affiliate = column("coupon.affiliate", "Affiliate", show=page_link)
    made = column("made_at", "Made", show=moment, ordering="id")
    ended = column("ended_at", "Ended", show=moment)

    end = StaffDecision(
        name="end",
        permission="change_code",
        title="End {rows}?",
        button="End it",
        paragraphs=[
            "It credits nobody from then on, its coupon in the shop is ended, and "
            "nobody gets the code again."
        ],
        write=_end,
        is_open=lambda row: row.ended_at is None,
        is_late=lambda row: f"{row} is ended already.",
    ).on_row("End it…")
