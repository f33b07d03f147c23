from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest
from moneyed import Money

from portal.orders.models import Order, OrderItem
from portal.orders.selectors import get_order, list_orders
from portal.orders.serializers import OrderSerializer
from tests.factories.portal import (
    GuestFactory,
    OrderFactory,
    OrderItemFactory,
    ProductFactory,
)
from tests.portal.conftest import NOT_FOUND
from tests.races import at_once, needs_postgresql

ABSENT_ID = "01a1fd00-0000-7000-8000-000000000000"


@pytest.fixture
def order(client) -> Order:
    return OrderFactory(client=client)


@pytest.fixture
def product(brand):
    return ProductFactory(brand=brand)


def items_path(order: object) -> str:
    return f"/api/orders/{getattr(order, 'pk', order)}/items"


@pytest.mark.parametrize("body", [{}, {"brand": 7, "status": "converted"}])
def test_a_basket_is_begun(body, client, speak_as):
    response = speak_as(client).post("/api/orders", body, format="json")

    order = Order.objects.get()
    assert response.status_code == 201
    data = response.json()["data"]
    assert data == {
        "id": str(order.pk),
        "status": "basket",
        "created_at": data["created_at"],
        "converted_at": None,
        "items": [],
        "coupon": None,
        "affiliate_code": "",
        "coupon_refusal": "",
        "totals": None,
    }
    assert UUID(data["id"]).version == 7
    assert (order.client, order.brand, order.status) == (
        client,
        client.brand,
        "basket",
    )


def test_a_guest_begins_one_too(guest, speak_as):
    response = speak_as(guest).post("/api/orders", {}, format="json")

    assert response.status_code == 201
    assert Order.objects.get().client == guest


@pytest.mark.parametrize("body", ["[]", '"x"', "{", "1"])
def test_basket_body_that_is_no_object_is_refused(body, client, speak_as):
    response = speak_as(client).post(
        "/api/orders", body, content_type="application/json"
    )

    assert response.status_code == 400
    assert not Order.objects.exists()


def test_basket_body_that_is_not_json_is_refused(client, speak_as):
    response = speak_as(client).post("/api/orders", "{}", content_type="text/plain")

    assert response.status_code == 415
    assert not Order.objects.exists()


def test_a_product_is_added(client, order, product, speak_as):
    response = speak_as(client).post(
        items_path(order), {"product_id": product.pk, "quantity": 2}, format="json"
    )

    assert response.status_code == 201
    data = response.json()["data"]
    amounts = {
        "discount": {"amount": "0.00", "currency": "EUR"},
        "net": {"amount": "18.00", "currency": "EUR"},
        "tax": {"amount": "3.42", "currency": "EUR"},
        "gross": {"amount": "21.42", "currency": "EUR"},
    }
    assert data["items"] == [
        {
            "product_id": product.pk,
            "sku": product.sku,
            "name": "Business",
            "kind": "hosting",
            "billing_cycle": "monthly",
            "quantity": 2,
            "unit_price": {"amount": "9.00", "currency": "EUR"},
            "tax_rate": "19.00",
            "amounts": amounts,
        }
    ]
    assert data["totals"] == amounts
    assert speak_as(client).get(f"/api/orders/{order.pk}").json()["data"] == data


def test_quantity_is_one_unless_said(client, order, product, speak_as):
    speak_as(client).post(items_path(order), {"product_id": product.pk}, format="json")

    assert OrderItem.objects.get().quantity == 1


def test_the_same_product_joins_its_line_at_todays_price(
    client, order, product, speak_as
):
    api, body = speak_as(client), {"product_id": product.pk, "quantity": 2}
    api.post(items_path(order), body, format="json")
    product.price = Money("10.00", "EUR")
    product.save()

    api.post(items_path(order), body, format="json")

    item = OrderItem.objects.get()
    assert item.quantity == 4
    assert item.unit_price == Money("10.00", "EUR")


def test_a_price_change_does_not_touch_baskets(client, order, product, speak_as):
    api = speak_as(client)
    api.post(items_path(order), {"product_id": product.pk}, format="json")
    product.price = Money("10.00", "EUR")
    product.save()

    data = api.get(f"/api/orders/{order.pk}").json()["data"]

    assert data["totals"]["net"] == {"amount": "9.00", "currency": "EUR"}


@pytest.mark.parametrize(
    ("_case", "body", "attr", "code"),
    [
        ("no product", {}, "product_id", "required"),
        ("null", {"product_id": None}, "product_id", "null"),
        ("text", {"product_id": "x"}, "product_id", "invalid"),
        ("object", {"product_id": {}}, "product_id", "invalid"),
        ("fraction", {"product_id": 1.5}, "product_id", "invalid"),
        ("zero", {"product_id": 0}, "product_id", "min_value"),
        ("enormous", {"product_id": 10**18 * 10}, "product_id", "max_value"),
        ("unknown", {"product_id": 2**63 - 1}, "product_id", "does_not_exist"),
        ("no pieces", {"quantity": 0}, "quantity", "min_value"),
        ("negative", {"quantity": -1}, "quantity", "min_value"),
        ("too many", {"quantity": 1001}, "quantity", "max_value"),
        ("quantity in words", {"quantity": "two"}, "quantity", "invalid"),
    ],
)
def test_impossible_item_is_refused(
    _case, body, attr, code, client, order, speak_as, product
):
    if attr == "quantity":
        body = {"product_id": product.pk, **body}

    response = speak_as(client).post(items_path(order), body, format="json")

    assert response.status_code == 400
    error = response.json()["errors"][0]
    assert (error["attr"], error["code"]) == (attr, code)
    assert not OrderItem.objects.exists()


