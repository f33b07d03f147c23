"""Visits by a link of the brand's tracking integration: the click, the queue, the cookie."""

from __future__ import annotations

import socket
from datetime import timedelta

import pytest

from affiliates.conf import conf
from affiliates.outbox.models.delivery import Delivery
from affiliates.program.models import Affiliate
from affiliates.program.services import change_status
from affiliates.visits.cookie import ReferralCookie, read_cookie
from affiliates.visits.models import Click
from tests.affiliates.api.calls import BROWSER, CRAWLER, REFERRER, SHOP, visited
from tests.affiliates.made_up_providers import HEX_32

DAY = timedelta(days=1)


@pytest.fixture
def arrive(api, brand, clock, now):
    """Visits a page some time after the start, with the cookie held so far."""

    class Arrivals:
        cookie: str | None = None
        at = now

        def __call__(self, page: str, *, after=timedelta(0), **fields) -> dict:
            self.at = now + after
            clock.move_to(self.at)
            fields.setdefault("referral_cookie", self.cookie)
            data = visited(api, SHOP + page, **fields)
            self.cookie = data.get("referral_cookie", self.cookie)
            return data

        @property
        def held(self) -> ReferralCookie:
            cookie = read_cookie(
                self.cookie, brand_id=brand.pk, ring=conf.cookie_keys, now=self.at
            )
            assert cookie is not None
            return cookie

    return Arrivals()


def clicks() -> list[tuple[str | None, str, bool]]:
    """Own affiliate, the integration's and whether it is a repeat, in order."""
    return [
        (click.affiliate and click.affiliate.code, click.external_affiliate,
         click.is_repeat)
        for click in Click.objects.order_by("created_at", "id")
    ]  # fmt: skip


def test_click_by_the_integrations_link_is_stored_and_queued(
    api, brand, clock, now, integrate
):
    integration = integrate()

    data = visited(
        api,
        f"{SHOP}/plans?utm=1&a_aid=testaff&chan=a%26b#top",
        headers={"x-forwarded-for": "198.51.100.1"},
    )

    click = Click.objects.get()
    assert (
        click.brand_id, click.affiliate, click.link, click.integration_id,
        click.external_affiliate, click.source, click.affiliate_status,
        click.is_repeat, click.bot_signs, click.ip_prefix,
    ) == (
        brand.pk, None, None, integration.pk, "testaff", "integration", "", False, "",
        "127.0.0.0/24",
    )  # fmt: skip
    held = read_cookie(
        data["referral_cookie"], brand_id=brand.pk, ring=conf.cookie_keys, now=now
    )
    assert held == ReferralCookie(
        visitor_id=click.visitor_id,
        click_id=click.id,
        affiliate_id=0,
        issued_at=now,
        expires_at=now + 90 * DAY,
        external_visitor_id=held.external_visitor_id,
    )
    assert HEX_32.fullmatch(held.external_visitor_id)
    delivery = Delivery.objects.values().get()
    assert delivery | {"id": 0} == {
        "id": 0,
        "brand_id": brand.pk,
        "integration_id": integration.pk,
        "operation": "click",
        "key": f"click:{click.id}",
        "visitor_ref": held.external_visitor_id,
        "order_ref": "",
        "request_id": "",
        "payload": {
            "click_id": str(click.id),
            "occurred_at": "2026-03-01T12:00:00+00:00",
            "page": f"{SHOP}/plans",
            "query": "utm=1&a_aid=testaff&chan=a%26b",
            "fragment": "top",
            "affiliate": "testaff",
            "referrer": REFERRER,
            "ip": "127.0.0.1",
            "user_agent": BROWSER,
        },
        "state": "waiting",
        "attempt_count": 0,
        "next_at": now,
        "outcome": "",
        "detail": "",
        "remote_ref": "",
        "created_at": now,
        "finished_at": None,
    }
    assert data["redirect_url"] == f"{SHOP}/"
    assert data["referral_cookie_max_age"] == 90 * 86_400


@pytest.mark.parametrize(
    ("page", "affiliate"),
    [
        ("/?a_aid=one", "one"),
        ("/?aid=two", "two"),
        ("/?aid=two&a_aid=one", "one"),
        ("/?a_aid=&aid=two", "two"),
        ("/#a_aid=one", "one"),
        ("/#/plans?a_aid=one", "one"),
        ("/?a_aid=one#a_aid=two", "one"),
        ("/?a_aid=a+b%26%C3%A9", "a b&é"),
        ("/?a_aid=50%", "50%"),
        ("/?a_aid=%zz%1", "%zz%1"),
        ("/?a_aid=%ff", "\ufffd"),
        (f"/?a_aid={'x' * 255}", "x" * 255),
    ],
)
def test_affiliate_is_read_from_query_and_fragment(arrive, integrate, page, affiliate):
    integrate()

    arrive(page)

    assert clicks() == [(None, affiliate, False)]
    assert Delivery.objects.get().payload["affiliate"] == affiliate


