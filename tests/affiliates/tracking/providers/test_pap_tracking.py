"""What Post Affiliate Pro is told of clicks, sales and leads."""

from __future__ import annotations

from decimal import Decimal
from ipaddress import ip_address

import pytest

from affiliates.outbox.http.types import Call
from affiliates.outbox.protocol import ProviderSettings
from affiliates.outbox.types import Facts
from affiliates.tracking.providers.pap.tracking import MAX_QUERY
from tests.affiliates.tracking.providers.conversation import answer, converse
from tests.affiliates.tracking.providers.pap_world import (
    ADAPTER,
    VISITOR,
    lead,
    query_of,
    sale,
    sale_of,
    settings,
    visit,
)


def sent(
    facts: Facts,
    configured: ProviderSettings | None = None,
    *,
    visitor_id: str = VISITOR,
) -> Call:
    run = ADAPTER.run(facts, visitor_id, configured or settings())
    calls, _ = converse(run, answer())
    assert len(calls) == 1
    return calls[0]


def test_click_is_the_vendors_request_byte_for_byte():
    facts = visit(
        query="a_aid=testaff&a_bid=11110001&chan=code2&data1=a+b%26c",
        referrer="https://blog.example/post?x=1",
    )

    call = sent(facts)

    assert call.method == "POST"
    assert call.body == b""
    assert call.url == (
        "https://pap.example/scripts/track.php?"
        "visitorId=0f3c9a7be2d14c55a1b2c3d4e5f60718&accountId=default1"
        "&url=S_shop.example%2Fplans&referrer=S_blog.example%2Fpost%3Fx%3D1"
        "&tracking=1&getParams=%3Fa_aid%3Dtestaff%26a_bid%3D11110001%26chan%3Dcode2"
        "%26data1%3Da%2Bb%2526c&anchor=&isInIframe=false&cookies=&ip=203.0.113.7"
        "&useragent=Mozilla%2F5.0+%28X11%29"
    )


def test_page_goes_without_query_and_with_its_scheme_as_a_letter():
    facts = visit(
        page="http://shop.example/plans?a_aid=testaff#top",
        referrer="http://blog.example/",
    )

    query = query_of(sent(facts))

    assert (query["url"], query["referrer"]) == (
        "H_shop.example/plans",
        "H_blog.example/",
    )


@pytest.mark.parametrize(
    ("_case", "query", "affiliate", "forwarded"),
    [
        ("own name", "a_aid=jo", "jo", "?a_aid=jo"),
        ("other name", "aid=jo", "jo", "?aid=jo&AffiliateID=jo"),
        ("forced", "AffiliateID=jo&a_aid=jo", "jo", "?a_aid=jo"),
        ("another wins", "a_aid=al&aid=jo", "jo", "?a_aid=al&aid=jo&AffiliateID=jo"),
        ("first of two", "a_aid=jo&a_aid=al", "jo", "?a_aid=jo"),
        ("encoded name", "a%5Faid=jo", "jo", "?a_aid=jo"),
        ("unicode", "a_aid=jo&data1=%C3%BC%25", "jo", "?a_aid=jo&data1=%C3%BC%25"),
        ("invalid utf-8", "a_aid=jo&chan=%ff", "jo", "?a_aid=jo&chan=%EF%BF%BD"),
        ("control", "a_aid=jo&data1=a%00b", "jo", "?a_aid=jo&data1=a%00b"),
        (
            "foreign",
            "redirect=https://x.example&email=jo@x.example&token=1&a_aid=jo",
            "jo",
            "?a_aid=jo",
        ),
        ("nobody", "utm_source=x", "", ""),
    ],
)
def test_parameters_that_are_passed_on(_case, query, affiliate, forwarded):
    call = sent(visit(query=query, affiliate=affiliate))

    assert query_of(call)["getParams"] == forwarded


def test_affiliate_is_not_named_again_when_that_is_off():
    configured = settings(forward_affiliate=False)

    call = sent(visit(query="aid=jo", affiliate="jo"), configured)

    assert query_of(call)["getParams"] == "?aid=jo"


def test_further_parameters_are_passed_on_when_configured():
    configured = settings(more_parameters="bid, cid")

    call = sent(visit(query="a_aid=jo&bid=7&x=1"), configured)

    assert "bid=7" in query_of(call)["getParams"]
    assert "x=1" not in query_of(call)["getParams"]


@pytest.mark.parametrize(
    ("_case", "fragment", "anchor", "forwarded"),
    [
        (
            "pairs",
            "a_aid=jo&a_bid=1%2F2",
            "a_aid=jo&a_bid=1%2F2",
            "?a_aid=jo&a_bid=1%2F2",
        ),
        (
            "route",
            "/plans?aid=jo&token=secret&chan=c",
            "aid=jo&chan=c",
            "?aid=jo&chan=c&AffiliateID=jo",
        ),
        ("no pairs", "section-2", "", "?AffiliateID=jo"),
        ("foreign", "access_token=secret", "", "?AffiliateID=jo"),
    ],
)
def test_fragment_goes_raw_as_anchor_and_beside_its_affiliate(
    _case, fragment, anchor, forwarded
):
    call = sent(visit(query="", fragment=fragment, affiliate="jo"))

    assert query_of(call)["anchor"] == anchor
    assert query_of(call)["getParams"] == forwarded


