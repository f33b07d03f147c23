"""Processes of the release before go on answering while, and after, this one migrates."""

from __future__ import annotations

import base64
import json
import os
import re
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

from benchmarks.running import ROOT, free_port, granian, python
from tests.lengths import times
from tests.migrations.shoppers import Shoppers
from tests.races import needs_postgresql

pytestmark = [
    pytest.mark.long,
    pytest.mark.site,
    needs_postgresql,
    pytest.mark.database,
    pytest.mark.xdist_group("sites"),
]

# A release after this one.
LATER = {"DJANGO_SETTINGS_MODULE": "tests.migrations.later_settings"}
# Before, while and after it is migrated, and with processes of both releases.
PHASE_SECONDS = times(1, long=20)
# As documented it is then run again. On a quiet machine none is.
MIGRATIONS_GIVEN_UP = 40
WEBHOOK_SECRET = "whsec_" + base64.b64encode(b"w" * 32).decode()
# The command as the documentation has it.
MIGRATE = re.search(
    r"```\n([^`]*manage.py migrate\n) *```", (ROOT / "docs/upgrading.md").read_text("utf-8")
)


def test_nobody_is_refused_while_the_next_release_migrates(migrated_url):
    old_port, new_port = free_port(), free_port()
    environment = environment_of(migrated_url)
    run(environment, "manage.py", "migrate", "--verbosity=0")
    seeded = run(environment, "manage.py", "seed_demo", f"--port={old_port}")
    with ExitStack() as servers:
        servers.enter_context(serve(old_port, environment))
        servers.enter_context(
            python("manage.py", "deliver", environment=environment)
        )
        with Shoppers(
            json.loads(seeded), ports=[old_port], secret=WEBHOOK_SECRET
        ) as shoppers:
            time.sleep(PHASE_SECONDS)
            migrate(environment)
            time.sleep(PHASE_SECONDS)
            servers.enter_context(serve(new_port, environment | LATER))
            shoppers.ask([old_port, new_port])
            time.sleep(PHASE_SECONDS)

    assert [one for one in shoppers.answers if one[1] not in (200, 201)] == []
    assert shoppers.paid > 3 * PHASE_SECONDS
    with psycopg.connect(migrated_url) as connection:
        assert sales_and_clicks(connection) == (
            shoppers.paid,
            shoppers.answers["/api/affiliate_link/visit", 200],
        )
        assert columns_of_later(connection) == 6
    verified = run(environment, "manage.py", "verify_ledger", "--deep")
    assert "Everything agrees." in verified


def environment_of(url: str) -> dict[str, str]:
    return {
        "DJANGO_SETTINGS_MODULE": "portal.settings",
        "DATABASE_URL": url,
        "DEMO_GATEWAY": "on",
        "PAYMENT_WEBHOOK_SECRET_DEMO": WEBHOOK_SECRET,
        # As a server has it: the tests' own waits for locks longer than people would.
        "DATABASE_LOCK_TIMEOUT": "10",
        # Each visit here is to be stored, on a busy machine too: nobody sends it again.
        "AFFILIATES_VISIT_DEADLINE_SECONDS": "10",
    }


def serve(port: int, environment: dict[str, str]):
    return granian(
        "portal.wsgi:application",
        port=port,
        workers=times(1, long=2),
        threads=4,
        environment=environment,
    )


def migrate(environment: dict[str, str]) -> None:
    """As documented, to the release after this one."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    said = ""
    for _ in range(MIGRATIONS_GIVEN_UP):
        done = subprocess.run(  # noqa: S603 - ourselves
            ["/bin/sh", "-ec", MIGRATE[1]],
            cwd=ROOT,
            env={**os.environ, **environment, **LATER, "PATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        said += done.stdout
        if "due to lock timeout" not in done.stderr:
            break
    assert done.returncode == 0, done.stderr
    assert "Applying affiliates.z_column_and_index... OK" in said


def run(environment: dict[str, str], *command: str) -> str:
    done = subprocess.run(  # noqa: S603 - ourselves
        [sys.executable, *command],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def sales_and_clicks(connection: psycopg.Connection) -> tuple[int, int]:
    return connection.execute(
        "SELECT (SELECT count(*) FROM affiliates_sale),"
        " (SELECT count(*) FROM affiliates_click)"
    ).fetchone()


def columns_of_later(connection: psycopg.Connection) -> int:
    (count,) = connection.execute(
        "SELECT count(*) FROM pg_attribute JOIN pg_class c ON c.oid = attrelid"
        " WHERE attname = 'later' AND relkind IN ('r', 'p') AND NOT relispartition"
    ).fetchone()
    return count
