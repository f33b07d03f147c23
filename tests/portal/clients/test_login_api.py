from __future__ import annotations

import pytest
from rest_framework.test import APIClient

from portal.clients.open_sessions import AuthToken
from tests.factories.portal import PASSWORD, ClientFactory

PATH = "/api/clients/login"


def test_login_answers_the_client_and_a_token(api, client):
    body = {"email": client.email, "password": PASSWORD, "unknown": 1}

    response = api.post(PATH, body, format="json")

    assert response.status_code == 200
    data = response.json()["data"]
    assert data == {
        "id": str(client.pk),
        "email": client.email,
        "firstname": client.firstname,
        "lastname": client.lastname,
        "is_guest": False,
        "token": data["token"],
    }
    api.credentials(HTTP_AUTHORIZATION=f"Bearer {data['token']}")
    assert api.post("/api/orders", {}, format="json").status_code == 201


@pytest.mark.parametrize(
    ("_case", "email", "password"),
    [
        ("wrong password", "ada@example.com", "wrong-password"),
        ("unknown e-mail", "bob@example.com", PASSWORD),
        ("no e-mail at all", "not-an-email", PASSWORD),
        ("password with a space more", "ada@example.com", PASSWORD + " "),
    ],
)
def test_every_wrong_pair_is_refused_alike(_case, email, password, api, brand):
    ClientFactory(brand=brand, email="ada@example.com")

    response = api.post(PATH, {"email": email, "password": password}, format="json")

    assert response.status_code == 400
    assert response.json() == {
        "type": "validation_error",
        "errors": [
            {
                "code": "invalid_credentials",
                "detail": "Wrong e-mail or password.",
                "attr": None,
            }
        ],
    }
    assert not AuthToken.objects.exists()


@pytest.mark.parametrize(
    ("_case", "body", "attr", "code"),
    [
        ("no e-mail", {"password": PASSWORD}, "email", "required"),
        ("no password", {"email": "ada@example.com"}, "password", "required"),
        ("null", {"email": None, "password": PASSWORD}, "email", "null"),
        ("list", {"email": ["x"], "password": PASSWORD}, "email", "invalid"),
        ("object", {"email": "a@b.example", "password": {}}, "password", "invalid"),
        ("long e-mail", {"email": "a" * 255, "password": "x"}, "email", "max_length"),
        (
            "long password",
            {"email": "a@b.example", "password": "x" * 129},
            "password",
            "max_length",
        ),
        ("NUL", {"email": "a\0@b.example", "password": PASSWORD}, "email", None),
    ],
)
def test_bad_body_is_refused(_case, body, attr, code, api, brand):
    response = api.post(PATH, body, format="json")

    assert response.status_code == 400
    error = response.json()["errors"][0]
    assert error["attr"] == attr
    assert code is None or error["code"] == code


@pytest.mark.parametrize("body", ["[]", '"x"', "1", "null", "{", "[" * 60_000])
def test_body_that_is_no_object_is_refused(body, api, brand):
    response = api.post(PATH, body, content_type="application/json")

    assert response.status_code == 400
    assert response["Content-Type"] == "application/json"


@pytest.mark.usefixtures("brand")
@pytest.mark.parametrize(
    ("_case", "origin", "status", "code"),
    [
        ("null", "null", 400, "origin_required"),
        ("malformed", "https://shop.example.com/", 400, "origin_required"),
        ("unknown", "https://evil.example", 403, "origin_not_registered"),
    ],
)
def test_origin_names_the_brand(_case, origin, status, code):
    response = APIClient(HTTP_ORIGIN=origin).post(
        PATH, {"email": "a@b.example", "password": PASSWORD}, format="json"
    )

    assert response.status_code == status
    assert response.json()["errors"][0]["code"] == code


def test_client_of_another_brand_is_unknown_here(api, other_brand):
    stranger = ClientFactory(brand=other_brand)

    response = api.post(
        PATH, {"email": stranger.email, "password": PASSWORD}, format="json"
    )

    assert response.json()["errors"][0]["code"] == "invalid_credentials"


def test_without_an_origin_it_is_the_only_brand(client):
    body = {"email": client.email, "password": PASSWORD}

    assert APIClient().post(PATH, body, format="json").status_code == 200


def test_without_an_origin_two_brands_are_one_too_many(client, other_brand):
    body = {"email": client.email, "password": PASSWORD}

    response = APIClient().post(PATH, body, format="json")

    assert response.status_code == 400
    assert response.json()["errors"][0]["code"] == "origin_required"


def test_get_is_not_allowed(api, brand):
    assert api.get(PATH).status_code == 405
