from __future__ import annotations

import json
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from rest_framework.test import APIClient

from affiliates.brands.models.brand import Brand
from affiliates.brands.models.domain import BrandDomain
from affiliates.outbox.active import settings_of
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.outbox.registry import ADAPTERS
from affiliates.outbox.secrets import CREDENTIALS
from affiliates.payouts.models import PayoutTerms
from affiliates.plans.models.coupon import CouponCode, CouponCodeVersion
from affiliates.plans.models.plan import CommissionPlan, CommissionPlanVersion
from affiliates.program.models import Affiliate, AffiliateLink
from portal.clients.models import User
from portal.demo.network.options import Options
from portal.orders.catalogue import Coupon, Product
from tests.affiliates.api.calls import BROWSER
from tests.affiliates.verification.finding import everything_found
from tests.factories.affiliates import BrandDomainFactory, BrandFactory

pytestmark = pytest.mark.django_db

SHOP = "http://shop.localhost:8000"
ROWS = (
    Brand,
    BrandDomain,
    Affiliate,
    AffiliateLink,
    TrackingIntegration,
    User,
    Product,
    Coupon,
    CouponCode,
    CouponCodeVersion,
    CommissionPlan,
    CommissionPlanVersion,
    PayoutTerms,
)


COUNTS = [1, 2, 1, 1, 1, 2, 9, 1, 1, 1, 1, 1, 1]


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
        "third_party_url": f"{SHOP}/?a_aid=testaff",
        "product_id": product.pk,
        "coupon_code": "PARTNER10",
    }


def test_second_run_prints_the_same_and_adds_nothing() -> None:
    first = seed()
    counts = [model.objects.count() for model in ROWS]
    integration = TrackingIntegration.objects.values().get()

    assert seed() == first
    assert TrackingIntegration.objects.values().get() == integration
    assert [model.objects.count() for model in ROWS] == counts == COUNTS


def test_what_is_seeded_agrees_with_its_versions() -> None:
    seed()

    assert everything_found() == []


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
    visit = {"visit_url": demo["link_url"], "referrer_url": "", "user_agent": BROWSER}

    answer = client_area.post("/api/affiliate_link/visit", visit, format="json")

    assert answer.json()["data"]["redirect_url"] == f"{SHOP}/plans"
    assert answer.json()["data"]["referral_cookie"]


def test_integration_is_one_that_the_simulator_knows() -> None:
    seed("--tracker=http://127.0.0.1:8910/")

    integration = TrackingIntegration.objects.get()
    settings = settings_of(integration, secrets=CREDENTIALS.open(integration.secrets))
    options = Options()
    assert settings.address == "http://127.0.0.1:8910"
    assert settings.parameters == ("a_aid", "aid")
    assert settings.text("username") == options.username
    assert settings.secrets == {"password": options.password}
    assert options.find_affiliate("testaff")
    cleaned = ADAPTERS[integration.provider].clean(settings)
    assert settings.values.items() <= cleaned.values.items()


@pytest.mark.parametrize("tracker", ["", "127.0.0.1:8900", "ftp://x", "http://x/y?z"])
def test_impossible_tracker_is_refused(tracker: str) -> None:
    with pytest.raises(CommandError, match="--tracker must look like"):
        seed(f"--tracker={tracker}")

    assert Brand.objects.count() == 0


def test_repairs_what_was_changed() -> None:
    first = seed()
    TrackingIntegration.objects.update(is_active=False, secrets="unreadable")
    Affiliate.objects.update(status="suspended")
    Product.objects.update(price=1, is_active=False)
    User.objects.update(password="", is_active=False)  # noqa: S106 - unusable on purpose

    assert seed() == first
    integration = TrackingIntegration.objects.get()
    assert integration.is_active
    assert CREDENTIALS.open(integration.secrets) == {"password": "demo"}
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
    BrandDomainFactory(brand=Brand.objects.get(), host="shop.example.com:8000")

    demo = json.loads(seed("--port=8010"))

    assert demo["origin"] == "http://shop.localhost:8010"
    assert Brand.objects.get().default_redirect_url == "http://shop.localhost:8010/"
    assert AffiliateLink.objects.get().target_url == "http://shop.localhost:8010/plans"
    assert set(BrandDomain.objects.values_list("host", flat=True)) == {
        "shop.localhost:8010",
        "docs.shop.localhost:8010",
        "shop.example.com:8000",
    }


def test_guide_says_what_to_open() -> None:
    demo = json.loads(seed())

    guide = seed("--guide")

    texts = (
        *(demo["link_url"], demo["third_party_url"], demo["coupon_code"]),
        *(*demo["admin"].values(), *demo["affiliate"].values()),
        *("/api/docs", "/?ref=demo", "/?a_aid=testaff&ref=demo"),
        "http://127.0.0.1:8900/",
    )
    for text in texts:
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


def test_plan_says_what_is_earned_in_plain_words() -> None:
    seed()

    plan = CommissionPlan.objects.get()
    assert [str(rule) for rule in plan.rules.all()] == [
        "20 % of hosting, the first payment and 12 renewals",
        "€1.50 for each registered .com domain",
        "10 % of everything, new orders only",
    ]
    assert plan.is_default
    assert (plan.hold_days, plan.hold_days_by_cycle) == (30, {"annually": 0})
    assert plan.versions.get().digest == plan.to_terms().digest


def test_terms_that_staff_have_changed_stay() -> None:
    seed()
    CommissionPlan.objects.update(hold_days=7)
    PayoutTerms.objects.update(cool_off_days=1)

    seed()

    assert CommissionPlan.objects.get().hold_days == 7
    assert PayoutTerms.objects.get().cool_off_days == 1


def test_coupon_makes_an_order_cheaper_and_credits_the_affiliate(
    client_area: APIClient,
) -> None:
    demo = json.loads(seed())
    guest = client_area.post("/api/clients/register/guest", {}, format="json")
    client_area.credentials(
        HTTP_AUTHORIZATION=f"Bearer {guest.json()['data']['token']}"
    )
    order = client_area.post("/api/orders", {}, format="json").json()["data"]
    path = f"/api/orders/{order['id']}"
    client_area.post(f"{path}/items", {"product_id": demo["product_id"]}, format="json")

    answer = client_area.post(
        f"{path}/coupon", {"code": demo["coupon_code"].lower()}, format="json"
    )

    assert answer.json()["data"]["totals"]["discount"]["amount"] == "0.90"
    assert CouponCode.objects.get().affiliate == Affiliate.objects.get()


def test_year_is_refused_beside_a_demonstration_without_one() -> None:
    seed()
    counts = [model.objects.count() for model in ROWS]
    domains = set(BrandDomain.objects.values_list("host", flat=True))

    with pytest.raises(CommandError, match="The year needs an empty database. Delete"):
        seed("--year", "--port=8010")

    assert [model.objects.count() for model in ROWS] == counts
    assert set(BrandDomain.objects.values_list("host", flat=True)) == domains


@pytest.mark.parametrize("options", [("--year",), ()])
def test_interrupted_year_is_not_taken_for_one(
    options: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("portal.demo.year.seed._Year.tell", interrupt)
    with pytest.raises(KeyboardInterrupt):
        seed("--year")
    Product.objects.update(price=1)

    with pytest.raises(
        CommandError, match="The year was not finished. Delete .* start"
    ):
        seed(*options)

    assert set(Product.objects.values_list("price", flat=True)) == {1}
