"""A host of one brand, as the docs have it built. Run by tests/hosts/test_pages.py."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from io import StringIO

import pytest
from django.conf import settings
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from moneyed import Money

from affiliates import contracts, host_events
from affiliates.admin_tools.naming import page_name
from affiliates.brands.models.brand import Brand
from affiliates.commissions.models import Commission
from affiliates.hooks import own_apps
from affiliates.payouts.models import PayoutDestination
from affiliates.program.models import Affiliate
from tests.affiliates.api.calls import visit_body
from tests.database import nothing_written
from tests.hosts.stranger.sites import backoffice

pytestmark = pytest.mark.django_db
SHOP = {"host": "shop.example.com"}
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')
PAYPAL = {"email": "ada@example.com", "is_confirmed": "on"}


@pytest.fixture(autouse=True)
def brand(db, settings) -> Brand:
    run("affiliates_start", "Shop", "--domain", "shop.example.com", "--percent", "20")
    brand = Brand.objects.get()
    settings.BRAND_ID = brand.pk
    return brand


@pytest.fixture
def ada(brand) -> Affiliate:
    user = get_user_model().objects.create_user("ada", "ada@example.com")
    run("affiliates_enrol", str(user.pk), "--code", "ada")
    return Affiliate.objects.get()


@pytest.fixture
def browser(ada) -> Client:
    browser = Client(enforce_csrf_checks=True, headers=SHOP)
    browser.force_login(ada.user)
    return browser


@pytest.fixture
def staff(db) -> Client:
    browser = Client(headers=SHOP)
    browser.force_login(get_user_model().objects.create_superuser("staff"))
    return browser


def run(*command: str) -> str:
    out = StringIO()
    call_command(*command, stdout=out, stderr=StringIO())
    return out.getvalue()


def add_brand(staff: Client, name: str, **fields: str) -> None:
    """As staff do, and as the guide says."""
    page = reverse("admin:affiliates_brand_add")
    host = f"{name}.example.com"
    form = staff.get(page).context["adminform"].form
    given = {field.html_name: field.value() or "" for field in form}
    given |= {"name": name, "default_redirect_url": f"https://{host}/"} | fields
    given |= {"domains-TOTAL_FORMS": "1", "domains-INITIAL_FORMS": "0"}
    given |= dict.fromkeys(("is_client_area", "is_redirect_target"), "on")
    given["domains-0-host"] = host
    given |= {"domains-0-is_client_area": "on", "domains-0-is_redirect_target": "on"}
    answer = staff.post(page, given)
    assert (answer.status_code, Brand.objects.filter(name=name).count()) == (302, 1)


def buy(name: str, now: datetime) -> Commission:
    """Follow Ada's link, sign up, order and pay, each told as the tutorial tells it."""
    visited = Client(headers=SHOP | {"origin": "https://shop.example.com"}).post(
        "/api/affiliate_link/visit",
        visit_body("https://shop.example.com/?ref=ada"),
        content_type="application/json",
    )
    cookie = visited.json()["data"]["referral_cookie"]
    now += timedelta(minutes=1)
    user = get_user_model().objects.create_user(name, f"{name}@example.com")
    order = {"brand_id": settings.BRAND_ID, "client_id": str(user.pk)}
    registered = contracts.ClientRegistered(**order, registered_at=now)
    host_events.client_registered(registered, referral_cookie=cookie, now=now)
    order = {"brand_id": settings.BRAND_ID, "order_ref": name, "invoice_ref": name}
    placed = contracts.OrderPlaced(
        **order, client_id=str(user.pk), placed_at=now, client_paid_before=False
    )
    host_events.order_placed(placed, referral_cookie=cookie, now=now)
    line = contracts.InvoiceLine(
        description="Hosting",
        product_ref="hosting",
        kind="hosting",
        billing_cycle="annually",
        quantity=1,
        net=Money(100, "EUR"),
    )
    paid = contracts.PaidInvoice(
        **order,
        payment_ref=name,
        gross=Money(120, "EUR"),
        lines=(line,),
        paid_at=now,
        renewal_number=0,
    )
    host_events.invoice_paid(paid, now=now)
    return Commission.objects.get(sale__invoice_ref=name)


def test_neither_a_test_brand_nor_a_second_one_takes_the_host_down(staff, browser):
    now = timezone.now()
    add_brand(staff, "test", is_test="on")
    after_test_brand = buy("bob", now)
    add_brand(staff, "second")
    after_second_brand = buy("eve", now)

    assert (after_test_brand.amount, after_second_brand.amount) == (2_000, 2_000)
    assert browser.get("/partners/").status_code == 200


def test_the_doctor_finds_no_fault(ada):
    assert "ERROR" not in run("affiliates_doctor")


def test_account_credit_is_not_offered(browser):
    shown = browser.get("/partners/destination")

    assert shown.context["offered"] == ["paypal", "bank"]
    assert browser.get("/partners/destination/wallet").status_code == 404


def test_a_destination_is_changed_with_the_pages_token_alone(browser):
    page = "/partners/destination/paypal"
    with nothing_written():
        refused = browser.post(page, PAYPAL)
    token = TOKEN.search(browser.get(page).text)[1]
    taken = browser.post(page, {**PAYPAL, "csrfmiddlewaretoken": token})

    assert (refused.status_code, taken.status_code) == (403, 302)
    assert PayoutDestination.objects.count() == 1


def test_every_page_of_ours_is_on_the_hosts_own_site(staff, ada):
    ours = [
        model
        for app in own_apps()
        for model in app.get_models()
        if admin.site.is_registered(model)
    ]
    lists = [reverse(page_name(model._meta.model_name, "changelist")) for model in ours]

    assert len(ours) > 30
    assert [one for one in ours if not backoffice.is_registered(one)] == []
    assert {one.partition("/affiliates")[0] for one in lists} == {"/backoffice"}
    assert {staff.get(one).status_code for one in lists} == {200}
    page = reverse("admin:affiliates_affiliate_change", args=[ada.pk])
    assert staff.get(page).status_code == 200
