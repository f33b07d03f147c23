"""The demonstration: one brand with its shop, staff, an affiliate and a link."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from django.apps import apps
from django.conf import settings
from django.db import transaction
from moneyed import Money

from portal.demo.accounts import (
    ADMIN_EMAIL,
    AFFILIATE_EMAIL,
    Login,
    login,
    put_user,
)
from portal.demo.program import COUPON_CODE, seed_program
from portal.demo.rows import put, save
from portal.demo.seeding.program import begin_brand
from portal.orders.catalogue import BillingCycle, DomainOperation, Product, ProductKind

BRAND_NAME = "Demo Hosting"
AFFILIATE_CODE = "demo"
LINK_NAME = "Demo link"
# What portal.demo.network knows when it starts.
TRACKER_AFFILIATE = "testaff"
TRACKER_USERNAME = "merchant@example.com"
TRACKER_PASSWORD = "demo"  # noqa: S105 - the simulator's own, on loopback
TRACKER_PARAMETERS = "a_aid, aid"


@dataclass(frozen=True, slots=True, kw_only=True)
class Demo:
    """Addresses, ids and logins of the demonstration; ``seed_demo`` prints them."""

    api_base: str
    origin: str
    brand_id: int
    default_redirect_url: str
    allowed_redirect_host: str
    link_url: str
    link_hash: str
    third_party_url: str
    product_id: int
    coupon_code: str
    admin: Login
    affiliate: Login


class Offer(NamedTuple):
    """A product of the demonstration; its description opens with one line."""

    sku: str
    name: str
    kind: ProductKind
    cycle: BillingCycle
    price: str
    description: str
    tld: str = ""


HOSTING, DOMAIN = ProductKind.HOSTING, ProductKind.DOMAIN
ADDON, SETUP = ProductKind.ADDON, ProductKind.SETUP
ONE_TIME, MONTHLY = BillingCycle.ONE_TIME, BillingCycle.MONTHLY
ANNUALLY = BillingCycle.ANNUALLY

_STARTER = "For a first website.\n1 website\n10 GB of storage\n5 mailboxes"
_BUSINESS = (
    "For a company found online.\n"
    "10 websites\n50 GB of storage\n50 mailboxes\nA copy for testing"
)
_AGENCY = (
    "For people who build for others.\n"
    "100 websites\n250 GB of storage\n500 mailboxes\nOne login per customer"
)
_DOMAIN = "Your name on the internet, renewed every year."
_BACKUPS = "Go back to any hour of the last 30 days."
_MOVING = "We move your website, mailboxes and databases overnight."

FEATURED_SKU = "business-monthly"
OFFERS = (
    Offer("starter-monthly", "Starter", HOSTING, MONTHLY, "5.00", _STARTER),
    Offer(FEATURED_SKU, "Business", HOSTING, MONTHLY, "9.00", _BUSINESS),
    Offer("agency-monthly", "Agency", HOSTING, MONTHLY, "24.00", _AGENCY),
    Offer("starter-annually", "Starter", HOSTING, ANNUALLY, "50.00", _STARTER),
    Offer("business-annually", "Business", HOSTING, ANNUALLY, "90.00", _BUSINESS),
    Offer("agency-annually", "Agency", HOSTING, ANNUALLY, "240.00", _AGENCY),
    Offer("domain-com", "Domain .com", DOMAIN, ANNUALLY, "12.00", _DOMAIN, "com"),
    Offer("hourly-backups", "Hourly backups", ADDON, MONTHLY, "2.00", _BACKUPS),
    Offer("moving-in", "Moving in", SETUP, ONE_TIME, "49.00", _MOVING),
)
TAX_RATE = Decimal("19.00")
SHOP_NAME = "shop.localhost"


@transaction.atomic
def seed_demo(*, port: int, tracker: str, since: datetime) -> Demo:
    """Create or repair the demonstration; ``tracker`` is the affiliate network's
    address. A new brand, its policy and its plan are in force ``since`` then. Raises
    ValidationError.
    """
    shop_host = f"{SHOP_NAME}:{port}"
    help_host = f"docs.{SHOP_NAME}:{port}"
    origin = f"http://{shop_host}"
    brand = _put_brand(origin, since=since)
    _put_domains(brand, port, client_area=shop_host, other=help_host)
    products = {offer.sku: _put_product(brand, offer) for offer in OFFERS}
    put_user(
        {"brand": None, "email": ADMIN_EMAIL}, {"is_staff": True, "is_superuser": True}
    )
    affiliate = _put_affiliate(brand)
    link = _put_link(affiliate, target_url=f"{origin}/plans")
    seed_program(brand, affiliate, now=since)
    _put_integration(brand, address=tracker)
    return Demo(
        api_base=f"http://api.localhost:{port}",
        origin=origin,
        brand_id=brand.pk,
        default_redirect_url=brand.default_redirect_url,
        allowed_redirect_host=help_host,
        link_url=f"{origin}/aff/{link.hash}",
        link_hash=link.hash,
        third_party_url=f"{origin}/?a_aid={TRACKER_AFFILIATE}",
        product_id=products[FEATURED_SKU].pk,
        coupon_code=COUPON_CODE,
        admin=login(ADMIN_EMAIL),
        affiliate=login(AFFILIATE_EMAIL),
    )


def guide(demo: Demo, *, tracker: str, others: Mapping[str, str]) -> str:
    """Returns the printed guide. ``others`` maps further accounts to descriptions."""
    both_url = f"{demo.third_party_url}&ref={AFFILIATE_CODE}"
    return f"""
