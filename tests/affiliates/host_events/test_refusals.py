"""Whom a host may not tell of."""

from __future__ import annotations

from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from affiliates.errors import AffiliatesError, NotAllowed, NotFound
from affiliates.host_events import client_registered, order_placed
from tests.database import nothing_written
from tests.factories.affiliates import BrandFactory


def unknown_client(brand: Any) -> dict[str, Any]:
    return {"client_id": str(uuid4())}


def no_id_at_all(brand: Any) -> dict[str, Any]:
    return {"client_id": "Ada Lovelace"}


def another_brand(brand: Any) -> dict[str, Any]:
    return {"brand_id": BrandFactory(client_area="other.example.com").pk}


def no_brand(brand: Any) -> dict[str, Any]:
    return {"brand_id": 0}


@pytest.mark.parametrize(
    ("change", "expected", "code"),
    [
        (unknown_client, NotFound, "client_not_found"),
        (no_id_at_all, NotFound, "client_not_found"),
        (another_brand, NotAllowed, "client_of_another_brand"),
        (no_brand, NotFound, "brand_not_found"),
    ],
)
@pytest.mark.parametrize("name", ["registered", "placed"])
def test_who_is_not_the_brands_client_is_refused(
    name, change, expected, code, registered, placed, brand, cookie, now
):
    changed = change(brand)

    tell, event = {
        "registered": (client_registered, registered),
        "placed": (order_placed, placed),
    }[name]

    with nothing_written(), pytest.raises(AffiliatesError) as refusal:
        tell(replace(event, **changed), referral_cookie=cookie, now=now)

    assert (type(refusal.value), refusal.value.code) == (expected, code)
