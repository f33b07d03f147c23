"""Repeats of registrations and conversions with one Idempotency-Key."""

from __future__ import annotations

import pytest
from django.contrib.auth import get_user_model

from affiliates.api.idempotency import services
from affiliates.referrals.models import OrderReferral
from tests.affiliates.api import repeating
from tests.affiliates.api.calls import (
    GUEST,
    REGISTER,
    complete_url,
    convert_url,
    refusal,
    registration_body,
)
from tests.affiliates.api.repeating import Call, send, whole

globals().update(repeating.TESTS)

pytestmark = pytest.mark.django_db

NOT_FOUND = (404, "not_found", None)
OF_ANOTHER_BRAND = (403, "origin_of_another_brand", None)
ELSEWHERE = {"email": "grace@example.org"}


@pytest.fixture
def of_endpoint(brand, host, clock):
    def register():
        return Call(
            method="post",
            path=REGISTER,
            status=201,
            body=registration_body(),
            other_body=registration_body(**ELSEWHERE),
            refused_body=registration_body(email="ada"),
            after_a_day=(400, "email_taken", "email"),
        )

    def guest():
        return Call(
            method="post",
            path=GUEST,
            status=201,
            body={"user_agent": "Mozilla/5.0", "firstname": "Ada"},
            other_body={"user_agent": "Mozilla/6.0"},
            refused_body={"email": 7},
        )

    def complete():
        guest, other = host.guest(brand), host.guest(brand)
        return Call(
            method="post",
            path=complete_url(guest.pk),
            status=200,
            body=registration_body(),
            other_body=registration_body(**ELSEWHERE),
            refused_body=registration_body(email="ada"),
            authorization=lambda: host.authorization(guest),
            others_authorization=lambda: host.authorization(other),
            to_another=NOT_FOUND,
            at_another_brand=(409,),
            after_a_day=(409,),
        )

    def convert():
        client = host.client(brand, email="client@example.com")
        other = host.client(brand, email="other@example.com")
        details = host.payment_details_id(client)
        return Call(
            method="patch",
            path=convert_url(host.order(client)),
            status=200,
            body={"payment_details_id": details, "referral_cookie": None},
            other_body={"payment_details_id": None, "referral_cookie": None},
            refused_body={"payment_details_id": "seven"},
            authorization=lambda: host.authorization(client),
            others_authorization=lambda: host.authorization(other),
            to_another=NOT_FOUND,
            at_another_brand=OF_ANOTHER_BRAND,
            repeats_itself=True,
        )

    makers = {
        "register": register,
        "guest": guest,
        "complete": complete,
        "convert": convert,
    }
    return lambda name: makers[name]()


@pytest.fixture(params=["register", "guest", "complete", "convert"])
def call(of_endpoint, request):
    return of_endpoint(request.param)


def test_another_address_with_the_key_is_refused(call):
    send(call)

    answer = send(call, path=f"{call.path}?a=1")

    assert refusal(answer) == (422, "idempotency_key_reused", None)


def test_another_endpoint_has_keys_of_its_own(of_endpoint):
    registered = send(of_endpoint("register"))

    assert registered.status_code == 201
    assert send(of_endpoint("guest")).status_code == 201
    assert get_user_model().objects.count() == 2


def test_repeated_guest_is_one_client(of_endpoint):
    guest = of_endpoint("guest")
    before = get_user_model().objects.count()

    answers = [send(guest) for _ in range(3)]

    assert len({one.content for one in answers}) == 1
    assert get_user_model().objects.count() == before + 1


def test_guest_whose_answer_cannot_be_stored_is_not_kept(of_endpoint, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError

    monkeypatch.setattr(services, "keep", fail)

    answer = send(of_endpoint("guest"))

    assert answer.status_code == 500
    assert get_user_model().objects.count() == 0


def test_repeated_conversion_is_one_order(of_endpoint):
    convert = of_endpoint("convert")

    answers = [send(convert) for _ in range(3)]

    assert len({one.content for one in answers}) == 1
    assert OrderReferral.objects.count() == 1


def test_ended_credentials_open_only_the_request_that_ended_them(of_endpoint, host):
    complete = of_endpoint("complete")
    former = complete.authorization()
    first = send(complete, authorization=former)
    stranger = complete.others_authorization().replace(" ", " A", 1)

    assert whole(send(complete, authorization=former)) == whole(first)
    for changed in (
        {"authorization": stranger},
        {"authorization": former, "body": complete.other_body},
        {"authorization": former, "key": f"{repeating.KEY}-2"},
        {"authorization": former, "key": None},
    ):
        # A host whose credentials do not end answers as to anyone signed in.
        assert send(complete, **changed).status_code in (401, 409, 422)
    assert get_user_model().objects.count() == 2
