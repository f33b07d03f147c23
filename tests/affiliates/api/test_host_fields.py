"""A host adds request fields of its own by naming serializers in one setting."""

from __future__ import annotations

import pytest

from tests.affiliates.api.calls import (
    BROWSER,
    PASSWORD,
    REGISTER,
    complete,
    complete_url,
    convert,
    refusal,
    register,
    register_guest,
)
from tests.affiliates.api.host_fields import LenientAdapter, RememberingAdapter
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


@pytest.fixture
def accepted(settings, received):
    """What reaches an adapter that is content with it."""
    settings.AFFILIATES_ADAPTER = f"{FIELDS}.LenientAdapter"
    return received


def test_a_host_may_register_by_the_email_alone(accepted, settings, api, brand):
    settings.AFFILIATES_SERIALIZERS = {"register": f"{FIELDS}.RegistrationByEmail"}
    body = {"email": "ada@example.org", "password": "not asked for"}

    answer = api.post(REGISTER, body, format="json")

    assert answer.status_code == 201, answer.content
    [value] = accepted
    assert (value.email, value.firstname, value.lastname) == ("ada@example.org", "", "")
    assert value.password is None
    assert value.extra == {}


@pytest.mark.parametrize("password", [{}, {"password": None}])
def test_a_host_may_complete_by_a_field_of_its_own(
    password, accepted, settings, api, brand, host
):
    settings.AFFILIATES_SERIALIZERS = {
        "complete_registration": f"{FIELDS}.CompletionByPhone"
    }
    guest = host.guest(brand)
    api.credentials(HTTP_AUTHORIZATION=host.authorization(guest))

    answer = api.post(
        complete_url(guest.pk), {"phone": "+49 30 1234", **password}, format="json"
    )

    assert answer.status_code == 200, answer.content
    [value] = accepted
    assert (value.client_id, value.email) == (str(guest.pk), "")
    assert value.password is None
    assert value.extra == {"phone": "+49 30 1234"}


DETAILS = "0197d2c4-1111-7222-8333-444455556666"


@pytest.mark.parametrize(
    ("serializer", "body", "details", "extra"),
    [
        ("ConversionWithoutDetails", {}, None, {}),
        ("ConversionWithoutDetails", {"gateway_id": 3}, None, {"gateway_id": 3}),
        ("ConversionWithUuid", {}, None, {}),
        ("ConversionWithUuid", {"payment_details_id": None}, None, {}),
        ("ConversionWithUuid", {"payment_details_id": DETAILS}, DETAILS, {}),
        ("ConversionSerializer", {"payment_details_id": 7}, 7, {}),
    ],
)
def test_a_host_says_what_payment_details_are(
    serializer, body, details, extra, accepted, settings, as_buyer, order, buyer, host
):
    settings.AFFILIATES_SERIALIZERS = {"convert": f"{FIELDS}.{serializer}"}
    LenientAdapter.details_id = host.payment_details_id(buyer)

    answer = convert(as_buyer, order, **body)

    assert answer.status_code == 200, answer.content
    [value] = accepted
    assert value.payment_details_id == details
    assert type(value.payment_details_id) is type(details)
    assert value.extra == extra


def test_a_conversion_may_have_no_body(
    accepted, settings, as_buyer, order, buyer, host
):
    settings.AFFILIATES_SERIALIZERS = {"convert": f"{FIELDS}.ConversionWithoutDetails"}
    LenientAdapter.details_id = host.payment_details_id(buyer)

    answer = as_buyer.patch(f"/api/orders/{order}/convert")

    assert answer.status_code == 200, answer.content
    assert accepted[0].payment_details_id is None


def test_a_uuid_that_is_none_is_refused(accepted, settings, as_buyer, order):
    settings.AFFILIATES_SERIALIZERS = {"convert": f"{FIELDS}.ConversionWithUuid"}

    with nothing_written():
        answer = convert(as_buyer, order, payment_details_id="first")

    assert refusal(answer) == (400, "invalid", "payment_details_id")
    assert accepted == []
