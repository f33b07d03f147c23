"""A host adds request fields of its own by naming serializers in one setting."""

from __future__ import annotations

import pytest

from tests.affiliates.api.calls import (
    BROWSER,
    PASSWORD,
    complete,
    convert,
    refusal,
    register,
    register_guest,
)
from tests.affiliates.api.host_fields import RememberingAdapter
from tests.database import nothing_written

FIELDS = "tests.affiliates.api.host_fields"


@pytest.fixture
def received(settings):
    """What the host's adapter is given."""
    settings.AFFILIATES_SERIALIZERS = {
        "register": f"{FIELDS}.RegistrationWithPhone",
        "register_guest": f"{FIELDS}.GuestWithPhone",
        "complete_registration": f"{FIELDS}.CompletionWithPhone",
        "convert": f"{FIELDS}.ConversionWithPhone",
    }
    settings.AFFILIATES_ADAPTER = f"{FIELDS}.RememberingAdapter"
    RememberingAdapter.received.clear()
    return RememberingAdapter.received


@pytest.fixture
def calls(api, brand, host):
    guest = host.guest(brand)
    order, details = host.order(guest), host.payment_details_id(guest)
    api.credentials(HTTP_AUTHORIZATION=host.authorization(guest))
    return {
        "register": lambda **fields: register(api, **fields),
        "register_guest": lambda **fields: register_guest(api, **fields),
        "convert": lambda **fields: convert(
            api, order, payment_details_id=details, **fields
        ),
        "complete_registration": lambda **fields: complete(
            api, guest.pk, email="guest@example.org", **fields
        ),
    }


ENDPOINTS = ["register", "register_guest", "complete_registration", "convert"]


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_hosts_fields_reach_its_adapter_apart(received, calls, endpoint):
    answer = calls[endpoint](phone="+49 30 1234", unknown="ignored")

    assert answer.status_code in {200, 201}, answer.content
    [value] = received
    assert value.extra == {"phone": "+49 30 1234"}


@pytest.mark.parametrize("endpoint", ENDPOINTS)
def test_hosts_fields_are_validated(received, calls, endpoint):
    with nothing_written():
        answer = calls[endpoint](phone="1" * 21)

    assert refusal(answer) == (400, "max_length", "phone")
    assert received == []


def test_specified_fields_reach_the_adapter_by_name(received, calls, brand):
    calls["register"](phone="1", firstname=" Ada ", password=f" {PASSWORD} ")

    [registration] = received
    assert registration.brand_id == brand.pk
    assert registration.email == "ada@example.org"
    assert registration.firstname == "Ada"
    assert registration.lastname == "Lovelace"
    assert registration.password == f" {PASSWORD} "
    assert registration.user_agent == BROWSER


def test_without_the_setting_unknown_fields_are_dropped(settings, calls, received):
    settings.AFFILIATES_SERIALIZERS = {}

    assert calls["register"](phone="1").status_code == 201
    assert received[0].extra == {}
