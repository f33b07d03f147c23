"""Each app is used, removed with those that need it, and the host works without it.

One database is migrated and filled. Every removal is made once, in a copy of the
database from which the apps before it were removed.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from django.db import connection

from tests.lengths import times
from tests.migrations.databases import copied_database, empty_database

pytestmark = [
    pytest.mark.site,
    pytest.mark.database,
    pytest.mark.xdist_group("sites"),
]

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = "tests.hosts.removal.settings"
# Each app after those that need it.
ORDERS = {
    "desk": ["desk"],
    "area": ["desk", "area"],
    "claims": ["desk", "area", "claims"],
    "recruitment": ["desk", "area", "recruitment"],
    "statistics": ["desk", "area", "statistics"],
    "payout_runs": ["desk", "payout_runs"],
    "paypal": ["paypal"],
    "wise": ["wise"],
    "stripe": ["stripe"],
    "imports": ["imports"],
    "announcements": ["announcements"],
    "events_api": ["events_api"],
    "reconciliation": ["reconciliation"],
    "what_if": ["reconciliation", "what_if"],
}
WITHOUT_TABLES = {"paypal", "reconciliation", "what_if", "wise"}
# The removals after which the host is examined and has its flow. One database shows
# this for both, except that the statistics have triggers and functions of their own.
EXAMINED = times(
    {"statistics", "payout_runs"} if connection.vendor == "sqlite" else {"statistics"},
    long={*ORDERS},
)
# Looks at the rows that are left, then has the flow in their place. No test database is
# made: the tests' own is that from which the apps were removed.
EXAMINE = (
    *("pytest", "-q", "-n", "0", "-p", "no:randomly", "--reuse-db"),
    *(f"--ds={SETTINGS}", "tests/hosts/removal/examine.py", "tests/hosts/flow.py"),
)
FILES = "affiliates_imports_importfile"
TABLES = {
    "postgresql": "SELECT tablename FROM pg_tables WHERE schemaname = 'public'",
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'table'"
    " AND name NOT LIKE 'sqlite_%'",
}
# Everything else that a name may stand in: triggers, functions, indexes, sequences.
CODE = {
    "postgresql": "SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal"
    " UNION ALL SELECT proname || prosrc FROM pg_proc"
    " WHERE pronamespace = 'public'::regnamespace"
    " UNION ALL SELECT relname FROM pg_class"
    " WHERE relnamespace = 'public'::regnamespace",
    "sqlite": "SELECT name || ' ' || coalesce(sql, '') FROM sqlite_master",
}


class Database:
    """A host's database at ``url``, and its commands."""

    def __init__(self, url: str) -> None:
        self.url = url

    def run(self, *command: str, without: Sequence[str] = ()) -> Any:
        return subprocess.run(  # noqa: S603 - our own tests
            [sys.executable, "-m", *command],
            cwd=ROOT,
            env=os.environ
            | {
                "DATABASE_URL": self.url,
                "DJANGO_SETTINGS_MODULE": SETTINGS,
                "PYTEST_ADDOPTS": "",
                "WITHOUT_APPS": " ".join(map(label_of, without)),
            },
            capture_output=True,
            text=True,
            check=False,
        )

    def do(self, *command: str, without: Sequence[str] = ()) -> str:
        done = self.run(*command, without=without)
        assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-3000:]
        return str(done.stdout)

    def remove(self, app: str) -> Any:
        return self.run("django", "affiliates_remove", label_of(app), "--yes")

    def ask(self, query: str) -> list[Any]:
        """The rows of a query, or its values if it has one column."""
        if connection.vendor == "postgresql":
            import psycopg

            with psycopg.connect(self.url, autocommit=True) as database:
                cursor = database.execute(query)
                rows = cursor.fetchall() if cursor.description else []
        else:
            path = self.url.removeprefix("sqlite:///")
            with closing(sqlite3.connect(path)) as database:
                rows = database.execute(query).fetchall()
                database.commit()
        return [row[0] if len(row) == 1 else tuple(row) for row in rows]

    def rows(self) -> dict[str, int]:
        tables = self.ask(TABLES[connection.vendor])
        return {one: self.ask(f"SELECT count(*) FROM {one}")[0] for one in tables}  # noqa: S608

    def code(self, name: str = "") -> list[str]:
        return sorted(one for one in self.ask(CODE[connection.vendor]) if name in one)

    def content(self) -> Any:
        return self.rows(), self.code(), self.groups()

    def bookkeeping(self, label: str) -> list[list[Any]]:
        """What Django itself has noted of an app."""
        return [
            self.ask(query % label)
            for query in (
                "SELECT name FROM django_migrations WHERE app = '%s'",
                "SELECT model FROM django_content_type WHERE app_label = '%s'",
                "SELECT codename FROM auth_permission JOIN django_content_type t"
                " ON t.id = content_type_id WHERE app_label = '%s'",
            )
        ]

    def groups(self) -> list[str]:
        return sorted(self.ask("SELECT name FROM auth_group"))


