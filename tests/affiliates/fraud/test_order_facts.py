"""Clicks, referrers, codes and other affiliates, as they are read from the tables."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID, uuid4

import pytest

from affiliates.encrypted.addresses import hash_address
from affiliates.fraud import order_facts
from affiliates.fraud.order_facts import order_facts as facts_of
from affiliates.fraud.rules.policy import DEFAULT_POLICIES
from affiliates.fraud.rules.types import CodeFacts, OtherAffiliates, ReferrerFacts
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules.choices import Reason
from affiliates.referrals.rules.decision import decide
from affiliates.visits.models import Click
from tests.factories.affiliates import AffiliateFactory, BrandFactory, ClickFactory
from tests.factories.decisions import (
    make_coupon,
    make_external,
    make_inputs,
    make_typed,
)
from tests.factories.ledger import (
    NOW,
    ClientReferralFactory,
    OrderReferralFactory,
    decision_of,
    touch_of,
)
from tests.factories.payouts import GIVEN, DestinationFactory

NETWORK = "203.0.113.0/24"
DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)
SECOND = timedelta(seconds=1)
BANK = "bank"
BROWSER = UUID(int=7)


def clicked(affiliate, at=NOW - DAY, **fields):
    fields = {"visitor_id": uuid4(), "ip_prefix": NETWORK, **fields}
    return ClickFactory(affiliate=affiliate, created_at=at, **fields)


def ordered(client, click, **fields):
    made = decision_of(touch_of(click), now=NOW)
    return OrderReferralFactory(brand=click.brand, client=client, made=made, **fields)


def by_code(affiliate, client, *clicks, external=(), codes=None, **fields):
    """An order that the affiliate's code won, by default without any click."""
    touches = [touch_of(one) for one in clicks]
    codes = codes or {"coupon": make_coupon(affiliate.pk)}
    inputs = make_inputs(*touches, external=external, **codes, now=NOW)
    fields = {"coupon_code": "SUMMER", **fields}
    made = fields.pop("made", decide(inputs))
    return OrderReferralFactory(
        brand=affiliate.brand, client=client, made=made, touched_at=None, **fields
    )


def found(order):
    known = OrderReferral.objects.select_related("affiliate__user").get(pk=order.pk)
    return facts_of(known, DEFAULT_POLICIES)


def clients_of(host, brand, count):
    return [
        host.client(brand, email=f"{number}@example.com") for number in range(count)
    ]


def another(brand, host, name="rival", **fields):
    user = host.client(brand, email=f"{name}@example.com")
    return AffiliateFactory(brand=brand, user=user, code=name, **fields)


def test_facts_of_the_winning_click(affiliate, buyer, brand):
    brand.banned_referrers = "a.example\nb.example"
    brand.save()
    click = clicked(affiliate, referrer_url="https://a.example/x", embedding="frame")

    known = found(ordered(buyer, click))

    assert (known.click.embedding, known.click.near) == ("frame", 1)
    assert known.referrer == ReferrerFacts(
        url="https://a.example/x", banned=frozenset({"a.example", "b.example"})
    )
    assert known.code == CodeFacts(code="", has_click=True, clients=0)
    assert known.others == OtherAffiliates(by_destination=0, by_browser=0)


def test_a_winning_click_that_was_purged_shows_nothing(affiliate, buyer):
    order = ordered(buyer, clicked(affiliate, referrer_url="https://a.example/"))
    Click.objects.all().delete()

    known = found(order)

    assert (known.click.embedding, known.click.near) == ("", 0)
    assert known.referrer == ReferrerFacts()


@pytest.mark.parametrize(
    ("_case", "off", "fields", "near"),
    [
        ("just before", -10 * MINUTE + SECOND, {}, 2),
        ("ten minutes before", -10 * MINUTE, {}, 1),
        ("just after", 10 * MINUTE - SECOND, {}, 2),
        ("ten minutes after", 10 * MINUTE, {}, 1),
        ("a repeat", MINUTE, {"is_repeat": True}, 2),
        ("a robot's", MINUTE, {"bot_signs": "user_agent"}, 2),
        ("another network", MINUTE, {"ip_prefix": "198.51.100.0/24"}, 1),
        ("an unknown network", MINUTE, {"ip_prefix": ""}, 1),
    ],
)
def test_clicks_near_the_winning_one(_case, off, fields, near, affiliate, buyer):
    click = clicked(affiliate)
    clicked(affiliate, click.created_at + off, **fields)

    assert found(ordered(buyer, click)).click.near == near