@pytest.mark.parametrize("body", [b'{"product_id": 1' + b"0" * 30 + b"}", b"[]"])
def test_unreadable_item_is_refused(body, client, order, speak_as):
    response = speak_as(client).post(
        items_path(order), body, content_type="application/json"
    )

    assert response.status_code == 400
    assert not OrderItem.objects.exists()


@pytest.mark.parametrize("_case", ["another brand's", "inactive"])
def test_a_product_not_on_sale_is_unknown(_case, client, order, other_brand, speak_as):
    product = (
        ProductFactory(brand=other_brand)
        if _case == "another brand's"
        else ProductFactory(brand=client.brand, is_active=False)
    )

    response = speak_as(client).post(
        items_path(order), {"product_id": product.pk}, format="json"
    )

    assert response.status_code == 400
    assert response.json()["errors"][0] == {
        "code": "does_not_exist",
        "detail": "No such product.",
        "attr": "product_id",
    }
    assert not OrderItem.objects.exists()


def test_a_basket_has_one_currency(client, order, product, speak_as):
    OrderItemFactory(order=order)
    dollars = ProductFactory(brand=client.brand, price=Money("9.00", "USD"))

    response = speak_as(client).post(
        items_path(order), {"product_id": dollars.pk}, format="json"
    )

    assert response.status_code == 400
    assert response.json()["errors"][0]["code"] == "currency_mismatch"
    assert OrderItem.objects.count() == 1


def test_a_basket_holds_at_most_1000_of_a_product(client, order, product, speak_as):
    OrderItemFactory(order=order, product=product, quantity=1000)

    response = speak_as(client).post(
        items_path(order), {"product_id": product.pk}, format="json"
    )

    assert response.status_code == 400
    assert response.json()["errors"][0]["code"] == "quantity_too_large"
    assert OrderItem.objects.get().quantity == 1000


def test_a_basket_holds_at_most_100_products(client, order, product, speak_as):
    OrderItemFactory.create_batch(100, order=order)

    response = speak_as(client).post(
        items_path(order), {"product_id": product.pk}, format="json"
    )

    assert response.status_code == 400
    assert response.json()["errors"][0]["code"] == "basket_full"
    assert OrderItem.objects.count() == 100


def test_a_converted_order_takes_no_more(client, product, speak_as, now):
    order = OrderFactory(client=client, status="converted", converted_at=now)

    response = speak_as(client).post(
        items_path(order), {"product_id": product.pk}, format="json"
    )

    assert response.status_code == 409
    assert response.json()["errors"][0]["code"] == "order_converted"
    assert not OrderItem.objects.exists()


@pytest.mark.parametrize(
    "order_id", [ABSENT_ID, "1", "x" * 5000, "%00", "0" * 32, "{}", "%F0%9F%92%A9"]
)
def test_an_order_that_is_not_there_is_404(order_id, client, product, speak_as):
    api = speak_as(client)

    for response in (
        api.get(f"/api/orders/{order_id}"),
        api.post(items_path(order_id), {"product_id": product.pk}, format="json"),
    ):
        assert response.status_code == 404
        assert response.json() == NOT_FOUND


def test_an_order_is_read_in_three_queries(client, order, django_assert_num_queries):
    OrderItemFactory.create_batch(20, order=order)

    with django_assert_num_queries(3):  # the order, its items, their products
        found = get_order(client=client, order_id=str(order.pk))
        OrderSerializer(found).data  # noqa: B018 - reads every field


def test_orders_and_baskets_are_listed_the_newest_first(
    client, other_client, speak_as, now
):
    done = OrderFactory(client=client, status="converted", converted_at=now)
    OrderItemFactory(order=done, quantity=2)
    basket = OrderFactory(client=client, created_at=now + timedelta(hours=1))
    OrderFactory(client=other_client)
    api = speak_as(client)

    listed = api.get("/api/orders").json()["data"]

    assert [one["id"] for one in listed] == [str(basket.pk), str(done.pk)]
    assert listed[1] == api.get(f"/api/orders/{done.pk}").json()["data"]
    for status, order in (("basket", basket), ("converted", done)):
        (one,) = api.get("/api/orders", {"status": status}).json()["data"]
        assert (one["id"], one["status"]) == (str(order.pk), status)


def test_a_page_has_50_orders_in_three_queries(
    client, speak_as, django_assert_num_queries
):
    for order in OrderFactory.create_batch(51, client=client):
        OrderItemFactory(order=order)
    api = speak_as(client)

    with django_assert_num_queries(3):  # the orders, their items and products
        OrderSerializer(list_orders(client=client, page=1), many=True).data  # noqa: B018

    assert len(api.get("/api/orders").json()["data"]) == 50
    assert len(api.get("/api/orders", {"page": 2}).json()["data"]) == 1
    assert api.get("/api/orders", {"page": 1_000_000}).json()["data"] == []


@pytest.mark.parametrize("query", [{"page": "0"}, {"page": "x"}, {"status": "gone"}])
def test_a_list_that_there_is_not_is_refused(query, client, speak_as):
    response = speak_as(client).get("/api/orders", query)

    assert response.status_code == 400
    assert response.json()["errors"][0]["attr"] == next(iter(query))


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_racing_additions_all_count(client, order, product, speak_as):
    api = speak_as(client)

    def add(number: int) -> int:
        return api.post(
            items_path(order), {"product_id": product.pk}, format="json"
        ).status_code

    assert at_once(20, add) == [201] * 20
    assert OrderItem.objects.get().quantity == 20


def test_a_guest_of_the_same_brand_is_an_outsider(order, brand, speak_as):
    response = speak_as(GuestFactory(brand=brand)).get(f"/api/orders/{order.pk}")

    assert (response.status_code, response.json()) == (404, NOT_FOUND)
