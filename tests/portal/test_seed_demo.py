from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from rest_framework.test import APIClient

from affiliates.brands.models import Brand, BrandDomain
from affiliates.program.models import Affiliate, AffiliateLink
from portal.clients.models import User
from portal.orders.models import Product
from tests.factories.affiliates import BrandFactory

pytestmark = pytest.mark.django_db

SHOP = "http://shop.localhost:8000"
ROWS = (Brand, BrandDomain, Affiliate, AffiliateLink, User, Product)


def seed(*options: str) -> str:
    output = StringIO()
    call_command("seed_demo", *options, stdout=output)
    return output.getvalue()


def test_prints_one_line_of_json() -> None:
    line = seed()

    assert line.count("\n") == 1
    assert line.endswith("\n")
    brand = Brand.objects.get()
    product = Product.objects.get(sku="business-monthly")
    demo = json.loads(line)
    assert demo.pop("admin").keys() == {"email", "password"}
    assert demo.pop("affiliate").keys() == {"email", "password"}
    assert demo == {
        "api_base": "http://api.localhost:8000",
        "origin": SHOP,
        "brand_id": brand.pk,
        "default_redirect_url": f"{SHOP}/",
        "allowed_redirect_host": "docs.shop.localhost:8000",
        "link_url": f"{SHOP}/aff/{'d3300' * 8}",
        "link_hash": "d3300" * 8,
        "product_id": product.pk,
    }


def test_second_run_prints_the_same_and_adds_nothing() -> None:
    first = seed()
    counts = [model.objects.count() for model in ROWS]

    assert seed() == first
    assert [model.objects.count() for model in ROWS] == counts == [1, 2, 1, 1, 2, 9]


def test_printed_logins_work(client_area: APIClient) -> None:
    demo = json.loads(seed())

    answer = client_area.post("/api/clients/login", demo["affiliate"], format="json")

    assert answer.status_code == 200
    admin = User.objects.get(is_staff=True, email=demo["admin"]["email"])
    assert admin.check_password(demo["admin"]["password"])
    assert admin.is_superuser


def test_printed_link_leads_to_the_plans_and_carries_a_cookie(
    client_area: APIClient,
) -> None:
    demo = json.loads(seed())
    visit = {"visit_url": demo["link_url"], "referrer_url": "", "user_agent": "Firefox"}

    answer = client_area.post("/api/affiliate_link/visit", visit, format="json")

    assert answer.json()["data"]["redirect_url"] == f"{SHOP}/plans"
    assert answer.json()["data"]["referral_cookie"]


def test_repairs_what_was_changed() -> None:
    first = seed()
    Affiliate.objects.update(status="suspended")
    Product.objects.update(price=1, is_active=False)
    User.objects.update(password="", is_active=False)  # noqa: S106 - unusable on purpose

    assert seed() == first
    assert Affiliate.objects.get().status == "active"
    assert Product.objects.get(sku="business-monthly").price.amount == 9
    assert not Product.objects.filter(is_active=False).exists()
    assert not User.objects.filter(is_active=False).exists()


def test_passwords_differ_between_installations(
    settings: Any,
) -> None:
    first = json.loads(seed())

    settings.SECRET_KEY = "of-another-installation"
    second = json.loads(seed())

    assert second["admin"]["password"] != first["admin"]["password"]
    assert User.objects.get(is_staff=True).check_password(second["admin"]["password"])


def test_moves_to_another_port() -> None:
    seed()

    demo = json.loads(seed("--port=8010"))

    assert demo["origin"] == "http://shop.localhost:8010"
    assert Brand.objects.get().default_redirect_url == "http://shop.localhost:8010/"
    assert AffiliateLink.objects.get().target_url == "http://shop.localhost:8010/plans"
    assert BrandDomain.objects.filter(host="shop.localhost:8010").exists()


def test_guide_says_what_to_open() -> None:
    demo = json.loads(seed())

    guide = seed("--guide")

    for text in (demo["link_url"], *demo["admin"].values(), "/api/docs", "/?ref=demo"):
        assert text in guide


@pytest.mark.parametrize("port", ["0", "65536", "-1"])
def test_impossible_port_is_refused(port: str) -> None:
    with pytest.raises(CommandError, match="between 1 and 65535"):
        seed(f"--port={port}")

    assert Brand.objects.count() == 0


def test_host_of_another_brand_is_refused_and_nothing_is_written() -> None:
    BrandFactory.create(client_area="shop.localhost:8000")

    with pytest.raises(CommandError, match="belongs to the brand Brand"):
        seed()

    assert Brand.objects.count() == 1
    assert Product.objects.count() == 0


@pytest.fixture
def client_area() -> APIClient:
    return APIClient(HTTP_ORIGIN=SHOP)
