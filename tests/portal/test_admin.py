from __future__ import annotations

import json
import re
from decimal import Decimal

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.test import Client
from knox.models import AuthToken
from moneyed import Money

from affiliates.errors import InvalidInput
from portal.billing import services
from portal.billing.models import Invoice, Payment, PaymentEvent, Refund
from portal.clients.models import User
from portal.clients.services import _issue_token
from portal.orders.models import Order, Product
from tests.factories.portal import (
    PASSWORD,
    ClientFactory,
    OrderFactory,
    OrderItemFactory,
    PaymentDetailsFactory,
    ProductFactory,
    StaffFactory,
)

PAGES = ("user", "product", "order", "paymentdetails", "invoice", "paymentevent")


@pytest.fixture
def staff(db) -> User:
    return StaffFactory(email="root@example.com")


@pytest.fixture
def browser(staff) -> Client:
    browser = Client()
    browser.force_login(staff)
    return browser


@pytest.fixture
def helper(db) -> Client:
    """Staff who may look at everything and change clients, and nothing else."""
    user = StaffFactory(is_superuser=False)
    wanted = Permission.objects.filter(content_type__app_label="portal")
    user.user_permissions.set(
        wanted.filter(codename__in=[f"view_{page}" for page in PAGES] + ["change_user"])
    )
    browser = Client()
    browser.force_login(user)
    return browser


@pytest.fixture
def invoice(client, invoice_of) -> Invoice:
    return invoice_of(client)


@pytest.fixture
def event(invoice, now) -> PaymentEvent:
    refund = {
        "invoice_id": str(invoice.pk),
        "reference": "re_1",
        "amount": "1.00",
        "currency": "EUR",
    }
    event = PaymentEvent(
        gateway="acme",
        event_id="evt_1",
        body=json.dumps({"type": "payment.refunded", "data": refund}),
        received_at=now,
        outcome="deferred",
        failure="not_paid",
    )
    event.save()
    return event


def page_of(row: object, action: str = "change") -> str:
    return f"/admin/portal/{row._meta.model_name}/{row.pk}/{action}/"


def text_of(response) -> str:
    return response.content.decode()


def log_in(browser: Client, email: str) -> bool:
    browser.post("/admin/login/", {"username": email, "password": PASSWORD})
    return browser.get("/admin/").status_code == 200


@pytest.mark.parametrize("email", ["root@example.com", "ROOT@example.com"])
def test_staff_log_in_by_email(email, staff):
    assert log_in(Client(), email)


@pytest.mark.parametrize("_case", ["client", "inactive staff", "no longer staff"])
def test_others_do_not_get_in(_case, brand):
    match _case:
        case "client":
            user = ClientFactory(brand=brand)
        case "inactive staff":
            user = StaffFactory(is_active=False)
        case "no longer staff":
            user = StaffFactory(is_staff=False)

    assert not log_in(Client(), user.email)


def test_a_client_with_the_email_of_staff_does_not_stand_in_the_way(brand, staff):
    ClientFactory(brand=brand, email=staff.email)

    assert log_in(Client(), staff.email)


def test_whoever_is_staff_no_longer_is_logged_out(browser, staff):
    User.objects.filter(pk=staff.pk).update(is_staff=False)

    assert browser.get("/admin/").status_code == 302


def test_the_login_page_leads_to_the_admin(staff):
    response = Client().post(
        "/admin/login/", {"username": staff.email, "password": PASSWORD}
    )

    assert response["Location"] == "/admin/"


def test_admin_is_found_without_its_slash(db):
    assert Client().get("/admin")["Location"] == "/admin/"


@pytest.mark.parametrize("page", PAGES)
def test_lists_and_rows_open(page, browser, client, invoice, event):
    listed = browser.get(f"/admin/portal/{page}/")
    row = admin.site.get_model_admin(
        next(m for m in admin.site._registry if m._meta.label_lower == f"portal.{page}")
    ).model.objects.first()

    assert listed.status_code == 200
    assert str(row.pk) in text_of(listed)
    assert browser.get(page_of(row)).status_code == 200


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("wanted", ["example", "INV-000001", "0197c0de", "\u20ac", "'"])
def test_lists_can_be_searched(page, wanted, browser, invoice, event):
    assert browser.get(f"/admin/portal/{page}/", {"q": wanted}).status_code == 200


@pytest.mark.parametrize("page", PAGES)
def test_lists_do_not_ask_for_each_row(
    page, browser, brand, invoice_of, django_assert_max_num_queries
):
    for _ in range(5):
        user = ClientFactory(brand=brand)
        invoice_of(user)

    with django_assert_max_num_queries(16):
        browser.get(f"/admin/portal/{page}/")


