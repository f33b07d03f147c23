from __future__ import annotations

from uuid import uuid4

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from affiliates.errors import InvalidInput, NotFound, StateConflict
from portal.orders.models import Order
from portal.orders.services import end_service
from tests.factories.portal import OrderFactory, ProductFactory
from tests.guard.markers import marker

ENDED = marker("staff", "ended")


@pytest.fixture
def order(client, now) -> Order:
    return OrderFactory(client=client, status="converted", converted_at=now)


def test_a_service_ends_with_its_reason(order, now):
    end_service(order_id=order.pk, reason=f" {ENDED} ", now=now)

    order.refresh_from_db()
    assert (order.ended_at, order.ended_reason) == (now, ENDED)


@pytest.mark.parametrize("reason", ["", "   ", "x" * 256])
def test_it_needs_a_reason(reason, order, now):
    with pytest.raises(InvalidInput) as refusal:
        end_service(order_id=order.pk, reason=reason, now=now)

    assert refusal.value.field == "reason"
    order.refresh_from_db()
    assert order.ended_at is None


def test_it_ends_once(order, now):
    end_service(order_id=order.pk, reason=ENDED, now=now)

    with pytest.raises(StateConflict) as refusal:
        end_service(order_id=order.pk, reason="Again", now=now)

    assert refusal.value.code == "already_ended"
    order.refresh_from_db()
    assert order.ended_reason == ENDED


def test_a_basket_does_not_end(client, now):
    order = OrderFactory(client=client)

    with pytest.raises(StateConflict) as refusal:
        end_service(order_id=order.pk, reason=ENDED, now=now)

    assert refusal.value.code == "not_converted"
    order.refresh_from_db()
    assert order.ended_at is None


def test_an_absent_order_is_not_found(db, now):
    with pytest.raises(NotFound):
        end_service(order_id=uuid4(), reason=ENDED, now=now)


def test_database_refuses_a_basket_that_ended(client, now):
    with pytest.raises(IntegrityError), transaction.atomic():
        OrderFactory(client=client, ended_at=now)


def test_only_domains_have_a_tld(brand):
    with pytest.raises(IntegrityError), transaction.atomic():
        ProductFactory(brand=brand, tld="com")


@pytest.mark.parametrize(
    ("_case", "fields", "faulty"),
    [
        ("no TLD", {"operation": "register"}, {"tld"}),
        ("no operation", {"tld": "com"}, {"operation"}),
        ("a dot before it", {"tld": ".com", "operation": "register"}, {"tld"}),
        ("a renewal", {"tld": "com", "operation": "renew"}, {"operation"}),
    ],
)
def test_a_domain_says_what_is_done_with_which(_case, fields, faulty, brand):
    product = ProductFactory.build(brand=brand, kind="domain", **fields)

    with pytest.raises(ValidationError) as refusal:
        product.full_clean()

    assert set(refusal.value.message_dict) == faulty
