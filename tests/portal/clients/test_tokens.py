from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from rest_framework.request import Request
from rest_framework.test import APIClient, APIRequestFactory

from portal.clients.models import User
from portal.clients.open_sessions import AuthToken
from portal.clients.services import _issue_token
from portal.clients.tokens import BearerAuthentication
from tests.factories.portal import StaffFactory

PATH = "/api/orders"


def post(authorization: str | None) -> tuple[int, str | None]:
    headers = {} if authorization is None else {"HTTP_AUTHORIZATION": authorization}
    response = APIClient(**headers).post(PATH, {}, format="json")
    return response.status_code, response.headers.get("WWW-Authenticate")


@pytest.fixture
def token(client) -> str:
    return _issue_token(client, datetime.now(tz=UTC))


@pytest.mark.parametrize("scheme", ["Bearer", "bearer", "BEARER"])
def test_token_speaks_for_its_client(scheme, token):
    assert post(f"{scheme} {token}") == (201, None)


def test_token_is_found_with_one_query(client, token, django_assert_num_queries):
    request = Request(
        APIRequestFactory().get("/", HTTP_AUTHORIZATION=f"Bearer {token}")
    )

    with django_assert_num_queries(1):
        credentials = BearerAuthentication().authenticate(request)

    assert credentials == (client, AuthToken.objects.get())


@pytest.mark.usefixtures("brand")
@pytest.mark.parametrize(
    ("_case", "authorization"),
    [
        ("nothing", None),
        ("empty", ""),
        ("scheme alone", "Bearer"),
        ("another scheme", "Basic dXNlcjpwYXNz"),
        ("unknown token", "Bearer " + "0" * 64),
        ("short token", "Bearer abc"),
        ("upper case", "Bearer " + "A" * 64),
        ("long token", "Bearer " + "a" * 100_000),
        ("spaces", "Bearer a b"),
        ("invalid UTF-8", "Bearer \xff\xfe\xc0"),
        ("NUL", "Bearer " + "\0" * 64),
        ("beyond Latin-1", "Bearer \u20ac"),
    ],
)
def test_other_credentials_are_401_with_a_challenge(_case, authorization):
    assert post(authorization) == (401, "Bearer")


def test_expired_token_is_refused(client):
    token = _issue_token(client, datetime.now(tz=UTC) - timedelta(hours=24, seconds=1))

    assert post(f"Bearer {token}") == (401, "Bearer")


def test_inactive_client_is_refused(client, token):
    User.objects.filter(pk=client.pk).update(is_active=False)

    assert post(f"Bearer {token}") == (401, "Bearer")


def test_client_of_an_inactive_brand_is_refused(client, token):
    client.brand.is_active = False
    client.brand.save()

    assert post(f"Bearer {token}") == (401, "Bearer")


def test_staff_are_no_clients(db):
    token = _issue_token(StaffFactory(), datetime.now(tz=UTC))

    assert post(f"Bearer {token}") == (401, "Bearer")


def test_token_itself_is_not_stored(token):
    stored = AuthToken.objects.get()

    assert token not in {stored.digest, stored.token_key}
    assert len(stored.digest) == 128