@pytest.mark.parametrize(
    ("_case", "page"),
    [
        ("no parameter", "/?b_aid=one"),
        ("empty", "/?a_aid="),
        ("control character", "/?a_aid=a%00b"),
        ("line break", "/?a_aid=a%0d%0ab"),
        ("256 characters", f"/?a_aid={'x' * 256}"),
        ("5,000 characters", f"/?a_aid={'x' * 5000}"),
    ],
)
def test_what_names_no_affiliate_is_a_plain_visit(arrive, integrate, _case, page):
    integrate()

    assert arrive(page) == {"redirect_url": f"{SHOP}{page}#"}

    assert not Click.objects.exists()
    assert not Delivery.objects.exists()


def test_an_integration_that_is_off_recognises_nothing(arrive, integrate):
    integrate(is_active=False)

    assert arrive("/?a_aid=one") == {"redirect_url": f"{SHOP}/?a_aid=one#"}

    assert not Click.objects.exists()


def test_another_brands_integration_recognises_nothing(arrive, integrate, other_brand):
    integration = integrate()
    integration.brand = other_brand
    integration.save()

    assert arrive("/?a_aid=one") == {"redirect_url": f"{SHOP}/?a_aid=one#"}

    assert not Click.objects.exists()


def test_own_link_and_integration_share_one_click(arrive, link, integrate, now):
    integration = integrate()

    data = arrive(f"/aff/{link.hash}?a_aid=one")

    click = Click.objects.get()
    assert (
        click.affiliate_id, click.link_id, click.integration_id,
        click.external_affiliate, click.source, click.affiliate_status,
    ) == (
        link.affiliate_id, link.pk, integration.pk, "one", "path", "active",
    )  # fmt: skip
    assert arrive.held.affiliate_id == link.affiliate_id
    assert Delivery.objects.get().visitor_ref == arrive.held.external_visitor_id
    assert data["redirect_url"] == f"{SHOP}/plans"


def test_own_link_alone_carries_the_identifier_on_and_queues_nothing(
    arrive, link, integrate
):
    integrate()
    arrive("/?a_aid=one")
    before = arrive.held

    arrive(f"/aff/{link.hash}", after=DAY)

    assert arrive.held.external_visitor_id == before.external_visitor_id != ""
    assert arrive.held.visitor_id == before.visitor_id
    assert arrive.held.affiliate_id == link.affiliate_id
    assert clicks() == [(None, "one", False), ("partner", "", False)]
    assert Delivery.objects.count() == 1


def test_a_visitor_keeps_the_identifier(arrive, integrate):
    integrate()
    arrive("/?a_aid=one")
    before = arrive.held

    arrive("/?a_aid=two", after=DAY)

    assert arrive.held.external_visitor_id == before.external_visitor_id
    assert arrive.held.click_id != before.click_id
    assert set(Delivery.objects.values_list("visitor_ref", flat=True)) == {
        before.external_visitor_id
    }


def test_visitors_get_different_identifiers(arrive, integrate):
    integrate()

    arrive("/?a_aid=one", referral_cookie=None)
    arrive("/?a_aid=one", referral_cookie=None)

    assert Delivery.objects.values("visitor_ref").distinct().count() == 2


def test_suspended_affiliates_link_counts_for_the_integration(
    arrive, affiliate, link, integrate
):
    integrate()
    affiliate.status = "suspended"
    affiliate.save()

    arrive(f"/aff/{link.hash}?a_aid=one")

    assert arrive.held.external_visitor_id != ""
    assert Click.objects.get().affiliate_status == "suspended"


@pytest.mark.parametrize(
    ("_case", "after", "is_repeat"),
    [
        ("at once", timedelta(0), True),
        ("29:59", timedelta(minutes=29, seconds=59), True),
        ("30:00", timedelta(minutes=30), False),
    ],
)
@pytest.mark.parametrize("policy", ["last_click", "first_click"])
def test_integrations_affiliate_again_within_half_an_hour_is_a_repeat(
    arrive, brand, integrate, policy, _case, after, is_repeat
):
    brand.attribution_policy = policy
    brand.save()
    integrate()
    arrive("/?a_aid=one")
    before = arrive.held

    arrive("/?a_aid=one", after=after)

    assert clicks() == [(None, "one", False), (None, "one", is_repeat)]
    # Its own reports count repeats too.
    assert Delivery.objects.count() == 2
    assert (arrive.held == before) is is_repeat


