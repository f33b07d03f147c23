"""The cookie a visit brings and the cookie it takes home."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from affiliates.conf import conf
from affiliates.visits.cookie import ReferralCookie, read_cookie
from affiliates.visits.models import Click
from tests.affiliates.api.calls import CRAWLER, SHOP, visit, visited
from tests.database import nothing_written

DAY = 86_400
LIFETIME = 90 * DAY
OTHER = "https://other.example.net"


@pytest.fixture
def arrive(api, clock):
    """Visits a link and returns what the browser is to hold."""

    def arrive(link, held=None, **fields):
        page = f"{SHOP}/aff/{link.hash}"
        return visited(api, page, referral_cookie=held, **fields)

    return arrive


def test_cookie_is_opaque_and_safe_in_a_browser(arrive, link):
    cookie = arrive(link)["referral_cookie"]

    assert re.fullmatch(r"[A-Za-z0-9_-]{100,160}", cookie)
    assert link.hash not in cookie


def test_two_visitors_get_two_visitor_ids(arrive, link):
    first, second = arrive(link), arrive(link)

    assert first["referral_cookie"] != second["referral_cookie"]
    assert Click.objects.values("visitor_id").distinct().count() == 2


@pytest.mark.parametrize("days", [1, 30, 400])
def test_max_age_is_the_brands_cookie_lifetime_in_seconds(arrive, brand, link, days):
    brand.cookie_lifetime_days = days
    brand.save()

    assert arrive(link)["referral_cookie_max_age"] == days * DAY


@pytest.mark.parametrize(
    ("_case", "page"),
    [("home", "/"), ("unknown link", "/aff/" + "0" * 40), ("unknown code", "/?ref=x")],
)
def test_visit_without_affiliate_reissues_the_held_cookie(
    api, arrive, clock, now, link, _case, page
):
    held = arrive(link)["referral_cookie"]
    clock.move_to(now + timedelta(days=10, seconds=5))

    with nothing_written():
        data = visited(api, SHOP + page, referral_cookie=held)

    assert data["referral_cookie"] != held
    assert data["referral_cookie_max_age"] == LIFETIME - 10 * DAY - 5


def test_reissuing_never_lengthens_the_life(api, arrive, clock, now, link):
    cookie = arrive(link)["referral_cookie"]

    for days in (30, 60, 89):
        clock.move_to(now + timedelta(days=days))
        data = visited(api, f"{SHOP}/", referral_cookie=cookie)
        assert data["referral_cookie_max_age"] == LIFETIME - days * DAY
        cookie = data["referral_cookie"]

    clock.move_to(now + timedelta(days=90, microseconds=1))
    data = visited(api, f"{SHOP}/", referral_cookie=cookie)
    assert data == {"redirect_url": f"{SHOP}/#"}


@pytest.mark.parametrize("before", [0, 1, 999])
def test_cookie_lives_to_its_last_moment(api, arrive, clock, now, link, before):
    held = arrive(link)["referral_cookie"]

    clock.move_to(now + timedelta(days=90, milliseconds=-before))
    data = visited(api, f"{SHOP}/", referral_cookie=held)

    assert data["referral_cookie_max_age"] == 1


def test_reissued_cookie_still_carries_its_click(api, arrive, clock, now, link):
    held = arrive(link)["referral_cookie"]
    held = visited(api, f"{SHOP}/", referral_cookie=held)["referral_cookie"]
    clock.move_to(now + timedelta(minutes=10))

    arrive(link, held)

    first, second = Click.objects.order_by("created_at")
    assert first.visitor_id == second.visitor_id
    assert second.is_repeat


@pytest.mark.parametrize(
    ("_case", "cookie"),
    [
        ("null", None),
        ("empty", ""),
        ("word", "garbage"),
        ("8 kB", "A" * 8192),
        ("8 kB of another alphabet", "й" * 4096),
        ("quotes and separators", 'a"b;c,d e=f\\'),
        ("NUL", "\x00" * 106),
        ("JSON", '{"affiliate_id": 1}'),
        ("right length and alphabet", "A" * 106),
        ("spaces", " " * 106),
    ],
)
def test_value_that_is_no_cookie_counts_as_absent(api, link, _case, cookie):
    with nothing_written():
        plain = visited(api, f"{SHOP}/", referral_cookie=cookie)
    data = visited(api, f"{SHOP}/aff/{link.hash}", referral_cookie=cookie)

    assert plain == {"redirect_url": f"{SHOP}/#"}
    assert data["referral_cookie_max_age"] == LIFETIME
    assert not Click.objects.get().is_repeat


@pytest.mark.parametrize(
    ("_case", "spoil"),
    [
        ("one character changed", lambda cookie: cookie[:50] + "~" + cookie[51:]),
        ("cut", lambda cookie: cookie[:-1]),
        ("longer", lambda cookie: cookie + "A"),
        ("padded", lambda cookie: cookie + "="),
        ("in front a space", lambda cookie: " " + cookie),
        ("quoted", lambda cookie: f'"{cookie}"'),
        ("capitals swapped", str.swapcase),
    ],
)
def test_spoilt_cookie_counts_as_absent(api, arrive, link, _case, spoil):
    held = arrive(link)["referral_cookie"]

    with nothing_written():
        data = visited(api, f"{SHOP}/", referral_cookie=spoil(held))

    assert data == {"redirect_url": f"{SHOP}/#"}


def test_expired_cookie_counts_as_absent_and_the_visitor_is_new(
    arrive, clock, now, link
):
    held = arrive(link)["referral_cookie"]
    clock.move_to(now + timedelta(days=90, microseconds=1))

    data = arrive(link, held)

    assert data["referral_cookie_max_age"] == LIFETIME
    first, second = Click.objects.order_by("created_at")
    assert first.visitor_id != second.visitor_id


def test_cookie_of_another_brand_counts_as_absent(api, arrive, link, other_brand):
    held = arrive(link)["referral_cookie"]

    with nothing_written():
        data = visited(
            api, f"{OTHER}/", referral_cookie=held, headers={"origin": OTHER}
        )

    assert data == {"redirect_url": f"{OTHER}/#"}


def test_robot_gets_back_the_cookie_it_brings_but_no_new_one(arrive, link, rival_link):
    held = arrive(link)["referral_cookie"]

    assert "referral_cookie" not in arrive(rival_link, user_agent=CRAWLER)
    again = arrive(rival_link, held, user_agent=CRAWLER)

    assert again["referral_cookie_max_age"] == LIFETIME
    assert Click.objects.filter(bot_signs="user_agent").count() == 2


def test_held_cookie_survives_the_click_of_a_suspended_affiliate(
    api, arrive, clock, now, link, rival_link
):
    held = arrive(link)["referral_cookie"]
    rival_link.affiliate.status = "suspended"
    rival_link.affiliate.save()
    clock.move_to(now + timedelta(days=1))

    data = arrive(rival_link, held)

    assert data["referral_cookie_max_age"] == LIFETIME - DAY


def test_answer_that_comes_late_is_judged_beside_the_newer_cookie(
    api, arrive, clock, now, link, rival_link
):
    """Two tabs arrive; the first one's answer comes last, and is asked about again."""
    first = arrive(link)["referral_cookie"]
    clock.shift(1)
    second = arrive(rival_link)["referral_cookie"]
    clock.shift(1)

    kept = _again(api, link, first=first, held=second)

    assert _touch(kept, link, now)[:3] == _touch(second, link, now)[:3]
    assert Click.objects.count() == 2