@pytest.mark.parametrize("page", ["order", "paymentdetails", "invoice", "paymentevent"])
def test_rows_of_services_cannot_be_added_changed_or_deleted(
    page, browser, invoice, event
):
    model = next(
        model
        for model in admin.site._registry
        if model._meta.label_lower == f"portal.{page}"
    )
    row = model.objects.first()
    before = model.objects.values().get(pk=row.pk)

    assert browser.get(f"/admin/portal/{page}/add/").status_code == 403
    assert browser.post(page_of(row), {"status": "paid"}).status_code == 403
    assert browser.post(page_of(row, "delete"), {"post": "yes"}).status_code == 403
    browser.post(
        f"/admin/portal/{page}/",
        {"action": "delete_selected", "_selected_action": [row.pk], "post": "yes"},
    )
    assert model.objects.values().get(pk=row.pk) == before


def test_an_invoice_shows_its_lines_payment_and_refunds(browser, invoice, now, told):
    services.mark_paid(invoice_id=invoice.pk, now=now)
    services.record_refund(
        invoice_id=invoice.pk,
        gateway="acme",
        reference="re_77",
        amount=Money("1.00", "EUR"),
        kind="chargeback",
        now=now,
    )

    page = text_of(browser.get(page_of(invoice)))

    for shown in ("INV-000001", "Business", "€10.71", "manual", "re_77", "€1.00"):
        assert shown in page


def test_marking_paid_asks_first(browser, invoice, told):
    page = browser.get(page_of(invoice, "mark-paid"))

    assert page.status_code == 200
    assert "€10.71" in text_of(page)
    invoice.refresh_from_db()
    assert invoice.status == "unpaid"
    assert told == []


def test_an_operator_marks_paid(browser, invoice, told):
    response = browser.post(page_of(invoice, "mark-paid"), {}, follow=True)

    assert response.redirect_chain == [(page_of(invoice), 302)]
    assert "Invoice INV-000001 is paid: €10.71." in text_of(response)
    invoice.refresh_from_db()
    assert invoice.status == "paid"
    assert Payment.objects.get().gateway == "manual"
    assert len(told) == 1


def test_marking_paid_again_is_harmless(browser, invoice, told):
    for _ in range(2):
        response = browser.post(page_of(invoice, "mark-paid"), {}, follow=True)

    assert response.status_code == 200
    assert Payment.objects.count() == 1
    assert len(told) == 1


def test_marking_paid_what_a_gateway_was_paid_says_so(browser, invoice, now, told):
    services.record_payment(
        invoice_id=invoice.pk,
        gateway="acme",
        reference="pay_1",
        amount=invoice.gross,
        now=now,
    )

    response = browser.post(page_of(invoice, "mark-paid"), {})

    assert response.status_code == 200
    assert "This invoice is paid already." in text_of(response)
    assert Payment.objects.count() == 1


def refund_form(browser: Client, invoice: Invoice, **values: str) -> dict[str, str]:
    page = text_of(browser.get(page_of(invoice, "refund")))
    (reference,) = re.findall(r'name="reference" value="([^"]+)"', page)
    return {
        "amount": "4.00",
        "kind": "refund",
        "confirm": "on",
        "reference": reference,
        **values,
    }


@pytest.mark.parametrize("kind", ["refund", "chargeback"])
def test_an_operator_refunds(kind, browser, invoice, now, told):
    services.mark_paid(invoice_id=invoice.pk, now=now)
    form = refund_form(browser, invoice, kind=kind)

    response = browser.post(page_of(invoice, "refund"), form, follow=True)

    assert "Refunded €4.00 of invoice INV-000001." in text_of(response)
    refund = Refund.objects.get()
    assert (refund.kind, refund.amount, refund.gateway) == (
        kind,
        Money("4.00", "EUR"),
        "manual",
    )
    invoice.refresh_from_db()
    assert invoice.status == "partly_refunded"


def test_sending_the_refund_page_twice_refunds_once(browser, invoice, now, told):
    services.mark_paid(invoice_id=invoice.pk, now=now)
    form = refund_form(browser, invoice)

    for _ in range(2):
        browser.post(page_of(invoice, "refund"), form)

    assert Refund.objects.count() == 1


