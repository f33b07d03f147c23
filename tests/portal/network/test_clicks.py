"""Acceptance tests 1 to 5, 9 and 13: what a visit comes to at the tracker."""

from __future__ import annotations

import re
import socket
from dataclasses import replace
from datetime import timedelta
from urllib.parse import parse_qs, quote, unquote_plus, urlsplit

import pytest

from affiliates.conf import conf
from affiliates.outbox.models.delivery import Delivery, VisitorAlias
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.outbox.queue.rules import QueueState
from affiliates.visits.cookie import read_cookie
from tests.affiliates.api.calls import BROWSER, REFERRER
from tests.affiliates.outbox.outbox import Clock
from tests.factories.affiliates import BrandFactory
from tests.portal.network.shop import VISITOR_ADDRESS, Shop, delivery

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)


def identifier(shop: Shop, cookie: str | None) -> str:
    """The one for the tracker that the cookie seals."""
    held = read_cookie(
        cookie, brand_id=shop.brand.pk, ring=conf.cookie_keys, now=shop.clock.at
    )
    assert held is not None
    return held.external_visitor_id


def test_acceptance_1_each_visitor_is_known_there_by_the_identifier_made_here(shop):
    shop.integrate()
    cookies = [shop.arrive(), shop.arrive()]

    report = shop.deliver()

    made = [identifier(shop, cookie) for cookie in cookies]
    assert report[QueueState.SENT] == 2
    assert sorted(click.visitorid for click in shop.tracker.state.clicks) == sorted(
        made
    )
    assert len(set(made)) == 2
    assert all(re.fullmatch("[0-9a-f]{32}", one) for one in made)
    assert [(one.status, one.body) for one in shop.transport.answers] == [
        (200, b"")
    ] * 2
    assert all("set-cookie" in one.headers for one in shop.transport.answers)
    names = {name.lower() for one in shop.requests() for name, _ in one.headers}
    assert "cookie" not in names


def test_acceptance_2_address_and_browser_there_are_the_visitors(shop):
    shop.integrate()
    invoice = shop.sell()

    shop.deliver()
    shop.deliver()

    [click] = shop.tracker.state.clicks
    assert (click.ip, click.useragent) == (VISITOR_ADDRESS, BROWSER)
    assert click.url == "https://shop.example.com/plans"
    assert click.referrer == REFERRER
    [sale] = shop.tracker.state.transactions
    # Of the visit's address an order keeps the network.
    assert (sale.orderid, sale.ip, sale.useragent) == (
        str(invoice.pk),
        "198.51.100.0",
        BROWSER,
    )


@pytest.mark.parametrize(
    "text", ["a&b=c", "two words", "100% +1", "Grüße 日本 😀", "?#/'\""]
)
def test_acceptance_3_parameters_survive_being_encoded_in_a_parameter(shop, text):
    shop.integrate()
    shop.arrive(f"/plans?utm=x&data1={quote(text)}&a_aid=testaff&chan=code2")

    shop.deliver()

    [click] = shop.tracker.state.clicks
    assert (click.refid, click.channel) == ("testaff", "code2")
    assert unquote_plus(click.data1) == text


def test_acceptance_3_affiliate_in_the_fragment_alone_is_credited(shop):
    shop.integrate()
    shop.arrive("/plans#a_aid=testaff&chan=code2")

    shop.deliver()

    [click] = shop.tracker.state.clicks
    assert (click.refid, click.channel) == ("testaff", "code2")


def test_acceptance_4_another_parameters_affiliate_is_sent_as_affiliate_id(shop):
    shop.integrate()
    shop.arrive("/plans?aid=testaff")

    shop.deliver()

    [request] = shop.requests()
    told = parse_qs(urlsplit(request.target).query)["getParams"]
    assert told == ["?aid=testaff&AffiliateID=testaff"]
    assert [click.refid for click in shop.tracker.state.clicks] == ["testaff"]


def test_acceptance_5_a_tracker_that_is_down_costs_the_visitor_nothing(shop):
    shop.integrate()
    shop.arrive("/")
    shop.tracker.stop()
    cookie = shop.arrive()

    failed = shop.deliver()
    waiting = delivery("click")
    shop.tracker.start()
    first, second = shop.deliver(after=HOUR), shop.deliver(after=HOUR)

    assert (failed[QueueState.RETRY], waiting.state, waiting.attempt_count) == (
        1,
        "retry",
        1,
    )
    assert "No connection to 127.0.0.1" in shop.shown(shop.page_of(waiting))
    assert (first[QueueState.SENT], second[QueueState.SENT]) == (1, 0)
    [click] = shop.tracker.state.clicks
    assert click.visitorid == identifier(shop, cookie)


def test_acceptance_5_a_tracker_that_is_slow_costs_the_visitor_nothing(shop, impatient):
    shop.integrate()
    shop.tracker.fault(delay_s=30)
    shop.arrive()

    failed = shop.deliver(by=impatient)
    waiting = delivery("click")
    again = shop.deliver(after=HOUR)

    assert (failed[QueueState.RETRY], waiting.state) == (1, "retry")
    assert waiting.detail == "127.0.0.1 gave no whole answer in time."
    assert again[QueueState.SENT] == 1
    assert len(shop.tracker.state.clicks) == 1


def test_acceptance_5_no_socket_is_opened_while_the_visitor_waits(shop, monkeypatch):
    shop.integrate()
    shop.arrive("/")  # the database's connection is there
    shop.tracker.stop()

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a visit opened a connection")

    with monkeypatch.context() as patched:
        for name in ("socket", "create_connection", "getaddrinfo"):
            patched.setattr(socket, name, refuse)
        shop.arrive()

    assert Delivery.objects.get().state == "waiting"


def test_acceptance_9_a_tracker_with_longer_identifiers_is_answered_with_its_own(shop):
    shop.tracker.settings.change({"visitor_id_length": 40})
    integration = shop.integrate()
    invoice = shop.sell()

    shop.deliver()
    shop.deliver()

    theirs = VisitorAlias.objects.get().remote_id
    assert len(theirs) == 40
    [click], [sale] = shop.tracker.state.clicks, shop.tracker.state.transactions
    assert click.visitorid == sale.visitorid == theirs
    assert (sale.orderid, sale.refid) == (str(invoice.pk), "testaff")
    verdict = shop.verdict_of_test(integration)
    assert "wants visitor identifiers of 40 characters, not 32" in verdict


def test_acceptance_13_a_returning_visitor_keeps_the_identifier(shop):
    shop.integrate()
    first = shop.arrive()
    shop.deliver()
    shop.clock.pass_by(days=10)
    again = shop.arrive("/plans?a_aid=otheraff", cookie=first)

    shop.deliver()

    assert identifier(shop, first) == identifier(shop, again)
    assert [(click.visitorid, click.refid) for click in shop.tracker.state.clicks] == [
        (identifier(shop, first), "testaff"),
        (identifier(shop, first), "otheraff"),
    ]


def test_acceptance_13_another_brands_cookie_is_not_reused(shop):
    shop.integrate()
    other = replace(
        shop,
        brand=BrandFactory(client_area="other.example.net"),
        origin="https://other.example.net",
        clock=Clock(),
    )
    other.integrate()
    ours = shop.arrive()

    theirs = other.arrive(cookie=ours)

    made = identifier(shop, ours), identifier(other, theirs)
    assert len(set(made)) == 2
    told = dict(Delivery.objects.values_list("brand", "visitor_ref"))
    assert told == {shop.brand.pk: made[0], other.brand.pk: made[1]}
    assert TrackingIntegration.objects.count() == 2
