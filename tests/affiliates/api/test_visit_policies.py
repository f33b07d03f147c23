"""Repeats, robots, and which click the browser carries on."""

from __future__ import annotations

from datetime import timedelta

import pytest

from affiliates.contracts import OrderConversion
from affiliates.program.models import Affiliate
from affiliates.program.services import change_status
from affiliates.referrals.models import OrderReferral
from affiliates.settlement.services import convert_order
from affiliates.visits.models import Click
from tests.affiliates.api.calls import BROWSER, CRAWLER, SHOP, visit, visited

DAY = 86_400
LIFETIME = 90 * DAY


@pytest.fixture
def arrive(api, clock, now):
    """Visits a link some time after the start, with the cookie that is held."""

    def arrive(link, *, held=None, after=timedelta(0), **more):
        clock.move_to(now + after)
        data = visited(api, f"{SHOP}/aff/{link.hash}", referral_cookie=held, **more)
        return data["referral_cookie"], data["referral_cookie_max_age"]

    return arrive


def marks():
    """Who clicked and whether it is marked as a repeat, in order."""
    clicks = Click.objects.order_by("created_at")
    return [(click.affiliate.code, click.is_repeat) for click in clicks]


@pytest.mark.parametrize(
    ("_case", "after", "is_repeat"),
    [
        ("at once", timedelta(0), True),
        ("just inside", timedelta(minutes=29, seconds=59), True),
        ("half an hour", timedelta(minutes=30), False),
        ("later", timedelta(days=1), False),
    ],
)
def test_same_affiliate_again_within_half_an_hour_is_a_repeat(
    arrive, link, _case, after, is_repeat
):
    held, _ = arrive(link)

    _, max_age = arrive(link, held=held, after=after)

    assert sorted(marks()) == [("partner", False), ("partner", is_repeat)]
    remaining = LIFETIME - int(after.total_seconds())
    assert max_age == (remaining if is_repeat else LIFETIME)
    assert Click.objects.values("visitor_id").distinct().count() == 1


def test_repeats_do_not_move_the_half_hour(arrive, link):
    held, _ = arrive(link)
    held, _ = arrive(link, held=held, after=timedelta(minutes=20))
    arrive(link, held=held, after=timedelta(minutes=40))

    assert marks() == [("partner", False), ("partner", True), ("partner", False)]


def test_without_the_cookie_nothing_is_a_repeat(arrive, link):
    arrive(link)
    arrive(link, after=timedelta(seconds=5))

    assert marks() == [("partner", False), ("partner", False)]
    assert Click.objects.values("visitor_id").distinct().count() == 2


def test_link_and_code_of_one_affiliate_repeat_each_other(api, arrive, link):
    held, _ = arrive(link)

    visited(api, f"{SHOP}/?ref=partner", referral_cookie=held)

    assert Click.objects.filter(is_repeat=True, source="code").count() == 1


def test_another_affiliate_within_half_an_hour_is_no_repeat(arrive, link, rival_link):
    held, _ = arrive(link)
    arrive(rival_link, held=held, after=timedelta(minutes=1))

    assert marks() == [("partner", False), ("rival", False)]


def test_last_click_wins(arrive, link, rival_link):
    held, _ = arrive(link)

    held, max_age = arrive(rival_link, held=held, after=timedelta(days=1))
    arrive(rival_link, held=held, after=timedelta(days=1, minutes=5))

    assert max_age == LIFETIME
    assert marks() == [("partner", False), ("rival", False), ("rival", True)]


def test_first_click_wins_where_the_brand_says_so(arrive, brand, link, rival_link):
    brand.attribution_policy = "first_click"
    brand.save()
    held, _ = arrive(link)

    held, max_age = arrive(rival_link, held=held, after=timedelta(minutes=5))
    arrive(link, held=held, after=timedelta(minutes=10))
    arrive(rival_link, held=held, after=timedelta(minutes=15))

    # The visitor stays known as long as the rival's click may still count.
    assert max_age == LIFETIME
    assert marks() == [
        ("partner", False),
        ("rival", False),
        ("partner", True),
        ("rival", True),
    ]


