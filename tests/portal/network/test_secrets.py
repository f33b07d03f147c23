"""Acceptance test 12: credentials are in no log, no row and no page."""

from __future__ import annotations

import json
import logging
from datetime import timedelta

import pytest
from django.apps import apps
from django.urls import reverse

from affiliates.outbox.models.delivery import Delivery, DeliveryAttempt
from affiliates.outbox.secrets import CREDENTIALS
from tests.portal.network.shop import PASSWORD, Shop

pytestmark = pytest.mark.django_db

TOKEN = "canary-of-the-security-token"
LISTS = (
    "admin:affiliates_delivery_changelist",
    "admin:affiliates_trackingintegration_changelist",
    "admin:affiliates_brand_changelist",
)


@pytest.fixture
def logs(caplog):
    caplog.set_level(logging.DEBUG)
    for name in ("affiliates", "portal", "httpcore", "django", "asyncio"):
        caplog.set_level(logging.DEBUG, logger=name)
    return caplog


def logged(caplog) -> str:
    """Every message so far, with whatever else its record carries: the last heard."""
    assert "httpcore.http11" in {record.name for record in caplog.records}
    text = caplog.text + "".join(str(vars(record)) for record in caplog.records)
    # Pages report at length which variables they do without.
    caplog.set_level(logging.WARNING, logger="django")
    return text


def stored() -> str:
    """Every value of every row."""
    rows = (row for model in apps.get_models() for row in model.objects.values_list())
    return "\n".join(str(row) for row in rows)


def pages(shop: Shop, integration) -> str:
    """Every admin page that has to do with the integration."""
    addresses = [reverse(name) for name in LISTS]
    addresses += [shop.page_of(row) for row in (integration, *Delivery.objects.all())]
    addresses.append(reverse("admin:affiliates_brand_change", args=[shop.brand.pk]))
    return "".join(shop.shown(address) for address in addresses)


def test_acceptance_12_a_merchants_login_leaves_no_trace(shop, logs):
    integration = shop.integrate(sale_status="A")
    invoice = shop.sell()
    shop.deliver()
    shop.deliver()
    shop.refund(invoice)
    for fault in (
        {"close_after_processing": True},
        {"body": json.dumps({"e": PASSWORD}), "process": True},
        {"html_page": True},
        {"status": 500, "body": PASSWORD},
    ):
        shop.tracker.fault(on="rpc", **fault)
        shop.deliver(after=timedelta(hours=8))
    shop.tracker.settings.change({"password": "changed"})
    verdict = shop.verdict_of_test(integration)

    sent = b"".join(one.body for one in shop.requests("server")).decode()
    assert PASSWORD in sent
    assert DeliveryAttempt.objects.count() > Delivery.objects.count()
    sessions = list(shop.tracker.state.sessions)
    seen = logged(logs), stored(), pages(shop, integration), verdict
    for text in seen:
        for secret in (PASSWORD, *sessions):
            assert secret not in text
    assert CREDENTIALS.open(integration.secrets) == {"password": PASSWORD}


def test_acceptance_12_a_token_in_an_address_leaves_no_trace(shop, logs):
    integration = shop.integrate(
        provider="postback",
        username="",
        password="",
        identifier_parameter="transaction_id",
        sale_template="/pb?click={visitor_id}&security_token={secret}",
        secret=TOKEN,
    )
    shop.sell("/plans?transaction_id=5f3759df&a_aid=testaff")

    shop.deliver()

    [request] = shop.tracker.state.log
    assert f"security_token={TOKEN}" in request.target
    [row] = Delivery.objects.all()
    assert (row.state, row.detail) == (
        "retry",
        "The provider answered with status 404.",
    )
    for text in (logged(logs), stored(), pages(shop, integration)):
        assert TOKEN not in text
