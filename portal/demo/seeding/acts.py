"""Acts of one client through the services at a given time: visit, register, order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from affiliates.brands.models.brand import Brand
from affiliates.brands.selectors import get_brand
from affiliates.contracts import ClientRegistered, OrderConversion
from affiliates.host_events import client_registered
from affiliates.settlement.services import convert_order
from affiliates.visits.rules import Visit
from affiliates.visits.services import track_visit
from portal import gateways
from portal.billing.models import Invoice
from portal.clients.models import User
from portal.orders.catalogue import Coupon, Product
from portal.orders.models import Order, OrderItem, PaymentDetails

PERSON = "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/{}.0 Safari/537.36"
ROBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"


@dataclass(kw_only=True)
class Visitor:
    ip: str
    ip_prefix: str
    user_agent: str
    cookie: str | None = None


def visit(
    visitor: Visitor, *, brand_id: int, url: str, referrer: str, now: datetime
) -> None:
    answer = track_visit(
        brand=get_brand(brand_id),
        visit=Visit(
            visit_url=url,
            referrer_url=referrer,
            user_agent=visitor.user_agent,
            referral_cookie=visitor.cookie,
            ip=visitor.ip,
            ip_prefix=visitor.ip_prefix,
            is_prefetch=False,
        ),
        now=now,
    )
    visitor.cookie = answer.referral_cookie or visitor.cookie


def register(client: User, *, brand_id: int, cookie: str | None) -> User:
    """At the time that the client's row says. It has no password."""
    client.set_unusable_password()
    client.save(force_insert=True)
    client_registered(
        ClientRegistered(
            brand_id=brand_id,
            client_id=str(client.pk),
            registered_at=client.created_at,
        ),
        referral_cookie=cookie,
        now=client.created_at,
    )
    return client


def order(
    client: User,
    products: Sequence[Product],
    *,
    brand: Brand,
    cookie: str | None,
    now: datetime,
    coupon: Coupon | None = None,
    ip_prefix: str = "",
) -> Invoice:
    """Fills a basket and converts it."""
    basket = Order.objects.create(
        brand=brand,
        client=client,
        currency=products[0].price.currency.code,
        coupon=coupon,
        percent_off=coupon.percent_off if coupon else 0,
        created_at=now,
    )
    for product in products:
        OrderItem.objects.create(
            order=basket,
            product=product,
            quantity=1,
            unit_price=product.price,
            tax_rate=product.tax_rate,
        )
    details = PaymentDetails.objects.create(
        client=client, gateway=gateways.MANUAL, created_at=now
    )
    converted = convert_order(
        conversion=OrderConversion(
            order_ref=str(basket.pk),
            client_id=str(client.pk),
            payment_details_id=details.pk,
        ),
        origin_brand_id=brand.pk,
        referral_cookie=cookie,
        ip_prefix=ip_prefix,
        now=now,
    )
    return Invoice.objects.get(pk=str(converted["id"]))
