"""Staff look at affiliates' keys and revoke them; the key itself is kept nowhere."""

from __future__ import annotations

import pytest
import time_machine
from django.urls import reverse

from tests.database import nothing_written
from tests.factories.area import AffiliateKeyFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def key(affiliate):
    return AffiliateKeyFactory(affiliate=affiliate, name="Sheet")


def test_keys_are_looked_at_without_what_finds_them(admin_client, key):
    listed = admin_client.get(reverse("admin:affiliates_area_affiliatekey_changelist"))
    shown = admin_client.get(
        reverse("admin:affiliates_area_affiliatekey_change", args=[key.pk])
    )

    assert "Sheet" in listed.text
    assert key.hint in shown.text
    assert key.digest not in listed.text + shown.text


def test_a_key_is_revoked_after_a_question(admin_client, key, now):
    path = reverse("admin:affiliates_area_affiliatekey_revoke", args=[key.pk])

    with nothing_written():
        asked = admin_client.get(path)
    with time_machine.travel(now, tick=False):
        admin_client.post(path, {"confirmed": "yes"})

    key.refresh_from_db()
    assert "It opens nothing any more" in asked.text
    assert (key.end, key.ended_at) == ("revoked", now)
