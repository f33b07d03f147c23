"""What an affiliate asks for many times at once; PostgreSQL only."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.core.exceptions import ValidationError

from affiliates.adapter import get_adapter
from affiliates.contrib.area.keys import services as api_keys
from affiliates.contrib.area.keys.models import AffiliateKey
from affiliates.contrib.area.keys.rules import Scope
from affiliates.contrib.area.keys.services import give_key
from affiliates.errors import InvalidInput, StateConflict
from affiliates.program.models import Affiliate
from affiliates.program.services import apply
from tests.factories.affiliates import BrandFactory
from tests.races import at_once, needs_postgresql

pytestmark = [pytest.mark.django_db(transaction=True), needs_postgresql]

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)


def outcome(act) -> str:
    try:
        act()
    except (InvalidInput, StateConflict) as refused:
        return refused.code
    except ValidationError:
        return "invalid"
    return "done"


def test_a_client_who_applies_often_is_enrolled_once(host):
    user = host.client(BrandFactory(), email="ada@example.com")
    client = get_adapter().get_client(str(user.pk))

    outcomes = at_once(8, lambda _: outcome(lambda: apply(client)))

    assert sorted(outcomes) == ["already_enrolled"] * 7 + ["done"]
    assert Affiliate.objects.count() == 1


def test_clients_who_wish_for_one_code_at_once_get_it_once(host):
    brand = BrandFactory()
    users = [host.client(brand, email=f"ada-{n}@example.com") for n in range(6)]
    clients = [get_adapter().get_client(str(user.pk)) for user in users]

    outcomes = at_once(6, lambda n: outcome(lambda: apply(clients[n], code="ada")))

    assert outcomes.count("done") == 1
    assert set(outcomes) <= {"done", "code_taken", "invalid"}
    assert Affiliate.objects.count() == 1


def test_keys_made_at_once_keep_to_their_number(host, monkeypatch):
    monkeypatch.setattr(api_keys, "MAX_KEYS", 3)
    user = host.client(BrandFactory(), email="ada@example.com")
    affiliate = apply(get_adapter().get_client(str(user.pk)))
    Affiliate.objects.update(status="active")

    def give(_: int) -> str:
        return outcome(
            lambda: give_key(
                affiliate_id=affiliate.pk,
                name="Tool",
                scopes=[Scope.MONEY],
                expires_at=NOW + timedelta(days=1),
                now=NOW,
            )
        )

    outcomes = at_once(8, give)

    assert sorted(outcomes) == ["done"] * 3 + ["too_many_keys"] * 5
    assert AffiliateKey.objects.count() == 3
