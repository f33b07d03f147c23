"""The code that a visitor of an affiliate is shown."""

from __future__ import annotations

from datetime import timedelta

import pytest

from affiliates.contrib.offers.selectors import ShownOffer, code_to_show
from affiliates.contrib.offers.services import end_code, publish_offer
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from tests.database import queries_of
from tests.factories.offers import OfferCodeFactory, OfferFactory

pytestmark = pytest.mark.django_db


@pytest.fixture
def shown(affiliate, brand, now):
    def shown(*, of=brand.pk, at=now):
        offer = code_to_show(affiliate.pk, brand_id=of, now=at)
        return offer and offer.code

    return shown


def test_the_newest_code_is_shown_in_its_own_terms(brand, affiliate, make, now):
    offer = OfferFactory(
        brand=brand,
        text="10 % off",
        translations={"de": "10 % günstiger"},
        max_codes=2,
        valid_until=now + timedelta(days=2),
    )
    make("older", within=offer)
    make("newer", within=offer)
    later = now + timedelta(days=9)
    publish_offer(offer.change(text="20 % off", valid_until=later), now=now)

    assert code_to_show(affiliate.pk, brand_id=brand.pk, now=now) == ShownOffer(
        code="NEWER",
        text="10 % off",
        translations={"de": "10 % günstiger"},
        expires_at=now + timedelta(days=2),
    )


@pytest.mark.parametrize(
    ("_case", "change"),
    [
        ("switched off", {"is_active": False}),
        ("not begun", {"valid_from": timedelta(days=1)}),
        ("begins at once", {"valid_from": timedelta(0)}),
        ("expires at once", {"valid_until": timedelta(0)}),
        ("expires later", {"valid_until": timedelta(seconds=1)}),
    ],
)
def test_by_the_state_of_the_offer(_case, change, offer, make, shown, now):
    make("friends")
    values = {
        name: now + value if isinstance(value, timedelta) else value
        for name, value in change.items()
    }
    publish_offer(offer.change(**values), now=now)

    is_shown = _case in ("begins at once", "expires later")
    assert shown() == ("FRIENDS" if is_shown else None)


def test_a_code_that_expired_in_its_own_terms_gives_way(brand, make, shown, now):
    offer = OfferFactory(brand=brand, valid_until=now + timedelta(days=1))
    make("lasting")
    make("expiring", within=offer)
    publish_offer(offer.change(valid_until=None), now=now)

    assert shown() == "EXPIRING"
    assert shown(at=now + timedelta(days=1)) == "LASTING"


def test_no_ended_code_is_shown(make, shown, now):
    end_code(coupon_id=make("friends").coupon_id, now=now)

    assert shown() is None


def test_no_code_that_staff_switched_off_is_shown(make, shown):
    make("friends").coupon.change(is_active=False)

    assert shown() is None


def test_no_code_of_an_affiliate_that_is_not_active_is_shown(make, affiliate, shown):
    make("friends")
    Affiliate.objects.update(status=AffiliateStatus.PENDING)

    assert shown() is None


def test_no_code_of_another_brand_is_shown(make, shown, other_brand):
    make("friends")

    assert shown(of=other_brand.pk) is None


def test_one_query(offer, affiliate, brand, now):
    OfferCodeFactory(offer=offer, affiliate=affiliate)
    OfferCodeFactory(offer=offer, affiliate=affiliate)

    call = lambda: code_to_show(affiliate.pk, brand_id=brand.pk, now=now)  # noqa: E731
    assert queries_of(call) == 1
