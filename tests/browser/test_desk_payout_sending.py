"""A run of twenty, approved by the second of two persons, arrives by itself."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import logged_in, visiting
from tests.browser.demo_server import DemoServer, serve_demo
from tests.browser.payout_steps import approve, draft
from tests.browser.rows import fill_beside
from tests.browser.staff import Staff
from tests.factories.portal import PASSWORD

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.long]
COUNT = 20
PATIENCE_S = 120
MONTH_S = 31 * 86_400
STATUSES = (
    "SELECT code, payout.status FROM affiliates_payout AS payout"
    " JOIN affiliates_affiliate AS affiliate ON affiliate.id = affiliate_id"
)


@pytest.fixture(scope="module")
def server(
    chromium: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[DemoServer]:
    folder = tmp_path_factory.mktemp("sending")
    with serve_demo(folder, background="affiliates_worker") as server:
        yield server


@pytest.fixture(scope="module")
def second_email(server: DemoServer) -> str:
    return fill_beside(server, "payout_sending_rows", server.demo["brand_id"], COUNT)


def staff(server: DemoServer, page: Page) -> Staff:
    return Staff(page, f"{server.demo['api_base']}/admin/", "sending")


def test_a_run_arrives_in_the_affiliates_page(
    browser: Browser, server: DemoServer, second_email: str
) -> None:
    second_login = {"email": second_email, "password": PASSWORD}
    with (
        logged_in(browser, server) as clerk_page,
        logged_in(browser, server, second_login) as second_page,
        visiting(browser, "en-GB", server) as affiliate_page,
    ):
        clerk, second = staff(server, clerk_page), staff(server, second_page)
        run = draft(server, clerk, server.demo["brand_id"])
        approve(second, run)

        expected = {
            "unclaimed": "exported",
            "failed": "rejected",
            "returned": "exported",
        }
        await_statuses(server, expected)
        see_the_batch(second, run)
        see_the_payout(server, affiliate_page)

        # A month later, unclaimed money has come back.
        server.network.settings.change({"clock": time.time() + MONTH_S})
        second.follow("Ask the provider now")
        second.confirm("Ask now")
        await_statuses(server, dict.fromkeys(expected, "rejected"))
    told = server.console.run("verify_ledger", "--deep")
    assert told.endswith("Everything agrees.\n")


def await_statuses(server: DemoServer, expected: dict[str, str]) -> None:
    """All others are paid."""
    until = time.monotonic() + PATIENCE_S
    while True:
        found = dict(server.query(STATUSES))
        others = {code: found[code] for code in found.keys() - expected.keys()}
        if set(others.values()) == {"paid"} and expected.items() <= found.items():
            break
        assert time.monotonic() < until, Counter(found.values())
        time.sleep(0.5)
    assert len(found) == COUNT


def see_the_batch(second: Staff, run: int) -> None:
    second.open(f"affiliates_payout_runs/payoutrun/{run}/change/")
    second.sees("17 paid")
    second.look("run")
    second.page.get_by_role("link", name="Batch ").first.click()
    second.sees("PayPal: UNCLAIMED. Receiver is unregistered")
    second.sees("Sent, and not wholly decided")
    second.look("batch")


def see_the_payout(server: DemoServer, page: Page) -> None:
    page.goto(f"{server.origin}/affiliate/payouts")
    page.get_by_text("Paid", exact=True).first.wait_for()