@pytest.fixture
def first_click(brand) -> None:
    brand.attribution_policy = "first_click"
    brand.save()


MINUTE = timedelta(minutes=1)
PRERENDER = {"headers": {"sec-purpose": "prefetch;prerender"}}


@pytest.mark.parametrize("_case", ["prerender", "crawler", "suspended", "program off"])
def test_click_that_does_not_count_makes_the_next_one_no_repeat(
    arrive, brand, link, rival_link, first_click, _case
):
    held, _ = arrive(link)
    if _case == "suspended":
        set_status(rival_link.affiliate, "suspended")
    if _case == "program off":
        set_program(brand, is_on=False)
    more = {"prerender": PRERENDER, "crawler": {"user_agent": CRAWLER}}.get(_case, {})
    arrive(rival_link, held=held, after=MINUTE, **more)
    set_status(rival_link.affiliate, "active")
    set_program(brand, is_on=True)

    arrive(rival_link, held=held, after=2 * MINUTE)
    arrive(rival_link, held=held, after=3 * MINUTE)

    assert marks() == [
        ("partner", False),
        ("rival", False),
        ("rival", False),
        ("rival", True),
    ]


def test_first_click_that_was_prerendered_may_be_credited(
    arrive, link, rival_link, first_click, affiliate, buyer, host, clock, now
):
    held, _ = arrive(link)
    set_status(affiliate, "suspended")
    held, _ = arrive(rival_link, held=held, after=MINUTE, **PRERENDER)
    held, _ = arrive(rival_link, held=held, after=2 * MINUTE)

    convert_order(
        conversion=OrderConversion(
            order_ref=host.order(buyer, created_at=now + timedelta(days=1)),
            client_id=str(buyer.pk),
            payment_details_id=host.payment_details_id(buyer),
        ),
        origin_brand_id=None,
        referral_cookie=held,
        now=now + timedelta(days=1),
    )

    referral = OrderReferral.objects.get()
    assert referral.affiliate == rival_link.affiliate
    assert [
        (one["affiliate_code"], one["verdict"])
        for one in referral.decision["candidates"]
    ] == [("partner", "not_active_at_order"), ("rival", "bot"), ("rival", "won")]


def test_repeats_do_not_move_the_half_hour_of_another_affiliate_either(
    arrive, link, rival_link, first_click
):
    held, _ = arrive(link)
    for minutes in (5, 25, 36):
        arrive(rival_link, held=held, after=minutes * MINUTE)

    assert marks() == [
        ("partner", False),
        ("rival", False),
        ("rival", True),
        ("rival", False),
    ]


def set_status(affiliate, status):
    change_status(Affiliate.objects.filter(pk=affiliate.pk), status=status)


def set_program(brand, *, is_on):
    brand.own_program = is_on
    brand.save()


def test_first_click_gives_way_once_its_cookie_is_over(arrive, brand, link, rival_link):
    brand.attribution_policy = "first_click"
    brand.save()
    held, _ = arrive(link)

    _, max_age = arrive(rival_link, held=held, after=timedelta(days=90))

    assert max_age == LIFETIME


@pytest.mark.parametrize(
    ("_case", "user_agent", "headers", "signs"),
    [
        ("crawler", CRAWLER, {}, "user_agent"),
        ("script", "curl/8.5.0", {}, "user_agent"),
        ("prefetch", BROWSER, {"sec-purpose": "prefetch"}, "prefetch"),
        (
            "prerender",
            BROWSER,
            {"sec-purpose": "prefetch;prerender"},
            "prefetch",
        ),
        ("old prefetch", BROWSER, {"purpose": "prefetch"}, "prefetch"),
        ("preview", BROWSER, {"x-purpose": "Preview"}, "prefetch"),
        ("old Firefox", BROWSER, {"x-moz": "prefetch"}, "prefetch"),
        ("both", CRAWLER, {"sec-purpose": "prefetch"}, "user_agent,prefetch"),
    ],
)
def test_robots_and_prefetches_are_kept_and_marked_and_get_no_cookie(
    api, link, _case, user_agent, headers, signs
):
    answer = visit(
        api, f"{SHOP}/aff/{link.hash}", user_agent=user_agent, headers=headers
    )

    assert answer.status_code == 200
    assert answer.json() == {"data": {"redirect_url": "https://shop.example.com/plans"}}
    click = Click.objects.get()
    assert click.bot_signs == signs
    assert click.affiliate_id == link.affiliate_id


