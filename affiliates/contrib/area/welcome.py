"""For a client who is no affiliate yet: becoming one in two clicks."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from affiliates.adapter import get_adapter
from affiliates.brands.selectors import client_area_of
from affiliates.contracts import Client
from affiliates.contrib.area.base import BrandPage, back_to, done_by
from affiliates.contrib.area.recruitment import came_by
from affiliates.contrib.recruitment.forms import ApplicationForm
from affiliates.contrib.recruitment.selectors import offer_of
from affiliates.contrib.recruitment.services.applications import apply_as_client
from affiliates.errors import NotAllowed, NotFound
from affiliates.program.selectors import affiliate_of_client


class WelcomePage(BrandPage):
    template_name = "affiliates/area/welcome.html"
    title = _("Become an affiliate")
    client: Client

    def answer(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        if not request.user.is_authenticated:
            return redirect_to_login(request.get_full_path())
        client = get_adapter().get_client(str(request.user.pk))
        if client is None or client.brand_id != self.brand.id:
            raise NotFound
        self.client = client
        if self._is_affiliate():
            return back_to("dashboard")
        if not self.brand.terms.own_program:
            raise NotFound
        return super().answer(request, *args, **kwargs)

    def get(self, request: HttpRequest) -> HttpResponseBase:
        offer = offer_of(self.brand.id, at=timezone.now())
        form = ApplicationForm(
            questions=offer.questions,
            terms=offer.terms,
            by=came_by(request),
        )
        return self.page(form=form, offer=offer)

    def post(self, request: HttpRequest) -> HttpResponseBase:
        now = timezone.now()
        offer = offer_of(self.brand.id, at=now)
        form = ApplicationForm(
            request.POST, questions=offer.questions, terms=offer.terms
        )
        if done_by(form, lambda _: self._apply(form, now)):
            return back_to("dashboard")
        return self.page(form=form, offer=offer, status=400)

    def _apply(self, form: ApplicationForm, now: datetime) -> object:
        site = client_area_of(self.request)
        return apply_as_client(self.client, form.given(), site=site, now=now)

    def _is_affiliate(self) -> bool:
        try:
            affiliate_of_client(self.client.id, origin_brand_id=None)
        except NotAllowed:
            return False
        return True
