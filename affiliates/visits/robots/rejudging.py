"""Judges stored clicks again by the present list of robots.

Money and decisions stay. Apps register what they recount.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple, Protocol
from uuid import UUID

from django.db import router, transaction
from django.db.models import QuerySet

from affiliates.brands.models.brand import Brand
from affiliates.visits.models import Click
from affiliates.visits.rules import rejudged_signs

CLICKS_AT_ONCE = 500


class OnRejudgement(Protocol):
    """Called in the transaction that changes the clicks, with their moments."""

    def __call__(self, moments: Sequence[datetime], *, brand_id: int) -> None: ...


class RejudgedClick(NamedTuple):
    """A click whose user agent is known; ``signs`` are those of today."""

    pk: UUID
    created_at: datetime
    stored_signs: str
    signs: str

    @property
    def is_changed(self) -> bool:
        return self.signs != self.stored_signs

    @property
    def became_robot(self) -> bool:
        return self.is_changed and not self.stored_signs

    @property
    def became_person(self) -> bool:
        return self.is_changed and not self.signs


_registered: list[OnRejudgement] = []


def on_rejudgement(act: OnRejudgement) -> OnRejudgement:
    """Registers the decorated function."""
    _registered.append(act)
    return act


def clicks_with_agent(brand: Brand, since: datetime) -> QuerySet[Click]:
    clicks = Click.objects.filter(brand=brand, created_at__gte=since)
    return clicks.exclude(user_agent="").order_by("created_at", "pk")


def rejudge_clicks(
    brand: Brand, *, since: datetime, writes: bool
) -> Iterator[list[RejudgedClick]]:
    """Judges the brand's clicks in batches; each is committed before it is yielded."""
    clicks = left = clicks_with_agent(brand, since)
    while batch := list(
        left.values_list("pk", "created_at", "bot_signs", "user_agent")[:CLICKS_AT_ONCE]
    ):
        rejudged = [
            RejudgedClick(pk, created_at, signs, rejudged_signs(signs, user_agent))
            for pk, created_at, signs, user_agent in batch
        ]
        if writes:
            _write([click for click in rejudged if click.is_changed], brand.pk)
        yield rejudged
        last = rejudged[-1]
        left = clicks.filter(created_at__gte=last.created_at).exclude(
            created_at=last.created_at, pk__lte=last.pk
        )


def _write(changed: list[RejudgedClick], brand_id: int) -> None:
    if not changed:
        return
    by_signs = attrgetter("signs")
    with transaction.atomic(using=router.db_for_write(Click)):
        for signs, clicks in groupby(sorted(changed, key=by_signs), by_signs):
            keys = [click.pk for click in clicks]
            Click.objects.filter(pk__in=keys).update(bot_signs=signs)
        for act in _registered:
            act([click.created_at for click in changed], brand_id=brand_id)
