from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta
from uuid import uuid4

import pytest
from django.contrib.auth import get_user_model
from django.db import transaction
from moneyed import Money

from affiliates.adapter import CatalogueProduct, Reference, get_adapter
from affiliates.contracts import (
    Client,
    ClientRegistration,
    GuestRegistration,
    Order,
    OrderConversion,
    PreparedConversion,
    RegistrationCompletion,
)
from affiliates.errors import InvalidInput, NotFound, StateConflict
from portal.affiliate_adapter import PortalAdapter
from portal.billing.models import Invoice
from portal.billing.services import mark_paid
from portal.orders import models as orders
from tests.database import nothing_written
from tests.factories.portal import (
    NOW,
    PASSWORD,
    ClientFactory,
    OrderFactory,
    OrderItemFactory,
    PaymentDetailsFactory,
    ProductFactory,
    StaffFactory,
)
from tests.portal.conftest import RACERS
from tests.races import at_once, needs_postgresql

ABSENT_ID = "01a1fd00-0000-7000-8000-000000000000"


@pytest.fixture
def adapter() -> PortalAdapter:
    return PortalAdapter()


def prepare(adapter, conversion, now=NOW) -> PreparedConversion:
    with transaction.atomic():
        return adapter.prepare_conversion(conversion, now=now)


def convert(adapter, conversion, now=NOW):
    with transaction.atomic():
        prepared = adapter.prepare_conversion(conversion, now=now)
        return adapter.finish_conversion(prepared)


@pytest.fixture
def conversion(client) -> OrderConversion:
    order = OrderFactory(client=client)
    OrderItemFactory(order=order)
    return OrderConversion(
        order_ref=str(order.pk),
        client_id=str(client.pk),
        payment_details_id=PaymentDetailsFactory(client=client, gateway="demo").pk,
    )


def test_the_setting_names_it():
    assert isinstance(get_adapter(), PortalAdapter)


def test_clients_are_found_by_email_in_any_case(adapter, brand):
    ada = ClientFactory(brand=brand, email="Ada@example.com")
    # Python and PostgreSQL write this letter small each in its own way.
    ClientFactory(brand=brand, email="\u0130x@example.com")

    emails = ["ADA@example.com", "ix@example.com"]
    found = adapter.clients_by_email(emails, brand_id=brand.pk)

    assert found["ADA@example.com"].id == str(ada.pk)


def test_a_client_is_registered(adapter, brand):
    registered = adapter.register_client(
        ClientRegistration(
            brand_id=brand.pk,
            email="ada@example.com",
            firstname="Ada",
            lastname="Lovelace",
            password=PASSWORD,
        ),
        now=NOW,
    )

    user = get_user_model().objects.get()
    assert registered.client == Client(
        id=str(user.pk), brand_id=brand.pk, email="ada@example.com", is_guest=False
    )
    assert registered.data == {
        "id": str(user.pk),
        "email": "ada@example.com",
        "firstname": "Ada",
        "lastname": "Lovelace",
        "is_guest": False,
        "token": registered.data["token"],
    }
    assert len(registered.data["token"]) == 64


def test_a_guest_is_registered(adapter, brand):
    registered = adapter.register_guest(GuestRegistration(brand_id=brand.pk), now=NOW)

    user = get_user_model().objects.get()
    assert registered.client == Client(
        id=str(user.pk), brand_id=brand.pk, email="", is_guest=True
    )
    assert registered.data["is_guest"] is True


def test_a_registration_is_completed(adapter, guest):
    completion = RegistrationCompletion(
        client_id=str(guest.pk),
        email="ada@example.com",
        firstname="Ada",
        lastname="Lovelace",
        password=PASSWORD,
    )

    completed = adapter.complete_registration(completion, now=NOW)

    assert completed.client.id == str(guest.pk)
    assert completed.client.is_guest is False
    assert completed.data["email"] == "ada@example.com"
    with pytest.raises(StateConflict):
        adapter.complete_registration(completion, now=NOW)


@pytest.mark.parametrize("client_id", ["", "x", "1" * 5000, ABSENT_ID])
def test_a_completion_of_nobody_is_not_found(client_id, adapter, db):
    completion = RegistrationCompletion(
        client_id=client_id,
        email="ada@example.com",
        firstname="Ada",
        lastname="Lovelace",
        password=PASSWORD,
    )

    with pytest.raises(NotFound):
        adapter.complete_registration(completion, now=NOW)


def test_a_client_is_found_by_id(adapter, client):
    assert adapter.get_client(str(client.pk)) == Client(
        id=str(client.pk), brand_id=client.brand_id, email=client.email, is_guest=False
    )


def test_staff_and_strangers_are_no_clients(adapter, db):
    for client_id in (str(StaffFactory().pk), str(uuid4()), "x", ""):
        assert adapter.get_client(client_id) is None


def test_an_order_is_found_by_its_client(
    adapter, client, conversion, django_assert_num_queries
):
    # The order with its client, and the items.
    with transaction.atomic(), django_assert_num_queries(2):
        prepared = adapter.prepare_conversion(conversion, now=NOW)

    order = prepared.order
    assert order == Order(
        order_ref=conversion.order_ref,
        brand_id=client.brand_id,
        client=adapter.get_client(conversion.client_id),
        created_at=order.created_at,
        client_paid_before=False,
    )
    assert prepared.converted_at == NOW


def test_preparing_marks_the_order_in_the_callers_transaction(adapter, conversion):
    with nothing_written(), transaction.atomic():
        prepare(adapter, conversion)
        order = orders.Order.objects.get()
        transaction.set_rollback(True)

    assert (order.status, order.converted_at) == ("converted", NOW)


