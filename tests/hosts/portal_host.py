"""The portal as the host of the tests of affiliates."""

from __future__ import annotations

from uuid import UUID

from django.utils import timezone
from knox.models import AuthToken

from affiliates.brands.models import Brand
from portal.billing import invoicing, services
from portal.clients.models import User
from portal.orders.models import Order
from tests.factories.portal import (
    ClientFactory,
    GuestFactory,
    OrderFactory,
    OrderItemFactory,
    PaymentDetailsFactory,
)


class PortalHost:
    def client(self, brand: Brand, *, email: str) -> User:
        return ClientFactory(brand=brand, email=email)

    def guest(self, brand: Brand) -> User:
        return GuestFactory(brand=brand)

    def authorization(self, client: User) -> str:
        _, token = AuthToken.objects.create(client)
        return f"Bearer {token}"

    def order(self, client: User, *, is_empty: bool = False) -> str:
        order = OrderFactory(client=client)
        if not is_empty:
            OrderItemFactory(order=order)
        return str(order.pk)

    def payment_details_id(self, client: User) -> int:
        return PaymentDetailsFactory(client=client).pk

    def mark_paid_before(self, order_ref: str) -> None:
        client = Order.objects.get(pk=order_ref).client
        earlier = invoicing.convert_order(
            order_id=UUID(self.order(client)),
            client_id=client.pk,
            payment_details_id=self.payment_details_id(client),
            now=timezone.now(),
        )
        services.mark_paid(invoice_id=earlier.pk, now=timezone.now())
