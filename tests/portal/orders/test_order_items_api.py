"""Changing what a basket holds, and taking products out of it."""

from __future__ import annotations

import pytest
from moneyed import Money

from portal.billing.models import InvoiceLine
from portal.orders.catalogue import Product
from portal.orders.models import OrderItem
from tests.factories.portal import (
    OrderFactory,
    OrderItemFactory,
    PaymentDetailsFactory,
    ProductFactory,
)
from tests.portal.conftest import NOT_FOUND
from tests.races import at_once, needs_postgresql


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


def change(api, item, quantity):
    body = {"quantity": quantity}
    return api.patch(path(item.order, item.product_id), body, format="json")


@pytest.mark.parametrize("quantity", [1, 1000])
def test_a_product_is_held_so_many_times_at_todays_price(
    quantity, client, order, speak_as
):
    item = OrderItemFactory(order=order, quantity=3)
    Product.objects.update(price=Money("8.00", "EUR"), tax_rate=20)

    response = change(speak_as(client), item, quantity)

    assert response.status_code == 200
    (line,) = response.json()["data"]["items"]
    assert line["quantity"] == quantity
    assert line["unit_price"] == {"amount": "8.00", "currency": "EUR"}
    assert line["amounts"]["net"]["amount"] == f"{8 * quantity}.00"
    assert line["amounts"]["tax"]["amount"] == f"{8 * quantity * 20 / 100:.2f}"


@pytest.mark.parametrize("body", [{}, *({"quantity": n} for n in (0, -1, 1001, "x"))])
def test_an_impossible_quantity_is_refused(body, client, order, speak_as):
    item = OrderItemFactory(order=order, quantity=3)

    response = speak_as(client).patch(path(order, item.product_id), body, format="json")

    assert response.status_code == 400
    assert response.json()["errors"][0]["attr"] == "quantity"
    assert OrderItem.objects.get().quantity == 3


def test_what_is_sold_no_more_can_only_be_taken_out(client, order, speak_as):
    item = OrderItemFactory(order=order, quantity=3)
    Product.objects.update(is_active=False)
    api = speak_as(client)

    response = change(api, item, 2)

    assert response.status_code == 400
    assert response.json()["errors"][0]["code"] == "does_not_exist"
    assert OrderItem.objects.get().quantity == 3
    assert api.delete(path(order, item.product_id)).status_code == 200


def test_a_quantity_of_what_is_not_in_it_is_not_found(client, order, speak_as):
    product = ProductFactory(brand=client.brand)
    api = speak_as(client)

    for product_id in (product.pk, "x"):
        response = api.patch(path(order, product_id), {"quantity": 1}, format="json")
        assert (response.status_code, response.json()) == (404, NOT_FOUND)
    assert not OrderItem.objects.exists()


def test_a_converted_order_keeps_its_quantities(client, speak_as, now):
    order = OrderFactory(client=client, status="converted", converted_at=now)
    item = OrderItemFactory(order=order)

    response = change(speak_as(client), item, 2)

    assert response.status_code == 409
    assert response.json()["errors"][0]["code"] == "order_converted"
    assert OrderItem.objects.get().quantity == 1


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_the_invoice_has_the_quantity_that_the_order_keeps(client, order, speak_as):
    item = OrderItemFactory(order=order)
    details = PaymentDetailsFactory(client=client)
    api = speak_as(client)

    def act(number: int) -> int:
        if number:
            return change(api, item, number + 1).status_code
        body = {"payment_details_id": details.pk}
        convert = f"/api/orders/{order.pk}/convert"
        return api.patch(convert, body, format="json").status_code

    converted, *changed = at_once(10, act)

    assert converted == 200
    assert set(changed) <= {200, 409}
    item.refresh_from_db()
    assert InvoiceLine.objects.get().quantity == item.quantity
    assert item.quantity == 1 or 200 in changed
