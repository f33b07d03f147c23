from __future__ import annotations

import re

import pytest

from portal.demo.network.server import Simulator
from tests.simulator import OTHER_VISITOR, VECTOR, VISITOR, Caller, credited


def test_click_of_the_test_vector_is_kept_and_answered_blank(
    simulator: Simulator, caller: Caller
) -> None:
    reply = caller.call("POST", VECTOR)

    assert (reply.status, reply.body) == (200, b"")
    assert reply.headers["Content-Type"] == "application/x-javascript"
    assert reply.headers["Set-Cookie"].startswith(f"PAPVisitorId={VISITOR}; path=/")
    [click] = simulator.state.clicks
    assert (click.visitorid, click.accountid) == (VISITOR, "default1")
    assert (click.userid, click.refid) == ("11111111", "testaff")
    assert (click.banner, click.channel) == ("11110001", "code2")
    assert click.data1 == "a+b%26c"
    assert click.url == "https://shop.example/plans"
    assert click.referrer == "https://blog.example/post?x=1"
    assert (click.ip, click.useragent) == ("203.0.113.7", "Mozilla/5.0 (X11)")


@pytest.mark.parametrize("given", ["", "short", "x" * 40])
def test_visitor_of_another_length_is_given_an_id(
    simulator: Simulator, caller: Caller, given: str
) -> None:
    reply = caller.click(visitorId=given)

    told = re.fullmatch(r"setVisitor\('([a-zA-Z0-9]{32})'\);\n", reply.text)
    assert told
    assert simulator.state.clicks[0].visitorid == told[1]


def test_cookie_names_the_visitor_when_the_query_does_not(
    simulator: Simulator, caller: Caller
) -> None:
    cookie = {"Cookie": f"PAPVisitorId={OTHER_VISITOR}"}

    reply = caller.click(visitorId="", headers=cookie)

    assert reply.text == f"setVisitor('{OTHER_VISITOR}');\n"
    assert simulator.state.clicks[0].visitorid == OTHER_VISITOR


def test_query_wins_over_the_cookie(simulator: Simulator, caller: Caller) -> None:
    reply = caller.click(headers={"Cookie": f"PAPVisitorId={OTHER_VISITOR}"})

    assert reply.body == b""
    assert simulator.state.clicks[0].visitorid == VISITOR


def test_install_may_want_ids_of_another_length(
    simulator: Simulator, caller: Caller
) -> None:
    simulator.settings.visitor_id_length = 40

    reply = caller.click()

    assert re.fullmatch(r"setVisitor\('[a-zA-Z0-9]{40}'\);\n", reply.text)


def test_flash_tracking_sets_no_cookie(caller: Caller) -> None:
    assert "Set-Cookie" not in caller.click(tracking="F").headers


def test_address_and_browser_fall_back_to_the_callers(
    simulator: Simulator, caller: Caller
) -> None:
    caller.click(ip="", headers={"User-Agent": "Worker/1"})

    [click] = simulator.state.clicks
    assert (click.ip, click.useragent) == ("127.0.0.1", "Worker/1")


@pytest.mark.parametrize(
    ("given", "used"),
    [("merchant", "merchant"), ("unknown1", "default1"), ("x", "default1")],
)
def test_account_counts_only_when_it_is_known(
    simulator: Simulator, caller: Caller, given: str, used: str
) -> None:
    simulator.settings.accounts = ["default1", "merchant"]

    caller.click(accountId=given)

    assert simulator.state.clicks[0].accountid == used


def test_banned_iframe_tracks_nothing(simulator: Simulator, caller: Caller) -> None:
    simulator.settings.iframe_ban = True

    reply = caller.click(isInIframe="true")

    assert reply.body == b""
    assert "Set-Cookie" not in reply.headers
    assert simulator.state.clicks == []


def test_exception_is_a_comment_with_status_200(
    simulator: Simulator, caller: Caller
) -> None:
    simulator.settings.exception = "Database is gone"

    reply = caller.click()

    assert (reply.status, reply.text) == (200, "//Database is gone\n")
    assert simulator.state.clicks == []


@pytest.mark.parametrize(
    ("query", "anchor", "found"),
    [
        ("?a_aid=testaff", "", "testaff"),
        ("a_aid=11111111", "", "testaff"),
        ("?x=1&a_aid=testaff", "", "testaff"),
        ("?a_aid=otheraff&AffiliateID=testaff", "", "testaff"),
        ("?AffiliateID=testaff", "", "testaff"),
        ("", "a_aid=testaff", "testaff"),
        ("?a_aid=otheraff", "a_aid=testaff", "otheraff"),
        ("?x=1", "a_aid=testaff&x=2", "testaff"),
        ("?aid=testaff", "", None),
        ("?a_aid=", "", None),
        ("?a_aid=nobody", "", None),
        ("?a_aid=test%61ff", "", None),
        ("?a_aid=declined", "", None),
        ("", "testaff", None),
        ("", "", None),
    ],
)
def test_affiliate_is_read_from_query_then_anchor(
    simulator: Simulator, caller: Caller, query: str, anchor: str, found: str | None
) -> None:
    reply = caller.track(getParams=query, anchor=anchor)

    assert reply.body == b""
    assert [one.refid for one in simulator.state.clicks] == ([found] if found else [])


def test_short_anchor_is_an_affiliate_where_that_is_switched_on(
    simulator: Simulator, caller: Caller
) -> None:
    simulator.settings.short_anchor = True

    caller.track(anchor="testaff")

    assert simulator.state.clicks[0].refid == "testaff"


def test_parameters_may_have_other_names(simulator: Simulator, caller: Caller) -> None:
    simulator.settings.change({"affiliate_name": "aid", "data1_name": "sub"})

    caller.track(getParams="?aid=testaff&sub=x")

    [click] = simulator.state.clicks
    assert (click.refid, click.data1) == ("testaff", "x")


@pytest.mark.parametrize(
    ("overwrite", "winner"), [(True, "otheraff"), (False, "testaff")]
)
def test_later_click_wins_where_it_overwrites(
    simulator: Simulator, caller: Caller, overwrite: bool, winner: str
) -> None:
    simulator.settings.overwrite = overwrite

    caller.click("testaff")
    caller.click("otheraff")
    caller.sell()

    assert credited(simulator) == [("INV-1", winner)]


def test_later_click_wins_over_one_that_is_over(
    simulator: Simulator, caller: Caller
) -> None:
    simulator.settings.change(
        {"overwrite": False, "cookie_lifetime_s": 60, "clock": 1_000.0}
    )
    caller.click("testaff")
    simulator.settings.clock = 1_060.0

    caller.click("otheraff")
    caller.sell()

    assert credited(simulator) == [("INV-1", "otheraff")]


def test_visitors_differ_in_more_than_case(
    simulator: Simulator, caller: Caller
) -> None:
    caller.click(visitorId="a" * 32)
    caller.sell(visitorId="A" * 32)

    assert credited(simulator) == [("INV-1", "testaff")]