def test_fragment_stays_out_of_the_query_that_names_the_affiliate():
    facts = visit(query="aid=jo", fragment="a_aid=ann&chan=c", affiliate="jo")

    assert query_of(sent(facts))["getParams"] == ("?aid=jo&AffiliateID=jo")


def test_long_values_never_make_the_request_line_too_long():
    facts = visit(
        page="https://shop.example/" + "%C3%BC" * 2_000,
        query="a_aid=testaff&data1=" + "%F0%9F%98%80" * 500 + "&data2=" + "x" * 5_000,
        fragment="a_bid=" + "%C3" * 2_000,
        referrer="https://blog.example/?q=" + "%C3%BC" * 2_000,
        user_agent="\xff" * 3_000,
    )

    call = sent(facts)

    assert len(call.url) <= MAX_QUERY + 100
    query = query_of(call)
    assert query["useragent"] == "\xff" * 512
    assert query["getParams"] == "?a_aid=testaff&data2=" + "x" * 255


def test_visitors_browser_is_the_callers_too():
    call = sent(visit(user_agent="Mozilla/5.0 (X11)"))

    assert call.headers == (("User-Agent", "Mozilla/5.0 (X11)"),)


@pytest.mark.parametrize("user_agent", ["", "a\r\nHost: x", "\xfc", " "])
def test_user_agent_that_is_no_header_is_replaced_there(user_agent):
    call = sent(visit(user_agent=user_agent))

    assert call.headers == (("User-Agent", "Mozilla/5.0"),)


def test_unknown_address_of_a_visitor_is_never_ours_nor_anothers():
    first = query_of(sent(visit(ip=""), visitor_id="a" * 32))["ip"]
    second = query_of(sent(visit(ip=""), visitor_id="b" * 32))["ip"]

    assert first != second
    assert all(ip_address(ip).compressed.startswith("100::") for ip in (first, second))


def test_network_of_a_visitor_goes_as_its_first_address():
    call = sent(visit(ip="203.0.113.0/24"))

    assert query_of(call)["ip"] == "203.0.113.0"


def test_sale_is_one_object_in_the_body():
    call = sent(sale())

    assert sale_of(call) == [
        {
            "t": "49.90",
            "o": "INV-1001",
            "p": "pro-year",
            "cr": "EUR",
            "ts": "1772366400",
        }
    ]
    assert call.body.startswith(b"sale=%5B%7B%22t%22%3A%2249.90%22%2C")
    assert ("Content-Type", "application/x-www-form-urlencoded") in call.headers


def test_sale_alone_names_visitor_and_address_and_no_page():
    call = sent(sale())

    assert query_of(call) == {
        "visitorId": VISITOR,
        "accountId": "default1",
        "url": "",
        "referrer": "",
        "tracking": "1",
        "getParams": "",
        "anchor": "",
        "isInIframe": "false",
        "cookies": "",
        "ip": "203.0.113.7",
        "useragent": "Mozilla/5.0 (X11)",
    }


def test_sale_carries_the_click_that_did_not_arrive():
    click = visit(query="a_aid=testaff", fragment="a_bid=1", ip="203.0.113.9")

    query = query_of(sent(sale(click=click, ip="203.0.113.0")))

    assert query["getParams"] == "?a_aid=testaff"
    assert query["anchor"] == "a_bid=1"
    assert query["url"] == "S_shop.example/plans"
    assert query["ip"] == "203.0.113.9"


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        ("49.90", "49.90"),
        ("1000", "1000"),
        ("1E+3", "1000"),
        ("1.235", "1.24"),
        ("0.005", "0.01"),
        ("1234567.5", "1234567.5"),
    ],
)
def test_amount_has_a_point_and_two_decimals_at_most(amount, text):
    (action,) = sale_of(sent(sale(amount=Decimal(amount))))

    assert action["t"] == text


def test_sale_says_what_the_settings_ask_for():
    configured = settings(
        sale_status="P",
        send_currency=False,
        order_prefix="eu-",
        send_customer=True,
        keep_cookie=True,
    )

    (action,) = sale_of(sent(sale(coupon="SPRING"), configured))

    assert action == {
        "t": "49.90",
        "o": "eu-INV-1001",
        "p": "pro-year",
        "d1": "client-7",
        "s": "P",
        "cp": "SPRING",
        "ts": "1772366400",
        "dndc": "Y",
    }


def test_affiliate_is_forced_only_for_a_sale_without_visitor():
    (with_visitor,) = sale_of(sent(sale()))
    (without,) = sale_of(sent(sale(), visitor_id=""))

    assert "a" not in with_visitor
    assert without["a"] == "testaff"


def test_lead_names_its_action_and_no_amount():
    configured = settings(lead_action="signup", sale_status="P")

    assert sale_of(sent(lead(), configured)) == [
        {"ac": "signup", "o": "client-7", "ts": "1772366400"}
    ]


def test_quotes_and_separators_stay_inside_the_sale_and_half_a_character_does_not():
    product = 'a"&=+%\u2028'

    call = sent(sale(product_ref=f"{product}\ud800"))

    assert sale_of(call)[0]["p"] == f"{product}?"
    assert call.body.count(b"&") == 0
