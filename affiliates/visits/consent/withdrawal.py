"""A visitor who withdraws consent: what is not yet an order is unlinked from them.

Apps register what they do about it: each knows the rows that follow from clicks.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Protocol

from django.db import router, transaction

from affiliates.db.deadlines.aside import aside
from affiliates.outbox.sending.purging import drop_unsent_clicks
from affiliates.visits.consent.rules import Consent, without_person
from affiliates.visits.cookie import ReferralCookie
from affiliates.visits.models import Click


class OnWithdrawal(Protocol):
    """Called in the transaction of the withdrawal, with all the visitor's clicks."""

    def __call__(self, clicks: Sequence[Click], *, brand_id: int) -> None: ...


_registered: list[OnWithdrawal] = []


def on_withdrawal(act: OnWithdrawal) -> OnWithdrawal:
    """Registers the decorated function."""
    _registered.append(act)
    return act


def withdraw(held: ReferralCookie, *, brand_id: int) -> None:
    """Unlinks the cookie's visitor. Raises DatabaseAway, and changes nothing then."""
    aside(partial(_withdraw, held, brand_id))


def unlink(clicks: Iterable[Click]) -> None:
    """Makes them clicks without a person, and keeps unsent ones from the provider."""
    gone = list(clicks)
    for click in gone:
        cleared = without_person(
            visit_url=click.visit_url, referrer_url=click.referrer_url
        )
        Click.objects.filter(pk=click.pk).update(**cleared, consent=Consent.WITHDRAWN)
    drop_unsent_clicks({click.pk: click.integration_id for click in gone})


def _withdraw(held: ReferralCookie, brand_id: int) -> None:
    with transaction.atomic(using=router.db_for_write(Click)):
        clicks = Click.objects.filter(brand_id=brand_id, visitor_id=held.visitor_id)
        rows = list(clicks.order_by("pk"))
        for act in _registered:
            act(rows, brand_id=brand_id)
