"""What the pages of an affiliate's money and account have in common."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse

from affiliates.adapter import ask_identity
from affiliates.contrib.area.base import AreaPage
from affiliates.contrib.area.keys.rules import KeyEnd, Scope
from affiliates.contrib.claims.rules import ClaimStatus
from affiliates.emails.types import EmailKind
from affiliates.outbox.rules import WebhookEnd
from affiliates.payouts.rules import DestinationKind, PayoutStatus, StatementKind
from affiliates.queue.rules import QueueState
from affiliates.webhooks.announce import FactKind

# What says where money goes, by the names that the API gives it.
HINTS = ("hint", "destination")
MASK = "•••"
# Whose labels the pages show of the API's codes.
ENUMS = {
    one.__name__: one
    for one in (
        ClaimStatus,
        DestinationKind,
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

    def answer(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        if self.look is None and request.user.is_authenticated:
            asked = ask_identity(request)
            if asked is not None:
                return asked
        return super().answer(request, *args, **kwargs)


class OpenAccountPage(AccountPage):
    """Shown to staff who look, but for where payouts go."""

    is_shown_in_looks = True

    def page(self, *, status: int = 200, **context: Any) -> TemplateResponse:
        shown = context if self.look is None else _masked(context)
        return super().page(status=status, **shown)


def _masked(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            name: MASK if name in HINTS and isinstance(one, str) else _masked(one)
            for name, one in value.items()
        }
    return [_masked(one) for one in value] if isinstance(value, list) else value
