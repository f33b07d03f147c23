"""A year of the demonstration, made by a release, is migrated to the one after this."""

from __future__ import annotations

import hashlib
import sqlite3
from base64 import b64encode
from collections.abc import Sequence
from contextlib import closing
from typing import Any, NamedTuple

import psycopg
import pytest

from benchmarks.running import ROOT
from tests.lengths import IS_LONG
from tests.migrations.releases import install, releases
from tests.package.environments import run

pytestmark = [
    pytest.mark.long,
    pytest.mark.site,
    pytest.mark.database,
    pytest.mark.skipif(
        not IS_LONG, reason="making a year takes minutes: LONG_TESTS=on"
    ),
    pytest.mark.xdist_group("sites"),
]

KEPT = (
    *("ledgerposting", "ledgerentry", "accountbalance", "adjustment"),
    *("sale", "salereversal", "invoicepayment", "invoicerefund"),
    *("commission", "commissionline", "commissionreversal", "commissionevent"),
    *("payout", "payoutevent", "payoutbatch", "payoutstatement", "payoutdestination"),
    *("clientreferral", "orderreferral", "ordercandidate", "decisionoverride"),
    *("attributionpolicyversion", "commissionplanversion", "couponcodeversion"),
)
PORTAL = {
    "DJANGO_SETTINGS_MODULE": "portal.settings",
    "SECRET_KEY": "of-this-test-only-" + "0" * 40,
    "AFFILIATES_COOKIE_KEYS": f"1:{b64encode(b'c' * 32).decode()}",
    "AFFILIATES_SECRET_KEYS": f"1:{b64encode(b's' * 32).decode()}",
    "PAYMENT_WEBHOOK_SECRET_DEMO": f"whsec_{b64encode(b'w' * 32).decode()}",
    "DEMO_GATEWAY": "on",
    "DEBUG": "off",
    "HTTPS": "off",
    "REDIS_URL": "",
}


class TableContent(NamedTuple):
    columns: Sequence[str]
    rows: int
    digest: str


@pytest.mark.parametrize("release", [*releases()])
def test_books_receipts_and_decisions_stay_as_they_were(release, empty_url, tmp_path):
    environment = PORTAL | {
        "DATABASE_URL": empty_url,
        "MEDIA_ROOT": str(tmp_path / "media"),
    }
    folder = tmp_path / "release"
    python = install(release, folder)
    for command in ("migrate", "--verbosity=0"), ("seed_demo", "--year"):
        run(python, "manage.py", *command, cwd=folder, **environment)
    before = {table: content(empty_url, table) for table in KEPT}

    def upgraded(*command: str, settings: str = "portal.settings") -> str:
        variables = environment | {"DJANGO_SETTINGS_MODULE": settings}
        return run(
            ROOT / ".venv/bin/python", "manage.py", *command, cwd=ROOT, **variables
        )

    migrated = upgraded("migrate", settings="tests.migrations.later_settings")

    assert "Applying affiliates.z_column_and_index... OK" in migrated
    assert {
        table: content(empty_url, table, columns)
        for table, (columns, *_) in before.items()
    } == before
    assert [table for table, kept in before.items() if kept.rows == 0] == []
    assert "Everything agrees." in upgraded("verify_ledger", "--deep")
    assert ", 0 differences, 0 not replayable" in upgraded("replay_decisions")


def content(url: str, name: str, columns: Sequence[str] = ("*",)) -> TableContent:
    """By its columns of then: later releases may add others."""
    with closing(connected(url)) as connection:
        cursor = connection.execute(
            f"SELECT {', '.join(columns)} FROM affiliates_{name} ORDER BY id"  # noqa: S608 - our own names
        )
        rows = cursor.fetchall()
    digest = hashlib.sha256("\n".join(map(repr, rows)).encode()).hexdigest()
    return TableContent([column[0] for column in cursor.description], len(rows), digest)


def connected(url: str) -> Any:
    scheme, _, path = url.partition("://")
    return sqlite3.connect(path[1:]) if scheme == "sqlite" else psycopg.connect(url)
