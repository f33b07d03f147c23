"""What the canary does on a test brand, by the services that everybody's calls reach."""

from __future__ import annotations

import secrets
from datetime import datetime

from affiliates.contracts import ClientRegistration, OrderPlaced
from affiliates.errors import StateConflict
from portal import gateways
from portal.billing import invoicing, services
from portal.billing.models import Payment, Refund, RefundKind
from portal.clients.models import User
from portal.clients.services import register_client
from portal.ids import new_id, require_id
from portal.orders.catalogue import Product
from portal.orders.services import add_item, add_payment_details, create_order


def make_client(*, brand_id: int, now: datetime) -> User:
    registration = ClientRegistration(
        brand_id=brand_id,
        email=f"canary-{new_id().hex}@example.com",
        firstname="Canary",
        lastname="Test",
        password=secrets.token_urlsafe(),
    )
    return register_client(registration, now=now).user


def make_order(*, client_id: str, now: datetime) -> OrderPlaced:
    client = User.objects.get(pk=require_id(client_id))
    products = Product.objects.filter(brand=client.client_brand_id, is_active=True)
    product = products.order_by("pk").first()
    if product is None:
        raise StateConflict(
            "no_product", "The test brand sells nothing: add a product to it."
        )
    order = create_order(client=client, now=now)
    add_item(client=client, order_id=str(order.pk), product_id=product.pk, quantity=1)
    details = add_payment_details(
        client=client, gateway=gateways.MANUAL, label="Canary", now=now
    )
    invoice = invoicing.convert_order(
        order_id=order.pk, client_id=client.pk, payment_details_id=details.pk, now=now
    )
    return OrderPlaced(
        brand_id=invoice.brand_id,
        order_ref=str(order.pk),
        invoice_ref=str(invoice.pk),
        client_id=client_id,
        placed_at=now,
        client_paid_before=False,
        created_at=now,
    )


def pay(order: OrderPlaced, *, now: datetime) -> Payment:
    return services.mark_paid(invoice_id=require_id(order.invoice_ref), now=now)


def refund(payment_id: str, *, now: datetime) -> Refund:
    payment = Payment.objects.get(pk=payment_id)
    return services.record_refund(
        invoice_id=payment.invoice_id,
        gateway=gateways.MANUAL,
        reference=f"canary:{payment.pk}",
        amount=payment.amount,
        kind=RefundKind.REFUND,
        now=now,
    )