@pytest.mark.parametrize(
    ("_case", "headers"),
    [("other purpose", {"sec-purpose": "navigate"}), ("empty", {"purpose": ""})],
)
def test_other_purposes_are_people(api, link, _case, headers):
    data = visited(api, f"{SHOP}/aff/{link.hash}", headers=headers)

    assert "referral_cookie" in data
    assert Click.objects.get().bot_signs == ""


def test_user_agent_of_the_body_counts_not_that_of_the_request(api, link):
    data = visited(api, f"{SHOP}/aff/{link.hash}", headers={"user-agent": CRAWLER})

    assert "referral_cookie" in data


IMAGE = {"sec-fetch-dest": "image", "sec-fetch-mode": "no-cors"}
FRAME = {"sec-fetch-dest": "iframe", "sec-fetch-mode": "navigate"}
CALL = {"sec-fetch-dest": "empty", "sec-fetch-mode": "cors"}
PAGE = {"sec-fetch-dest": "document", "sec-fetch-mode": "navigate"}
OWN = {"sec-fetch-site": "same-origin"}


@pytest.mark.parametrize(
    ("_case", "framed", "headers", "embedding"),
    [
        ("an old browser", None, {}, ""),
        ("a script's call", None, {**CALL, "sec-fetch-site": "cross-site"}, ""),
        ("a script's call in the top page", False, CALL, ""),
        ("a script's call in a frame", True, {**CALL, **OWN}, "frame"),
        ("a page", None, {**PAGE, "sec-fetch-site": "cross-site"}, ""),
        ("a typed address", None, {**PAGE, "sec-fetch-site": "none"}, ""),
        ("a frame", None, {**FRAME, "sec-fetch-site": "cross-site"}, "frame"),
        (
            "a frame of a neighbour",
            None,
            {**FRAME, "sec-fetch-site": "same-site"},
            "frame",
        ),
        ("a frame of its own", None, {**FRAME, **OWN}, ""),
        ("an image", None, {**IMAGE, "sec-fetch-site": "cross-site"}, "part"),
        ("an image of its own", None, {**IMAGE, **OWN}, ""),
        (
            "a style",
            None,
            {"sec-fetch-dest": "style", "sec-fetch-mode": "cors"},
            "part",
        ),
        ("a blind call", None, {**CALL, "sec-fetch-mode": "no-cors"}, "part"),
    ],
)
def test_a_page_inside_another_ones_is_marked_and_gets_its_cookie(
    api, link, _case, framed, headers, embedding
):
    said = {} if framed is None else {"framed": framed}

    data = visited(api, f"{SHOP}/aff/{link.hash}", headers=headers, **said)

    assert "referral_cookie" in data
    click = Click.objects.get()
    assert (click.embedding, click.bot_signs) == (embedding, "")


@pytest.mark.parametrize(
    ("automated", "signs"),
    [(True, "automation"), (False, ""), (None, ""), ("true", ""), (1, ""), ([], "")],
)
def test_a_browser_that_a_program_drives_is_marked_and_gets_no_cookie(
    api, link, automated, signs
):
    data = visited(api, f"{SHOP}/aff/{link.hash}", automated=automated)

    assert ("referral_cookie" in data) == (not signs)
    assert Click.objects.get().bot_signs == signs


@pytest.mark.parametrize("framed", [None, "true", 1, []])
def test_framed_is_true_or_false(api, link, framed):
    answer = visit(api, f"{SHOP}/aff/{link.hash}", framed=framed)

    assert answer.status_code == 400
    assert answer.json()["errors"] == [
        {"code": "invalid", "detail": "Must be a valid boolean.", "attr": "framed"}
    ]
    assert not Click.objects.exists()
