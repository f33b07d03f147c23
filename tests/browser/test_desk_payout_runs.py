"""The payouts of a month: drafted by one, approved by another, answered by the bank and
PayPal with failures among them, in a real Chromium.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from tests.browser.conftest import logged_in
from tests.browser.demo_server import DemoServer
from tests.browser.payout_files import (
    Line,
    bank_reports,
    bank_says,
    minor_of,
    paypal_says,
    sum_of,
)
from tests.browser.payout_rows import NET, REGULARS, Prepared, fill_beside
from tests.browser.payout_steps import (
    LOOKED_AT,
    answer,
    approve,
    download_files,
    draft,
    saved_list,
    upload,
)
from tests.browser.staff import Staff
from tests.lengths import times

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = [pytest.mark.browser, pytest.mark.long]
COUNT = times(40, long=500)
# A page may write hundreds of payouts, beside whatever else the machine does.
PATIENCE_MS = 180_000
EARNED = NET // 10
LEFT_OUT = {
    "Below the minimum": "€9.90",
    "No destination": "€70.00",
    "Not active": "€70.00",
    "Destination changed recently": "€70.00",
    "The brand does not pay that way": "€70.00",
    "The destination takes another currency": "$70.00",
    "Held": "€60.00",
    "Negative balance": "-€70.00",
    "A payout is under way": "€70.00",
}
# All that a payout writes.
TABLES = (
    "accountbalance",
    "ledgerposting",
    "payout",
    "payout_runs_payoutanswer",
    "payout_runs_payoutanswerline",
    "payoutevent",
    "payout_runs_payoutrun",
    "payout_runs_payoutrunline",
    "payoutstatement",
)


@pytest.fixture(scope="module")
def server(desk_server: DemoServer) -> DemoServer:
    return desk_server


@pytest.fixture(scope="module")
def prepared(server: DemoServer) -> Prepared:
    return fill_beside(server, COUNT)


@pytest.fixture
def clerk(server: DemoServer, admin_page: Page) -> Staff:
    return _staff(server, admin_page)


@pytest.fixture
def second(browser: Browser, server: DemoServer, prepared: Prepared) -> Iterator[Staff]:
    with logged_in(browser, server, prepared.second) as page:
        yield _staff(server, page)


def _staff(server: DemoServer, page: Page) -> Staff:
    page.set_default_timeout(PATIENCE_MS)
    return Staff(page, f"{server.demo['api_base']}/admin/", "payouts")


def test_run_is_drafted_approved_paid_and_answered(
    server: DemoServer, prepared: Prepared, clerk: Staff, second: Staff
) -> None:
    see_the_way(clerk)
    run = draft(server, clerk, prepared.brand)
    look_through(clerk, prepared, run)
    refuse_first(clerk, run)
    approve(second, run)
    bank, paypal = download_files(second, run)
    assert len(bank) + len(paypal) == COUNT
    answer(server, clerk, prepared.brand, "report.xml", bank_reports(bank))
    answer(server, clerk, prepared.brand, LOOKED_AT, bank_says(bank, paypal))
    clerk.look("answer", is_plain=True)
    answer(server, clerk, prepared.brand, "paypal.json", paypal_says(paypal))

    see_what_became(server, clerk, run, bank, paypal)
    same_again_changes_nothing(server, clerk, prepared.brand, bank_says(bank, paypal))
    see_statements(server, clerk, prepared.brand, bank[2])
    pay_again(server, clerk, prepared.brand, [*bank[:3], paypal[0]])

    clerk.looks.require_none()
    second.looks.require_none()
    brand = f"--brand={prepared.brand}"
    told = server.console.run("verify_ledger", "--deep", brand)
    assert told.endswith("Everything agrees.\n")


def see_the_way(clerk: Staff) -> None:
    clerk.open("affiliates_payout_runs/payoutrun/")
    clerk.look("runs", is_plain=True)
    clerk.follow("Make a run")
    clerk.look("make", is_plain=True)
    clerk.open("affiliates_payout_runs/payoutanswer/")
    clerk.follow("Read a file")
    clerk.look("read-a-file", is_plain=True)


def look_through(clerk: Staff, prepared: Prepared, run: int) -> None:
    """Each amount, each reason, and what is other than in the last run."""
    expected = {f"regular-{n}": EARNED + 10_000 * n for n in range(REGULARS)}
    expected |= {f"partner-{n:03}": EARNED + 10 * n for n in range(COUNT - REGULARS)}
    sums = clerk.table("Method")
    left_out = {why: (count, total) for why, _, count, total in clerk.table("Why")}
    changes = {code: amounts for code, *amounts in clerk.table("Last run")}
    # All but one regular, and two who are not in it any more.
    clerk.sees(f"{COUNT + 1} differ from")
    clerk.look("draft")
    clerk.page.get_by_role("link", name=sums[0][2], exact=True).first.click()
    clerk.sees("Everybody whom a run looked at")
    clerk.open(f"affiliates_payout_runs/payoutrunline/?run__id__exact={run}")
    clerk.look("lines")
    rows = saved_list(clerk)

    assert [one[0] for one in sums] == ["Bank transfer (SEPA)", "PayPal"]
    assert sum(int(one[2]) for one in sums) == COUNT
    total = sum(int(re.sub(r"\D", "", one[3])) for one in sums)
    assert total == sum(expected.values())
    assert left_out == {why: ("1", amount) for why, amount in LEFT_OUT.items()}
    assert changes["regular-3"] == ["€70.00", "€370.00"]
    assert "regular-0" not in changes
    assert len(rows) == COUNT + len(LEFT_OUT)
    why_paid = ("Paid by schedule", "Asked for by the affiliate")
    amounts = {
        one["Affiliate"]: minor_of(one["Amount"])
        for one in rows
        if one["Why"] in why_paid
    }
    assert amounts == expected
    assert [one["Why"] for one in rows].count(why_paid[1]) == 1
    assert {one["Why"] for one in rows} == {*LEFT_OUT, *why_paid}


def refuse_first(clerk: Staff, run: int) -> None:
    clerk.open(f"affiliates_payout_runs/payoutrun/{run}/change/")
    clerk.sees("You prepared it, so a second person has to approve it.")
    assert clerk.page.get_by_role("link", name="Approve…", exact=True).count() == 0


def see_what_became(
    server: DemoServer, clerk: Staff, run: int, bank: list[Line], paypal: list[Line]
) -> None:
    expected = dict.fromkeys((one.number for one in bank + paypal), "paid")
    expected |= {bank[0].number: "rejected", bank[1].number: "rejected"}
    expected |= {bank[2].number: "returned", paypal[0].number: "rejected"}
    expected |= dict.fromkeys(
        (bank[3].number, bank[4].number, paypal[1].number), "exported"
    )
    clerk.open(f"affiliates_payout_runs/payoutrun/{run}/change/")
    clerk.sees(f"Now: 3 being paid ({sum_of([bank[3], bank[4], paypal[1]])})")
    clerk.sees(f"{COUNT - 7} paid")
    clerk.sees(f"3 rejected ({sum_of([*bank[:2], paypal[0]])}), 1 returned")
    clerk.look("answered", is_plain=True)
    clerk.open(
        f"affiliates_payout_runs/payoutrunline/?run__id__exact={run}&payout__status__exact=rejected"
    )
    assert {row[-1] for row in clerk.table("Affiliate")} == {"Rejected"}
    clerk.open("affiliates_payout_runs/payoutanswerline/")
    clerk.look("answer-lines", is_plain=True)
    clerk.open(f"affiliates/payout/{bank[1].number}/change/")
    clerk.sees("AC04 Account closed")
    clerk.look("payout", is_plain=True)

    rows = server.query(
        "SELECT payout_id, status FROM affiliates_payout_runs_payoutrunline AS line"
        " JOIN affiliates_payout AS payout ON payout.id = payout_id WHERE run_id = ?",
        str(run),
    )
    assert dict(rows) == expected


def same_again_changes_nothing(
    server: DemoServer, clerk: Staff, brand: int, content: bytes
) -> None:
    before = _rows(server)
    upload(clerk, brand, "the-same.xml", content)

    clerk.sees("What it did")
    assert clerk.page.get_by_role("link", name="Apply", exact=True).count() == 0
    assert _rows(server) == before


def see_statements(server: DemoServer, clerk: Staff, brand: int, back: Line) -> None:
    """Numbers without gaps, and a credit note for what came back."""
    clerk.open("affiliates/payoutstatement/")
    clerk.look("statements", is_plain=True)
    clerk.open(f"affiliates/payoutstatement/?payout__id__exact={back.number}")
    names = [row[0] for row in clerk.table("Number in full")]
    for name, kind in zip(names, ("credit-note", "statement"), strict=True):
        clerk.open(f"affiliates/payoutstatement/?q={name}")
        clerk.follow(name)
        clerk.sees("Self-billing. Reverse charge.")
        clerk.look(kind, is_plain=kind == "credit-note")

    rows = server.query(
        "SELECT name FROM affiliates_payoutstatement WHERE brand_id = ?", str(brand)
    )
    numbers = sorted(int(name.removeprefix("SB-")) for (name,) in rows)
    # Five of the last run; of this one what was paid, and one that came back.
    assert numbers == list(range(1, 5 + (COUNT - 6) + 1 + 1))


def pay_again(server: DemoServer, clerk: Staff, brand: int, again: list[Line]) -> None:
    """The next run pays whom the bank and PayPal did not, and nobody else."""
    run = draft(server, clerk, brand)

    rows = server.query(
        "SELECT before.payout_id, line.amount FROM affiliates_payout_runs_payoutrunline AS line"
        " JOIN affiliates_payout_runs_payoutrunline AS before"
        " ON before.affiliate_id = line.affiliate_id AND before.run_id = line.run_id - 1"
        " WHERE line.run_id = ? AND line.payout_id IS NOT NULL",
        str(run),
    )
    assert sorted(rows) == sorted((one.number, one.minor) for one in again)


def _rows(server: DemoServer) -> list[object]:
    return [
        server.query(f"SELECT * FROM affiliates_{table} ORDER BY id")  # noqa: S608 - our own names
        for table in TABLES
    ]