def test_answer_beside_a_cookie_renewed_meanwhile_is_the_newer_click(
    api, arrive, clock, now, link, rival_link
):
    """Another tab's page renews the cookie while this one arrives by a link."""
    held = arrive(rival_link)["referral_cookie"]
    clock.shift(3600)
    first = arrive(link, held)["referral_cookie"]
    renewed = visited(api, f"{SHOP}/plans", referral_cookie=held)["referral_cookie"]
    clock.shift(1)

    kept = _again(api, link, first=first, held=renewed)

    assert _touch(kept, link, now)[:3] == _touch(first, link, now)[:3]
    assert Click.objects.count() == 2


@pytest.mark.parametrize("foreign", [None, "garbage"])
def test_visit_sent_again_under_no_cookie_of_ours_is_another(
    api, arrive, link, foreign
):
    held = arrive(link)["referral_cookie"]

    _again(api, link, first=foreign or "A" * 120, held=held)

    assert Click.objects.count() == 2


def _again(api, link, *, first: str, held: str) -> str:
    answer = visit(
        api,
        f"{SHOP}/aff/{link.hash}",
        referral_cookie=held,
        headers={"Visit-Id": first},
    )
    return str(answer.json()["data"]["referral_cookie"])


def _touch(text: str, link, now) -> ReferralCookie:
    touch = read_cookie(
        text,
        brand_id=link.affiliate.brand_id,
        ring=conf.cookie_keys,
        now=now + timedelta(days=1),
    )
    assert touch is not None
    return touch