def test_an_order_is_not_found_by_others(adapter, conversion, other_client):
    for changes in (
        {"client_id": str(other_client.pk)},
        {"order_ref": str(uuid4())},
        {"order_ref": "x"},
        {"client_id": "x"},
    ):
        with pytest.raises(NotFound):
            prepare(adapter, replace(conversion, **changes))


@pytest.mark.parametrize(
    ("_case", "paid_before"),
    [
        ("another invoice is paid", True),
        ("another invoice is unpaid", False),
        ("another invoice is refunded", True),
        ("only this order is paid", False),
        ("another client has paid", False),
    ],
)
def test_paid_before_means_another_invoice(
    _case, paid_before, adapter, client, other_client, invoice_of, conversion, now, told
):
    match _case:
        case "another invoice is paid":
            mark_paid(invoice_id=invoice_of(client).pk, now=now)
        case "another invoice is unpaid":
            invoice_of(client)
        case "another invoice is refunded":
            invoice = invoice_of(client)
            mark_paid(invoice_id=invoice.pk, now=now)
            Invoice.objects.filter(pk=invoice.pk).update(status="refunded")
        case "only this order is paid":
            convert(adapter, conversion)
            mark_paid(invoice_id=Invoice.objects.get().pk, now=now)
        case "another client has paid":
            mark_paid(invoice_id=invoice_of(other_client).pk, now=now)

    order = prepare(adapter, conversion).order

    assert order.client_paid_before is paid_before


@pytest.mark.usefixtures("webhook_secrets")
def test_an_order_is_converted(adapter, client, conversion):
    with transaction.atomic():
        prepared = adapter.prepare_conversion(conversion, now=NOW)
        data = adapter.finish_conversion(prepared)

    invoice = Invoice.objects.get()
    assert prepared.invoice_ref == str(invoice.pk)
    assert prepared.converted_at == invoice.created_at
    assert data == {
        "id": str(invoice.pk),
        "number": "INV-000001",
        "unpaid_amount": {"amount": "10.71", "currency": "EUR"},
        "order_id": conversion.order_ref,
        "status": "converted",
        "total": {"amount": "10.71", "currency": "EUR"},
        "payment_url": f"/demo-bank/{invoice.pk}",
    }
    assert json.loads(json.dumps(data)) == data


def test_a_repeat_answers_the_first_time_also_once_paid(adapter, conversion, now, told):
    first = convert(adapter, conversion)
    mark_paid(invoice_id=Invoice.objects.get().pk, now=now + timedelta(days=1))

    repeat = prepare(adapter, conversion, now=now + timedelta(days=2))
    assert (repeat.invoice_ref, repeat.converted_at) == (first["id"], NOW)
    assert convert(adapter, conversion) == first
    assert Invoice.objects.count() == 1


@pytest.mark.parametrize("order_ref", ["", "x", "1" * 5000, ABSENT_ID])
def test_a_conversion_of_nothing_is_not_found(order_ref, adapter, client):
    conversion = OrderConversion(
        order_ref=order_ref, client_id=str(client.pk), payment_details_id=1
    )

    with pytest.raises(NotFound):
        prepare(adapter, conversion)


def test_an_empty_basket_is_refused(adapter, client):
    conversion = OrderConversion(
        order_ref=str(OrderFactory(client=client).pk),
        client_id=str(client.pk),
        payment_details_id=PaymentDetailsFactory(client=client).pk,
    )

    with pytest.raises(InvalidInput) as refusal:
        prepare(adapter, conversion)

    assert refusal.value.code == "basket_empty"
    assert not Invoice.objects.exists()


@pytest.mark.parametrize(
    ("reference", "path"),
    [
        (Reference.CLIENT, "/admin/portal/user/{ref}/change/"),
        (Reference.ORDER, "/admin/portal/order/{ref}/change/"),
        (Reference.INVOICE, "/admin/portal/invoice/{ref}/change/"),
    ],
)
def test_staff_look_at_things_in_the_admin(reference, path, adapter):
    ref = str(uuid4())

    assert adapter.admin_url(reference, ref) == path.format(ref=ref)


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_100_racing_conversions_make_one_invoice(adapter, conversion):
    twice = at_once(
        RACERS,
        lambda number: [convert(adapter, conversion) for _ in range(2)],
    )

    converted = [answer for pair in twice for answer in pair]
    assert converted == [converted[0]] * 100
    assert Invoice.objects.count() == 1


def test_a_client_of_another_brand_gets_its_own_numbers(
    adapter, conversion, other_brand, invoice_of
):
    invoice_of(ClientFactory(brand=other_brand))

    assert convert(adapter, conversion)["number"] == "INV-000001"


def test_the_catalogue_is_of_one_brand_and_has_what_is_no_longer_sold(
    adapter, brand, other_brand
):
    ProductFactory(brand=other_brand, sku="theirs")
    ProductFactory(brand=brand, sku="business", name="Business", is_active=False)
    ProductFactory(
        brand=brand,
        sku="com",
        name="A .com domain",
        kind="domain",
        tld="com",
        operation="register",
        billing_cycle="annually",
        price=Money("12.00", "EUR"),
    )

    assert adapter.catalogue(brand_id=brand.pk) == [
        CatalogueProduct(product_ref="business", name="Business", kind="hosting"),
        CatalogueProduct(
            product_ref="com",
            name="A .com domain",
            kind="domain",
            tld="com",
            operations=("register", "renew"),
            prices=(("annually", Money("12.00", "EUR")),),
        ),
    ]


def test_language_is_that_of_the_member_of_staff_with_the_address(adapter, client):
    StaffFactory(email="Boss@example.com", language="de")
    client.language = "de"
    client.save()

    found = [
        adapter.staff_language(one)
        for one in ("boss@example.com", client.email, "nobody@example.com")
    ]

    assert found == ["de", "", ""]
