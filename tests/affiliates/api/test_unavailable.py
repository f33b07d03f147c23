"""While the database is away, visitors are sent on and other callers told to come again."""

from __future__ import annotations

from contextlib import contextmanager

import pytest
from django.db import InterfaceError, OperationalError, connection
from rest_framework.test import APIClient

from affiliates.brands import selectors as brands
from affiliates.brands.config_cache import ChangeLog, ConfigCache
from affiliates.visits.models import Click
from tests.affiliates.api.calls import (
    SHOP,
    convert,
    refusal,
    register,
    register_guest,
    visit,
)
from tests.database import nothing_written

UNAVAILABLE = (503, "unavailable", None)


@pytest.fixture
def api():
    """A caller in the client area who sees what a real one would."""
    return APIClient(raise_request_exception=False, HTTP_ORIGIN=SHOP)


@contextmanager
def database_fails(error, *, on=""):
    """Every statement that contains ``on`` meets this error."""

    def execute(execute, sql, params, many, context):
        if on in sql:
            raise error
        return execute(sql, params, many, context)

    with connection.execute_wrapper(execute):
        yield


@pytest.mark.parametrize("error", [OperationalError("gone"), InterfaceError("closed")])
@pytest.mark.parametrize("on", ["", "affiliates_click"])
def test_visitor_is_sent_on_and_the_visit_may_be_sent_again(api, link, error, on):
    page = f"{SHOP}/aff/{link.hash}"
    visit(api, page)
    with nothing_written(), database_fails(error, on=on):
        answer = visit(api, page)

    assert answer.status_code == 200
    assert answer.json() == {"data": {"redirect_url": f"{SHOP}/plans"}}
    assert answer["Access-Control-Expose-Headers"] == "Visit-Id"

    again = {"Visit-Id": answer["Visit-Id"]}
    for _ in range(2):
        stored = visit(api, page, headers=again)
        assert stored.json()["data"]["referral_cookie"]
        assert "Visit-Id" not in stored
        assert Click.objects.count() == 2


def test_visit_of_a_brand_that_was_never_known_is_refused(api, link, monkeypatch):
    unknown = ConfigCache(brands._load, brands._cache._keep, log=ChangeLog())
    monkeypatch.setattr(brands, "_cache", unknown)
    page = f"{SHOP}/aff/{link.hash}"
    with nothing_written(), database_fails(OperationalError("gone")):
        answer = visit(api, page)

    assert refusal(answer) == UNAVAILABLE
    assert int(answer["Retry-After"]) >= 1


@pytest.mark.parametrize("on", ["", "INSERT"])
@pytest.mark.parametrize("call", [register, register_guest])
def test_registration_is_refused_whole(api, brand, call, on):
    with nothing_written(), database_fails(OperationalError("locked"), on=on):
        answer = call(api)

    assert refusal(answer) == UNAVAILABLE
    assert int(answer["Retry-After"]) >= 1
    assert call(api).status_code == 201


@pytest.mark.parametrize("on", ["affiliates_clientreferral", "affiliates_click"])
def test_client_is_not_registered_without_its_binding(api, link, on):
    page = f"{SHOP}/aff/{link.hash}"
    cookie = visit(api, page).json()["data"]["referral_cookie"]

    with nothing_written(), database_fails(OperationalError("locked"), on=on):
        answer = register(api, referral_cookie=cookie)

    assert refusal(answer) == UNAVAILABLE


@pytest.mark.parametrize("on", ["", "affiliates_orderreferral", "affiliates_click"])
def test_order_is_not_converted_without_its_decision(api, link, brand, host, on):
    page = f"{SHOP}/aff/{link.hash}"
    cookie = visit(api, page).json()["data"]["referral_cookie"]
    client = host.client(brand, email="client@example.com")
    order, details = host.order(client), host.payment_details_id(client)
    api.credentials(HTTP_AUTHORIZATION=host.authorization(client))
    sent = {"payment_details_id": details, "referral_cookie": cookie}

    with nothing_written(), database_fails(OperationalError("locked"), on=on):
        answer = convert(api, order, **sent)

    assert refusal(answer) == UNAVAILABLE
    assert convert(api, order, **sent).status_code == 200


def test_fault_of_the_service_is_json_and_tells_nothing(api, link):
    with database_fails(RuntimeError("secret detail"), on="affiliates_click"):
        answer = visit(api, f"{SHOP}/aff/{link.hash}")

    assert refusal(answer) == (500, "error", None)
    assert b"secret" not in answer.content
