"""Endpoints of ours are what they are, whatever the host makes of its REST framework."""

from __future__ import annotations

import pytest
from rest_framework.authentication import BaseAuthentication
from rest_framework.test import APIClient

from affiliates.api.http.schema import OwnSchemaGenerator, WholeSchemaGenerator
from tests.affiliates.api.calls import refusal, register, registration_body, visit
from tests.database import nothing_written

pytestmark = pytest.mark.portable

BALANCES = "/api/affiliate/balances"
SESSIONS = "rest_framework.authentication.SessionAuthentication"
OURS = {
    "/api/affiliate/apply": {"get", "post"},
    "/api/affiliate/balances": {"get"},
    "/api/affiliate/claims": {"get", "post"},
    "/api/affiliate/commissions": {"get"},
    "/api/affiliate/commissions/{commission_id}": {"get"},
    "/api/affiliate/coupons": {"get"},
    "/api/affiliate/creatives": {"get"},
    "/api/affiliate/keys": {"get", "post"},
    "/api/affiliate/keys/{key_id}": {"delete"},
    "/api/affiliate/notifications": {"get"},
    "/api/affiliate/notifications/choices": {"get", "patch"},
    "/api/affiliate/links": {"get", "post"},
    "/api/affiliate/links/{link_id}": {"get", "patch"},
    "/api/affiliate/orders": {"get"},
    "/api/affiliate/orders/{order_id}": {"get"},
    "/api/affiliate/payout_destination": {"get", "put"},
    "/api/affiliate/payouts": {"get", "post"},
    "/api/affiliate/payouts/{payout_id}": {"get"},
    "/api/affiliate/postings": {"get"},
    "/api/affiliate/profile": {"get", "patch"},
    "/api/affiliate/referrals": {"get"},
    "/api/affiliate/statistics": {"get"},
    "/api/affiliate/webhook": {"delete", "get", "put"},
    "/api/affiliate/webhook/rotate": {"post"},
    "/api/affiliate/webhook/test": {"post"},
    "/api/affiliate_link/visit": {"post"},
    "/api/clients/register": {"post"},
    "/api/clients/register/guest": {"post"},
    "/api/clients/{client_id}/complete_registration": {"post"},
    "/api/orders/{order_id}/convert": {"patch"},
}


class ByName(BaseAuthentication):
    """Believes a header, for the tests."""

    def authenticate(self, request):
        name = request.headers.get("X-Client")
        return name and (self.named[name], None)


def test_a_host_may_name_who_may_call_us(affiliate, settings, monkeypatch):
    monkeypatch.setattr(ByName, "named", {"ada": affiliate.user}, raising=False)
    settings.AFFILIATES_AUTHENTICATION_CLASSES = [f"{__name__}.ByName"]

    answer = APIClient().get(BALANCES, headers={"x-client": "ada"})

    assert (answer.status_code, answer.json()) == (200, {"data": []})
    assert APIClient().get(BALANCES).status_code == 401


def test_the_hosts_own_classes_are_the_default(api, affiliate, host):
    api.credentials(HTTP_AUTHORIZATION=host.authorization(affiliate.user))

    assert api.get(BALANCES).json() == {"data": []}


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


def test_our_description_has_our_endpoints_only(db):
    description = OwnSchemaGenerator().get_schema()

    found = {path: set(methods) for path, methods in description["paths"].items()}
    assert found == OURS
    assert description["info"]["title"] == "Affiliate tracking API"


def test_the_hosts_generator_may_take_ours_in(db):
    whole = WholeSchemaGenerator().get_schema(public=True)["paths"]
    own = OwnSchemaGenerator().get_schema()["paths"]

    assert own.items() <= whole.items()


def test_the_one_patch_requires_its_fields_whatever_the_host_splits(db, monkeypatch):
    monkeypatch.setattr(
        "drf_spectacular.settings.spectacular_settings.COMPONENT_SPLIT_PATCH", True
    )

    schemas = OwnSchemaGenerator().get_schema()["components"]["schemas"]

    assert schemas["Conversion"]["required"] == ["payment_details_id"]
    assert not [name for name in schemas if name.startswith("Patched")]
