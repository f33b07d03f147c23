"""Endpoints of ours are what they are, whatever the host makes of its REST framework."""

from __future__ import annotations

import pytest
from rest_framework.authentication import BaseAuthentication
from rest_framework.test import APIClient

from tests.affiliates.api.calls import refusal, register, registration_body, visit
from tests.database import nothing_written

pytestmark = pytest.mark.portable

BALANCES = "/api/affiliate/balances"
SESSIONS = "rest_framework.authentication.SessionAuthentication"


class ByName(BaseAuthentication):
    """Believes a header, for the tests."""

    def authenticate(self, request):
        name = request.headers.get("X-Client")
        return name and (self.named[name], None)


@pytest.mark.usefixtures("area")
def test_a_host_may_name_who_may_call_us(affiliate, settings, monkeypatch):
    monkeypatch.setattr(ByName, "named", {"ada": affiliate.user}, raising=False)
    settings.AFFILIATES_AUTHENTICATION_CLASSES = [f"{__name__}.ByName"]

    answer = APIClient().get(BALANCES, headers={"x-client": "ada"})

    assert (answer.status_code, answer.json()) == (
        200,
        {"data": {"balances": [], "page": 1, "pages": 1}},
    )
    assert APIClient().get(BALANCES).status_code == 401


@pytest.mark.usefixtures("area")
def test_the_hosts_own_classes_are_the_default(api, affiliate, host):
    api.credentials(HTTP_AUTHORIZATION=host.authorization(affiliate.user))

    assert api.get(BALANCES).json() == {"data": {"balances": [], "page": 1, "pages": 1}}


@pytest.mark.usefixtures("area")
def test_want_of_credentials_is_401_where_sessions_are_credentials_too(db, settings):
    settings.AFFILIATES_AUTHENTICATION_CLASSES = [SESSIONS]

    answer = APIClient().get(BALANCES)

    assert refusal(answer) == (401, "not_authenticated", None)
    assert answer["WWW-Authenticate"] == "Session"


@pytest.mark.parametrize("media_type", ["multipart/form-data", "text/plain"])
def test_nothing_but_json_is_read(api, brand, media_type):
    with nothing_written():
        answer = api.generic("POST", "/api/clients/register", b"x", media_type)

    assert refusal(answer) == (415, "unsupported_media_type", None)


def test_the_formatter_of_the_host_is_not_ours(api, brand, settings):
    settings.DRF_STANDARDIZED_ERRORS = {"EXCEPTION_FORMATTER_CLASS": "decimal.Decimal"}

    assert refusal(visit(api, "nowhere"))[0] == 400
    assert refusal(register(api, **registration_body(email="nobody")))[0] == 400
