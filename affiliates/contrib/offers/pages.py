"""Offers: a page of the affiliate's area, where codes are made, named and ended."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from affiliates.contrib.area.api.lists import one_of
from affiliates.contrib.area.base import AreaPage, back_to, done_by
from affiliates.contrib.offers.models import Offer, OfferCode
from affiliates.contrib.offers.selectors import offers_of, open_offers
from affiliates.contrib.offers.services import end_code, make_code
from affiliates.plans.models.coupon import MAX_CODE
from affiliates.plans.rules.matching import normal_coupon_code


class CodeForm(forms.Form):
    """Each offer of the page has its own."""

    code = forms.CharField(
        label=_("Name of the code"),
        max_length=MAX_CODE,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
        help_text=_("Letters, digits and hyphens. Empty: we propose one."),
    )

    def __init__(self, data: Any = None, *, offer: Offer) -> None:
        super().__init__(data, auto_id=f"id_{offer.pk}_%s")
        self.offer = offer


class OffersPage(AreaPage):
    template_name = "affiliates/area/offers.html"
    title = _("Offers")
    section = "offers"

    def get(self, request: HttpRequest, offer_id: int = 0) -> HttpResponseBase:
        return self.shown()

    def shown(
        self, sent: CodeForm | None = None, *, status: int = 200
    ) -> HttpResponseBase:
        offers, others = open_offers(self.affiliate, now=timezone.now())
        rows = [
            (offer, sent if sent and sent.offer == offer else CodeForm(offer=offer))
            for offer in offers
        ]
        closed = sent if sent and sent.offer not in offers else None
        return self.page(status=status, offers=rows, others=others, closed=closed)


class NewCodePage(OffersPage):
    def post(self, request: HttpRequest, offer_id: int) -> HttpResponseBase:
        offer = one_of(offer_id, offers_of(self.affiliate, now=timezone.now()))
        form = CodeForm(request.POST, offer=offer)
        made = done_by(form, partial(self._make, offer))
        if made is None:
            return self.shown(form, status=400)
        text = gettext("The code {code} is made: tell your friends.")
        messages.success(request, text.format(code=made))
        return back_to("offers")

    def _make(self, offer: Offer, values: Mapping[str, Any]) -> OfferCode:
        """The prefix stands before the field: it may be typed or not."""
        code = normal_coupon_code(values["code"])
        if code and not code.startswith(offer.prefix):
            code = offer.prefix + code
        return make_code(
            offer_id=offer.pk,
            affiliate_id=self.affiliate.pk,
            code=code,
            now=timezone.now(),
        )


class EndCodePage(AreaPage):
    template_name = "affiliates/area/end_code.html"
    title = _("End this code?")
    section = "offers"

    def get(self, request: HttpRequest, coupon_id: int) -> HttpResponseBase:
        codes = self.affiliate.coupons.filter(offer_code__isnull=False)
        return self.page(coupon=one_of(coupon_id, codes))

    def post(self, request: HttpRequest, coupon_id: int) -> HttpResponseBase:
        end_code(
            coupon_id=coupon_id, affiliate_id=self.affiliate.pk, now=timezone.now()
        )
        messages.success(request, gettext("The code is ended."))
        return back_to("offers")
