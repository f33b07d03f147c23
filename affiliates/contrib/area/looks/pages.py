"""Where a look of staff's begins on the area's host, and where it is ended."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from affiliates.contrib.area.base import (
    LOOK_HAS_ENDED,
    BrandPage,
    back_to,
    look_cookie,
    without_look,
)
from affiliates.contrib.area.looks.services import end_look, start_look
from affiliates.errors import NotFound

CLOSE_THE_PAGE = gettext_lazy("You can close this page.")


class LookPage(BrandPage):
    """Answers whether or not there is a look: it shows nothing of the affiliate's."""

    def answer_or_refuse(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        return self.answer(request, *args, **kwargs)


class StartLookPage(LookPage):
    http_method_names = ("get",)

    def get(self, request: HttpRequest, token: str) -> HttpResponseBase:
        try:
            cookie = start_look(token, brand_id=self.brand.id, now=timezone.now())
        except NotFound:
            return self.plain(_("This address was used, or is too old"), LOOK_HAS_ENDED)
        answer = back_to("dashboard")
        # Without an end of its own: the browser shows it until it was told that the look
        # has ended, and does nothing in the name of a client who is signed in before.
        answer.set_cookie(
            look_cookie(request),
            cookie,
            secure=request.is_secure(),
            httponly=True,
            samesite="Lax",
        )
        return answer


class EndLookPage(LookPage):
    def get(self, request: HttpRequest) -> HttpResponseBase:
        return self.plain(_("The look has ended"), CLOSE_THE_PAGE, status=200)

    def post(self, request: HttpRequest) -> HttpResponseBase:
        end_look(request.COOKIES.get(look_cookie(request), ""), now=timezone.now())
        return without_look(request, back_to("end_look"))
