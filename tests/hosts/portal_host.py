"""The portal as the host of the tests of affiliates."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.utils import timezone
from moneyed import Money

from affiliates.brands.models.brand import Brand
from portal.billing import services
from portal.billing.models import Invoice, InvoiceLine
from portal.clients import credit
from portal.clients.models import User
from portal.clients.open_sessions import AuthToken
from portal.orders.catalogue import Coupon
from portal.orders.models import Order
from portal.orders.selectors import find_coupon
from tests.factories.portal import (
    ClientFactory,
    CouponFactory,
    GuestFactory,
    OrderFactory,
    OrderItemFactory,
    PaymentDetailsFactory,
    convert_order,
)


class PortalHost:
    knows_invoices_early = False

    def client(self, brand: Brand, *, email: str) -> User:
        return ClientFactory(brand=brand, email=email)

    def guest(self, brand: Brand) -> User:
        return GuestFactory(brand=brand)

    def authorization(self, client: User) -> str:
        _, token = AuthToken.objects.create(client)
        return f"Bearer {token}"

    def order(
        self,
        client: User,
        *,
        is_empty: bool = False,
        created_at: datetime | None = None,
        coupon_codes: Sequence[str] = (),
    ) -> str:
        order = OrderFactory(
            client=client,
            created_at=created_at or timezone.now(),
            coupon=_coupon(client, coupon_codes),
        )
        if not is_empty:
            OrderItemFactory(order=order)
        return str(order.pk)

    def payment_details_id(self, client: User) -> int:
        return PaymentDetailsFactory(client=client).pk

    def mark_paid_before(self, order_ref: str) -> None:
        client = Order.objects.get(pk=order_ref).client
        earlier = self._convert(Order.objects.get(pk=self.order(client)))
        services.mark_paid(invoice_id=earlier.pk, now=timezone.now())

    def set_service_active(self, order_ref: str, is_active: bool | None) -> None:
        order = Order.objects.get(pk=order_ref)
        self._convert(order)
        lines = InvoiceLine.objects.filter(invoice__order=order)
        lines.update(billing_cycle="one_time" if is_active is None else "monthly")
        order.ended_at = timezone.now() if is_active is False else None
        order.save(update_fields=["ended_at"])

    def wallet_balance(self, client: User, currency: str = "EUR") -> Money:
        return credit.balance_of(client.pk, currency=currency)

    def _convert(self, order: Order) -> Invoice:
        return convert_order(
            order_id=order.pk,
            client_id=order.client_id,
            payment_details_id=self.payment_details_id(order.client),
            now=timezone.now(),
        )


def _coupon(client: User, codes: Sequence[str]) -> Coupon | None:
    if not codes:
        return None
    (code,) = codes
    coupon = find_coupon(brand_id=client.client_brand_id, code=code)
    return coupon or CouponFactory(brand=client.brand, code=code)