def test_clicks_of_another_affiliate_are_not_near(affiliate, rival, buyer):
    click = clicked(affiliate)
    clicked(rival, click.created_at)

    assert found(ordered(buyer, click)).click.near == 1


def test_a_winning_click_without_a_network_has_none_near(affiliate, buyer):
    click = clicked(affiliate, ip_prefix="")
    clicked(affiliate, ip_prefix="")

    assert found(ordered(buyer, click)).click.near == 0


def test_networks_that_are_hashed_by_now_are_still_compared(affiliate, buyer):
    hashed = hash_address(NETWORK, (NOW - DAY).date())
    click = clicked(affiliate, ip_prefix=hashed)
    clicked(affiliate, ip_prefix=hashed)

    assert found(ordered(buyer, click)).click.near == 2


def test_of_very_many_clicks_near_only_the_latest_count(affiliate, buyer, monkeypatch):
    monkeypatch.setattr(order_facts, "LATEST_NEAR", 3)
    click = clicked(affiliate)
    for _ in range(4):
        clicked(affiliate, click.created_at + MINUTE)

    assert found(ordered(buyer, click)).click.near == 3


def test_a_code_has_the_referrer_of_the_clients_last_click(affiliate, rival, buyer):
    first = clicked(affiliate, NOW - 2 * DAY, referrer_url="https://first.example/")
    last = clicked(rival, NOW - DAY, referrer_url="https://last.example/")

    known = found(by_code(affiliate, buyer, last, first))

    assert known.referrer.url == "https://last.example/"
    assert known.code == CodeFacts(code="SUMMER", has_click=True, clients=0)
    assert (known.click.age, known.click.near) == (None, 0)


def test_a_code_without_a_click(affiliate, buyer):
    known = found(by_code(affiliate, buyer))

    assert known.code == CodeFacts(code="SUMMER", has_click=False, clients=1)
    assert known.referrer.url == ""


def test_a_typed_code_is_judged_as_a_coupon_code_is(affiliate, buyer):
    codes = {"typed": make_typed(affiliate.pk)}

    known = found(by_code(affiliate, buyer, codes=codes, coupon_code="partner"))

    assert known.code == CodeFacts(code="partner", has_click=False, clients=1)


def test_a_visit_by_the_integrations_link_is_a_click(affiliate, buyer):
    external = [make_external(DAY, now=NOW)]

    known = found(by_code(affiliate, buyer, external=external))

    assert known.code == CodeFacts(code="SUMMER", has_click=True, clients=0)


def test_a_code_that_lost_to_a_click_is_none(affiliate, buyer):
    known = found(ordered(buyer, clicked(affiliate), coupon_code="SUMMER"))

    assert known.code == CodeFacts(code="", has_click=True, clients=0)


def test_clients_of_a_code_count_once_each_if_they_did_not_click(
    affiliate, rival, host, brand
):
    first, second, third, fourth, fifth = clients_of(host, brand, 5)
    hour = timedelta(hours=1)
    by_code(affiliate, first, converted_at=NOW - hour)
    by_code(affiliate, first, converted_at=NOW - 2 * hour)
    by_code(affiliate, second, converted_at=NOW - 24 * hour + SECOND)
    both = {"coupon": make_coupon(affiliate.pk), "typed": make_typed(rival.pk)}
    by_code(affiliate, fifth, codes=both)
    # None of these counts.
    by_code(affiliate, third, converted_at=NOW - 24 * hour)
    by_code(affiliate, third, converted_at=NOW + hour)
    by_code(affiliate, third, clicked(affiliate))
    by_code(affiliate, third, external=[make_external(DAY, now=NOW)])
    by_code(affiliate, third, coupon_code="OTHER")
    by_code(affiliate, third, reason=Reason.STAFF)
    by_code(rival, third)
    ordered(third, clicked(affiliate))

    assert found(by_code(affiliate, fourth)).code.clients == 4


def test_affiliates_with_one_payout_destination(affiliate, buyer, brand, host):
    DestinationFactory(affiliate=affiliate, to=BANK)
    DestinationFactory(affiliate=affiliate)
    order = ordered(buyer, clicked(affiliate))
    one, two = another(brand, host, "one"), another(brand, host, "two")

    assert found(order).others.by_destination == 0

    DestinationFactory(affiliate=one)
    DestinationFactory(affiliate=one, to=BANK)  # Had it: still the same account.
    DestinationFactory(affiliate=two, given={"email": "two@example.org"})

    assert found(order).others.by_destination == 1

    DestinationFactory(affiliate=two)

    assert found(order).others.by_destination == 2


