"""Whether staff have looked at what could not be applied."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from django.core.checks import WARNING

from affiliates.contrib.stripe.models import StripeEvent, StripeEventState
from affiliates.operations.health.findings import AdminPage, Finding, counted
from affiliates.operations.health.registry import Needs, Shown, register

SEE_EVENTS = "affiliates_stripe.view_stripeevent"


@register(
    Needs.DATABASE,
    shown=Shown.DOCTOR | Shown.HEALTH,
    title="Stripe",
    permission=SEE_EVENTS,
)
def refused_events(now: datetime) -> Iterator[Finding]:
    refused = StripeEvent.objects.filter(state=StripeEventState.REFUSED)
    if count := refused.count():
        yield Finding(
            WARNING,
            f"{counted(count, 'event', 'events')} of Stripe could not be applied.",
            code="D040",
            remedy="Open Stripe events, mend the cause, and try again before they are "
            "deleted.",
            page=AdminPage(
                "admin:affiliates_stripe_stripeevent_changelist",
                SEE_EVENTS,
                query={"state__exact": StripeEventState.REFUSED},
            ),
        )
