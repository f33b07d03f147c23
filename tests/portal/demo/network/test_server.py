from __future__ import annotations

import http.client
import re
import socket
import subprocess
import sys
from typing import Any
from urllib.parse import urlsplit

import pytest

from portal.demo.network.options import Affiliate, Options
from portal.demo.network.server import Simulator
from tests.simulator import FORM, VECTOR, VISITOR, Caller, credited


def test_raw_requests_are_logged_and_the_log_is_bounded(
    simulator: Simulator, caller: Caller
) -> None:
    simulator.settings.log_limit = 2
    for order in ("A", "B", "C"):
        caller.sell(order)

    rows = caller.call("GET", "/__sim/log").json()

    assert len(rows) == 2
    assert (rows[-1]["method"], rows[-1]["body"][:5]) == ("POST", "sale=")
    assert rows[-1]["target"].startswith(f"/scripts/track.php?visitorId={VISITOR}")
    assert ["Content-Type", FORM] in rows[-1]["headers"]


def test_rows_are_shown_and_chosen(caller: Caller) -> None:
    caller.click()
    caller.sell("INV-1")
    caller.sell("INV-2")

    def shown(name: str) -> list[Any]:
        rows: list[Any] = caller.call("GET", f"/__sim/{name}").json()
        return rows

    assert [one["orderid"] for one in shown("transactions")] == ["INV-1", "INV-2"]
    assert len(shown("transactions?orderid=INV-2&status=P")) == 1
    assert [one["refid"] for one in shown("clicks")] == ["testaff"]
    assert [one["visitorid"] for one in shown("visitors")] == [VISITOR]
    assert shown("events") == []
    assert caller.call("GET", "/__sim/nothing").status == 404


def test_settings_are_changed_all_or_nothing(
    simulator: Simulator, caller: Caller
) -> None:
    affiliates = [{"userid": "aaaaaaaa", "refid": "ada"}]
    assert caller.control("settings", affiliates=affiliates).status == 200
    assert simulator.settings.affiliates == [Affiliate(userid="aaaaaaaa", refid="ada")]

    for wrong in ({"nothing": 1}, {"mode": "x"}, {"overwrite": "Y"}, {"accounts": "x"}):
        assert caller.control("settings", iframe_ban=True, **wrong).status == 400

    assert simulator.settings.iframe_ban is False
    assert caller.call("GET", "/__sim/settings").json()["affiliate_name"] == "a_aid"


def test_faults_are_set_and_cleared_from_outside(caller: Caller) -> None:
    assert caller.control("fault", status=503, times=None).status == 200
    assert caller.call("GET", "/__sim/faults").json()[0]["status"] == 503
    assert caller.click().status == 503

    caller.control("clear_faults")

    assert caller.click().status == 200


def test_reset_forgets_what_was_told_and_keeps_settings(
    simulator: Simulator, caller: Caller
) -> None:
    simulator.settings.username = "other"
    caller.click()
    caller.sell()
    simulator.fault(status=500, times=None)

    caller.control("reset")

    state = simulator.state
    assert (state.clicks, state.transactions, state.visitors) == ([], [], {})
    assert len(state.log) == 0
    assert simulator.settings.username == "other"
    assert caller.click().status == 200


def test_other_addresses_are_not_there(caller: Caller) -> None:
    assert caller.call("GET", "/scripts/other.php").status == 404
    assert caller.call("GET", "/affiliate/scripts/track.php").status == 404


def test_connection_is_kept_for_the_next_call(simulator: Simulator) -> None:
    place = urlsplit(simulator.address).netloc
    connection = http.client.HTTPConnection(place, timeout=10)
    connection.connect()
    held = connection.sock
    for _ in range(3):
        connection.request("POST", VECTOR)
        assert connection.getresponse().read() == b""
    assert connection.sock is held
    connection.close()

    assert len(simulator.state.clicks) == 3


def test_stopped_simulator_refuses_and_comes_back_with_its_memory(
    simulator: Simulator, caller: Caller
) -> None:
    caller.click()
    address = simulator.address
    simulator.stop()
    with pytest.raises(ConnectionRefusedError):
        caller.click()

    simulator.start()

    assert simulator.address == address
    caller.sell()
    assert credited(simulator) == [("INV-1", "testaff")]


def test_stopping_breaks_open_connections(simulator: Simulator) -> None:
    parts = urlsplit(simulator.address)
    with socket.create_connection((parts.hostname, parts.port), timeout=10) as held:
        held.sendall(b"GET /__sim/counts HTTP/1.1\r\nHost: x\r\n\r\n")
        assert held.recv(4096).startswith(b"HTTP/1.1 200 OK\r\n")

        simulator.stop()

        assert held.recv(4096) == b""


def test_two_simulators_share_nothing() -> None:
    with Simulator() as first, Simulator(options=Options(mode="offline")) as second:
        Caller(first).click()

        assert first.address != second.address
        assert (len(first.state.clicks), len(second.state.clicks)) == (1, 0)
        assert first.settings.mode == "online"


def test_page_shows_what_arrived_and_escapes_it(caller: Caller) -> None:
    assert "No sale has arrived." in caller.call("GET", "/").text
    caller.click(url="S_shop.example/<script>alert(1)</script>")
    caller.sell("<INV-1>")

    page = caller.call("GET", "/").text

    assert "&lt;INV-1&gt;" in page
    assert "https://shop.example/&lt;script&gt;" in page
    assert "<script>alert" not in page
    assert VISITOR in page
    assert "10.00 EUR" in page


def test_runs_as_a_program_without_django() -> None:
    check = "import sys, portal.demo.network.__main__; print('django' in sys.modules)"
    command = [sys.executable, "-c", check]
    done = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - our own command
    assert done.stdout == "False\n"

    program = [sys.executable, "-m", "portal.demo.network", "--port", "0"]
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own command
        assert process.stdout is not None
        line = process.stdout.readline()
        process.terminate()
        assert process.wait(10) == 0
    assert re.fullmatch(r"Serving on http://127\.0\.0\.1:\d+\n", line)
