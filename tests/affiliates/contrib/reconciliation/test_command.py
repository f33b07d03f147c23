"""``manage.py reconcile_sales``: what it prints, writes and ends with."""

from __future__ import annotations

import csv
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.utils import timezone

from affiliates.contrib.reconciliation.report import CSV_HEADER
from tests.factories.affiliates import BrandFactory

DAYS = ("--from=2026-03-01", "--to=2026-03-01")


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def run(*arguments: str, errors: StringIO | None = None) -> tuple[int, str]:
    """The status it ends with, and what it printed."""
    out = StringIO()
    try:
        call_command(
            "reconcile_sales", *arguments, stdout=out, stderr=errors or StringIO()
        )
    except SystemExit as end:
        return int(str(end.code)), out.getvalue()
    except CommandError as error:
        return error.returncode, f"{out.getvalue()}{error}"
    return 0, out.getvalue()


def test_orders_that_agree_are_only_counted(shop):
    shop.sell()

    status, text = run(*DAYS)

    assert status == 0
    assert text == (
        f"{shop.brand} (Post Affiliate Pro), 2026-03-01 to 2026-03-01\n"
        "1 order, 0 differences.\n"
        "  Agrees, names unclear         1\n"
        "                               Paid net       Delivered      Held there\n"
        "  EUR                            100.00          100.00          100.00\n"
    )


def test_a_difference_is_printed_with_its_reason_and_is_the_status(shop, caller):
    shop.sell()
    twice = shop.sell()
    caller.sell(twice.invoice_ref, t="100.00")

    status, text = run(*DAYS)

    assert status == 1
    lines = text.splitlines()
    assert lines[1].split() == [
        "Verdict",
        "Order",
        "Paid",
        "net",
        "Delivered",
        "Held",
        "there",
    ]
    assert lines[2].startswith("Held twice            order-2 ")
    assert lines[2].endswith("        €100.00         €100.00 €100.00 + €100.00")
    assert lines[3].startswith(
        "    Invoice invoice-2. Credited through the tracking integration: testaff. The "
        "provider holds the order 2 times: "
    )
    assert "order-1" not in text
    assert lines[4] == "2 orders, 1 difference."
    assert "  Held twice                    1  difference" in lines


def test_all_prints_every_order(shop):
    shop.sell()
    shop.order()

    status, text = run(*DAYS, "--all")

    assert status == 0
    assert "Agrees, names unclear order-1 " in text
    assert "Not paid              order-2 " in text


def test_the_last_thirty_days_of_every_active_integration_are_the_default(shop):
    shop.order(converted_at=timezone.now())
    shop.order(converted_at=timezone.now() - timedelta(days=31))

    _, text = run("--all")

    assert "order-1" in text
    assert "order-2" not in text


def test_an_integration_that_is_off_is_compared_when_its_brand_is_named(shop):
    shop.sell()
    shop.integration.is_active = False
    shop.integration.save()

    assert run(*DAYS)[0] == 2
    assert run(*DAYS, f"--brand={shop.brand.name}")[0] == 0
    assert run(*DAYS, f"--brand={shop.brand.pk}")[0] == 0


def test_orders_that_nobody_could_be_asked_for_are_no_success(shop, simulator):
    shop.sell()
    simulator.fault(on="rpc", times=None, status=503)

    status, text = run(*DAYS)

    assert status == 2
    assert text.endswith(
        "The provider was not asked for 1 of the orders, so nothing can be said of them: "
        "--all says why."
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--from=yesterday"], "--from must be a day such as 2026-03-01."),
        (["--to=2026-02-30"], "--to must be a day such as 2026-03-01."),
        (["--to=0001-01-01"], "--to must be a day such as 2026-03-01."),
        (["--from=9999-12-31"], "--from must be a day such as 2026-03-01."),
        (
            ["--from=2026-03-02", "--to=2026-03-01"],
            "The first day, 2026-03-02, is after the last, 2026-03-01.",
        ),
        (["--brand=Nobody"], "There is no brand with the name or id Nobody."),
        (["--brand=99999999"], "There is no brand with the name or id 99999999."),
        (
            ["--brand=Quiet"],
            "Quiet has no tracking integration. Add one in admin.",
        ),
        (
            ["--csv=/nowhere/at/all.csv"],
            "/nowhere/at/all.csv cannot be written: No such file or directory.",
        ),
        (["--csv=/"], "/ cannot be written: it is a folder."),
    ],
)
def test_it_says_why_it_cannot_run(arguments, message, shop, simulator):
    BrandFactory(name="Quiet", client_area="quiet.example.com")
    shop.sell()
    before = len(simulator.state.log)

    assert run(*arguments) == (2, message)
    assert len(simulator.state.log) == before


def test_it_cannot_run_without_an_integration(db):
    status, text = run()

    assert status == 2
    assert text == (
        "No brand has an active tracking integration. Add or switch on one in admin, or "
        "name a brand with --brand."
    )


def test_the_csv_file_holds_every_order(shop, tmp_path):
    target = tmp_path / "sales.csv"
    shop.sell()
    shop.order(external_affiliate='=HYPERLINK("//evil.example")')

    assert run(*DAYS, f"--csv={target}")[0] == 0

    header, sold, open_ = csv.reader(target.read_text("utf-8").splitlines())
    assert tuple(header) == CSV_HEADER
    row = dict(zip(header, sold, strict=True))
    assert (row["order"], row["verdict"], row["is_difference"]) == (
        "order-1",
        "names_unclear",
        "no",
    )
    assert (row["paid_net"], row["sent"], row["held"]) == ("100.00", "100.00", "100.00")
    assert (row["held_status"], row["held_affiliate"]) == ("P", "11111111")
    row = dict(zip(header, open_, strict=True))
    assert (row["order"], row["verdict"], row["held_count"]) == (
        "order-2",
        "not_paid",
        "0",
    )
    # A spreadsheet must not run what a visitor's link said.
    assert row["integration_affiliate"] == '\'=HYPERLINK("//evil.example")'


def test_a_run_that_breaks_off_leaves_the_file_as_it_was(shop, tmp_path, monkeypatch):
    target = tmp_path / "sales.csv"
    target.write_text("of yesterday")
    shop.sell()

    def fail(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(
        "affiliates.contrib.reconciliation.management.commands.reconcile_sales.csv_row",
        fail,
    )
    with pytest.raises(KeyboardInterrupt):
        run(*DAYS, f"--csv={target}")

    assert target.read_text() == "of yesterday"
    assert list(tmp_path.iterdir()) == [target]


def test_what_a_visitor_sent_cannot_steer_the_terminal(shop):
    shop.order(external_affiliate="a\u202eb")

    _, text = run(*DAYS, "--all")

    assert "a?b" in text
    assert "\u202e" not in text


def test_progress_is_shown_on_a_terminal_only(shop):
    shop.sell()
    terminal, file = Terminal(), StringIO()

    run(*DAYS, errors=terminal)
    run(*DAYS, errors=file)

    assert (
        f"{shop.brand} [##############################] 1 of 1" in terminal.getvalue()
    )
    assert file.getvalue() == ""
