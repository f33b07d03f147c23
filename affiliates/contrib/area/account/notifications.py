"""The affiliate's past e-mails, and the kinds of e-mail that they choose to receive."""

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
from affiliates.emails.choices.services import set_choices
from affiliates.emails.types import EmailDelivery


class ChoicesForm(forms.Form):
    """A field for each kind, which keeps in the page what was chosen when it was shown.

    A page left open would otherwise switch on what an unsubscribe link has switched off.
    """

    def __init__(
        self, known: Sequence[Mapping[str, Any]], typed: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(typed, label_suffix="")
        for kind in known:
            self.fields[kind["kind"]] = forms.ChoiceField(
                label=kind["about"],
                initial=kind["delivery"],
                choices=[
                    (each, EmailDelivery(each).label) for each in kind["deliveries"]
                ],
                required=False,
                show_hidden_initial=True,
            )

    def changes(self) -> dict[str, str]:
        return {kind: self.cleaned_data[kind] for kind in self.changed_data}


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
        return [kind for kind in self.known if not kind["always"]]

    def get(self, request: HttpRequest) -> HttpResponseBase:
        return self._page()

    def post(self, request: HttpRequest) -> HttpResponseBase:
        form = ChoicesForm(self.offered, request.POST)
        if done_by(form, lambda _: self._choose(form.changes())):
            messages.success(request, gettext("Your choice is kept."))
            return back_to("notifications")
        return self._page(form=form, status=400)

    def _page(self, **shown: Any) -> HttpResponseBase:
        return self.page(
            found=self.rows(NOTIFICATIONS, ordering="-finished_at"),
            always=[kind for kind in self.known if kind["always"]],
            **{"form": ChoicesForm(self.offered), **shown},
        )

    def _choose(self, changes: Mapping[str, str]) -> bool:
        set_choices(self.affiliate.pk, changes, now=timezone.now())
        return True


class NotificationPage(AccountPage):
    """Its text may say where payouts go."""

    template_name = "affiliates/area/notification.html"
    title = _("Notification")
    section = "notifications"

    def get(self, request: HttpRequest, email_id: int) -> HttpResponseBase:
        return self.page(email=notification_data(self.affiliate, email_id))
