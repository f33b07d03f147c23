"""A guest becomes a full client."""

from __future__ import annotations

from datetime import timedelta

import pytest

from affiliates.referrals.models import ClientReferral
from tests.affiliates.api.calls import SHOP, complete, refusal, register_guest, visited
from tests.cases import each
from tests.database import nothing_written

NOT_FOUND = (404, "not_found", None)
OTHER = "https://other.example.net"


@pytest.fixture
def guest(brand, host):
    return host.guest(brand)


@pytest.fixture
def as_guest(api, guest, host):
    """The guest's own browser."""
    api.credentials(HTTP_AUTHORIZATION=host.authorization(guest))
    return api


def cookie_of(api, link):
    return visited(api, f"{SHOP}/aff/{link.hash}")["referral_cookie"]


def test_completion_keeps_the_id(as_guest, guest):
    answer = complete(as_guest, guest.pk)

    assert answer.status_code == 200
    assert set(answer.json()) == {"data"}
    assert answer.json()["data"]["id"] == str(guest.pk)
    assert answer.json()["data"]["email"] == "ada@example.org"
    assert not ClientReferral.objects.exists()


def test_guest_without_a_binding_gets_one(as_guest, guest, link):
    answer = complete(as_guest, guest.pk, referral_cookie=cookie_of(as_guest, link))

    assert answer.status_code == 200
    binding = ClientReferral.objects.get()
    assert binding.client_id == guest.pk
    assert binding.affiliate_id == link.affiliate_id
    assert binding.step == "complete"


def test_first_binding_stays(api, brand, link, rival_link, clock, now):
    first = cookie_of(api, link)
    register_guest(api, referral_cookie=first)
    guest = ClientReferral.objects.get().client
    clock.move_to(now + timedelta(hours=1))
    second = visited(api, f"{SHOP}/aff/{rival_link.hash}", referral_cookie=first)
    api.force_authenticate(guest)

    answer = complete(api, guest.pk, referral_cookie=second["referral_cookie"])

    assert answer.status_code == 200
    binding = ClientReferral.objects.get()
    assert binding.affiliate_id == link.affiliate_id
    assert binding.step == "guest"


@pytest.mark.parametrize("value", [None, "", "garbage", "A" * 8192])
def test_value_that_is_no_cookie_is_ignored(as_guest, guest, value):
    answer = complete(as_guest, guest.pk, referral_cookie=value)

    assert answer.status_code == 200
    assert not ClientReferral.objects.exists()


@pytest.mark.parametrize("value", [7, True, [], {}])
def test_cookie_of_the_wrong_type_is_refused(as_guest, guest, value):
    with nothing_written():
        answer = complete(as_guest, guest.pk, referral_cookie=value)

    assert refusal(answer) == (400, "invalid", "referral_cookie")


def test_second_completion_is_a_conflict(as_guest, api, guest, host):
    complete(as_guest, guest.pk)
    api.credentials(HTTP_AUTHORIZATION=host.authorization(guest))

    with nothing_written():
        answer = complete(api, guest.pk, email="other@example.org")

    status, code, field = refusal(answer)
    assert (status, field) == (409, None)
    assert code.startswith("already_")


def test_other_clients_id_answers_like_an_absent_one(as_guest, brand, host):
    stranger = host.guest(brand)
    ids = [stranger.pk, "0", "99999999", "no-such", "%00", "a" * 300, "-1"]
    ids += ["00000000-0000-0000-0000-000000000000", "ü", "1;2"]

    with nothing_written():
        answers = [complete(as_guest, client_id) for client_id in ids]

    assert {refusal(answer) for answer in answers} == {NOT_FOUND}
    assert len({answer.content for answer in answers}) == 1


def test_credentials_are_required(api, guest):
    with nothing_written():
        answer = complete(api, guest.pk)

    assert refusal(answer) == (401, "not_authenticated", None)


def test_origin_of_another_brand_is_refused(as_guest, guest, link, other_brand):
    cookie = cookie_of(as_guest, link)
    headers = as_guest._credentials
    as_guest.credentials(**headers, HTTP_ORIGIN=OTHER)

    with nothing_written():
        answer = complete(as_guest, guest.pk, referral_cookie=cookie)

    assert refusal(answer) == (403, "origin_of_another_brand", None)


@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ("null", (400, "origin_required", None)),
        (f"{SHOP}/", (400, "origin_required", None)),
        ("https://evil.example", (403, "origin_not_registered", None)),
    ],
)
def test_origin_that_is_none_is_refused(as_guest, guest, origin, expected):
    headers = as_guest._credentials
    as_guest.credentials(**headers, HTTP_ORIGIN=origin)

    with nothing_written():
        answer = complete(as_guest, guest.pk)

    assert refusal(answer) == expected


def test_origin_may_be_absent(outsider, guest, host, other_brand):
    outsider.credentials(HTTP_AUTHORIZATION=host.authorization(guest))

    assert complete(outsider, guest.pk).status_code == 200


@each("field", ["email", "firstname", "lastname", "password"])
@each(("value", "code"), [(None, "null"), ("", "blank"), (7, "invalid")])
def test_field_that_cannot_be_used_is_refused(as_guest, guest, field, value, code):
    with nothing_written():
        answer = complete(as_guest, guest.pk, **{field: value})

    assert refusal(answer) == (400, code, field)