def label_of(app: str) -> str:
    return f"affiliates_{app}" if app else "affiliates"


class Removals:
    """Databases from which apps were removed, each made when it is first asked for."""

    def __init__(self, filled: Database, folder: Path) -> None:
        self.filled, self.folder = filled, folder
        self.numbers = count(1)
        self.copies = ExitStack()
        self.made: dict[tuple[str, ...], Database] = {(): filled}

    def copy(self, database: Database) -> Database:
        name = str(next(self.numbers))
        copy = copied_database(database.url, self.folder, name)
        return Database(self.copies.enter_context(copy))

    def without(self, *apps: str) -> Database:
        """Only to be read: others are copies of it."""
        if apps not in self.made:
            database = self.copy(self.without(*apps[:-1]))
            done = database.remove(apps[-1])
            assert done.returncode == 0, done.stdout + done.stderr
            self.made[apps] = database
        return self.made[apps]


@pytest.fixture(scope="module")
def removals(tmp_path_factory, django_db_blocker) -> Iterator[Removals]:
    folder = tmp_path_factory.mktemp("removal")
    with django_db_blocker.unblock(), empty_database(folder, "filled") as url:
        filled = Database(url)
        filled.do("tests.hosts.removal.fill")
        removals = Removals(filled, folder)
        with removals.copies:
            yield removals


@pytest.fixture
def filled(removals) -> Database:
    """Only to be read: others are copies of it."""
    return removals.filled


@pytest.fixture
def database(removals, filled) -> Database:
    """A copy of it."""
    return removals.copy(filled)


@pytest.mark.parametrize("app", ORDERS)
def test_nothing_of_an_app_is_left_and_the_core_works_on(
    app, removals, filled, pytestconfig
):
    order = ORDERS[app]
    before = filled.rows()
    prefixes = tuple(f"{label_of(one)}_" for one in order)
    of_apps = {
        table: count for table, count in before.items() if table.startswith(prefixes)
    }
    has_rows = any(
        count for table, count in of_apps.items() if table.startswith(prefixes[-1])
    )
    assert has_rows is (app not in WITHOUT_TABLES)

    database = removals.without(*order)

    rows = database.rows()
    assert rows.keys() == before.keys() - of_apps.keys()
    bookkeeping = ("auth_", "django_")
    assert {
        one: count for one, count in rows.items() if not one.startswith(bookkeeping)
    } == {one: before[one] for one in rows if not one.startswith(bookkeeping)}
    for prefix in prefixes:
        assert database.code(prefix) == []
        assert database.bookkeeping(prefix[:-1]) == [[], [], []]
    assert len(database.groups()) == 4
    if app in EXAMINED:
        # As in this run: where a warning of a newer release is no fault, there too.
        given = pytestconfig.getoption("override_ini") or ()
        overridden = [f"--override-ini={one}" for one in given]
        removals.copy(database).do(*EXAMINE, *overridden, without=order)


def test_clicks_are_no_longer_numbered_without_the_statistics(removals):
    database = removals.copy(removals.without(*ORDERS["statistics"]))
    database.do("django", "migrate", "auth", "--verbosity", "0")

    assert [one for one in database.code() if "_notes_" in one] == []
    assert [one for one in database.code() if "click_by_transaction" in one] == []
    columns = (
        "SELECT column_name FROM information_schema.columns"
        " WHERE table_name = 'affiliates_click'"
        if connection.vendor == "postgresql"
        else "SELECT name FROM pragma_table_info('affiliates_click')"
    )
    assert "created_at" in database.ask(columns)
    assert "written_in" not in database.ask(columns)


