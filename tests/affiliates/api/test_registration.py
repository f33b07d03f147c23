"""Registering clients and guests, and whom they are bound to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from django.contrib.auth import get_user_model

from affiliates.referrals.models import ClientReferral
from affiliates.visits.models import Click
from tests.affiliates.api.calls import (
    GUEST,
    REGISTER,
    SHOP,
    refusal,
    register,
    register_guest,
    registration_body,
    visited,
)
from tests.cases import each
from tests.database import nothing_written
from tests.factories.affiliates import BrandFactory

CALLS = [register, register_guest]
OTHER = "https://other.example.net"


@pytest.fixture
def cookie(api, link, clock, now):
    """The cookie of a visitor who came by the link an hour ago."""
    clock.move_to(now - timedelta(hours=1))
    data = visited(api, f"{SHOP}/aff/{link.hash}")
    clock.move_to(now)
    return data["referral_cookie"]


def user_count():
    return get_user_model().objects.count()


@pytest.mark.parametrize(
    ("call", "step"), [(register, "register"), (register_guest, "guest")]
)
def test_client_is_bound_to_the_affiliate_of_the_cookie(
    api, link, cookie, brand, call, step
):
    answer = call(api, referral_cookie=cookie)

    assert answer.status_code == 201
    assert set(answer.json()) == {"data"}
    click = Click.objects.get()
    binding = ClientReferral.objects.get()
    assert str(binding.client_id) == answer.json()["data"]["id"]
    assert binding.brand_id == brand.pk
    assert binding.affiliate_id == link.affiliate_id
    assert binding.click_id == click.pk
    assert binding.visitor_id == click.visitor_id
    assert binding.touched_at == datetime(2026, 3, 1, 11, tzinfo=UTC)
    assert binding.bound_at == datetime(2026, 3, 1, 12, tzinfo=UTC)
    assert binding.step == step


@pytest.mark.parametrize("call", CALLS)
def test_cookie_is_optional(api, brand, call):
    answer = call(api)

    assert answer.status_code == 201
    assert user_count() == 1
    assert not ClientReferral.objects.exists()


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("_case", "value"),
    [
        ("null", None),
        ("empty", ""),
        ("word", "garbage"),
        ("8 kB", "A" * 8192),
        ("NUL", "a\x00b"),
        ("spaces", "   "),
        ("another alphabet", "печенье"),
    ],
)
def test_value_that_is_no_cookie_is_ignored(api, brand, call, _case, value):
    answer = call(api, referral_cookie=value)

    assert answer.status_code == 201
    assert not ClientReferral.objects.exists()


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("value", [7, 1.5, True, False, [], ["a"], {}, {"a": 1}])
def test_cookie_of_the_wrong_type_is_refused(api, brand, call, value):
    with nothing_written():
        answer = call(api, referral_cookie=value)

    assert refusal(answer) == (400, "invalid", "referral_cookie")


@pytest.mark.parametrize("call", CALLS)
def test_expired_cookie_is_ignored(api, cookie, clock, now, call):
    clock.move_to(now + timedelta(days=90))

    assert call(api, referral_cookie=cookie).status_code == 201
    assert not ClientReferral.objects.exists()


@pytest.mark.parametrize("call", CALLS)
def test_click_outside_the_window_binds_nobody(api, brand, cookie, clock, now, call):
    brand.attribution_window_days = 1
    brand.save()
    clock.move_to(now + timedelta(days=1))

    assert call(api, referral_cookie=cookie).status_code == 201
    assert not ClientReferral.objects.exists()


def test_cookie_of_another_brand_is_ignored(api, cookie, other_brand):
    api.credentials(HTTP_ORIGIN=OTHER)

    assert register(api, referral_cookie=cookie).status_code == 201
    assert not ClientReferral.objects.exists()


def test_affiliate_suspended_since_the_click_is_not_bound(api, link, cookie):
    link.affiliate.status = "suspended"
    link.affiliate.save()

    assert register(api, referral_cookie=cookie).status_code == 201
    assert not ClientReferral.objects.exists()


def test_own_program_switched_off_since_the_click_binds_nobody(api, brand, cookie):
    brand.own_program = False
    brand.save()

    assert register(api, referral_cookie=cookie).status_code == 201
    assert not ClientReferral.objects.exists()


@pytest.mark.parametrize(
    ("policy", "code"), [("last_click", "rival"), ("first_click", "partner")]
)
def test_policy_chooses_between_two_affiliates(
    api, brand, link, rival_link, cookie, clock, now, policy, code
):
    cookie = visited(api, f"{SHOP}/aff/{rival_link.hash}", referral_cookie=cookie)[
        "referral_cookie"
    ]
    brand.attribution_policy = policy
    brand.save()
    clock.move_to(now + timedelta(minutes=1))

    register(api, referral_cookie=cookie)

    assert ClientReferral.objects.get().affiliate.code == code


@each("field", ["email", "firstname", "lastname", "password"])
@each(
    ("_case", "value", "codes"),
    [
        ("missing", ..., {"required"}),
        ("null", None, {"null"}),
        ("empty", "", {"blank"}),
        ("number", 7, {"invalid"}),
        ("boolean", True, {"invalid"}),
        ("list", ["a"], {"invalid"}),
        ("object", {"a": "b"}, {"invalid"}),
        ("NUL", "a\x00b@example.org", {"null_characters_not_allowed", "invalid"}),
        ("very long", "a" * 300 + "@example.org", {"max_length", "invalid"}),
    ],
)
def test_registration_field_that_cannot_be_used_is_refused(
    api, brand, field, value, codes
):
    body = {**registration_body(), field: value}
    if value is ...:
        del body[field]

    with nothing_written():
        answer = api.post(REGISTER, body, format="json")

    assert answer.status_code == 400
    errors = answer.json()["errors"]
    assert {error["attr"] for error in errors} == {field}
    assert {error["code"] for error in errors} <= codes


@pytest.mark.parametrize(
    "email", ["ada", "ada@", "@example.org", "a b@example.org", "ada@example..org", " "]
)
def test_email_must_be_one(api, brand, email):
    with nothing_written():
        answer = register(api, email=email)

    status, _, field = refusal(answer)
    assert (status, field) == (400, "email")


@pytest.mark.parametrize("user_agent", [7, ["a"], {}])
@pytest.mark.parametrize("call", CALLS)
def test_user_agent_of_the_wrong_type_is_refused(api, brand, call, user_agent):
    with nothing_written():
        answer = call(api, user_agent=user_agent)

    status, _, field = refusal(answer)
    assert (status, field) == (400, "user_agent")


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("user_agent", [None, "", "x" * 5000, "ブラウザ"])
def test_user_agent_may_be_anything_written(api, brand, call, user_agent):
    assert call(api, user_agent=user_agent).status_code == 201


def test_user_agent_may_be_absent(api, brand):
    body = registration_body()
    del body["user_agent"]

    assert api.post(REGISTER, body, format="json").status_code == 201
    assert api.post(GUEST, {}, format="json").status_code == 201


def test_email_is_registered_once(api, brand):
    register(api)

    with nothing_written():
        answer = register(api)

    assert refusal(answer) == (400, "email_taken", "email")


def test_privileges_cannot_be_asked_for(api, brand):
    answer = register(
        api, is_staff=True, is_superuser=True, is_guest=True, id=1, brand_id=99
    )

    assert answer.status_code == 201
    user = get_user_model().objects.get()
    assert not user.is_staff
    assert not user.is_superuser


@pytest.mark.parametrize("call", CALLS)
def test_without_origin_the_only_active_brand_is_meant(outsider, brand, call):
    BrandFactory(client_area="old.example.net", is_active=False)

    assert call(outsider).status_code == 201


@pytest.mark.parametrize("call", CALLS)
def test_without_origin_two_brands_are_too_many(outsider, other_brand, call):
    with nothing_written():
        answer = call(outsider)

    assert refusal(answer) == (400, "origin_required", None)


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    ("origin", "expected"),
    [
        ("null", (400, "origin_required", None)),
        ("", (400, "origin_required", None)),
        (f"{SHOP}/", (400, "origin_required", None)),
        ("nonsense", (400, "origin_required", None)),
        ("https://evil.example", (403, "origin_not_registered", None)),
    ],
)
def test_origin_that_is_none_is_refused(outsider, brand, call, origin, expected):
    outsider.credentials(HTTP_ORIGIN=origin)

    with nothing_written():
        answer = call(outsider)

    assert refusal(answer) == expected