@pytest.mark.parametrize(
    ("_case", "change", "message"),
    [
        ("too much", {"amount": "10.72"}, "more than what was paid"),
        ("nothing", {"amount": "0"}, "Name an amount that can be paid back."),
        ("negative", {"amount": "-1"}, "Name an amount that can be paid back."),
        (
            "less than a cent",
            {"amount": "0.001"},
            "Name an amount that can be paid back.",
        ),
        ("words", {"amount": "ten"}, "Enter a number."),
        ("NaN", {"amount": "NaN"}, "Enter a number."),
        ("not confirmed", {"confirm": ""}, "This field is required."),
        ("unknown kind", {"kind": "gift"}, "Select a valid choice."),
        ("no reference", {"reference": "x"}, "Enter a valid UUID."),
    ],
)
def test_an_impossible_refund_is_refused(
    _case, change, message, browser, invoice, now, told
):
    services.mark_paid(invoice_id=invoice.pk, now=now)
    form = refund_form(browser, invoice, **change)

    response = browser.post(page_of(invoice, "refund"), form)

    assert response.status_code == 200
    assert message in text_of(response)
    assert not Refund.objects.exists()


def test_an_unpaid_invoice_cannot_be_refunded(browser, invoice, told):
    response = browser.post(page_of(invoice, "refund"), refund_form(browser, invoice))

    assert "This invoice is not paid yet." in text_of(response)
    assert not Refund.objects.exists()


@pytest.mark.parametrize("object_id", ["x", "00000000-0000-0000-0000-000000000000"])
def test_actions_of_an_unknown_invoice_are_404(object_id, browser):
    for action in ("mark-paid", "refund"):
        path = f"/admin/portal/invoice/{object_id}/{action}/"
        assert browser.get(path).status_code == 404
        assert browser.post(path).status_code == 404


def test_actions_need_their_permission(helper, invoice, told):
    for action in ("mark-paid", "refund"):
        assert helper.get(page_of(invoice, action)).status_code == 403
        assert helper.post(page_of(invoice, action), {}).status_code == 403

    assert helper.get(page_of(invoice)).status_code == 200
    invoice.refresh_from_db()
    assert invoice.status == "unpaid"


def test_actions_need_a_login(invoice):
    for action in ("mark-paid", "refund"):
        assert Client().post(page_of(invoice, action), {}).status_code == 302

    assert not Payment.objects.exists()


def test_a_deferred_event_is_processed_again(browser, invoice, event, now, told):
    services.mark_paid(invoice_id=invoice.pk, now=now)

    response = browser.post(
        "/admin/portal/paymentevent/",
        {"action": "process_again", "_selected_action": [event.pk]},
        follow=True,
    )

    assert "Processed" in text_of(response)
    event.refresh_from_db()
    assert (event.outcome, event.failure) == ("processed", "")
    assert Refund.objects.count() == 1


def test_staff_are_created_with_a_hashed_password(browser):
    response = browser.post(
        "/admin/portal/user/add/",
        {
            "brand": "",
            "email": "new@example.com",
            "firstname": "New",
            "lastname": "Staff",
            "is_staff": "on",
            "usable_password": "true",
            "password1": PASSWORD,
            "password2": PASSWORD,
        },
    )

    assert response.status_code == 302
    user = User.objects.get(email="new@example.com")
    assert (user.brand, user.is_staff, user.is_superuser) == (None, True, False)
    assert user.check_password(PASSWORD)


def add_user(browser: Client, **values: object) -> str:
    form = {
        "email": "ada@example.com",
        "usable_password": "true",
        "password1": PASSWORD,
        "password2": PASSWORD,
        **values,
    }
    return text_of(browser.post("/admin/portal/user/add/", form))


@pytest.mark.parametrize(
    ("_case", "message"),
    [
        ("e-mail of a client", "The brand has a client with this e-mail."),
        ("client who is staff", "Clients and guests need a brand; staff have none."),
        ("no e-mail", "Only a guest may have no e-mail."),
        ("weak password", "This password is too common."),
    ],
)
def test_an_impossible_user_is_refused(_case, message, browser, client):
    change = {
        "e-mail of a client": {"brand": client.brand_id, "email": client.email.upper()},
        "client who is staff": {"brand": client.brand_id, "is_staff": "on"},
        "no e-mail": {"brand": client.brand_id, "email": ""},
        "weak password": {"password1": "password1", "password2": "password1"},
    }[_case]
    before = User.objects.count()

    assert message in add_user(browser, **change)
    assert User.objects.count() == before


def test_a_password_is_changed_by_its_page(browser, client):
    response = browser.post(
        f"/admin/portal/user/{client.pk}/password/",
        {
            "usable_password": "true",
            "password1": "another-good-one",
            "password2": "another-good-one",
        },
    )

    assert response.status_code == 302
    client.refresh_from_db()
    assert client.check_password("another-good-one")


