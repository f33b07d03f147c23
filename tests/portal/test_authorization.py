"""Who may do what to whose things: every caller, every endpoint."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.test import Client as Browser
from rest_framework.test import APIClient

from portal.billing.models import Invoice, Payment
from portal.clients.models import User, WalletEntry
from portal.orders.models import Order, OrderItem, PaymentDetails
from tests.cases import each
from tests.factories.portal import (
    ClientFactory,
    CouponFactory,
    GuestFactory,
    OrderFactory,
    OrderItemFactory,
    PaymentDetailsFactory,
    ProductFactory,
    StaffFactory,
    WalletEntryFactory,
)

OWNERS = ("client", "guest")
OUTSIDERS = ("another client", "another guest", "another brand's client")
ANONYMOUS = ("anonymous", "staff")


class World:
    """One owner with one of each thing, and everybody else."""

    def __init__(self, owner: User, invoice: Invoice) -> None:
        brand = owner.brand
        self.owner = owner
        self.invoice = invoice
        self.order = OrderFactory(client=owner)
        self.filled = OrderFactory(client=owner)
        OrderItemFactory(order=self.filled)
        self.product = ProductFactory(brand=brand)
        self.coupon = CouponFactory(brand=brand)
        WalletEntryFactory(client=owner)
        self.details = PaymentDetailsFactory(client=owner)
        self.others = {
            "another client": ClientFactory(brand=brand),
            "another guest": GuestFactory(brand=brand),
        }


@pytest.fixture(params=OWNERS)
def world(request, brand, other_brand, invoice_of) -> World:
    factory = ClientFactory if request.param == "client" else GuestFactory
    owner = factory(brand=brand)
    world = World(owner, invoice_of(owner))
    world.others["another brand's client"] = ClientFactory(brand=other_brand)
    return world


Call = Callable[[APIClient, World], int]


def read_order(api: APIClient, world: World) -> int:
    return api.get(f"/api/orders/{world.order.pk}").status_code


def fill_order(api: APIClient, world: World) -> int:
    body = {"product_id": world.product.pk}
    path = f"/api/orders/{world.order.pk}/items"
    return api.post(path, body, format="json").status_code


def convert_order(api: APIClient, world: World) -> int:
    body = {"payment_details_id": world.details.pk}
    path = f"/api/orders/{world.filled.pk}/convert"
    return api.patch(path, body, format="json").status_code


def read_invoice(api: APIClient, world: World) -> int:
    return api.get(f"/api/invoices/{world.invoice.pk}").status_code


def enter_coupon(api: APIClient, world: World) -> int:
    path = f"/api/orders/{world.filled.pk}/coupon"
    return api.post(path, {"code": world.coupon.code}, format="json").status_code


def remove_coupon(api: APIClient, world: World) -> int:
    return api.delete(f"/api/orders/{world.filled.pk}/coupon").status_code


def remove_item(api: APIClient, world: World) -> int:
    product_id = world.filled.items.get().product_id
    path = f"/api/orders/{world.filled.pk}/items/{product_id}"
    return api.delete(path).status_code


def pay_with_credit(api: APIClient, world: World) -> int:
    path = f"/api/invoices/{world.invoice.pk}/pay_with_credit"
    return api.post(path, {}, format="json").status_code


def read_credit(api: APIClient, world: World) -> int:
    return api.get("/api/account_credit").status_code


def change_quantity(api: APIClient, world: World) -> int:
    product_id = world.filled.items.get().product_id
    path = f"/api/orders/{world.filled.pk}/items/{product_id}"
    return api.patch(path, {"quantity": 5}, format="json").status_code


def list_orders(api: APIClient, world: World) -> int:
    return api.get("/api/orders").status_code


def list_invoices(api: APIClient, world: World) -> int:
    return api.get("/api/invoices").status_code


def begin_order(api: APIClient, world: World) -> int:
    return api.post("/api/orders", {}, format="json").status_code


def add_details(api: APIClient, world: World) -> int:
    return api.post("/api/payment_details", {}, format="json").status_code


OF_THE_OWNER: list[tuple[Call, int]] = [
    (read_order, 200),
    (fill_order, 201),
    (convert_order, 200),
    (read_invoice, 200),
    (enter_coupon, 200),
    (remove_coupon, 200),
    (change_quantity, 200),
    (remove_item, 200),
    (pay_with_credit, 200),
]
OF_ANY_CLIENT: list[tuple[Call, int]] = [
    (begin_order, 201),
    (add_details, 201),
    (read_credit, 200),
    (list_orders, 200),
    (list_invoices, 200),
]


def rows() -> tuple[object, ...]:
    models = (Order, OrderItem, PaymentDetails, Invoice, Payment, WalletEntry)
    return (
        *(model.objects.count() for model in models),
        Order.objects.filter(status="converted").count(),
        tuple(OrderItem.objects.values_list("quantity", flat=True)),
        Order.objects.filter(coupon__isnull=False).count(),
    )


@pytest.mark.parametrize(("call", "status"), [*OF_THE_OWNER, *OF_ANY_CLIENT])
def test_the_owner_may(call, status, world, speak_as):
    assert call(speak_as(world.owner), world) == status


@each("outsider", OUTSIDERS)
@each(("call", "_status"), OF_THE_OWNER)
def test_an_outsider_finds_nothing(call, outsider, world, speak_as):
    api = speak_as(world.others[outsider])
    api.defaults.pop("HTTP_ORIGIN")
    before = rows()

    assert call(api, world) == 404
    assert rows() == before


@each("who", ANONYMOUS)
@each(("call", "_status"), [*OF_THE_OWNER, *OF_ANY_CLIENT])
def test_without_a_token_nothing_is_done(call, who, world):
    api = APIClient(HTTP_ORIGIN="https://shop.example.com")
    if who == "staff":
        # The admin's session means nothing to the API.
        browser = Browser()
        browser.force_login(StaffFactory())
        api.cookies = browser.cookies
    before = rows()

    assert call(api, world) == 401
    assert rows() == before


@each("outsider", OUTSIDERS)
def test_an_outsiders_lists_are_empty(outsider, world, speak_as):
    api = speak_as(world.others[outsider])

    for path in ("/api/orders", "/api/invoices"):
        assert api.get(path).json() == {"data": []}


def test_another_clients_payment_details_do_not_pay(world, speak_as):
    stranger = PaymentDetailsFactory(client=world.others["another client"])
    before = rows()

    response = speak_as(world.owner).patch(
        f"/api/orders/{world.filled.pk}/convert",
        {"payment_details_id": stranger.pk},
        format="json",
    )

    assert response.status_code == 400
    assert response.json()["errors"][0]["attr"] == "payment_details_id"
    assert rows() == before


def test_nobody_completes_another_guests_registration(brand, speak_as):
    guest, other = GuestFactory(brand=brand), GuestFactory(brand=brand)
    body = {
        "email": "thief@example.com",
        "firstname": "A",
        "lastname": "B",
        "password": "correct-horse-battery",
        "user_agent": "",
    }

    response = speak_as(other).post(
        f"/api/clients/{guest.pk}/complete_registration", body, format="json"
    )

    assert response.status_code == 404
    assert not User.objects.filter(is_guest=False).exists()
