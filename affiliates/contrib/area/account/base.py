"""Shared parts of the pages about an affiliate's money and account."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponseRedirect
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html
from django.utils.translation import gettext as _

from affiliates.adapter import get_adapter
from affiliates.brands.selectors import site_of
from affiliates.contrib.area.base import AreaPage
from affiliates.contrib.area.keys.rules import KeyEnd, Scope
from affiliates.contrib.claims.rules import ClaimStatus
from affiliates.emails.types import EmailKind
from affiliates.outbox.queue.rules import QueueState
from affiliates.outbox.rules import WebhookEnd
from affiliates.payouts.rules import PayoutStatus, StatementKind
from affiliates.webhooks.announce import FactKind

# What says where money goes, by the names that the API gives it.
HINTS = ("hint", "destination")
MASK = "•••"
# Whose labels the pages show of the API's codes.
ENUMS = {
    page.__name__: page
    for page in (
        ClaimStatus,
        EmailKind,
        FactKind,
        KeyEnd,
        PayoutStatus,
        QueueState,
        Scope,
        StatementKind,
        WebhookEnd,
    )
}


class AccountPage(AreaPage):
    """Not shown to staff who look, unless it holds no secret: see ``OpenAccountPage``."""

    is_shown_in_looks = False

    def page(self, *, status: int = 200, **context: Any) -> TemplateResponse:
        return super().page(status=status, enums=ENUMS, **context)


class GuardedPage(AccountPage):
    """Requires, for GET and POST alike, that the host has confirmed the identity."""

    def respond(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        question = get_adapter().identity_page(request)
        if question is None:
            return super().respond(request, *args, **kwargs)
        if request.method == "POST":
            return self.sent_too_late(request, question, *args, **kwargs)
        return HttpResponseRedirect(question)

    def sent_too_late(
        self, request: HttpRequest, question: str, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        """The answer to a form before the host has confirmed the identity.

        A page whose form takes long to fill in shows it again, with ``ask_first``.
        """
        return HttpResponseRedirect(question)


def ask_first(form: forms.Form, question: str) -> None:
    form.add_error(
        None,
        format_html(
            _(
                'Nothing was saved yet: <a href="{}" target="_blank">confirm that it is '
                "you</a> on a page of its own, then send this form again."
            ),
            question,
        ),
    )


def api_address(request: HttpRequest) -> str:
    """The beginning of the affiliate's endpoints' addresses; "" without endpoints."""
    try:
        profile = reverse("affiliates:affiliate_profile")
    except NoReverseMatch:
        return ""
    return f"{site_of(request)}{profile.removesuffix('profile')}"


class OpenAccountPage(AccountPage):
    """Shown to staff who look, but for where payouts go."""

    is_shown_in_looks = True

    def page(self, *, status: int = 200, **context: Any) -> TemplateResponse:
        shown = context if self.look is None else masked(context)
        return super().page(status=status, **shown)


def masked(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: MASK if name in HINTS and isinstance(part, str) else masked(part)
            for name, part in value.items()
        }
    return [masked(part) for part in value] if isinstance(value, list) else value