@pytest.mark.parametrize(
    ("policy", "is_repeat"), [("last_click", False), ("first_click", True)]
)
def test_whether_a_return_is_a_repeat_is_decided_as_for_own_affiliates(
    arrive, brand, link, integrate, policy, is_repeat
):
    """Where the last click wins, whoever was clicked in between has taken over."""
    brand.attribution_policy = policy
    brand.save()
    integrate()
    arrive("/?a_aid=one")
    arrive(f"/aff/{link.hash}", after=timedelta(minutes=5))

    arrive("/?a_aid=one", after=timedelta(minutes=10))
    arrive(f"/aff/{link.hash}", after=timedelta(minutes=15))

    assert clicks() == [
        (None, "one", False),
        ("partner", "", False),
        (None, "one", is_repeat),
        ("partner", "", is_repeat),
    ]


@pytest.mark.parametrize("policy", ["last_click", "first_click"])
@pytest.mark.parametrize(
    ("_case", "user_agent", "headers"),
    [
        ("crawler", CRAWLER, {}),
        ("prerender", BROWSER, {"sec-purpose": "prefetch;prerender"}),
    ],
)
def test_integrations_click_that_no_person_made_makes_the_next_one_no_repeat(
    arrive, brand, link, integrate, policy, _case, user_agent, headers
):
    brand.attribution_policy = policy
    brand.save()
    integrate()
    arrive(f"/aff/{link.hash}")
    minute = timedelta(minutes=1)
    arrive("/?a_aid=one", after=minute, user_agent=user_agent, headers=headers)

    arrive("/?a_aid=one", after=2 * minute)
    arrive("/?a_aid=one", after=3 * minute)

    assert clicks() == [
        ("partner", "", False),
        (None, "one", False),
        (None, "one", False),
        (None, "one", True),
    ]


def test_integrations_click_beside_an_affiliate_who_is_not_active_counts(
    arrive, brand, link, rival_link, integrate
):
    """Whether the own program credits it says nothing of the integration's."""
    brand.attribution_policy = "first_click"
    brand.save()
    integrate()
    arrive(f"/aff/{link.hash}")
    suspended = Affiliate.objects.filter(pk=rival_link.affiliate_id)
    change_status(suspended, status="suspended")
    arrive(f"/aff/{rival_link.hash}?a_aid=one", after=timedelta(minutes=1))

    arrive("/?a_aid=one", after=timedelta(minutes=2))

    assert clicks()[2:] == [(None, "one", True)]


def test_another_affiliate_of_the_integration_is_no_repeat(arrive, integrate):
    integrate()
    arrive("/?a_aid=one")

    arrive("/?a_aid=two", after=timedelta(minutes=1))

    assert clicks() == [(None, "one", False), (None, "two", False)]


def test_own_repeat_stays_one_and_takes_the_identifier_along(arrive, link, integrate):
    integrate()
    arrive(f"/aff/{link.hash}")
    before = arrive.held

    arrive(f"/aff/{link.hash}?a_aid=one", after=timedelta(minutes=5))

    assert clicks() == [("partner", "", False), ("partner", "one", True)]
    assert before.external_visitor_id == ""
    assert HEX_32.fullmatch(arrive.held.external_visitor_id)
    assert arrive.held.click_id == before.click_id


def test_first_click_stands_with_the_identifier_added(arrive, brand, link, integrate):
    brand.attribution_policy = "first_click"
    brand.save()
    integrate()
    arrive(f"/aff/{link.hash}")
    before = arrive.held

    arrive("/?a_aid=one", after=DAY)

    assert arrive.held.click_id == before.click_id
    assert arrive.held.affiliate_id == link.affiliate_id
    assert arrive.held.expires_at == before.expires_at + DAY
    assert HEX_32.fullmatch(arrive.held.external_visitor_id)


@pytest.mark.parametrize(
    ("user_agent", "headers", "signs"),
    [
        (CRAWLER, {}, "user_agent"),
        (BROWSER, {"sec-purpose": "prefetch"}, "prefetch"),
    ],
)
def test_robots_clicks_are_kept_and_told_to_nobody(
    arrive, integrate, user_agent, headers, signs
):
    integrate()

    data = arrive("/?a_aid=one", user_agent=user_agent, headers=headers)

    assert data == {"redirect_url": f"{SHOP}/"}
    assert Click.objects.get().bot_signs == signs
    assert not Delivery.objects.exists()


