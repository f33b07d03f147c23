"""Every queue of the desk, worked through by an operator in a real Chromium."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import pytest

from tests.browser.conftest import logged_in
from tests.browser.demo_server import DemoServer
from tests.browser.desk_pages import Looks
from tests.browser.rows import fill_beside

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser
REASON = "Checked by hand"


class Work(NamedTuple):
    """What an operator does to the one row of a queue.

    ``action`` is a button of the row's page, or one of the list where ``is_bulk``; ``field``
    is where the reason goes, ``button`` what does it. Where nothing is asked first, neither.
    """

    queue: str
    action: str
    said: str
    field: str = ""
    button: str = ""
    is_bulk: bool = False


# Nothing that is done here puts a row into another queue.
WORK = [
    Work(
        "Affiliates to approve",
        "Approve…",
        "1 changed to active.",
        button="Approve",
        is_bulk=True,
    ),
    Work("Fraud reviews", "Reject", "Reviews rejected: 1.", "note", "Reject"),
    Work(
        "Claims of missing sales",
        "Decline",
        "The claim is declined.",
        "answer",
        "Decline",
    ),
    Work("Commissions to approve", "Approve…", "approved", "reason", "Approve"),
    Work("Held commissions", "Reject…", "rejected", "reason", "Reject"),
    Work(
        "Payouts to approve",
        "Reject…",
        "rejected; the money is payable again",
        "reason",
        "Reject",
    ),
    Work("Payout runs to approve", "Discard…", "is discarded.", "reason", "Discard"),
    Work(
        "Payouts to pay",
        "Confirm payment…",
        "confirmed as paid",
        "reference",
        "It is paid",
        is_bulk=True,
    ),
    Work(
        "Deliveries that need a person",
        "It arrived",
        "Marked as delivered.",
        button="Yes, it arrived",
    ),
    Work(
        "E-mails that did not arrive",
        "Send again",
        "Queued to be sent again: 1.",
        button="Send again",
    ),
]


@pytest.fixture(scope="module")
def server(desk_server: DemoServer) -> DemoServer:
    return desk_server


@pytest.fixture(scope="module")
def first_page(server: DemoServer) -> str:
    brand = fill_beside(server, "queue_rows")
    return f"{server.demo['api_base']}/admin/?brand={brand}"


@pytest.fixture(scope="module")
def staff_page(browser: Browser, server: DemoServer) -> Iterator[Page]:
    with logged_in(browser, server) as page:
        yield page


@pytest.mark.parametrize("work", WORK, ids=lambda work: work.queue)
def test_a_queue_is_worked_through(
    work: Work, first_page: str, staff_page: Page
) -> None:
    looks = Looks(staff_page)
    staff_page.goto(first_page)
    queue = staff_page.locator(".affiliates-queues a", has_text=work.queue)
    assert queue.locator(".affiliates-count").inner_text() == "1"
    queue.click()
    staff_page.locator("#result_list").wait_for()
    assert staff_page.locator("#result_list tbody tr").count() == 1

    begin(staff_page, work, looks)
    if work.button:
        # The page that asks is looked at, and not the one that is being left.
        staff_page.get_by_role("button", name=work.button, exact=True).wait_for()
        looks.at(f"decision-{work.queue}")
        decide(staff_page, work)
    staff_page.get_by_text(work.said).first.wait_for()

    staff_page.goto(first_page)
    staff_page.locator(".affiliates-desk").wait_for()
    assert queue.count() == 0
    looks.require_none()


def begin(page: Page, work: Work, looks: Looks) -> None:
    if work.is_bulk:
        page.locator("input.action-select").check()
        page.locator("select[name=action]").select_option(label=work.action)
        looks.at(f"queue-{work.queue}")
        page.get_by_role("button", name="Run", exact=True).click()
    else:
        looks.at(f"queue-{work.queue}")
        page.locator("#result_list tbody th a").click()
        page.get_by_role("link", name=work.action, exact=True).wait_for()
        looks.at(f"row-{work.queue}")
        page.get_by_role("link", name=work.action, exact=True).click()


def decide(page: Page, work: Work) -> None:
    if work.field:
        page.locator(f"[name={work.field}]").fill(REASON)
    page.get_by_role("button", name=work.button, exact=True).click()
