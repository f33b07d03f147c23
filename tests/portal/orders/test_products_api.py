from __future__ import annotations

import pytest
from moneyed import Money
from rest_framework.test import APIClient

from tests.factories.portal import ProductFactory

PATH = "/api/products"


def test_products_of_the_brand_are_listed_by_position(api, brand, other_brand):
    second = ProductFactory(brand=brand, position=2)
    first = ProductFactory(brand=brand, position=1, price=Money("5", "JPY"))
    ProductFactory(brand=brand, is_active=False)
    ProductFactory(brand=other_brand)

    response = api.get(PATH)

    assert response.status_code == 200
    products = response.json()["data"]
    assert [product["id"] for product in products] == [first.pk, second.pk]
    assert products[0]["price"] == {"amount": "5", "currency": "JPY"}
    assert products[1] == {
        "id": second.pk,
        "sku": second.sku,
        "name": "Business",
        "description": "For a company found online.",
        "kind": "hosting",
        "tld": "",
        "operation": "",
        "billing_cycle": "monthly",
        "price": {"amount": "9.00", "currency": "EUR"},
        "tax_rate": "19.00",
    }


def test_a_page_has_100_products(api, brand):
    ProductFactory.create_batch(101, brand=brand)

    assert len(api.get(PATH).json()["data"]) == 100
    assert len(api.get(PATH, {"page": 2}).json()["data"]) == 1
    assert api.get(PATH, {"page": 1_000_000}).json()["data"] == []


@pytest.mark.usefixtures("brand")
@pytest.mark.parametrize(
    "page",
    ["", "0", "-1", "+1", " 1", "1_0", "1.0", "x", "１", "1000001", "9" * 40, "\0"],
)
def test_impossible_page_is_refused(page, api):
    response = api.get(PATH, {"page": page})

    assert response.status_code == 400
    assert response.json()["errors"][0]["attr"] == "page"


@pytest.mark.usefixtures("brand")
@pytest.mark.parametrize(
    ("_case", "origin", "status", "code"),
    [
        ("null", "null", 400, "origin_required"),
        ("unknown", "https://evil.example", 403, "origin_not_registered"),
    ],
)
def test_origin_names_the_brand(_case, origin, status, code):
    response = APIClient(HTTP_ORIGIN=origin).get(PATH)

    assert response.status_code == status
    assert response.json()["errors"][0]["code"] == code


def test_credentials_are_not_looked_at(api, brand):
    api.credentials(HTTP_AUTHORIZATION="Bearer nonsense")

    assert api.get(PATH).json() == {"data": []}


def test_the_client_areas_pages_may_read_the_answer(api, brand):
    response = api.get(PATH)

    assert response["Access-Control-Allow-Origin"] == "https://shop.example.com"


def test_query_count_does_not_grow(api, brand, django_assert_max_num_queries):
    ProductFactory.create_batch(50, brand=brand)

    # The products; the rest keeps the brands of a process without cache.
    with django_assert_max_num_queries(8):
        api.get(PATH)
