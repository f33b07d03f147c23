"""The description at /api/schema is valid, complete and quiet."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver
from drf_spectacular.generators import SchemaGenerator
from openapi_spec_validator import OpenAPIV31SpecValidator

from affiliates.contrib.announcements.views import open_link
from affiliates.contrib.stripe.views import receive
from affiliates.emails.choices.unsubscribing import unsubscribe
from affiliates.outbox.queue.rules import QueueState
from affiliates.payouts.sending.views import called_by_provider
from tests.contract.openapi import document, operations

# Every operation and the status of its success.
OPERATIONS = {
    ("GET", "/api/account_credit"): "200",
    ("GET", "/api/affiliate/apply"): "200",
    ("POST", "/api/affiliate/apply"): "201",
    ("GET", "/api/affiliate/balances"): "200",
    ("GET", "/api/affiliate/claims"): "200",
    ("POST", "/api/affiliate/claims"): "201",
    ("GET", "/api/affiliate/commissions"): "200",
    ("GET", "/api/affiliate/commissions/{commission_id}"): "200",
    ("GET", "/api/affiliate/coupons"): "200",
    ("POST", "/api/affiliate/coupons"): "201",
    ("DELETE", "/api/affiliate/coupons/{coupon_id}"): "200",
    ("GET", "/api/affiliate/creatives"): "200",
    ("GET", "/api/affiliate/creatives/{creative_id}"): "200",
    ("GET", "/api/affiliate/departure"): "200",
    ("POST", "/api/affiliate/departure"): "200",
    ("GET", "/api/affiliate/keys"): "200",
    ("POST", "/api/affiliate/keys"): "201",
    ("DELETE", "/api/affiliate/keys/{key_id}"): "200",
    ("GET", "/api/affiliate/notifications"): "200",
    ("GET", "/api/affiliate/notifications/choices"): "200",
    ("PATCH", "/api/affiliate/notifications/choices"): "200",
    ("GET", "/api/affiliate/links"): "200",
    ("POST", "/api/affiliate/links"): "201",
    ("GET", "/api/affiliate/links/{link_id}"): "200",
    ("PATCH", "/api/affiliate/links/{link_id}"): "200",
    ("GET", "/api/affiliate/payout_destination"): "200",
    ("PUT", "/api/affiliate/payout_destination"): "200",
    ("GET", "/api/affiliate/payouts"): "200",
    ("POST", "/api/affiliate/payouts"): "201",
    ("GET", "/api/affiliate/payouts/{payout_id}"): "200",
    ("GET", "/api/affiliate/offers"): "200",
    ("GET", "/api/affiliate/orders"): "200",
    ("GET", "/api/affiliate/orders/{order_id}"): "200",
    ("GET", "/api/affiliate/postings"): "200",
    ("GET", "/api/affiliate/profile"): "200",
    ("PATCH", "/api/affiliate/profile"): "200",
    ("GET", "/api/affiliate/referrals"): "200",
    ("GET", "/api/affiliate/statistics"): "200",
    ("GET", "/api/affiliate/tax_identity"): "200",
    ("PUT", "/api/affiliate/tax_identity"): "200",
    ("GET", "/api/affiliate/terms"): "200",
    ("DELETE", "/api/affiliate/webhook"): "200",
    ("GET", "/api/affiliate/webhook"): "200",
    ("PUT", "/api/affiliate/webhook"): "200",
    ("POST", "/api/affiliate/webhook/rotate"): "200",
    ("POST", "/api/affiliate/webhook/test"): "200",
    ("POST", "/api/affiliate_link/offer"): "200",
    ("POST", "/api/affiliate_link/visit"): "200",
    ("POST", "/api/clients/login"): "200",
    ("POST", "/api/clients/password_reset"): "200",
    ("POST", "/api/clients/password_reset/confirm"): "200",
    ("POST", "/api/clients/register"): "201",
    ("POST", "/api/clients/register/guest"): "201",
    ("DELETE", "/api/clients/token"): "200",
    ("POST", "/api/clients/{client_id}/complete_registration"): "200",
    ("GET", "/api/invoices"): "200",
    ("GET", "/api/invoices/{invoice_id}"): "200",
    ("POST", "/api/invoices/{invoice_id}/pay_with_credit"): "200",
    ("POST", "/api/operator/events"): "200",
    ("GET", "/api/operator/lists/{list_name}"): "200",
    ("GET", "/api/orders"): "200",
    ("POST", "/api/orders"): "201",
    ("GET", "/api/orders/{order_id}"): "200",
    ("PATCH", "/api/orders/{order_id}/convert"): "200",
    ("DELETE", "/api/orders/{order_id}/coupon"): "200",
    ("POST", "/api/orders/{order_id}/coupon"): "200",
    ("POST", "/api/orders/{order_id}/items"): "201",
    ("DELETE", "/api/orders/{order_id}/items/{product_id}"): "200",
    ("PATCH", "/api/orders/{order_id}/items/{product_id}"): "200",
    ("POST", "/api/payment_details"): "201",
    ("POST", "/api/payments/webhook/{gateway}"): "200",
    ("GET", "/api/products"): "200",
}
REGISTRATION = {"email", "firstname", "lastname", "password"}
# They describe the others.
UNSUBSCRIBING = "/api/emails/unsubscribe/{token}"
ANNOUNCED = "/api/announcements/{token}"
OF_PROVIDERS = "/api/payout_providers/{provider}"
OF_STRIPE = "/api/stripe/{brand_id}"
OWN_PAGES = {
    ("GET", ANNOUNCED),
    ("GET", "/api/docs"),
    ("GET", "/api/schema"),
    ("GET", UNSUBSCRIBING),
    ("POST", UNSUBSCRIBING),
    ("POST", OF_PROVIDERS),
    ("POST", OF_STRIPE),
}


def test_description_is_valid_openapi_3_1():
    assert document()["openapi"].startswith("3.1")

    OpenAPIV31SpecValidator(document()).validate()


def test_description_is_generated_without_warnings(tmp_path: Path, capsys):
    call_command("spectacular", file=str(tmp_path / "schema.json"), fail_on_warn=True)

    assert "arning" not in capsys.readouterr().err


@pytest.fixture
def _generated_before(monkeypatch, described):
    """These ask how it is sent; generating it takes longer than all of them."""
    monkeypatch.setattr(SchemaGenerator, "get_schema", lambda *_, **__: described)


@pytest.mark.usefixtures("_generated_before")
def test_description_is_json_whatever_is_accepted():
    for accept in ("application/json", "text/html", "application/yaml", "*/*"):
        response = Client().get("/api/schema", headers={"accept": accept})

        assert response.status_code == 200
        assert response["Content-Type"] == "application/json"


def test_operations_are_the_golden_list():
    assert operations() == OPERATIONS.keys()


def test_operations_are_what_the_urls_offer():
    assert _offered() == OPERATIONS.keys() | OWN_PAGES


def test_each_operation_describes_its_one_success():
    described = {
        (method, path): [
            status
            for status in document()["paths"][path][method.lower()]["responses"]
            if status.startswith("2")
        ]
        for method, path in OPERATIONS
    }

    assert described == {one: [status] for one, status in OPERATIONS.items()}


@pytest.mark.parametrize(
    ("method", "path", "required"),
    [
        (
            "post",
            "/api/affiliate_link/visit",
            {"visit_url", "referrer_url", "user_agent"},
        ),
        ("post", "/api/clients/register", REGISTRATION),
        ("post", "/api/clients/register/guest", set()),
        ("post", "/api/clients/{client_id}/complete_registration", REGISTRATION),
        ("patch", "/api/orders/{order_id}/convert", set()),
    ],
)
def test_described_bodies_require_what_is_required(method, path, required):
    body = document()["paths"][path][method]["requestBody"]
    reference = body["content"]["application/json"]["schema"]["$ref"]
    schema = document()["components"]["schemas"][reference.rpartition("/")[2]]

    assert set(schema.get("required", [])) == required
    assert body.get("required", False) is bool(required)


def test_addresses_are_described_as_such():
    visit = document()["components"]["schemas"]["VisitRequest"]["properties"]
    answer = document()["components"]["schemas"]["VisitData"]["properties"]

    assert visit["visit_url"]["format"] == "uri"
    assert answer["redirect_url"]["format"] == "uri"


def test_every_operation_has_an_id_a_summary_and_a_tag():
    for path, methods in document()["paths"].items():
        for method, operation in methods.items():
            assert operation["operationId"], (method, path)
            assert operation["summary"], (method, path)
            assert operation["tags"], (method, path)


def test_docs_page_needs_nothing_from_elsewhere():
    response = Client().get("/api/docs")

    assert response.status_code == 200
    assert response["Content-Type"] == "text/html; charset=utf-8"
    assert re.findall(rb"(?:src|href)=\"(?:https?:)?//", response.content) == []


@pytest.mark.usefixtures("_generated_before")
@pytest.mark.parametrize("path", ["/api/docs", "/api/schema"])
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_own_pages_refuse_other_methods_in_json(path, method):
    response = Client().generic(method, path)

    assert response.status_code == (200 if method == "OPTIONS" else 405)
    assert response["Content-Type"] == "application/json"


@pytest.mark.usefixtures("_generated_before")
@pytest.mark.parametrize("path", ["/api/docs", "/api/schema"])
def test_own_pages_ask_for_no_credentials(db, path):
    response = Client().get(path, headers={"authorization": "Bearer nonsense"})

    assert response.status_code == 200


def _offered() -> set[tuple[str, str]]:
    return {
        (method.upper(), "/" + re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", route))
        for route, view in _routes(get_resolver(), "")
        if route.startswith("api/")
        for method in _methods(view)
    }


def _routes(resolver: URLResolver, prefix: str):
    for pattern in resolver.url_patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from _routes(pattern, route)
        elif isinstance(pattern, URLPattern):
            yield route, pattern.callback


def _methods(view) -> set[str]:
    if view is unsubscribe:
        return {"get", "post"}
    if view in {called_by_provider, receive}:
        return {"post"}
    if view is open_link:
        return {"get"}
    if hasattr(view, "actions"):
        return set(view.actions) - {"head"}
    return {
        method
        for method in view.view_class.http_method_names
        if method not in {"options", "head"} and hasattr(view.view_class, method)
    }


@pytest.mark.parametrize("path", ["balances", "claims", "links", "orders", "payouts"])
def test_lists_of_an_affiliate_are_described_in_their_envelope(path):
    described = document()["paths"][f"/api/affiliate/{path}"]["get"]["responses"]
    schema = described["200"]["content"]["application/json"]["schema"]

    name = schema["$ref"].rsplit("/", 1)[1]
    assert set(document()["components"]["schemas"][name]["properties"]) == {"data"}


@pytest.mark.parametrize(
    ("path", "maximum"),
    [
        ("/api/affiliate/claims", 10_000),
        ("/api/affiliate/payouts", 10_000),
        ("/api/products", 1_000_000),
    ],
)
def test_a_page_is_described_with_its_bounds(path, maximum):
    asked = document()["paths"][path]["get"]["parameters"]
    (page,) = (one for one in asked if one["name"] == "page")

    assert page["schema"] == {
        "type": "integer",
        "minimum": 1,
        "maximum": maximum,
        "default": 1,
    }


def test_names_and_passwords_are_described_as_not_empty():
    schemas = document()["components"]["schemas"]

    for name in ("Registration", "Completion"):
        for field in ("firstname", "lastname", "password"):
            assert schemas[name]["properties"][field]["minLength"] == 1


def test_every_state_of_a_webhooks_delivery_is_described():
    delivery = document()["components"]["schemas"]["WebhookDelivery"]["properties"]

    named = set(re.findall(r"\w+", delivery["state"]["description"]))
    assert set(QueueState.values) <= named
