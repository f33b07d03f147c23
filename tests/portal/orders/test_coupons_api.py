from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from uuid import uuid4

import pytest
from django.db import IntegrityError, transaction
from moneyed import Money

from portal.orders.models import Order
from tests.factories.portal import (
    CouponFactory,
    OrderFactory,
    OrderItemFactory,
    PaymentDetailsFactory,
    ProductFactory,
    convert_order,
)
from tests.portal.conftest import NOT_FOUND


@pytest.fixture
def order(client) -> Order:
    order = OrderFactory(client=client)
    OrderItemFactory(order=order)
    return order


@pytest.fixture
def coupon(brand):
    return CouponFactory(brand=brand, code="Save10")


def path(order: object) -> str:
    return f"/api/orders/{getattr(order, 'pk', order)}/coupon"


@pytest.mark.parametrize("code", ["Save10", "SAVE10", "save10", " save10 "])
def test_a_coupon_makes_a_basket_cheaper(code, client, order, coupon, speak_as):
    response = speak_as(client).post(path(order), {"code": code}, format="json")

    assert response.status_code == 200
    data = response.json()["data"]
    assert data["coupon"] == {"code": "Save10", "percent_off": "10.00"}
    assert data["totals"] == data["items"][0]["amounts"]
    assert {name: money["amount"] for name, money in data["totals"].items()} == {
        "discount": "0.90",
        "net": "8.10",
        "tax": "1.54",
        "gross": "9.64",
    }


def test_another_one_takes_its_place(client, brand, order, coupon, speak_as):
    other = CouponFactory(brand=brand, percent_off=Decimal(50))
    api = speak_as(client)
    api.post(path(order), {"code": coupon.code}, format="json")

    data = api.post(path(order), {"code": other.code}, format="json").json()["data"]

    assert data["coupon"] == {"code": other.code, "percent_off": "50.00"}
    assert data["totals"]["discount"]["amount"] == "4.50"


def test_it_is_taken_off_again(client, order, coupon, speak_as):
    api = speak_as(client)
    api.post(path(order), {"code": coupon.code}, format="json")

    answers = [api.delete(path(order)) for _ in range(2)]

    for answer in answers:
        assert answer.status_code == 200
        assert answer.json()["data"]["coupon"] is None
        assert answer.json()["data"]["totals"]["discount"]["amount"] == "0.00"


def test_a_basket_keeps_the_percentage_of_when_it_was_entered(
    client, order, coupon, speak_as
):
    api = speak_as(client)
    api.post(path(order), {"code": coupon.code}, format="json")
    coupon.percent_off, coupon.is_active = Decimal(99), False
    coupon.save()

    data = api.get(f"/api/orders/{order.pk}").json()["data"]

    assert data["coupon"]["percent_off"] == "10.00"


EXPIRED = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("_case", "fields", "code"),
    [
        ("expired", {"valid_until": EXPIRED}, "coupon_expired"),
        ("switched off", {"is_active": False}, "coupon_ended"),
        ("unknown", {"code": "OTHER"}, "does_not_exist"),
    ],
)
def test_a_coupon_that_is_not_valid_is_refused(
    _case, fields, code, client, brand, order, speak_as
):
    CouponFactory(brand=brand, **{"code": "SAVE", **fields})

    response = speak_as(client).post(path(order), {"code": "SAVE"}, format="json")

    assert response.status_code == 400
    error = response.json()["errors"][0]
    assert (error["code"], error["attr"]) == (code, "code")
    order.refresh_from_db()
    assert (order.coupon, order.percent_off) == (None, 0)


def test_another_brands_coupon_is_unknown(client, other_brand, order, speak_as):
    CouponFactory(brand=other_brand, code="SAVE")

    response = speak_as(client).post(path(order), {"code": "SAVE"}, format="json")

    assert response.status_code == 400
    assert response.json()["errors"][0]["attr"] == "code"
    order.refresh_from_db()
    assert order.coupon is None


@pytest.mark.parametrize("body", [{}, {"code": ""}, {"code": None}, {"code": "x" * 65}])
def test_a_code_is_needed(body, client, order, speak_as):
    response = speak_as(client).post(path(order), body, format="json")

    assert response.status_code == 400
    assert response.json()["errors"][0]["attr"] == "code"
    order.refresh_from_db()
    assert order.coupon is None


@pytest.mark.parametrize("method", ["post", "delete"])
def test_a_converted_order_keeps_its_coupon(method, client, coupon, speak_as, now):
    order = OrderFactory(
        client=client, coupon=coupon, status="converted", converted_at=now
    )
    CouponFactory(brand=client.brand, code="BETTER")

    response = getattr(speak_as(client), method)(
        path(order), {"code": "BETTER"}, format="json"
    )

    assert response.status_code == 409
    assert response.json()["errors"][0]["code"] == "order_converted"
    order.refresh_from_db()
    assert order.coupon == coupon


@pytest.mark.parametrize("method", ["post", "delete"])
def test_anothers_order_is_not_found(method, other_client, order, coupon, speak_as):
    api = speak_as(other_client)
    body = {"code": coupon.code}

    answers = [
        getattr(api, method)(path(target), body, format="json")
        for target in (order, uuid4())
    ]

    for answer in answers:
        assert (answer.status_code, answer.json()) == (404, NOT_FOUND)
    order.refresh_from_db()
    assert order.coupon is None


def test_the_invoice_shares_the_discount_to_the_cent(client, brand, now):
    coupon = CouponFactory(brand=brand, percent_off=Decimal("33.33"))
    order = OrderFactory(client=client, coupon=coupon)
    for price in ("0.01", "9.99", "0.02", "5.55"):
        product = ProductFactory(brand=brand, price=Money(price, "EUR"))
        OrderItemFactory(order=order, product=product)

    invoice = convert_order(
        order_id=order.pk,
        client_id=client.pk,
        payment_details_id=PaymentDetailsFactory(client=client).pk,
        now=now,
    )

    lines = invoice.lines.all()
    # 33.33 % of 15.57 EUR.
    assert [str(line.discount.amount.normalize()) for line in lines] == [
        "0",
        "3.33",
        "0.01",
        "1.85",
    ]
    assert invoice.discount == Money("5.19", "EUR")
    assert invoice.net == Money("10.38", "EUR")
    assert sum(line.net.amount for line in lines) == invoice.net.amount


def test_the_database_has_a_code_once_in_a_brand(brand, coupon):
    with pytest.raises(IntegrityError), transaction.atomic():
        CouponFactory(brand=brand, code="SAVE10")


@pytest.mark.parametrize("percent", ["0", "-1", "100.01"])
def test_database_refuses_a_percentage_of(percent, brand):
    with pytest.raises(IntegrityError), transaction.atomic():
        CouponFactory(brand=brand, percent_off=Decimal(percent))
