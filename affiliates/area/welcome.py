"""For a client who is no affiliate yet: becoming one in two clicks."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext_lazy as _

from affiliates.adapter import get_adapter
from affiliates.area.base import BrandPage, back_to, done_by
from affiliates.contracts import Client
from affiliates.errors import NotAllowed, NotFound
from affiliates.program.selectors import affiliate_of_client
from affiliates.program.services import apply


class ApplicationForm(forms.Form):
    code = forms.CharField(
        label=_("Your short name"),
        max_length=32,
        required=False,
        help_text=_("For links such as ?ref=NAME. Left empty, one is made up."),
    )


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
        return super().answer(request, *args, **kwargs)

    def get(self, request: HttpRequest) -> HttpResponseBase:
        return self.page(form=ApplicationForm())

    def post(self, request: HttpRequest) -> HttpResponseBase:
        form = ApplicationForm(request.POST)
        if done_by(form, lambda given: apply(self.client, code=given["code"])):
            return back_to("dashboard")
        return self.page(form=form, status=400)

    def _is_affiliate(self) -> bool:
        try:
            affiliate_of_client(self.client.id, origin_brand_id=None)
        except NotAllowed:
            return False
        return True