def test_captured_identifier_is_sealed_and_no_click_is_queued(arrive, integrate):
    integrate("capturing")

    arrive("/?a_aid=one&clickid=5f3759df")

    assert arrive.held.external_visitor_id == "5f3759df"
    assert clicks() == [(None, "one", False)]
    assert not Delivery.objects.exists()


@pytest.mark.parametrize(
    ("_case", "identifier"),
    [
        ("not ASCII", "%C3%A9"),
        ("control character", "a%00b"),
        ("too long", "x" * 129),
    ],
)
def test_unusable_identifier_is_none(arrive, integrate, _case, identifier):
    integrate("capturing")

    arrive(f"/?a_aid=one&clickid={identifier}")

    assert arrive.held.external_visitor_id == ""
    assert clicks() == [(None, "one", False)]


@pytest.mark.parametrize("provider", ["failing_to_match", "failing_to_identify"])
def test_broken_settings_cost_no_visit(arrive, link, integrate, caplog, provider):
    integration = integrate(provider)

    data = arrive(f"/aff/{link.hash}?a_aid=one")

    assert data["redirect_url"] == f"{SHOP}/plans"
    assert clicks() == [("partner", "", False)]
    assert not Delivery.objects.exists()
    assert {record.integration_id for record in caplog.records} == {integration.pk}


@pytest.mark.parametrize(
    "fields",
    [
        {"provider": "of another release"},
        {"config": ["not", "a", "mapping"]},
        {"parameters": ""},
        {"parameters": ",, ,"},
    ],
)
def test_odd_rows_cost_no_visit(arrive, link, integrate, fields):
    integrate(**fields)

    arrive(f"/aff/{link.hash}?a_aid=")

    assert clicks() == [("partner", "", False)]


def test_broken_parameter_names_leave_the_page_as_it_is(arrive, brand, integrate):
    brand.landing = "stay"
    brand.save()
    integrate("failing_to_name")

    data = arrive("/plans?x=1&a_aid=one")

    assert data["redirect_url"] == f"{SHOP}/plans?x=1&a_aid=one#"
    assert clicks() == [(None, "one", False)]


@pytest.mark.parametrize(
    ("page", "stayed_on"),
    [
        ("/plans?x=1&a_aid=one&y=2", "/plans?x=1&y=2"),
        ("/plans?aid=one", "/plans"),
        ("/plans?a_aid=one&clickid=5&ref=nobody", "/plans"),
        ("/#/plans?a_aid=one&x=1", "/#/plans?x=1"),
        ("/plans?a_aid=", "/plans?a_aid=#"),
    ],
)
def test_page_stayed_on_loses_the_integrations_parameters(
    arrive, brand, integrate, page, stayed_on
):
    brand.landing = "stay"
    brand.save()
    integrate("capturing")

    assert arrive(page)["redirect_url"] == SHOP + stayed_on


def test_no_connection_is_opened_in_a_visit(arrive, link, integrate, monkeypatch):
    integrate()
    arrive("/")  # the database's connection is there

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a visit opened a connection")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "create_connection", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)

    arrive(f"/aff/{link.hash}?a_aid=one")

    assert clicks() == [("partner", "one", False)]
    assert Delivery.objects.count() == 1


def test_what_is_queued_is_bounded_and_keeps_the_affiliate(arrive, integrate):
    integrate()
    filler = "&".join(f"utm{number}={'x' * 90}" for number in range(60))

    arrive(
        f"/{'p' * 1000}?{filler}&a_aid=one#{'f' * 1000}",
        referrer_url="https://blog.example.org/" + "é" * 5000,
        user_agent="Mozilla/5.0 " + "é" * 5000,
    )

    told = Delivery.objects.get().payload
    assert told["page"] == f"{SHOP}/{'p' * 1000}"
    assert told["query"].startswith(f"a_aid=one&utm0={'x' * 90}&utm1=")
    assert len(told["page"]) + len(told["query"]) <= 2048
    assert told["query"].split("&")[-1] == f"utm9={'x' * 90}"
    assert told["fragment"] == ""
    assert len(told["referrer"].encode()) <= 1024
    assert len(told["user_agent"].encode()) <= 512
    assert sum(len(value.encode()) for value in told.values()) < 6_000


def test_credentials_in_the_address_are_not_told(api, integrate):
    integrate()

    visited(api, "https://user:secret@shop.example.com/plans?a_aid=one")

    assert Delivery.objects.get().payload["page"] == f"{SHOP}/plans"