Demo Hosting is ready.

  Affiliate link   {demo.link_url}
  ... by its code  {demo.origin}/?ref={AFFILIATE_CODE}
  ... by a coupon  {demo.coupon_code} at the check-out, 10 % off
  Network's link   {demo.third_party_url}
  Both at once     {both_url}
  Storefront       {demo.origin}/
  Network          {tracker}/
  API docs         {demo.api_base}/api/docs
  Admin            {demo.api_base}/admin/
                   {demo.admin.email}  {demo.admin.password}
  Affiliate area   {demo.origin}/affiliate/
                   {demo.affiliate.email}  {demo.affiliate.password}
  Program page     {demo.origin}/affiliate/program
{_logins(others)}
Follow the affiliate link, order a plan and pay. The order's page under "Order
referrals" in the admin then says who earned what, why, by which version of the plan,
and when it is paid. What a yearly plan earns can be paid out at once.

Follow the network's link in a private window, order and pay: its click and its sale
appear on the network's page. E-mails are printed below.
"""


def _logins(others: Mapping[str, str]) -> str:
    width = max((len(email) for email in others), default=0)
    return "".join(
        f"  {'' if number else 'Other logins':17}{email:{width}}"
        f"  {login(email).password}  {what}\n"
        for number, (email, what) in enumerate(others.items())
    )


def _put_brand(origin: str, *, since: datetime) -> Any:
    model: Any = apps.get_model("affiliates", "Brand")
    # Who opens /plans by an affiliate's code wants to see the plans.
    values = {
        "default_redirect_url": f"{origin}/",
        "landing": "stay",
        "is_active": True,
    }
    if not model.objects.filter(name=BRAND_NAME).exists():
        begin_brand(model(name=BRAND_NAME, **values), now=since)
    return put(model, {"name": BRAND_NAME}, values)


def _put_domains(brand: Any, port: int, *, client_area: str, other: str) -> None:
    model: Any = apps.get_model("affiliates", "BrandDomain")
    for host in (client_area, other):
        put(
            model,
            {"brand": brand, "host": host},
            {"is_client_area": host == client_area, "is_redirect_target": True},
        )
    # On other ports nothing is served any more, and the admin would offer their links.
    ours = model.objects.filter(
        brand=brand, host__regex=rf"^(docs\.)?{SHOP_NAME}:[0-9]+$"
    )
    ours.exclude(host__endswith=f":{port}").delete()


def _put_product(brand: Any, offer: Offer) -> Any:
    values = {
        "name": offer.name,
        "description": offer.description,
        "kind": offer.kind,
        "tld": offer.tld,
        "operation": DomainOperation.REGISTER if offer.tld else "",
        "billing_cycle": offer.cycle,
        "price": Money(offer.price, "EUR"),
        "tax_rate": TAX_RATE,
        "is_active": True,
        "position": OFFERS.index(offer),
    }
    return put(Product, {"brand": brand, "sku": offer.sku}, values)


def _put_affiliate(brand: Any) -> Any:
    user = put_user(
        {"brand": brand, "email": AFFILIATE_EMAIL, "is_guest": False},
        {"firstname": "Nora", "lastname": "Lindqvist"},
    )
    return put(
        apps.get_model("affiliates", "Affiliate"),
        {"brand": brand, "user": user},
        {"code": AFFILIATE_CODE, "status": "active"},
    )


def _put_link(affiliate: Any, *, target_url: str) -> Any:
    return put(
        apps.get_model("affiliates", "AffiliateLink"),
        {"affiliate": affiliate, "hash": settings.DEMO_LINK_HASH},
        {"name": LINK_NAME, "target_url": target_url, "is_active": True},
    )


def _put_integration(brand: Any, *, address: str) -> None:
    model: Any = apps.get_model("affiliates", "TrackingIntegration")
    row = model.trackers.filter(brand=brand).first() or model(brand=brand)
    values = {
        "provider": "pap",
        "is_active": True,
        "address": address,
        "parameters": TRACKER_PARAMETERS,
        "config": {
            "forward_affiliate": True,
            "send_currency": True,
            "sale_status": "A",
            "username": TRACKER_USERNAME,
        },
        "secrets": row.encrypted({"password": TRACKER_PASSWORD}),
    }
    save(row, values)