def test_a_client_stays_in_its_brand(browser, client, other_brand):
    browser.post(
        page_of(client),
        {
            "email": client.email,
            "firstname": "Renamed",
            "brand": other_brand.pk,
            "is_guest": "on",
            "is_active": "on",
        },
    )

    brand = client.brand
    client.refresh_from_db()
    assert (client.firstname, client.brand, client.is_guest) == (
        "Renamed",
        brand,
        False,
    )


def test_only_superusers_touch_staff(helper, staff, client):
    assert helper.post(page_of(staff), {"email": "x@example.com"}).status_code == 403
    assert (
        helper.post(f"/admin/portal/user/{staff.pk}/password/", {}).status_code == 403
    )
    helper.post(
        page_of(client),
        {
            "email": client.email,
            "firstname": "Renamed",
            "is_active": "on",
            "is_staff": "on",
            "is_superuser": "on",
        },
    )
    client.refresh_from_db()
    assert (client.firstname, client.is_staff, client.is_superuser) == (
        "Renamed",
        False,
        False,
    )


def test_users_are_never_deleted(browser, client):
    assert browser.post(page_of(client, "delete"), {"post": "yes"}).status_code == 403
    assert User.objects.filter(pk=client.pk).exists()


def test_a_client_is_logged_out_everywhere(browser, client, other_client, now):
    for user in (client, client, other_client):
        _issue_token(user, now)

    browser.post(
        "/admin/portal/user/",
        {"action": "log_out_everywhere", "_selected_action": [client.pk]},
    )

    assert not AuthToken.objects.filter(user=client).exists()
    assert AuthToken.objects.filter(user=other_client).exists()


def test_tokens_have_no_page(browser):
    assert browser.get("/admin/knox/authtoken/").status_code == 404


def test_a_product_is_added_and_changed(browser, brand, other_brand):
    form = {
        "brand": brand.pk,
        "sku": "plan",
        "name": "Plan",
        "description": "",
        "kind": "hosting",
        "billing_cycle": "monthly",
        "price_0": "9.00",
        "price_1": "EUR",
        "tax_rate": "19",
        "is_active": "on",
        "position": "0",
    }
    browser.post("/admin/portal/product/add/", form)
    product = Product.objects.get()

    browser.post(page_of(product), {**form, "name": "Plan 2", "brand": other_brand.pk})

    product.refresh_from_db()
    assert (product.name, product.brand) == ("Plan 2", brand)
    assert product.price == Money("9.00", "EUR")
    assert product.tax_rate == Decimal(19)


@pytest.mark.parametrize(
    ("_case", "change"),
    [
        ("negative", {"price_0": "-1"}),
        ("less than a cent", {"price_0": "1.001"}),
        ("words", {"price_0": "nine"}),
        ("no currency", {"price_1": ""}),
        ("nothing", {"price_0": ""}),
        ("enormous", {"price_0": "9" * 30}),
    ],
)
def test_a_product_with_an_impossible_price_is_refused(_case, change, browser, brand):
    form = {
        "brand": brand.pk,
        "sku": "plan",
        "name": "Plan",
        "kind": "hosting",
        "billing_cycle": "monthly",
        "price_0": "9.00",
        "price_1": "EUR",
        "tax_rate": "19",
        "position": "0",
        **change,
    }

    assert browser.post("/admin/portal/product/add/", form).status_code == 200
    assert not Product.objects.exists()


def test_a_sold_product_is_not_deleted(browser, client):
    item = OrderItemFactory(order=OrderFactory(client=client))

    browser.post(page_of(item.product, "delete"), {"post": "yes"})

    assert Product.objects.filter(pk=item.product_id).exists()
    assert Order.objects.count() == 1


def test_a_refusal_of_affiliates_is_shown(browser, invoice, monkeypatch):
    def refuse(event, *, now):
        raise InvalidInput("no", "Affiliates says no.")

    monkeypatch.setattr(services, "invoice_paid", refuse)

    response = browser.post(page_of(invoice, "mark-paid"), {})

    assert "Affiliates says no." in text_of(response)
    invoice.refresh_from_db()
    assert invoice.status == "unpaid"


def test_rows_open_for_staff_who_may_only_look(helper, client, invoice):
    ProductFactory(brand=client.brand)
    PaymentDetailsFactory(client=client)

    for page in PAGES:
        assert helper.get(f"/admin/portal/{page}/").status_code == 200
