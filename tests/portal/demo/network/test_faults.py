from __future__ import annotations

import time
from typing import Any

import pytest

from portal.demo.network.faults import WrongFault
from portal.demo.network.server import Simulator
from tests.simulator import VECTOR, Caller


@pytest.mark.parametrize(
    ("fault", "status", "header", "text"),
    [
        ({"status": 503}, 503, None, ""),
        ({"status": 420, "body": "later"}, 420, None, "later"),
        ({"retry_after": 7}, 429, ("Retry-After", "7"), ""),
        ({"retry_after": 7, "status": 503}, 503, ("Retry-After", "7"), ""),
        ({"html_page": True}, 200, ("Content-Type", "text/html"), "<!DOCTYPE html>"),
        ({"redirect_to": "http://x/"}, 302, ("Location", "http://x/"), ""),
        (
            {"redirect_to": "http://x/", "status": 301},
            301,
            ("Location", "http://x/"),
            "",
        ),
        ({"body": "//err\n"}, 200, None, "//err"),
    ],
)
def test_answer_is_replaced_and_nothing_processed(
    simulator: Simulator,
    caller: Caller,
    fault: dict[str, Any],
    status: int,
    header: tuple[str, str] | None,
    text: str,
) -> None:
    simulator.fault(**fault)

    reply = caller.click()

    assert reply.status == status
    assert reply.text.startswith(text)
    assert header is None or reply.headers[header[0]] == header[1]
    assert simulator.state.clicks == []
    assert caller.click().status == 200
    assert len(simulator.state.clicks) == 1


def test_answer_may_be_replaced_after_processing(
    simulator: Simulator, caller: Caller
) -> None:
    simulator.fault(status=500, process=True)

    assert caller.sell(a="testaff").status == 500

    assert len(simulator.state.transactions) == 1


@pytest.mark.parametrize(
    ("fault", "processed"), [("close_before", 0), ("close_after_processing", 1)]
)
def test_connection_is_reset_before_or_after_processing(
    simulator: Simulator, caller: Caller, fault: str, processed: int
) -> None:
    simulator.fault(**{fault: True})

    with pytest.raises(ConnectionError):
        caller.sell(a="testaff")

    assert len(simulator.state.transactions) == processed
    assert len(simulator.state.log) == 1


def test_slow_answer_is_processed_though_nobody_waits_for_it(
    simulator: Simulator, caller: Caller
) -> None:
    simulator.fault(delay_s=1.0)

    with pytest.raises(TimeoutError):
        caller.call("POST", VECTOR, timeout=0.05)

    assert simulator.state.clicks == []
    deadline = time.monotonic() + 60
    while not simulator.state.clicks and time.monotonic() < deadline:
        time.sleep(0.01)
    assert len(simulator.state.clicks) == 1


def test_dripping_answer_arrives_byte_by_byte(
    simulator: Simulator, caller: Caller
) -> None:
    simulator.fault(drip=True, drip_interval_s=0.002)
    started = time.monotonic()

    reply = caller.click()

    assert reply.status == 200
    assert time.monotonic() - started > 0.002 * 100


def test_faults_are_used_up_in_order_and_standing_ones_are_not(
    simulator: Simulator, caller: Caller
) -> None:
    simulator.fault(status=503, times=None)
    simulator.fault(status=500, times=2)
    simulator.fault(status=504)

    seen = [caller.click().status for _ in range(5)]
    simulator.clear_faults()

    assert seen == [500, 500, 504, 503, 503]
    assert caller.click().status == 200


@pytest.mark.parametrize(
    ("on", "statuses"),
    [("click", [503, 200, 200]), ("sale", [200, 503, 200]), ("rpc", [200, 200, 503])],
)
def test_fault_meets_the_calls_it_names(
    simulator: Simulator, caller: Caller, on: str, statuses: list[int]
) -> None:
    simulator.fault(on=on, status=503, times=None)

    seen = [
        caller.click().status,
        caller.sell().status,
        caller.call("POST", "/scripts/server.php").status,
    ]

    assert seen == statuses


@pytest.mark.parametrize(
    "fault",
    [{"status": 99}, {"times": 0}, {"on": "nothing"}, {"delay_s": "1"}, {"drip": 1}],
)
def test_fault_that_makes_no_sense_is_refused(
    simulator: Simulator, caller: Caller, fault: dict[str, Any]
) -> None:
    with pytest.raises(WrongFault):
        simulator.fault(**fault)

    assert caller.control("fault", **fault).status == 400
    assert caller.click().status == 200


def test_large_and_unreadable_bodies(simulator: Simulator, caller: Caller) -> None:
    simulator.fault(body=b"\xff" * 10_000_000)

    assert caller.click().body == b"\xff" * 10_000_000
