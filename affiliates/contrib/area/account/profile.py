"""The affiliate's own account, and the time zone in which times are shown to them."""

from __future__ import annotations

from functools import cache
from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.contrib import messages
from django.forms.utils import flatatt
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from affiliates.adapter import get_adapter
from affiliates.contracts import ClientDetails
from affiliates.contrib.area.account.base import AccountPage
from affiliates.contrib.area.base import back_to, done_by
from affiliates.emails.rendering import known_language
from affiliates.program.services import choose_time_zone

OPTION = '<option value="{}">{}</option>'
USUAL = (("", _("The program's time zone")), ("UTC", "UTC"))


@cache
def _zones() -> list[tuple[str, str]]:
    """A continent and a city each: the others are old names of those.

    Found once: Python opens a file for each.
    """
    places = sorted(place for place in available_timezones() if "/" in place)
    return [(place, place.replace("_", " ")) for place in places if place[:4] != "Etc/"]


@cache
def _zone_options() -> SafeString:
    return format_html_join("", OPTION, _zones())


class ZoneSelect(forms.Select):
    """Django's renders a template for each of 500 options, at every request."""

    def render(
        self, name: str, value: Any, attrs: Any = None, renderer: Any = None
    ) -> SafeString:
        options = format_html_join("", OPTION, USUAL) + _zone_options()
        chosen = f'value="{value or ""}"'
        marked = options.replace(chosen, f"{chosen} selected")
        attributes = flatatt(self.build_attrs({"name": name}, attrs))
        return format_html("<select{}>{}</select>", attributes, mark_safe(marked))  # noqa: S308 - escaped


class ProfileForm(forms.Form):
    own_time_zone = forms.ChoiceField(
        label=_("Time zone"),
        required=False,
        choices=lambda: [*USUAL, *_zones()],
        widget=ZoneSelect,
    )


class ProfilePage(AccountPage):
    template_name = "affiliates/area/profile.html"
    title = _("Profile")
    section = "profile"
    is_shown_in_looks = True

    def get(self, request: HttpRequest) -> HttpResponseBase:
        chosen = {"own_time_zone": self.affiliate.time_zone}
        return self._shown(ProfileForm(initial=chosen))

    def post(self, request: HttpRequest) -> HttpResponseBase:
        form = ProfileForm(request.POST)
        if done_by(form, lambda values: self._choose(values["own_time_zone"])):
            messages.success(request, gettext("Your choice is kept."))
            return back_to("profile")
        return self._shown(form, status=400)

    def _shown(self, form: ProfileForm, *, status: int = 200) -> TemplateResponse:
        client_id = str(self.affiliate.user_id)
        details = get_adapter().client_details([client_id])
        client = details.get(client_id, ClientDetails())
        return self.page(
            form=form,
            client=client,
            email_language=known_language(client.language),
            status=status,
        )

    def _choose(self, name: str) -> object:
        return choose_time_zone(affiliate_id=self.affiliate.pk, name=name)
