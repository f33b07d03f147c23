from __future__ import annotations

from datetime import date

from django.db import connection

from affiliates.core.ids import new_id
from affiliates.encrypted.addresses import hash_address, open_address, seal_address
from affiliates.outbox.models.delivery import Delivery
from affiliates.visits.models import Click
from tests.cases import each
from tests.factories.affiliates import ClickFactory
from tests.factories.integrations import (
    DeliveryFactory,
    TrackingIntegrationFactory,
)

NETWORK = "203.0.113.0/24"
DAY = date(2026, 3, 1)
KEY = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
OTHER_KEY = "BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB="


@each(
    "address",
    [
        NETWORK,
        "0.0.0.0/24",
        "203.0.113.7",
        "10.0.0.0",
        "2001:db8:1::/48",
        "2001:db8:1::",
        "2001:db8:1:2:3:4:5:6",
        "::1",
    ],
)
def test_an_address_is_sealed_and_opened(address):
    sealed = seal_address(address)

    assert sealed.startswith("s:")
    assert address not in sealed
    assert open_address(sealed) == address
    assert seal_address(sealed) == sealed


@each("network", [NETWORK, "2001:db8:ffff::/48", "2001:db8:ffff::"])
def test_the_text_of_a_network_fits_its_column(network):
    length = Click._meta.get_field("ip_prefix").max_length

    assert len(seal_address(network)) <= length
    assert len(hash_address(network, DAY)) <= length


@each("text", ["", "nonsense", "203.0.113.0/16", "203.0.113.0/x"])
def test_what_is_no_address_is_not_stored(text):
    assert seal_address(text) == ""


def test_the_same_address_is_sealed_alike():
    assert seal_address(NETWORK) == seal_address(NETWORK)
    assert seal_address(NETWORK) != seal_address("203.0.114.0/24")


def test_a_hash_is_keyed_by_the_day():
    hashed = hash_address(NETWORK, DAY)

    assert hashed == hash_address(NETWORK, DAY) == hash_address(hashed, DAY)
    assert hashed.startswith("h:")
    assert hashed != hash_address(NETWORK, date(2026, 3, 2))
    assert hashed != hash_address("203.0.114.0/24", DAY)
    assert seal_address(hashed) == open_address(hashed) == hashed
    assert hash_address("", DAY) == ""


def test_keys_are_rotated(settings):
    settings.AFFILIATES_SECRET_KEYS = f"1:{KEY}"
    sealed, hashed = seal_address(NETWORK), hash_address(NETWORK, DAY)

    settings.AFFILIATES_SECRET_KEYS = f"2:{OTHER_KEY},1:{KEY}"

    assert open_address(sealed) == NETWORK
    assert seal_address(NETWORK) != sealed
    assert hash_address(NETWORK, DAY) != hashed


@each("stored", ["s:", "s:AQ", "s:!!", "s:AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"])
def test_a_token_without_its_key_is_no_address(stored):
    assert open_address(stored) == ""


def test_the_database_holds_no_network_and_compares_it(affiliate):
    click = ClickFactory(affiliate=affiliate, visitor_id=new_id())
    Click.objects.filter(pk=click.pk).update(ip_prefix=NETWORK)

    assert _stored(Click, "ip_prefix") == [seal_address(NETWORK)]
    assert Click.objects.get(ip_prefix=NETWORK).ip_prefix == NETWORK
    assert not Click.objects.filter(ip_prefix="203.0.114.0/24").exists()


def test_the_database_holds_no_address_of_a_delivery(brand):
    row = DeliveryFactory(integration=TrackingIntegrationFactory(brand=brand))

    [stored] = _stored(Delivery, "payload")
    assert row.payload["ip"] == "203.0.113.7"
    assert "203.0.113" not in str(stored)
    assert seal_address("203.0.113.7") in str(stored)
    assert Delivery.objects.get().payload == row.payload


def _stored(model, column):
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {column} FROM {model._meta.db_table}")  # noqa: S608 - names
        return [value for (value,) in cursor]
