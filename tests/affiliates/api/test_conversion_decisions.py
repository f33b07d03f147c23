"""Whom a converted order is credited to, and what is kept of the decision."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils import timezone

from affiliates.contracts import RegistrationCompletion
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.referrals.rules.replay import ReplayResult, replay
from affiliates.referrals.selectors import stood_down_counts
from affiliates.referrals.services import complete_registration
from affiliates.visits.models import Click
from tests.affiliates.api.calls import (
    CRAWLER,
    SHOP,
    convert,
    register,
    register_guest,
    visited,
)
from tests.factories.plans import CouponCodeFactory


@pytest.fixture
def arrive(api, clock, now):
    """Visits a link some time after the start; the cookie to hold from then on."""

    def arrive(link, *, held=None, after=timedelta(0), **fields):
        clock.move_to(now + after)
        data = visited(api, f"{SHOP}/aff/{link.hash}", referral_cookie=held, **fields)
        return data.get("referral_cookie")

    return arrive


@pytest.fixture
def decide(outsider, host, brand, clock, now):
    """Converts a basket of the client; the decision that was stored."""

    def decide(client=None, *, cookie=None, after=timedelta(0), order=None):
        clock.move_to(now + after)
        client = client or host.client(brand, email="client@example.com")
        order = order or host.order(client)
        outsider.credentials(HTTP_AUTHORIZATION=host.authorization(client))
        answer = convert(
            outsider,
            order,
            payment_details_id=host.payment_details_id(client),
            referral_cookie=cookie,
        )
        assert answer.status_code == 200, answer.content
        return OrderReferral.objects.get(order_ref=order)

    return decide


def verdicts(referral):
    return [
        (one["affiliate_code"], one["carrier"], one["verdict"])
        for one in referral.decision["candidates"]
    ]


def test_decision_keeps_its_evidence(arrive, decide, link, brand):
    cookie = arrive(link)

    referral = decide(cookie=cookie, after=timedelta(hours=1))

    click = Click.objects.get()
    assert referral.click_id == click.pk
    assert referral.touched_at == click.created_at
    assert referral.decision == {
        "format": 4,
        "outcome": "credited",
        "reason": "last_click",
        "cookie": "valid",
        "decided_at": "2026-03-01T13:00:00+00:00",
        "policy_version": 1,
        "policy_version_id": brand.policy_versions.get().pk,
        "terms": {
            "policy": "last_click",
            "claim_policy": "latest",
            "window_days": 90,
            "own_program": True,
            "existing_clients_earn": False,
            "bound_clients": "keep",
            "stand_down_minutes": 30,
            "coupon_over_link": True,
        },
        "order": {
            "basket_at": "2026-03-01T13:00:00+00:00",
            "client_paid_before": False,
            "coupon": None,
            "assignment": None,
            "typed": None,
        },
        "binding": None,
        "candidates": [
            {
                "verdict": "won",
                "rule": "click_order",
                "carrier": "cookie",
                "click_id": str(click.pk),
                "touched_at": "2026-03-01T12:00:00+00:00",
                "affiliate_id": link.affiliate_id,
                "affiliate_code": "partner",
                "status_at_visit": "active",
                "status_at_order": "active",
                "program_on_at_visit": True,
                "is_bot": False,
                "is_repeat": False,
                "is_self": False,
            }
        ],
        "stood_down": [],
        "external": None,
        "external_touches": [],
    }
    assert referral.policy_version == brand.policy_versions.get()
    assert replay(referral.decision).result is ReplayResult.SAME
    assert referral.ip_prefix == "127.0.0.0/24"


@pytest.mark.parametrize(
    ("policy", "winner", "expected"),
    [
        ("last_click", "rival", [("partner", "later_click_won"), ("rival", "won")]),
        (
            "first_click",
            "partner",
            [("partner", "won"), ("rival", "earlier_click_won")],
        ),
    ],
)
def test_policy_chooses_between_two_affiliates(
    arrive, decide, brand, link, rival_link, policy, winner, expected
):
    brand.attribution_policy = policy
    brand.save()
    cookie = arrive(link)
    cookie = arrive(rival_link, held=cookie, after=timedelta(days=1))

    referral = decide(cookie=cookie, after=timedelta(days=2))

    assert referral.affiliate.code == winner
    assert [(code, verdict) for code, _, verdict in verdicts(referral)] == expected


def test_binding_counts_on_another_device(api, arrive, decide, link):
    cookie = arrive(link)
    register(api, email="client@example.org", referral_cookie=cookie)
    client = type(link.affiliate.user).objects.get(email="client@example.org")

    referral = decide(client, after=timedelta(days=30))

    assert (referral.outcome, referral.affiliate_id) == ("credited", link.affiliate_id)
    assert referral.referral_cookie == ""
    assert referral.decision["cookie"] == "absent"
    assert verdicts(referral) == [("partner", "binding", "won")]


def test_binding_outside_the_window_credits_nobody(api, arrive, decide, link):
    cookie = arrive(link)
    register(api, email="client@example.org", referral_cookie=cookie)
    client = type(link.affiliate.user).objects.get(email="client@example.org")

    referral = decide(client, after=timedelta(days=90, seconds=1))

    assert (referral.outcome, referral.reason) == ("nobody", "no_eligible_touch")
    assert verdicts(referral) == [("partner", "binding", "outside_window")]


@pytest.mark.parametrize(
    ("bound_clients", "winner", "expected"),
    [
        ("keep", "partner", ["won", "bound_client"]),
        ("latest", "rival", ["later_click_won", "won"]),
    ],
)
def test_policy_says_whether_a_later_click_beats_the_binding(
    api, arrive, decide, brand, link, rival_link, bound_clients, winner, expected
):
    brand.bound_clients = bound_clients
    brand.save()
    cookie = arrive(link)
    register(api, email="client@example.org", referral_cookie=cookie)
    client = type(link.affiliate.user).objects.get(email="client@example.org")
    cookie = arrive(rival_link, after=timedelta(days=1))

    referral = decide(client, cookie=cookie, after=timedelta(days=2))

    assert referral.affiliate.code == winner
    assert verdicts(referral) == [
        ("partner", "binding", expected[0]),
        ("rival", "cookie", expected[1]),
    ]


def test_guest_who_completes_its_registration_keeps_its_binding(
    api, arrive, decide, link, rival_link
):
    cookie = arrive(link)
    register_guest(api, referral_cookie=cookie)
    cookie = arrive(rival_link, held=cookie, after=timedelta(days=1))
    client = ClientReferral.objects.get().client
    complete_registration(
        completion=RegistrationCompletion(
            client_id=str(client.pk),
            email="ada@example.org",
            firstname="Ada",
            lastname="Lovelace",
            password="correct horse battery",
        ),
        caller_id=str(client.pk),
        origin_brand_id=None,
        referral_cookie=cookie,
        now=timezone.now(),
    )

    referral = decide(client, cookie=cookie, after=timedelta(days=2))

    assert referral.affiliate.code == "partner"
    assert [verdict for *_, verdict in verdicts(referral)] == ["won", "bound_client"]


@pytest.mark.parametrize(
    ("over_link", "status", "winner", "expected"),
    [
        (True, "active", "rival", [("partner", "coupon_won"), ("rival", "won")]),
        (False, "active", "partner", [("partner", "won"), ("rival", "link_won")]),
        (True, "suspended", "partner", [("partner", "won")]),
    ],
)
def test_coupon_of_an_active_affiliate_wins_where_the_brand_says_so(
    arrive, decide, brand, host, link, rival, over_link, status, winner, expected
):
    brand.coupon_over_link = over_link
    brand.save()
    CouponCodeFactory(brand=brand, affiliate=rival, code="SUMMER")
    rival.status = status
    rival.save()
    client = host.client(brand, email="client@example.com")
    order = host.order(client, coupon_codes=["summer"])
    cookie = arrive(link)

    referral = decide(client, cookie=cookie, order=order, after=timedelta(hours=1))

    assert referral.affiliate.code == winner
    assert referral.coupon_code == ("SUMMER" if status == "active" else "")
    assert [(code, verdict) for code, _, verdict in verdicts(referral)] == expected
    if winner == "rival":
        assert referral.reason == "coupon"
        assert (referral.click_id, referral.touched_at) == (None, None)


def test_own_coupon_is_held(decide, brand, host, rival):
    CouponCodeFactory(brand=brand, affiliate=rival, code="SUMMER")
    order = host.order(rival.user, coupon_codes=["SUMMER"])

    referral = decide(rival.user, order=order)

    assert (referral.outcome, referral.reason) == ("held", "self_referral")


def test_late_click_does_not_take_the_order_and_is_counted(
    arrive, decide, brand, host, link, rival_link, now
):
    cookie = arrive(link)
    cookie = arrive(rival_link, held=cookie, after=timedelta(days=1, minutes=50))

    referral = decide(cookie=cookie, after=timedelta(days=1, hours=1))

    assert referral.affiliate.code == "partner"
    assert verdicts(referral) == [
        ("partner", "cookie", "won"),
        ("rival", "cookie", "late_touch_stood_down"),
    ]
    counted = stood_down_counts(brand_id=brand.pk, since=now)
    assert counted == {rival_link.affiliate_id: 1}


def test_affiliate_suspended_since_the_click_is_not_credited(arrive, decide, link):
    cookie = arrive(link)
    link.affiliate.status = "suspended"
    link.affiliate.save()

    referral = decide(cookie=cookie, after=timedelta(hours=1))

    assert (referral.outcome, referral.reason) == ("nobody", "no_eligible_touch")
    assert verdicts(referral) == [("partner", "cookie", "not_active_at_order")]


def test_program_switched_off_credits_nobody(arrive, decide, brand, link):
    cookie = arrive(link)
    brand.own_program = False
    brand.save()

    referral = decide(cookie=cookie, after=timedelta(hours=1))

    assert (referral.outcome, referral.reason) == ("nobody", "program_off")


def test_robots_and_repeats_are_named_and_not_credited(
    arrive, decide, link, rival_link
):
    cookie = arrive(link)
    cookie = arrive(link, held=cookie, after=timedelta(minutes=1))
    arrive(rival_link, held=cookie, after=timedelta(minutes=2), user_agent=CRAWLER)

    referral = decide(cookie=cookie, after=timedelta(hours=1))

    assert referral.affiliate.code == "partner"
    assert verdicts(referral) == [
        ("partner", "cookie", "won"),
        ("partner", "cookie", "repeat"),
        ("rival", "cookie", "bot"),
    ]


@pytest.mark.parametrize(
    ("earn", "outcome", "reason"),
    [(False, "nobody", "existing_client"), (True, "credited", "last_click")],
)
def test_existing_client_earns_where_the_brand_says_so(
    arrive, decide, brand, host, link, earn, outcome, reason
):
    brand.existing_clients_earn = earn
    brand.save()
    client = host.client(brand, email="client@example.com")
    order = host.order(client)
    host.mark_paid_before(order)
    cookie = arrive(link)

    referral = decide(client, cookie=cookie, order=order, after=timedelta(hours=1))

    assert (referral.outcome, referral.reason) == (outcome, reason)


@pytest.mark.parametrize(
    ("_case", "email"),
    [("same address", None), ("tagged", "Affiliate+shop@example.com")],
)
def test_affiliates_own_order_is_held(arrive, decide, brand, host, link, _case, email):
    buyer = link.affiliate.user if email is None else host.client(brand, email=email)
    cookie = arrive(link)

    referral = decide(buyer, cookie=cookie, after=timedelta(hours=1))

    assert (referral.outcome, referral.reason) == ("held", "self_referral")
    assert referral.affiliate_id == link.affiliate_id


def test_cookie_whose_click_was_purged_is_named_so(arrive, decide, link):
    cookie = arrive(link)
    Click.objects.all().delete()

    referral = decide(cookie=cookie, after=timedelta(hours=1))

    assert (referral.outcome, referral.reason) == ("nobody", "no_touch")
    assert referral.decision["cookie"] == "click_gone"
