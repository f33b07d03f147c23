"""Where an affiliate signs out."""

from __future__ import annotations

from django.conf import settings
from django.contrib.auth import logout
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.shortcuts import redirect

from affiliates.contrib.area.base import BrandPage


class SignOut(BrandPage):
    def post(self, request: HttpRequest) -> HttpResponseBase:
        logout(request)
        return redirect(settings.LOGOUT_REDIRECT_URL or "affiliates_area:program")
