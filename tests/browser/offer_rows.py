"""An offer of the demonstration's brand with affiliates of its own; run by a shell."""

from __future__ import annotations

import json
from datetime import timedelta

from django.utils import timezone

from affiliates.brands.models.brand import Brand
from affiliates.contrib.offers import services
from affiliates.contrib.offers.models import Offer
from affiliates.contrib.offers.services import publish_offer
from affiliates.plans.models.coupon import CouponCode
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from portal.demo.accounts import put_user
from portal.orders.catalogue import Coupon

TEXTS = {
    "text": "A tenth off your first invoice",
    "translations": {"de": "Ein Zehntel Nachlass auf die erste Rechnung"},
}


def make_offer(code: str) -> str:
    """Its id, and the e-mail of an affiliate with this code."""
    brand, now = Brand.objects.order_by("pk").first(), timezone.now()
    assert brand is not None
    offer = Offer.objects.filter(brand=brand, name="Journey").first() or Offer(
        brand=brand,
        name="Journey",
        for_new_clients=True,
        affiliate_funds_percent=50,
        max_codes=9,
        host_terms={"percent_off": "10"},
        **TEXTS,
    )
    offer.is_active, offer.valid_until = True, now + timedelta(days=30)
    offer.save()
    publish_offer(offer, now=now)
    email = f"{code}@demo-hosting.example"
    user = put_user(
        {"brand": brand, "email": email, "is_guest": False},
        {"firstname": "Ada", "lastname": "Example"},
    )
    Affiliate.objects.create(
        brand=brand, user=user, code=code, status=AffiliateStatus.ACTIVE
    )
    return json.dumps({"offer": offer.pk, "email": email})


def expire(code: str) -> None:
    Coupon.objects.filter(code=code).update(valid_until=timezone.now())
    for offer in Offer.objects.filter(name="Journey"):
        offer.change(valid_until=timezone.now())
        publish_offer(offer, now=timezone.now())


def end_offer(code: str) -> None:
    coupon = CouponCode.objects.get(code=code)
    coupon.offer_code.version.offer.change(is_active=False)


def end_code(code: str) -> None:
    coupon = CouponCode.objects.get(code=code)
    services.end_code(coupon_id=coupon.pk, now=timezone.now())