def test_a_destination_that_the_affiliate_no_longer_has_is_none(
    affiliate, rival, buyer
):
    DestinationFactory(affiliate=affiliate, to=BANK)
    DestinationFactory(affiliate=affiliate)
    DestinationFactory(affiliate=rival, to=BANK)

    assert found(ordered(buyer, clicked(affiliate))).others.by_destination == 0


def test_account_credit_is_no_shared_destination(affiliate, rival, buyer):
    for one in (affiliate, rival):
        DestinationFactory(
            affiliate=one,
            to="wallet",
            given=GIVEN["wallet"],
            fingerprint="",
        )

    assert found(ordered(buyer, clicked(affiliate))).others.by_destination == 0


def test_merged_affiliates_and_other_brands_share_nothing(
    affiliate, buyer, brand, host
):
    merged = another(brand, host, merged_into=affiliate, status="suspended")
    foreign = another(BrandFactory(client_area="other.example.net"), host, "foreign")
    for one in (affiliate, merged, foreign):
        DestinationFactory(affiliate=one)
        registered(one)

    order = ordered(buyer, clicked(affiliate))

    assert found(order).others == OtherAffiliates(by_destination=0, by_browser=0)


def registered(affiliate, visitor=BROWSER):
    """Binds the affiliate's own account to a click in this browser."""
    click = clicked(affiliate, visitor_id=visitor)
    return ClientReferralFactory(
        affiliate=affiliate,
        client=affiliate.user,
        click_id=click.pk,
        visitor_id=visitor,
    )


def test_affiliates_who_registered_in_one_browser(affiliate, buyer, brand, host):
    registered(affiliate)
    registered(another(brand, host, "one"))
    registered(another(brand, host, "two"), uuid4())
    another(brand, host, "three")

    assert found(ordered(buyer, clicked(affiliate))).others.by_browser == 1


def test_an_affiliate_who_came_by_no_click_shares_no_browser(affiliate, rival, buyer):
    registered(rival)

    assert found(ordered(buyer, clicked(affiliate))).others.by_browser == 0


def test_a_client_who_is_no_affiliate_shares_no_browser(affiliate, buyer):
    registered(affiliate)
    click = clicked(affiliate, visitor_id=BROWSER)
    ClientReferralFactory(
        affiliate=affiliate, client=buyer, click_id=click.pk, visitor_id=BROWSER
    )

    assert found(ordered(buyer, click)).others.by_browser == 0


def test_an_order_by_the_browser_in_which_the_affiliate_registered(
    affiliate, rival, buyer
):
    registered(affiliate)
    own, other = clicked(affiliate, visitor_id=BROWSER), clicked(affiliate)
    of_rival = clicked(rival, visitor_id=BROWSER)

    assert found(ordered(buyer, own)).click.is_own_browser
    assert not found(ordered(buyer, other)).click.is_own_browser
    # Whose browser it is depends on the credited affiliate.
    assert not found(ordered(buyer, of_rival)).click.is_own_browser
    assert found(by_code(affiliate, buyer, own)).click.is_own_browser


def test_an_order_by_the_browser_in_which_the_affiliate_ordered(affiliate, buyer):
    ordered(affiliate.user, clicked(affiliate, visitor_id=BROWSER))
    click = clicked(affiliate, visitor_id=BROWSER)

    assert found(ordered(buyer, click)).click.is_own_browser


def test_clicks_without_a_visitor_are_no_own_browser(affiliate, buyer):
    registered(affiliate, None)

    assert not found(
        ordered(buyer, clicked(affiliate, visitor_id=None))
    ).click.is_own_browser


@pytest.mark.parametrize(
    ("_case", "visit", "own_visits"),
    [
        ("the same network", {}, 1),
        ("another network", {"ip_prefix": "198.51.100.0/24"}, 0),
        ("another browser", {"visitor_id": uuid4()}, 0),
        ("more than a day before", {"at": NOW - DAY - SECOND}, 0),
    ],
)
def test_visits_of_the_affiliate_s_browser_from_the_order_s_network(
    _case, visit, own_visits, affiliate, rival, buyer
):
    ClientReferralFactory(
        affiliate=affiliate,
        client=affiliate.user,
        click_id=uuid4(),
        visitor_id=BROWSER,
    )
    clicked(rival, **{"at": NOW - MINUTE, "visitor_id": BROWSER, **visit})

    order = ordered(buyer, clicked(affiliate), ip_prefix=NETWORK)

    assert found(order).network.own_visits == own_visits
