"""What the affiliate was sent by e-mail, and which kinds are sent from now on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from affiliates.contrib.area.account.base import AccountPage, OpenAccountPage
from affiliates.contrib.area.api.notifications import (
    NOTIFICATIONS,
    choices_data,
    notification_data,
)
from affiliates.contrib.area.base import back_to, done_by
from affiliates.emails.services import set_choices


class ChoicesForm(forms.Form):
    """``shown`` is what was on when the page was shown: the rest is not its business.

    A page left open would otherwise switch on what an unsubscribe link has switched off.
    """

    kinds = forms.MultipleChoiceField(
        required=False, widget=forms.CheckboxSelectMultiple
    )
    shown = forms.MultipleChoiceField(required=False, widget=forms.MultipleHiddenInput)

    def changes(self) -> dict[str, bool]:
        chosen, shown = set(self.cleaned_data["kinds"]), set(self.cleaned_data["shown"])
        return {kind: kind in chosen for kind in sorted(chosen ^ shown)}


class NotificationsPage(OpenAccountPage):
    template_name = "affiliates/area/notifications.html"
    title = _("Notifications")
    section = "notifications"

    @cached_property
    def known(self) -> Sequence[Mapping[str, Any]]:
        """Every kind of e-mail, with what the affiliate has chosen until now."""
        known: Sequence[Mapping[str, Any]] = choices_data(self.affiliate)
        return known

    @property
    def offered(self) -> Sequence[Mapping[str, Any]]:
        return [one for one in self.known if not one["always"]]

    def get(self, request: HttpRequest) -> HttpResponseBase:
        return self._page()

    def post(self, request: HttpRequest) -> HttpResponseBase:
        form = self._form(request.POST)
        if done_by(form, lambda _: self._choose(form.changes())):
            messages.success(request, gettext("Your choice is kept."))
            return back_to("notifications")
        return self._page(form=form, status=400)

    def _page(self, **shown: Any) -> HttpResponseBase:
        return self.page(
            found=self.rows(NOTIFICATIONS),
            always=[one for one in self.known if one["always"]],
            **{"form": self._form(), **shown},
        )

    def _form(self, given: Mapping[str, Any] | None = None) -> ChoicesForm:
        wanted = [one["kind"] for one in self.offered if one["is_wanted"]]
        form = ChoicesForm(given, initial={"kinds": wanted, "shown": wanted})
        for name in ("kinds", "shown"):
            form.fields[name].choices = [  # type: ignore[attr-defined] # of a choice field
                (one["kind"], one["about"]) for one in self.offered
            ]
        return form

    def _choose(self, changes: Mapping[str, bool]) -> bool:
        set_choices(self.affiliate.pk, changes, now=timezone.now())
        return True


class NotificationPage(AccountPage):
    """Its text may say where payouts go."""

    template_name = "affiliates/area/notification.html"
    title = _("Notification")
    section = "notifications"

    def get(self, request: HttpRequest, email_id: int) -> HttpResponseBase:
        return self.page(email=notification_data(self.affiliate, email_id))
