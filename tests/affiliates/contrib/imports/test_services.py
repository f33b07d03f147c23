"""A file is checked, confirmed and imported whole, or nothing of it is."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import IntegrityError

from affiliates.contrib.imports import services
from affiliates.contrib.imports.kinds import earnings
from affiliates.contrib.imports.kinds.earnings import Orders
from affiliates.contrib.imports.kinds.people import Affiliates
from affiliates.contrib.imports.models import ImportedRow, ImportFile
from affiliates.contrib.imports.services import (
    confirm_import,
    forget_imports,
    run_import,
    withdraw_import,
    work_at_imports,
)
from affiliates.errors import InvalidInput, StateConflict
from affiliates.ledger.rules import Account
from affiliates.program.models import Affiliate
from affiliates.settlement.services import settle_all
from tests.affiliates.contrib.imports.test_kinds import ORDERS, renew
from tests.affiliates.verification.finding import everything_found
from tests.database import nothing_written
from tests.factories.affiliates import AffiliateFactory
from tests.races import at_once, needs_postgresql

# What PostgreSQL says of a row that it refuses.
QUOTED = "Key (email)=(a-0@example.com) already exists."
GOOD_AND_BAD = ("email,code", "a-0@example.com,anna", "nobody@example.com,nobody")


def confirm(file, by, now, *, leaves_out_bad=False):
    return confirm_import(
        file_id=file.pk, leaves_out_bad=leaves_out_bad, actor_id=by.pk, now=now
    )


def test_bad_rows_keep_a_file_out_unless_they_are_left_out(upload, clients, staff, now):
    clients(1)
    file = upload("affiliates", *GOOD_AND_BAD)

    with nothing_written(), pytest.raises(InvalidInput, match="leave the bad rows out"):
        confirm(file, staff, now)
    confirm(file, staff, now, leaves_out_bad=True)
    done = run_import(file.pk, now=now)

    assert (done.state, done.new_count, done.bad_count) == ("done", 1, 1)
    assert list(Affiliate.objects.values_list("code", flat=True)) == ["anna"]
    assert [one.code for one in done.faults.all()] == ["unknown_client"]


def test_whatever_has_gone_bad_since_the_check_is_asked_again(
    upload, clients, staff, brand, now
):
    first, second = clients(2)
    file = upload(
        "affiliates", "email,code", "a-0@example.com,x-1", "a-1@example.com,x-2"
    )
    confirm(file, staff, now)
    AffiliateFactory(brand=brand, user=second, code="mine")

    again = run_import(file.pk, now=now)

    assert (again.state, again.bad_count) == ("checked", 1)
    assert not Affiliate.objects.filter(user=first).exists()


@pytest.mark.parametrize("fault", [IntegrityError, KeyError])
def test_failure_in_the_middle_leaves_nothing(
    upload, clients, staff, monkeypatch, now, fault, caplog
):
    clients(2)
    file = upload("affiliates", "email", "a-0@example.com", "a-1@example.com")
    confirm(file, staff, now)
    write = Affiliates.write

    def write_and_fail(self, found):
        write(self, found)
        assert Affiliate.objects.count() == 2
        raise fault(QUOTED)

    monkeypatch.setattr(Affiliates, "write", write_and_fail)
    work_at_imports(clock=lambda: now, should_stop=lambda: False)

    file.refresh_from_db()
    assert (file.state, file.content) == ("failed", "")
    assert not Affiliate.objects.exists()
    assert not ImportedRow.objects.exists()
    assert fault.__name__ in caplog.text
    assert QUOTED not in caplog.text


def test_worker_that_dies_goes_on_and_is_given_up_at_last(
    upload, clients, staff, monkeypatch, now
):
    clients(1)
    file = upload("affiliates", "email", "a-0@example.com")
    confirm(file, staff, now)

    def die(*args, **options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(services, "run_import", die)
        for _ in range(3):
            with pytest.raises(KeyboardInterrupt):
                work_at_imports(clock=lambda: now, should_stop=lambda: False)
    file.refresh_from_db()
    assert (file.state, file.attempt_count) == ("confirmed", 3)

    work_at_imports(clock=lambda: now, should_stop=lambda: False)

    file.refresh_from_db()
    assert [one.code for one in file.faults.all()] == ["gave_up"]
    assert not Affiliate.objects.exists()


def test_worker_that_dies_after_the_rows_are_written_settles_what_was_told_before(
    upload, affiliate, buyer, plan, staff, monkeypatch, now, balance
):
    renew("o-1", "i-2", affiliate.brand_id, now)
    line = "o-1,i-1,buyer@example.com,partner,2025-12-01,,,"
    file = upload("orders", ORDERS, line)
    confirm(file, staff, now)

    def die(*args, **options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Orders, "settle", die)
        with pytest.raises(KeyboardInterrupt):
            work_at_imports(clock=lambda: now, should_stop=lambda: False)
    file.refresh_from_db()
    assert (file.state, file.new_count, balance()) == ("confirmed", 1, {})

    work_at_imports(clock=lambda: now, should_stop=lambda: False)

    file.refresh_from_db()
    assert (file.state, file.new_count, file.finished_at) == ("done", 1, now)
    assert balance()[Account.PENDING] == 1_000
    assert everything_found() == []


def test_worker_that_dies_while_settling_leaves_the_file_imported(
    upload, affiliate, buyer, plan, staff, monkeypatch, now
):
    good, bad = "o-1,i-1,buyer@example.com,partner,2025-12-01,,,", "o-2,,,,,,,"
    file = upload("orders", ORDERS, good, bad)
    confirm(file, staff, now, leaves_out_bad=True)
    [refused] = {one.row_number for one in file.faults.all()}

    def die(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(Orders, "settle", die)
    # Settling begins to count anew.
    for _ in range(1 + services.MAX_ATTEMPTS):
        with pytest.raises(KeyboardInterrupt):
            work_at_imports(clock=lambda: now, should_stop=lambda: False)
        file.refresh_from_db()
        assert file.state == "confirmed"
    work_at_imports(clock=lambda: now, should_stop=lambda: False)

    file.refresh_from_db()
    assert (file.state, file.new_count, file.finished_at) == ("done", 1, now)
    assert ImportedRow.objects.filter(file=file).count() == 1
    faults = file.faults.values_list("row_number", "code").order_by("-pk")
    assert faults[0] == (0, "not_settled")
    assert {row for row, _ in faults[1:]} == {refused}


def test_order_that_cannot_be_settled_leaves_the_others_settled(
    upload, affiliate, buyer, plan, staff, monkeypatch, now, balance, caplog
):
    renew("o-1", "i-2", affiliate.brand_id, now)
    renew("o-2", "i-3", affiliate.brand_id, now)
    lines = [f"o-{n},,buyer@example.com,partner,2025-12-01,,," for n in (1, 2)]
    file = upload("orders", ORDERS, *lines)
    confirm(file, staff, now)

    def settle(order, *, now):
        if order.order_ref == "o-1":
            raise ValueError("The balance would be too large to be kept.")
        settle_all(order, now=now)

    monkeypatch.setattr(earnings, "settle_all", settle)
    done = run_import(file.pk, now=now)

    assert (done.state, balance()[Account.PENDING]) == ("done", 1_000)
    assert [one.order for one in caplog.records if hasattr(one, "order")] == ["o-1"]


def test_worker_checks_and_imports(upload, clients, staff, now, monkeypatch):
    clients(3)
    file = upload("affiliates", "email", *[f"a-{n}@example.com" for n in range(3)])
    ImportFile.objects.update(state="uploaded", new_count=0)

    assert work_at_imports(clock=lambda: now, should_stop=lambda: False) == 1
    file.refresh_from_db()
    assert (file.state, file.new_count, file.done_count) == ("checked", 3, 3)
    confirm(file, staff, now)
    assert work_at_imports(clock=lambda: now, should_stop=lambda: True) == 0
    assert work_at_imports(clock=lambda: now, should_stop=lambda: False) == 1
    assert Affiliate.objects.count() == 3
    assert work_at_imports(clock=lambda: now, should_stop=lambda: False) == 0


def test_unreadable_file_fails_and_says_why(upload):
    file = upload("affiliates", "nothing,of,this", "1,2,3")

    assert file.state == "failed"
    assert [(one.row_number, one.code) for one in file.faults.all()] == [
        (1, "unknown_column")
    ]


def test_withdrawn_file_is_forgotten(upload, clients, staff, now):
    clients(1)
    file = upload("affiliates", "email", "a-0@example.com")

    withdraw_import(file_id=file.pk, now=now)

    file.refresh_from_db()
    assert (file.state, file.content) == ("withdrawn", "")
    with nothing_written():
        for act in (
            lambda: confirm(file, staff, now),
            lambda: withdraw_import(file_id=file.pk, now=now),
        ):
            with pytest.raises(StateConflict):
                act()
        run_import(file.pk, now=now)


def test_file_that_nobody_confirms_is_forgotten(upload, clients, now):
    clients(1)
    file = upload("affiliates", "email", "a-0@example.com")

    assert forget_imports(now=now + timedelta(days=30)) == 0
    assert forget_imports(now=now + timedelta(days=31)) == 1
    file.refresh_from_db()
    assert (file.state, file.content) == ("withdrawn", "")


def test_file_is_kept_encrypted(upload, clients):
    clients(1)

    file = upload("affiliates", *GOOD_AND_BAD)

    assert "example.com" not in file.content
    assert len(file.content) > 100


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_two_who_import_the_same_at_once(upload, clients, staff, now):
    clients(20)
    lines = ("email,old_id", *[f"a-{n}@example.com,{n}" for n in range(20)])
    files = [upload("affiliates", *lines) for _ in range(2)]
    for file in files:
        confirm(file, staff, now)

    # Each file by two: one waits for the other and finds it done.
    at_once(4, lambda number: run_import(files[number % 2].pk, now=now))

    done = [ImportFile.objects.get(pk=file.pk) for file in files]
    assert {one.state for one in done} == {"done"}
    assert sorted(one.new_count for one in done) == [0, 20]
    assert Affiliate.objects.count() == ImportedRow.objects.count() == 20


def command(tmp_path, *lines, **options):
    file = tmp_path / "affiliates.csv"
    file.write_text("\n".join(lines))
    options = {"kind": "affiliates", **options}
    call_command("affiliates_import", str(file), **options)


def test_command(brand, clients, tmp_path, capsys):
    clients(1)
    with pytest.raises(SystemExit) as ended:
        command(tmp_path, *GOOD_AND_BAD, brand=brand.name)
    said = capsys.readouterr()
    assert ended.value.code == 1
    assert said.out == "1 new, 0 matched, 0 known, 1 bad.\nNothing was imported.\n"
    assert said.err == (
        "Row 3, client: Nobody of this brand's clients is nobody@example.com.\n"
    )

    options = {"leave_out_bad_rows": True, "dry_run": True}
    command(tmp_path, *GOOD_AND_BAD, brand=brand.name, **options)
    assert not Affiliate.objects.exists()
    command(tmp_path, *GOOD_AND_BAD, brand=str(brand.pk), leave_out_bad_rows=True)

    assert capsys.readouterr().out.endswith("Imported.\n")
    assert Affiliate.objects.get().code == "anna"


@pytest.mark.django_db
def test_command_names_what_it_cannot_do(brand, tmp_path):
    for options, said in (
        ({"brand": "nobody"}, "There is no brand"),
        ({"brand": brand.name, "time_zone": "Mars/Base"}, "--time-zone"),
        ({"brand": brand.name, "staff": "x@example.com"}, "Nobody of staff"),
    ):
        with pytest.raises(CommandError, match=said):
            command(tmp_path, "email", **options)
    with pytest.raises(CommandError, match="cannot be read"):
        call_command(
            "affiliates_import", "/nowhere.csv", brand=brand.name, kind="links"
        )
