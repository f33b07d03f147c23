"""Taking products out of a basket."""

from __future__ import annotations

import pytest

from portal.orders.models import OrderItem
from tests.factories.portal import OrderFactory, OrderItemFactory
from tests.portal.conftest import NOT_FOUND


@pytest.fixture
def order(client):
    return OrderFactory(client=client)


def path(order, product_id) -> str:
    return f"/api/orders/{order.pk}/items/{product_id}"


def test_a_product_is_taken_out_whatever_its_quantity(client, order, speak_as):
    gone = OrderItemFactory(order=order, quantity=3)
    stays = OrderItemFactory(order=order)

    response = speak_as(client).delete(path(order, gone.product_id))

    assert response.status_code == 200
    data = response.json()["data"]
    assert [item["product_id"] for item in data["items"]] == [stays.product_id]
    assert data["totals"]["net"] == {"amount": "9.00", "currency": "EUR"}


def test_an_emptied_basket_may_have_another_currency(client, order, speak_as):
    item = OrderItemFactory(order=order)

    response = speak_as(client).delete(path(order, item.product_id))

    assert response.json()["data"]["totals"] is None
    order.refresh_from_db()
    assert order.currency == ""


@pytest.mark.parametrize("product_id", [0, -1, "x", "1e3", "9" * 19, "9" * 5000, "%00"])
def test_a_product_that_is_not_in_it_is_not_found(product_id, client, order, speak_as):
    OrderItemFactory(order=order)

    response = speak_as(client).delete(path(order, product_id))

    assert (response.status_code, response.json()) == (404, NOT_FOUND)
    assert OrderItem.objects.count() == 1


def test_another_baskets_line_stays(client, other_client, order, speak_as):
    item = OrderItemFactory(order=OrderFactory(client=other_client))

    response = speak_as(client).delete(path(order, item.product_id))

    assert response.status_code == 404
    assert OrderItem.objects.count() == 1


def test_anothers_basket_is_not_found(other_client, order, speak_as):
    item = OrderItemFactory(order=order)

    response = speak_as(other_client).delete(path(order, item.product_id))

    assert (response.status_code, response.json()) == (404, NOT_FOUND)
    assert OrderItem.objects.count() == 1


def test_a_converted_order_keeps_its_lines(client, speak_as, now):
    order = OrderFactory(client=client, status="converted", converted_at=now)
    item = OrderItemFactory(order=order)

    response = speak_as(client).delete(path(order, item.product_id))

    assert response.status_code == 409
    assert OrderItem.objects.count() == 1
