"""Every border of the attribution rules, to the microsecond, from visit to order."""

from __future__ import annotations

from datetime import timedelta

import pytest

from affiliates.referrals.models import OrderReferral
from affiliates.visits.models import Click
from tests.affiliates.api.calls import SHOP, convert, visited

DAY, MINUTE, MOMENT = timedelta(days=1), timedelta(minutes=1), timedelta(microseconds=1)
TENTH = timedelta(milliseconds=100)


@pytest.fixture
def start(now):
    """Late in its second: cut to the second, it would be most of one earlier."""
    return now + timedelta(microseconds=900_001)


@pytest.fixture
def arrive(api, clock):
    def arrive(link, moment, *, held=None):
        clock.move_to(moment)
        data = visited(api, f"{SHOP}/aff/{link.hash}", referral_cookie=held)
        return data["referral_cookie"]

    return arrive


@pytest.fixture
def credited(outsider, host, buyer, clock):
    """Begins a basket and converts it; who is credited, and each click's verdict."""

    def credited(cookie, *, basket, order):
        clock.move_to(basket)
        order_ref = host.order(buyer)
        clock.move_to(order)
        outsider.credentials(HTTP_AUTHORIZATION=host.authorization(buyer))
        answer = convert(
            outsider,
            order_ref,
            payment_details_id=host.payment_details_id(buyer),
            referral_cookie=cookie,
        )
        assert answer.status_code == 200, answer.content
        referral = OrderReferral.objects.get(order_ref=order_ref)
        decided = [one["verdict"] for one in referral.decision["candidates"]]
        return referral.affiliate and referral.affiliate.code, decided

    return credited


@pytest.mark.parametrize(
    ("_case", "rival_ago", "basket_ago", "expected"),
    [
        ("29 min 59.9 s before the order", 30 * MINUTE - TENTH, 0 * DAY, "partner"),
        ("a moment less than 30 min", 30 * MINUTE - MOMENT, 0 * DAY, "partner"),
        ("exactly 30 min", 30 * MINUTE, 0 * DAY, "rival"),
        ("a moment more", 30 * MINUTE + MOMENT, 0 * DAY, "rival"),
        ("0.1 s after the basket began", DAY - TENTH, DAY, "partner"),
        ("a moment after it began", DAY - MOMENT, DAY, "partner"),
        ("as it began", DAY, DAY, "rival"),
        ("a moment before it", DAY + MOMENT, DAY, "rival"),
    ],
)
def test_late_click_stands_down_to_the_microsecond(
    arrive, credited, link, rival_link, start, _case, rival_ago, basket_ago, expected
):
    order = start + 10 * DAY
    held = arrive(link, start)
    held = arrive(rival_link, order - rival_ago, held=held)

    winner, verdicts = credited(held, basket=order - basket_ago, order=order)

    lost = {
        "partner": ["won", "late_touch_stood_down"],
        "rival": ["later_click_won", "won"],
    }
    assert (winner, verdicts) == (expected, lost[expected])


@pytest.mark.parametrize("lifetime", [90, 91])
@pytest.mark.parametrize(
    ("_case", "ago", "expected"),
    [
        ("0.1 s inside", 90 * DAY - TENTH, ("partner", ["won"])),
        ("exactly 90 days", 90 * DAY, ("partner", ["won"])),
        ("a moment outside", 90 * DAY + MOMENT, (None, ["outside_window"])),
        ("0.1 s outside", 90 * DAY + TENTH, (None, ["outside_window"])),
    ],
)
def test_window_ends_to_the_microsecond(
    arrive, credited, brand, link, start, lifetime, _case, ago, expected
):
    """Also where the cookie lives as long as the window: it tells of nothing older."""
    brand.cookie_lifetime_days = lifetime
    brand.save()
    order = start + ago
    held = arrive(link, start)

    winner, verdicts = credited(held, basket=order, order=order)

    is_expired = lifetime == 90 and expected[0] is None
    assert (winner, verdicts) == (expected if not is_expired else (None, []))


@pytest.mark.parametrize(
    ("_case", "after", "is_repeat"),
    [
        ("0.1 s inside", 30 * MINUTE - TENTH, True),
        ("a moment inside", 30 * MINUTE - MOMENT, True),
        ("30 minutes later", 30 * MINUTE, False),
    ],
)
@pytest.mark.parametrize("policy", ["last_click", "first_click"])
def test_repeat_ends_to_the_microsecond(
    arrive, brand, link, start, policy, _case, after, is_repeat
):
    brand.attribution_policy = policy
    brand.save()
    held = arrive(link, start)

    arrive(link, start + after, held=held)

    clicks = Click.objects.order_by("created_at").values_list("created_at", "is_repeat")
    assert list(clicks) == [(start, False), (start + after, is_repeat)]


@pytest.mark.parametrize("policy", ["last_click", "first_click"])
def test_click_soon_after_the_second_that_counts_is_a_repeat(
    arrive, brand, link, start, policy
):
    """Also where the first click wins, and the cookie keeps the time of the first."""
    brand.attribution_policy = policy
    brand.save()
    held = arrive(link, start)
    held = arrive(link, start + 40 * MINUTE, held=held)

    arrive(link, start + 50 * MINUTE, held=held)

    clicks = Click.objects.order_by("created_at").values_list("is_repeat", flat=True)
    assert list(clicks) == [False, False, True]


@pytest.mark.parametrize(
    ("policy", "is_repeat"), [("last_click", False), ("first_click", True)]
)
def test_return_after_another_affiliates_click(
    arrive, brand, link, rival_link, start, policy, is_repeat
):
    """Where the last click wins, whoever was clicked in between has taken over."""
    brand.attribution_policy = policy
    brand.save()
    held = arrive(link, start)
    held = arrive(rival_link, start + MINUTE, held=held)

    arrive(link, start + 2 * MINUTE, held=held)

    clicks = Click.objects.order_by("created_at")
    assert [(one.affiliate.code, one.is_repeat) for one in clicks] == [
        ("partner", False),
        ("rival", False),
        ("partner", is_repeat),
    ]
