"""Keys for the affiliate's own tools: made and shown once, listed, revoked."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from affiliates.conf import conf
from affiliates.contrib.area.account.base import (
    AccountPage,
    GuardedPage,
    api_address,
    ask_first,
)
from affiliates.contrib.area.api.tools.keys import KEYS, MAX_DAYS, key_data
from affiliates.contrib.area.base import back_to, done_by
from affiliates.contrib.area.keys.rules import Scope
from affiliates.contrib.area.keys.services import MAX_KEYS, give_key, revoke_key
from affiliates.db.api_keys import MAX_NAME

# By the unit of the setting's rate.
CALLS = {
    "second": _("At most {count} calls a second are answered, from one network."),
    "minute": _("At most {count} calls a minute are answered, from one network."),
    "hour": _("At most {count} calls an hour are answered, from one network."),
    "day": _("At most {count} calls a day are answered, from one network."),
}


def _calls_in_words() -> str:
    """The limit of the affiliate's endpoints; "" if there is none."""
    count, _slash, unit = conf.throttle_rates["affiliate"].partition("/")
    return str(CALLS[unit]).format(count=count) if count else ""


class KeyForm(forms.Form):
    name = forms.CharField(
        label=_("Name"), max_length=MAX_NAME, help_text=_("What it is for.")
    )
    scopes = forms.MultipleChoiceField(
        label=_("What it may do"),
        choices=Scope.choices,
        widget=forms.CheckboxSelectMultiple,
    )
    days = forms.IntegerField(
        label=_("Days"),
        min_value=1,
        max_value=MAX_DAYS,
        initial=90,
        help_text=_("The key expires after this number of days."),
    )


class KeysPage(AccountPage):
    template_name = "affiliates/area/keys.html"
    title = _("API keys")
    section = "keys"

    def get(self, request: HttpRequest) -> HttpResponseBase:
        return self.page(
            found=self.rows(KEYS),
            now=timezone.now(),
            api_address=api_address(request),
            calls=_calls_in_words(),
            max_keys=MAX_KEYS,
            max_days=MAX_DAYS,
        )


class NewKeyPage(GuardedPage):
    template_name = "affiliates/area/new_key.html"
    title = _("New API key")
    section = "keys"

    def get(self, request: HttpRequest) -> HttpResponseBase:
        return self.page(form=KeyForm())

    def post(self, request: HttpRequest) -> HttpResponseBase:
        """The key stands on this very answer and nowhere else."""
        form = KeyForm(request.POST)
        key = done_by(form, self._give)
        return self.page(form=form, given=key, status=200 if key else 400)

    def sent_too_late(
        self, request: HttpRequest, question: str, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        form = KeyForm(request.POST)
        ask_first(form, question)
        return self.page(form=form, status=400)

    def _give(self, asked: Mapping[str, Any]) -> Any:
        now = timezone.now()
        return give_key(
            affiliate_id=self.affiliate.pk,
            name=asked["name"],
            scopes=asked["scopes"],
            expires_at=now + timedelta(days=asked["days"]),
            now=now,
        )


class KeyRevocationPage(AccountPage):
    template_name = "affiliates/area/key_revocation.html"
    title = _("Revoke this key?")
    section = "keys"

    def get(self, request: HttpRequest, key_id: int) -> HttpResponseBase:
        return self.page(key=key_data(self.affiliate, key_id))

    def post(self, request: HttpRequest, key_id: int) -> HttpResponseBase:
        revoke_key(key_id=key_id, affiliate_id=self.affiliate.pk, now=timezone.now())
        messages.success(request, gettext("The key no longer works."))
        return back_to("keys")
