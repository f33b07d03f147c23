from __future__ import annotations

import base64
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model
from moneyed import Money

from affiliates.brands.models.brand import Brand
from tests.hosts.bare.models import BareCredit, BareOrder, Profile

PASSWORD = "correct horse battery"


class BareHost:
    knows_invoices_early = True

    def client(self, brand: Brand, *, email: str) -> Any:
        return self._user(brand, email=email, is_guest=False)

    def guest(self, brand: Brand) -> Any:
        return self._user(brand, email="", is_guest=True)

    def authorization(self, client: Any) -> str:
        credentials = f"{client.username}:{PASSWORD}".encode()
        return f"Basic {base64.b64encode(credentials).decode()}"

    def order(
        self,
        client: Any,
        *,
        is_empty: bool = False,
        created_at: datetime | None = None,
        coupon_codes: Sequence[str] = (),
    ) -> str:
        order = BareOrder(client=client, is_empty=is_empty)
        if created_at is not None:
            order.created_at = created_at
        if coupon_codes:
            (order.coupon_code,) = coupon_codes
        order.save()
        return str(order.pk)

    def payment_details_id(self, client: Any) -> int:
        return 1

    def mark_paid_before(self, order_ref: str) -> None:
        BareOrder.objects.filter(pk=order_ref).update(client_paid_before=True)

    def set_service_active(self, order_ref: str, is_active: bool | None) -> None:
        BareOrder.objects.filter(pk=order_ref).update(is_service_active=is_active)

    def wallet_balance(self, client: Any, currency: str = "EUR") -> Money:
        credits = BareCredit.objects.filter(client=client, amount_currency=currency)
        return sum((credit.amount for credit in credits), Money(0, currency))

    def _user(self, brand: Brand, *, email: str, is_guest: bool) -> Any:
        user = get_user_model().objects.create_user(
            username=f"user-{get_user_model().objects.count()}",
            email=email,
            password=PASSWORD,
        )
        Profile.objects.create(user=user, brand_id=brand.pk, is_guest=is_guest)
        return user
