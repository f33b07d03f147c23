"""Whom a converted order is credited to, and what is kept of the decision."""

from __future__ import annotations

from datetime import timedelta

import pytest

from affiliates.referrals.models import OrderReferral
from affiliates.visits.models import Click
from tests.affiliates.api.calls import CRAWLER, SHOP, convert, register, visited


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
        "format": 1,
        "outcome": "credited",
        "reason": "last_click",
        "cookie": "valid",
        "decided_at": "2026-03-01T13:00:00+00:00",
        "terms": {
            "policy": "last_click",
            "window_days": 90,
            "own_program": True,
            "existing_clients_earn": False,
        },
        "candidates": [
            {
                "verdict": "won",
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
    }


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


def test_later_click_beats_the_binding(api, arrive, decide, link, rival_link):
    cookie = arrive(link)
    register(api, email="client@example.org", referral_cookie=cookie)
    client = type(link.affiliate.user).objects.get(email="client@example.org")
    cookie = arrive(rival_link, after=timedelta(days=1))

    referral = decide(client, cookie=cookie, after=timedelta(days=2))

    assert referral.affiliate.code == "rival"
    assert verdicts(referral) == [
        ("partner", "binding", "later_click_won"),
        ("rival", "cookie", "won"),
    ]


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