def test_nothing_of_ours_is_left_once_the_core_is_removed(removals, filled):
    before = filled.rows()
    assert before["affiliates_ledgerentry"] > 0
    database = removals.copy(removals.without("desk", "area"))
    others = [*(set(ORDERS) - {"desk", "area"}), ""]

    database.do(
        "tests.commands",
        *(f"affiliates_remove {label_of(one)} --yes" for one in others),
        "migrate auth --verbosity 0",
    )

    assert database.code("affiliates") == []
    for app in ("", *ORDERS):
        assert database.bookkeeping(label_of(app)) == [[], [], []]
    assert database.groups() == []
    rows = database.rows()
    assert rows.keys() == {one for one in before if not one.startswith("affiliates_")}
    assert rows["auth_user"] == before["auth_user"] > 0
    assert rows["bare_bareorder"] == before["bare_bareorder"] > 0


REFUSED = {
    "claims": [
        f"affiliates_{one} needs it. Run manage.py affiliates_remove affiliates_{one} "
        "first."
        for one in ("area", "desk")
    ],
    "": [
        f"affiliates_{one} still has its tables. Run manage.py affiliates_remove "
        f"affiliates_{one} first."
        for one in sorted(ORDERS.keys() - WITHOUT_TABLES)
    ],
}


@pytest.fixture(scope="module")
def asked(removals) -> dict[str, list[str]]:
    """The output and the error of each command that is to change nothing."""
    before = removals.filled.content()
    commands = [
        *(f"affiliates_remove {label_of(app)} --yes" for app in REFUSED),
        "affiliates_remove affiliates_imports",
        "affiliates_remove auth --yes",
    ]
    answers = removals.filled.do("tests.commands", "--answers", *commands)
    assert removals.filled.content() == before
    return dict(zip(commands, json.loads(answers), strict=True))


@pytest.mark.parametrize("app", REFUSED)
def test_an_app_that_is_needed_is_not_removed(app, asked):
    said = asked[f"affiliates_remove {label_of(app)} --yes"]

    assert said == ["", "\n".join(REFUSED[app])]


def test_a_foreign_key_of_the_host_keeps_an_app(database):
    database.ask(
        "CREATE TABLE host_note (id integer PRIMARY KEY,"
        f" file_id bigint REFERENCES {FILES} (id))"
    )
    before = database.content()

    done = database.remove("imports")

    assert done.returncode == 1
    assert done.stderr == (
        f"CommandError: The foreign key host_note.file_id points at {FILES}. Remove it "
        "by a migration of your own first.\n"
    )
    assert database.content() == before


def test_the_core_waits_for_an_app_that_left_its_tables_behind(filled):
    before = filled.content()

    done = filled.run(
        "django", "affiliates_remove", "affiliates", "--yes", without=["imports"]
    )

    assert done.returncode == 1
    assert (
        "affiliates_imports still has its tables. Put it back in INSTALLED_APPS. Run "
        "manage.py affiliates_remove affiliates_imports first.\n"
    ) in done.stderr
    assert filled.content() == before


def test_a_dry_run_shows_what_would_go_and_changes_nothing(asked):
    said, error = asked["affiliates_remove affiliates_imports"]

    lines = said.splitlines()
    assert error == ""
    assert lines[:3] == [
        "table affiliates_imports_importedrow: 0 rows",
        "table affiliates_imports_importfault: 1 row",
        "table affiliates_imports_importfile: 1 row",
    ]
    assert "permission add_importfile" in lines
    assert lines[-2:] == [
        "Nothing was changed.",
        "Make a backup, since the rows cannot be brought back. Then run it with --yes to "
        "remove all of this.",
    ]


def test_an_unknown_label_is_refused_with_those_that_there_are(asked):
    assert asked["affiliates_remove auth --yes"] == [
        "",
        "auth is none of our installed apps. They are affiliates, "
        f"{', '.join(sorted(map(label_of, ORDERS)))}.",
    ]
