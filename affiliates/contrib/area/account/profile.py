"""The affiliate's own setting: the time zone in which times are shown to them."""

from __future__ import annotations

from functools import cache
from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from affiliates.adapter import get_adapter
from affiliates.contrib.area.account.base import AccountPage
from affiliates.contrib.area.base import back_to, done_by
from affiliates.program.services import choose_time_zone


@cache
def _zones() -> list[tuple[str, str]]:
    """A continent and a city each: the others are old names of those.

    Found once: Python opens a file for each.
    """
    places = sorted(place for place in available_timezones() if "/" in place)
    return [(place, place.replace("_", " ")) for place in places if place[:4] != "Etc/"]


class ProfileForm(forms.Form):
    own_time_zone = forms.ChoiceField(
        label=_("Time zone"),
        required=False,
        choices=lambda: [("", _("The program's time zone")), ("UTC", "UTC"), *_zones()],
    )


class ProfilePage(AccountPage):
    template_name = "affiliates/area/profile.html"
    title = _("Profile")
    section = "profile"
    is_shown_in_looks = True

    def page(self, **context: Any) -> TemplateResponse:
        sessions = "" if self.look else get_adapter().sessions_page()
        return super().page(sessions_page=sessions, **context)

    def get(self, request: HttpRequest) -> HttpResponseBase:
        chosen = {"own_time_zone": self.affiliate.time_zone}
        return self.page(form=ProfileForm(initial=chosen))

    def post(self, request: HttpRequest) -> HttpResponseBase:
        form = ProfileForm(request.POST)
        if done_by(form, lambda values: self._choose(values["own_time_zone"])):
            messages.success(request, gettext("Your choice is kept."))
            return back_to("profile")
        return self.page(form=form, status=400)

    def _choose(self, name: str) -> object:
        return choose_time_zone(affiliate_id=self.affiliate.pk, name=name)
