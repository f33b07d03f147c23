from __future__ import annotations

import json
import re
from decimal import Decimal
from urllib.parse import urlencode

import pytest

from portal.demo.network.server import Simulator
from tests.simulator import FORM, OTHER_VISITOR, VISITOR, Caller, credited


def test_sale_is_kept_for_the_visitors_affiliate(
    simulator: Simulator, caller: Caller
) -> None:
    simulator.settings.clock = 1_700_000_000.0
    caller.click()

    sale = {"t": "9.00", "o": "INV-7", "p": "business", "cr": "EUR", "s": "A"}
    reply = caller.track(sale=[{**sale, "d1": "client-1", "cp": "SPRING"}])

    assert (reply.status, reply.body) == (200, b"")
    [one] = simulator.state.transactions
    assert re.fullmatch(r"[a-z0-9]{8}", one.transid)
    assert (one.type, one.status, one.orderid) == ("S", "A", "INV-7")
    assert (one.totalcost, one.currency) == (Decimal("9.00"), "EUR")
    assert (one.commission, one.userid) == (Decimal("0.90"), "11111111")
    assert (one.productid, one.data1, one.coupon) == ("business", "client-1", "SPRING")
    assert (one.visitorid, one.ip, one.at) == (VISITOR, "203.0.113.7", 1_700_000_000)


def test_click_in_the_sales_own_call_is_read_first(
    simulator: Simulator, caller: Caller
) -> None:
    caller.track(getParams="?a_aid=testaff", sale=[{"t": "1", "o": "INV-1"}])

    assert len(simulator.state.clicks) == 1
    assert credited(simulator) == [("INV-1", "testaff")]


def test_sale_may_come_in_the_query_and_the_body_wins(
    simulator: Simulator, caller: Caller
) -> None:
    query = json.dumps([{"o": "in the query", "a": "testaff"}])
    target = f"/scripts/track.php?{urlencode({'visitorId': VISITOR, 'sale': query})}"

    caller.call("GET", target)
    body = urlencode({"sale": json.dumps([{"o": "in the body", "a": "testaff"}])})
    caller.call("POST", target, body=body, headers={"Content-Type": FORM})

    assert credited(simulator) == [
        ("in the query", "testaff"),
        ("in the body", "testaff"),
    ]


def test_body_of_another_type_is_not_read(simulator: Simulator, caller: Caller) -> None:
    caller.track(
        sale=[{"o": "INV-1", "a": "testaff"}], headers={"Content-Type": "text/plain"}
    )

    assert simulator.state.transactions == []


@pytest.mark.parametrize("sale", ["{}", "[1]", "no json", '{"o": "INV-1"}'])
def test_what_is_no_list_of_sales_is_dropped_without_a_word(
    simulator: Simulator, caller: Caller, sale: str
) -> None:
    reply = caller.track(sale=sale, getParams="?a_aid=testaff")

    assert (reply.status, reply.body) == (200, b"")
    assert simulator.state.transactions == []
    assert [one.text for one in simulator.state.events] == ["Invalid action format"]


def test_several_sales_in_one_call(simulator: Simulator, caller: Caller) -> None:
    caller.track(sale=[{"o": "A", "a": "testaff"}, {"o": "B", "a": "otheraff"}])

    assert credited(simulator) == [("A", "testaff"), ("B", "otheraff")]


@pytest.mark.parametrize(
    ("forced", "clicked", "ip_fallback", "default", "winner"),
    [
        ("otheraff", True, True, "33333333", "otheraff"),
        ("22222222", False, False, "", "otheraff"),
        ("nobody", True, False, "", "testaff"),
        ("", True, False, "otheraff", "testaff"),
        ("", False, True, "otheraff", "testaff"),
        ("", False, False, "otheraff", "otheraff"),
        ("", False, False, "", None),
    ],
)
def test_forced_then_visitor_then_address_then_default(
    simulator: Simulator,
    caller: Caller,
    forced: str,
    clicked: bool,
    ip_fallback: bool,
    default: str,
    winner: str | None,
) -> None:
    simulator.settings.change(
        {"ip_fallback": ip_fallback, "default_affiliate": default}
    )
    caller.click(visitorId=VISITOR if clicked else OTHER_VISITOR)

    caller.sell(a=forced)

    assert credited(simulator) == ([("INV-1", winner)] if winner else [])


