"""Keys of affiliates, and looks of staff."""

from __future__ import annotations

from datetime import UTC, datetime

import factory
from factory.django import DjangoModelFactory

from affiliates.contrib.area.keys.models import AffiliateKey
from affiliates.contrib.area.looks.models import AreaLook
from tests.guard.markers import marker, number_of


class AffiliateKeyFactory(DjangoModelFactory):
    """A key that nobody holds. ``affiliate`` must be given."""

    class Meta:
        model = AffiliateKey

    name = factory.LazyAttribute(
        lambda row: marker("affiliate", "key", number_of(row.affiliate.user))
    )
    digest = factory.Sequence(lambda number: f"{number:064x}")
    scopes = factory.LazyFunction(list)
    created_at = datetime(2026, 3, 1, 12, tzinfo=UTC)
    expires_at = datetime(2036, 3, 1, 12, tzinfo=UTC)


class AreaLookFactory(DjangoModelFactory):
    """Of staff at the area of ``affiliate``, which must be given."""

    class Meta:
        model = AreaLook

    reason = marker("staff", "look")
    asked_at = datetime(2026, 3, 1, 12, tzinfo=UTC)
