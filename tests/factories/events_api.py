"""Keys of brands."""

from __future__ import annotations

from datetime import UTC, datetime

import factory
from factory.django import DjangoModelFactory

from affiliates.contrib.events_api.models import BrandKey
from affiliates.contrib.events_api.rules import KEY_PREFIX, BrandScope
from affiliates.core.secrets.keys import digest_of


class BrandKeyFactory(DjangoModelFactory):
    """A key of ``brand``, which must be given. ``secret`` is what its holder sends."""

    class Meta:
        model = BrandKey

    class Params:
        secret = factory.Sequence(lambda number: f"{KEY_PREFIX}{number}")

    name = "WHMCS"
    digest = factory.LazyAttribute(lambda row: digest_of(row.secret))
    hint = KEY_PREFIX
    scopes = factory.LazyFunction(lambda: [BrandScope.EVENTS_WRITE.value])
    created_at = datetime(2026, 3, 1, 12, tzinfo=UTC)
    # Later than any call of a test: no use is noted.
    last_used_at = datetime(2199, 1, 1, tzinfo=UTC)