def test_click_that_is_over_is_credited_no_more(
    simulator: Simulator, caller: Caller
) -> None:
    simulator.settings.change({"cookie_lifetime_s": 60, "clock": 1_000.0})
    caller.click()
    simulator.settings.clock = 1_060.0

    caller.sell()

    assert simulator.state.transactions == []


@pytest.mark.parametrize(
    ("sale", "reason"),
    [
        ({"cr": "XXX"}, "Unknown currency XXX, not saved: INV-1"),
        ({"ac": "trial"}, "Unknown action code trial, not saved: INV-1"),
        ({"a": ""}, "Nobody referred the sale: INV-1"),
    ],
)
def test_unusable_sale_is_dropped_without_a_word(
    simulator: Simulator, caller: Caller, sale: dict[str, str], reason: str
) -> None:
    reply = caller.sell(**{"a": "testaff", **sale})

    assert (reply.status, reply.body) == (200, b"")
    assert simulator.state.transactions == []
    assert [one.text for one in simulator.state.events] == [reason]


def test_lead_has_an_action_code(simulator: Simulator, caller: Caller) -> None:
    caller.track(sale=[{"ac": "signup", "o": "client-1", "a": "testaff"}])

    [one] = simulator.state.transactions
    assert (one.type, one.action, one.commission) == ("A", "signup", Decimal("5.00"))


@pytest.mark.parametrize(
    ("given", "default", "kept"),
    [
        ("A", "P", "A"),
        ("D", "A", "D"),
        ("P", "A", "P"),
        ("X", "P", "P"),
        ("", "A", "A"),
    ],
)
def test_status_is_as_sent_or_the_default(
    simulator: Simulator, caller: Caller, given: str, default: str, kept: str
) -> None:
    simulator.settings.default_status = default

    caller.sell(a="testaff", s=given)

    assert simulator.state.transactions[0].status == kept


@pytest.mark.parametrize(
    ("custom", "commission"),
    [("", "1.00"), ("3", "3.00"), ("%20", "2.00"), ("25%;1", "2.50")],
)
def test_commission_may_be_named(
    simulator: Simulator, caller: Caller, custom: str, commission: str
) -> None:
    caller.sell(a="testaff", cc=custom)

    assert simulator.state.transactions[0].commission == Decimal(commission)


def test_time_of_the_sale_may_be_named(simulator: Simulator, caller: Caller) -> None:
    caller.sell(a="testaff", ts="1700000000")

    assert simulator.state.transactions[0].at == 1_700_000_000


@pytest.mark.parametrize(
    ("rule", "statuses"),
    [("off", ["A", "A"]), ("decline", ["A", "D"]), ("drop", ["A"])],
)
def test_repeated_order_follows_the_rule(
    simulator: Simulator, caller: Caller, rule: str, statuses: list[str]
) -> None:
    simulator.settings.dup_order = rule

    for _ in range(2):
        caller.sell(a="testaff", s="A")

    assert [one.status for one in simulator.state.transactions] == statuses


def test_order_is_repeated_within_hours_and_of_one_type_only(
    simulator: Simulator, caller: Caller
) -> None:
    simulator.settings.change(
        {"dup_order": "drop", "dup_order_hours": 1, "clock": 10_000.0}
    )
    caller.sell(a="testaff")
    caller.sell(a="testaff", ac="signup")
    simulator.settings.clock = 13_600.0
    caller.sell(a="testaff")
    caller.sell("", a="testaff")
    caller.sell("", a="testaff")

    kinds = [(one.orderid, one.type) for one in simulator.state.transactions]
    assert kinds == [
        ("INV-1", "S"),
        ("INV-1", "A"),
        ("INV-1", "S"),
        ("", "S"),
        ("", "S"),
    ]


@pytest.mark.parametrize(("keep", "second"), [("Y", 2), ("", 1)])
def test_cookie_may_be_deleted_after_the_sale(
    simulator: Simulator, caller: Caller, keep: str, second: int
) -> None:
    simulator.settings.delete_cookie = True
    caller.click()

    caller.sell("A", dndc=keep)
    caller.sell("B")

    assert len(simulator.state.transactions) == second


def test_offline_install_processes_later(simulator: Simulator, caller: Caller) -> None:
    simulator.settings.mode = "offline"
    caller.click()
    caller.sell()
    assert (simulator.state.clicks, simulator.state.transactions) == ([], [])

    assert caller.control("cron").json() == {"processed": 2}

    assert credited(simulator) == [("INV-1", "testaff")]
