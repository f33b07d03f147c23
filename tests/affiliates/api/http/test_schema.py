"""Our endpoints as OpenAPI describes them, where drf-spectacular is installed."""

from __future__ import annotations

import pytest
from django.apps import apps

from tests.cases import each

pytest.importorskip("drf_spectacular")

from affiliates.api.http.schema import (  # noqa: E402 - imports drf_spectacular
    OwnSchemaGenerator,
    WholeSchemaGenerator,
)
from affiliates.hooks import own_apps

pytestmark = pytest.mark.portable

OURS = {
    "/api/affiliate/apply": {"get", "post"},
    "/api/affiliate/balances": {"get"},
    "/api/affiliate/claims": {"get", "post"},
    "/api/affiliate/commissions": {"get"},
    "/api/affiliate/commissions/{commission_id}": {"get"},
    "/api/affiliate/coupons": {"get", "post"},
    "/api/affiliate/coupons/{coupon_id}": {"delete"},
    "/api/affiliate/creatives": {"get"},
    "/api/affiliate/creatives/{creative_id}": {"get"},
    "/api/affiliate/keys": {"get", "post"},
    "/api/affiliate/keys/{key_id}": {"delete"},
    "/api/affiliate/notifications": {"get"},
    "/api/affiliate/notifications/choices": {"get", "patch"},
    "/api/affiliate/departure": {"get", "post"},
    "/api/affiliate/links": {"get", "post"},
    "/api/affiliate/links/{link_id}": {"get", "patch"},
    "/api/affiliate/offers": {"get"},
    "/api/affiliate/orders": {"get"},
    "/api/affiliate/orders/{order_id}": {"get"},
    "/api/affiliate/payout_destination": {"get", "put"},
    "/api/affiliate/payouts": {"get", "post"},
    "/api/affiliate/payouts/{payout_id}": {"get"},
    "/api/operator/events": {"post"},
    "/api/operator/lists/{list_name}": {"get"},
    "/api/affiliate/postings": {"get"},
    "/api/affiliate/profile": {"get", "patch"},
    "/api/affiliate/referrals": {"get"},
    "/api/affiliate/statistics": {"get"},
    "/api/affiliate/tax_identity": {"get", "put"},
    "/api/affiliate/terms": {"get"},
    "/api/affiliate/webhook": {"delete", "get", "put"},
    "/api/affiliate/webhook/rotate": {"post"},
    "/api/affiliate/webhook/test": {"post"},
    "/api/affiliate_link/offer": {"post"},
    "/api/affiliate_link/visit": {"post"},
    "/api/clients/register": {"post"},
    "/api/clients/register/guest": {"post"},
    "/api/clients/{client_id}/complete_registration": {"post"},
    "/api/orders/{order_id}/convert": {"patch"},
}
# Of apps that a host with the area may leave out.
OF_APPS = {
    "/api/operator/events": "affiliates_events_api",
    "/api/operator/lists/{list_name}": "affiliates_events_api",
    "/api/affiliate/coupons/{coupon_id}": "affiliates_offers",
    "/api/affiliate/offers": "affiliates_offers",
    "/api/affiliate_link/offer": "affiliates_offers",
    "/api/affiliate/tax_identity": "affiliates_tax_identity",
}


def test_our_description_has_our_endpoints_only(db):
    description = OwnSchemaGenerator().get_schema()

    found = {path: set(methods) for path, methods in description["paths"].items()}
    has_area = apps.is_installed("affiliates.contrib.area")
    labels = {config.label for config in own_apps()}
    if has_area and "affiliates_offers" not in labels:
        found["/api/affiliate/coupons"].add("post")
    assert found == {
        path: methods
        for path, methods in OURS.items()
        if (has_area or not path.startswith("/api/affiliate/"))
        and OF_APPS.get(path, "affiliates") in labels
    }
    assert description["info"]["title"] == "Affiliate tracking API"


def test_the_hosts_generator_may_take_ours_in(db):
    whole = WholeSchemaGenerator().get_schema(public=True)["paths"]
    own = OwnSchemaGenerator().get_schema()["paths"]

    assert own.items() <= whole.items()


def test_the_one_patch_is_described_whole_whatever_the_host_splits(db, monkeypatch):
    monkeypatch.setattr(
        "drf_spectacular.settings.spectacular_settings.COMPONENT_SPLIT_PATCH", True
    )

    schemas = OwnSchemaGenerator().get_schema()["components"]["schemas"]

    assert set(schemas["Conversion"]["properties"]) == {
        "payment_details_id",
        "referral_cookie",
    }
    assert not [name for name in schemas if name.startswith("Patched")]


def test_headers_of_a_visit_are_described(db):
    visit = OwnSchemaGenerator().get_schema()["paths"]["/api/affiliate_link/visit"]

    assert visit["post"]["parameters"] == [
        {
            "in": "header",
            "name": "Origin",
            "schema": {"type": "string"},
            "description": "The client area's origin; it names the brand.",
            "required": True,
        },
        {
            "in": "header",
            "name": "Visit-Id",
            "schema": {"type": "string"},
            "description": "That of the answer to this visit, whose click was not "
            "stored.",
        },
    ]


@pytest.mark.usefixtures("area")
def test_an_affiliates_key_is_described(db):
    described = OwnSchemaGenerator().get_schema()
    balances = described["paths"]["/api/affiliate/balances"]["get"]

    assert described["components"]["securitySchemes"]["affiliateKey"] == {
        "type": "http",
        "scheme": "bearer",
        "description": "An affiliate's key",
    }
    assert {"affiliateKey": []} in balances["security"]


@each("query", ["lang=%00", "lang=../..", "lang=%ff", "format=html", "x" * 999])
def test_odd_query_is_no_fault_of_the_description(api, brand, query):
    answer = api.get(f"/api/schema?{query}")

    assert (answer.status_code, answer["Content-Type"]) == (200, "application/json")


@pytest.mark.usefixtures("area")
def test_endpoints_that_answer_repeats_describe_the_key(db):
    paths = OwnSchemaGenerator().get_schema()["paths"]

    described = {
        path: parameter
        for path, methods in paths.items()
        for operation in methods.values()
        for parameter in operation.get("parameters", ())
        if parameter["name"] == "Idempotency-Key"
    }
    labels = {config.label for config in own_apps()}
    offers = {"/api/affiliate/coupons"} if "affiliates_offers" in labels else ()
    assert set(described) == {
        "/api/affiliate/claims",
        *offers,
        "/api/affiliate/payouts",
        "/api/clients/register",
        "/api/clients/register/guest",
        "/api/clients/{client_id}/complete_registration",
        "/api/orders/{order_id}/convert",
    }
    for parameter in described.values():
        assert parameter["in"] == "header"
        assert not parameter.get("required")
    assert "422" in paths["/api/clients/register"]["post"]["responses"]
