"""Codes are made within an offer and ended, together with the host's coupons."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError

from affiliates.adapter import HostAdapter, get_adapter
from affiliates.contracts import CouponRequest
from affiliates.contrib.offers.models import OfferCode, OfferVersion
from affiliates.contrib.offers.services import end_code, publish_offer
from affiliates.errors import InvalidInput, NotFound, StateConflict
from affiliates.membership.transfers import Transfer, TransferPart, transfer
from affiliates.plans.models.coupon import CouponCode
from affiliates.plans.selectors import coupon_terms, find_coupon
from affiliates.program.access import AccessEnd, end_access
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.program.services import change_status
from affiliates.verification.seals import SEALED, judge_seal
from tests.database import nothing_written
from tests.factories.offers import OfferFactory
from tests.factories.plans import (
    AffiliateGroupFactory,
    CommissionPlanFactory,
    CouponCodeFactory,
)
from tests.races import at_once, needs_postgresql

pytestmark = pytest.mark.django_db


def refused_of(call, kind=InvalidInput):
    with nothing_written(), pytest.raises(kind) as refused:
        call()
    return refused.value.code, refused.value.field


def test_a_code_is_a_coupon_with_the_terms_of_the_offer(
    brand, affiliate, make, host_coupons, now
):
    offer = OfferFactory(
        brand=brand,
        prefix="SAVE-",
        percent=Decimal("7.5"),
        affiliate_funds_percent=Decimal(40),
        for_new_clients=True,
        valid_until=now + timedelta(days=30),
    )

    code = make("save-with-jo", within=offer)

    assert (code.coupon.code, code.coupon.affiliate) == ("SAVE-WITH-JO", affiliate)
    assert (code.version, code.made_at) == (offer.versions.get(), now)
    assert (code.ended_at, code.coupon_ref) == (None, "coupon-1")
    assert host_coupons.made == [
        CouponRequest(
            brand_id=brand.pk,
            code="SAVE-WITH-JO",
            affiliate_code="partner",
            host_terms={"percent_off": "10"},
            for_new_clients=True,
            valid_until=now + timedelta(days=30),
        )
    ]
    terms = coupon_terms(
        brand_id=brand.pk, code="save-with-jo", affiliate_id=affiliate.pk, at=now
    )
    assert (terms.percent, terms.affiliate_funds_percent) == (Decimal("7.5"), 40)


def test_the_same_code_again_is_the_same_coupon(make, host_coupons):
    first = make("friends")

    with nothing_written():
        assert make(" FRIENDS ") == first
    assert len(host_coupons.made) == 1


@pytest.mark.parametrize(
    ("_case", "prefix", "own", "taken", "expected"),
    [
        ("own code", "", "jane", [], "JANE"),
        ("after the prefix", "GET-", "jane", [], "GET-JANE"),
        ("no dots", "GET-", "jo.doe", [], "GET-JO-DOE"),
        ("another's coupon", "", "jane", ["JANE"], "JANE2"),
        ("two of them", "", "jane", ["JANE", "JANE2"], "JANE3"),
    ],
)
def test_without_a_code_a_free_one_is_proposed(
    _case, prefix, own, taken, expected, brand, make, another
):
    offer = OfferFactory(brand=brand, prefix=prefix)
    other = another()
    for code in taken:
        CouponCodeFactory(affiliate=other, code=code)

    made = make(of=another(code=own), within=offer)

    assert made.coupon.code == expected


@pytest.mark.parametrize(
    ("_case", "code", "expected"),
    [
        ("without the prefix", "jo10", ("code_prefix", "code")),
        ("another's coupon", "GET-THEIRS", ("code_taken", "code")),
        ("own coupon made by staff", "GET-MINE", ("code_taken", "code")),
        ("another's own code", "get-it", ("code_taken", "code")),
        ("another's own code, upper case", "GET-IT", ("code_taken", "code")),
        ("the host's", "GET-SHOP", ("code_taken", "code")),
    ],
)
def test_codes_that_cannot_be_had(
    _case, code, expected, brand, affiliate, make, host_coupons, another
):
    offer = OfferFactory(brand=brand, prefix="GET-")
    other = another(code="get-it")
    CouponCodeFactory(affiliate=other, code="GET-THEIRS")
    CouponCodeFactory(affiliate=affiliate, code="GET-MINE")
    host_coupons.taken = {"GET-SHOP"}

    assert refused_of(lambda: make(code, within=offer)) == expected


def test_the_own_code_of_the_affiliate_can_be_had(make):
    assert make("partner").coupon.code == "PARTNER"


@pytest.mark.parametrize("code", ["two words", "X" * 65, "a\tb"])
def test_codes_that_no_coupon_may_have(code, make, host_coupons):
    with nothing_written(), pytest.raises(ValidationError) as refused:
        make(code)

    assert list(refused.value.message_dict) == ["code"]
    assert host_coupons.made == []


def test_an_ended_code_is_nobodys_any_more(make, now, another):
    end_code(coupon_id=make("friends").coupon_id, now=now)

    again = refused_of(lambda: make("friends"))
    other = another()
    others = refused_of(lambda: make("friends", of=other))

    assert (again, others) == (("code_taken", "code"), ("code_taken", "code"))


@pytest.mark.parametrize(
    ("_case", "fields"),
    [
        ("switched off", {"is_active": False}),
        ("not begun", {"valid_from": timedelta(seconds=1)}),
        ("expired", {"valid_until": timedelta(0)}),
    ],
)
def test_an_offer_that_is_not_valid_gives_no_codes(_case, fields, brand, make, now):
    moments = {
        name: now + value if isinstance(value, timedelta) else value
        for name, value in fields.items()
    }
    offer = OfferFactory(brand=brand, **moments)

    refused = refused_of(lambda: make(within=offer), StateConflict)

    assert refused == ("offer_not_valid", None)


def test_first_and_last_moment_of_an_offer(brand, make, now):
    offer = OfferFactory(
        brand=brand, max_codes=2, valid_from=now, valid_until=now + timedelta(hours=1)
    )

    make("first", within=offer)
    make("last", within=offer, at=now + timedelta(minutes=59))

    assert OfferCode.objects.count() == 2


@pytest.mark.parametrize("status", set(AffiliateStatus) - {AffiliateStatus.ACTIVE})
def test_only_active_affiliates_make_codes(status, make, another):
    other = another(status=status)

    refused = refused_of(lambda: make(of=other), StateConflict)

    assert refused == ("affiliate_inactive", None)


def test_an_offer_of_another_brand_is_not_there(make, another, other_brand):
    other = another(other_brand)

    assert refused_of(lambda: make(of=other), NotFound) == ("not_found", None)


def test_an_offer_of_a_plan_is_for_its_affiliates_alone(brand, make, another):
    default = CommissionPlanFactory(brand=brand, is_default=True)
    special = CommissionPlanFactory(brand=brand)
    group = AffiliateGroupFactory(brand=brand, plan=special)
    for_default = OfferFactory(brand=brand, plan=default)
    for_special = OfferFactory(brand=brand, plan=special)
    by_group = another(group=group)
    by_default = another()

    made = [
        make(of=by_group, within=for_special),
        make(of=by_default, within=for_default),
    ]

    assert [code.version.offer for code in made] == [for_special, for_default]
    for other, offer in ((by_group, for_default), (by_default, for_special)):
        call = lambda other=other, offer=offer: make(of=other, within=offer)  # noqa: E731
        assert refused_of(call, NotFound) == ("not_found", None)


def test_the_limit_counts_active_codes_of_the_affiliate_within_the_offer(
    brand, affiliate, make, now, another
):
    offer = OfferFactory(brand=brand, max_codes=2)
    first = make("one", within=offer)
    make("two", within=offer)
    make("of-another", of=another(), within=offer)

    refused = refused_of(lambda: make("three", within=offer), StateConflict)

    assert refused == ("too_many_codes", None)
    end_code(coupon_id=first.coupon_id, affiliate_id=affiliate.pk, now=now)
    assert make("three", within=offer).coupon.is_active


def test_a_code_keeps_the_terms_that_it_was_made_under(offer, make, now):
    offer.max_codes = 2
    publish_offer(offer.change(max_codes=2), now=now)
    before = make("before")
    publish_offer(
        offer.change(percent=Decimal(3), host_terms={"percent_off": "20"}), now=now
    )
    after = make("after")

    assert [v.number for v in offer.versions.order_by("number")] == [1, 2, 3]
    assert (before.version.number, after.version.number) == (2, 3)
    assert (before.coupon.percent, after.coupon.percent) == (None, Decimal(3))
    assert before.version.to_terms().host_terms == {"percent_off": "10"}


def test_a_version_is_sealed_and_made_once_for_equal_terms(offer, now):
    version = offer.versions.get()

    assert publish_offer(offer, now=now) == version
    assert OfferVersion.objects.count() == 1
    assert SEALED[OfferVersion] == "offer__brand_id"
    assert list(judge_seal(version)) == []
    assert version.to_terms() == offer.to_terms()


def test_ending_a_code_ends_the_hosts_coupon_once(
    brand, affiliate, make, host_coupons, now
):
    coupon_id = make("friends").coupon_id

    ended = end_code(coupon_id=coupon_id, affiliate_id=affiliate.pk, now=now)
    with nothing_written():
        end_code(coupon_id=coupon_id, now=now + timedelta(days=1))

    assert ended.ended_at == now
    assert host_coupons.ended == [("coupon-1", brand.pk)]
    assert find_coupon(brand_id=brand.pk, codes=["FRIENDS"]) is None


def test_codes_that_cannot_be_ended(affiliate, make, now, another):
    other = another()
    theirs = make("theirs", of=other).coupon_id
    by_staff = CouponCodeFactory(affiliate=affiliate).pk

    for coupon_id in (theirs, by_staff, 0):
        call = lambda pk=coupon_id: end_code(  # noqa: E731
            coupon_id=pk, affiliate_id=affiliate.pk, now=now
        )
        assert refused_of(call, NotFound) == ("not_found", None)


def test_a_code_of_an_ended_offer_still_credits(brand, offer, make):
    make("friends")
    offer.change(is_active=False)

    assert find_coupon(brand_id=brand.pk, codes=["friends"]).code == "FRIENDS"


@pytest.mark.parametrize("status", [AffiliateStatus.SUSPENDED, AffiliateStatus.LEFT])
def test_codes_end_with_the_keys_of_an_affiliate(
    status, brand, affiliate, make, host_coupons, another
):
    made = make("friends")
    make("of-another", of=another())

    change_status(Affiliate.objects.filter(pk=affiliate.pk), status=status)

    made.refresh_from_db()
    assert made.ended_at is not None
    assert CouponCode.objects.get(code="FRIENDS").is_active is False
    assert CouponCode.objects.get(code="OF-ANOTHER").is_active is True
    assert host_coupons.ended == [("coupon-1", brand.pk)]


def test_changed_credentials_end_no_codes(affiliate, make, now):
    make("friends")

    with nothing_written():
        end_access([affiliate.pk], why=AccessEnd.CREDENTIALS, now=now)


def test_transferred_codes_keep_their_terms_and_coupons(
    affiliate, make, host_coupons, now, another
):
    made = make("friends")
    target = another()

    transfer(
        Transfer(
            source_id=affiliate.pk,
            target_id=target.pk,
            parts={TransferPart.COUPONS},
            merges=True,
            reason="One person",
            key="00000000-0000-0000-0000-000000000001",
        ),
        actor_id=None,
        now=now,
    )

    made.refresh_from_db()
    assert (made.coupon.affiliate, made.ended_at) == (target, None)
    assert host_coupons.ended == []
    assert end_code(coupon_id=made.coupon_id, affiliate_id=target.pk, now=now).ended_at


def test_a_host_without_coupons_leaves_them_to_staff(make, monkeypatch, now):
    adapter = type(get_adapter())
    for name in ("make_coupon", "end_coupon"):
        monkeypatch.setattr(adapter, name, getattr(HostAdapter, name))

    made = make("friends")

    assert made.coupon_ref == ""
    assert end_code(coupon_id=made.coupon_id, now=now).ended_at == now


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_of_many_at_once_as_many_are_made_as_the_offer_gives(make):
    def attempt(number):
        try:
            return make(f"code{number}").pk
        except StateConflict as refused:
            return refused.code

    answers = at_once(8, attempt)

    assert answers.count("too_many_codes") == 7
    assert OfferCode.objects.count() == 1


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_of_many_affiliates_at_once_one_gets_the_code(make, another):
    affiliates = [another() for _ in range(6)]

    def attempt(number):
        try:
            return make("friends", of=affiliates[number]).pk
        except InvalidInput as refused:
            return refused.code

    answers = at_once(6, attempt)

    assert answers.count("code_taken") == 5
    assert CouponCode.objects.count() == 1
