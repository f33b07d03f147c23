"""The demonstration, served by granian on a free port with a database of its own,
delivering to a simulated affiliate network.
"""

from __future__ import annotations

import base64
import http.client
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchmarks.running import HOST, ROOT, START_SECONDS, free_port, granian
from portal.demo.network.server import Simulator
from tests.browser.console import Console, open_console
from tests.browser.reports import PolicyReports, receive_reports
from tests.migrated import copy_or_migrate

# Of databases that are made before anybody serves them.
PORT, TRACKER = 8000, "http://127.0.0.1:8900"
SECRET = "of-the-browser-tests-only-" + "0" * 40


@dataclass(frozen=True)
class DemoServer:
    """A running service; ``demo`` is what seed_demo printed. ``network`` hears of the
    clicks and sales of the integration, ``reports`` of what the pages' policies refuse.
    """

    database: Path
    demo: dict[str, Any]
    network: Simulator
    console: Console
    reports: PolicyReports

    @property
    def origin(self) -> str:
        return str(self.demo["origin"])

    @property
    def visit_endpoint(self) -> str:
        return f"{self.demo['api_base']}/api/affiliate_link/visit"

    def query(self, sql: str, *values: str) -> list[tuple[Any, ...]]:
        """What the service wrote, read without its help."""
        uri = f"{self.database.as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True, timeout=60)) as connection:
            return connection.execute(sql, values).fetchall()

    def count(self, table: str) -> int:
        ((rows,),) = self.query(f"SELECT count(*) FROM {table}")  # noqa: S608 - our own names
        return int(rows)


def migrate(database: Path) -> None:
    environment = environment_of(port=PORT, database=database, tracker=TRACKER)
    copy_or_migrate(
        database,
        lambda: manage("migrate", "--verbosity=0", environment=environment),
    )


@contextmanager
def serve_demo(
    folder: Path,
    *,
    prepare: Callable[[Path], None] = migrate,
    background: str = "deliver",
) -> Iterator[DemoServer]:
    """``prepare`` makes the database; ``background`` is the command that works beside
    the server, if any does.
    """
    port = free_port()
    database = folder / "demo.sqlite3"
    with Simulator() as network, receive_reports() as reports:
        environment = environment_of(
            port=port, database=database, tracker=network.address
        )
        environment["AFFILIATES_CSP_REPORT_URI"] = reports.address
        prepare(database)
        with (
            open_console(environment) as console,
            granian(
                "portal.wsgi:application",
                port=port,
                workers=1,
                threads=4,
                environment=environment,
            ),
            console.working(background) if background else nullcontext(),
        ):
            options = [f"--port={port}", f"--tracker={network.address}"]
            demo = console.run("seed_demo", *options)
            await_answer(port)
            yield DemoServer(
                database=database,
                demo=json.loads(demo),
                network=network,
                console=console,
                reports=reports,
            )


def environment_of(*, port: int, database: Path, tracker: str) -> dict[str, str]:
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "portal.settings",
        "SECRET_KEY": SECRET,
        "AFFILIATES_COOKIE_KEYS": "1:" + base64.b64encode(b"k" * 32).decode(),
        "PAYMENT_WEBHOOK_SECRET_DEMO": "whsec_" + base64.b64encode(b"w" * 32).decode(),
        "DATABASE_URL": f"sqlite:///{database}",
        "MEDIA_ROOT": str(files_beside(database)),
        "STOREFRONT_ORIGIN": f"http://shop.localhost:{port}",
        "AFFILIATES_LINK_HOSTS": f"go.localhost:{port}",
        "AFFILIATES_TRACKING_ALLOWED_HOSTS": urlsplit(tracker).netloc,
        # A busy machine loses no click.
        "AFFILIATES_VISIT_DEADLINE_SECONDS": "10",
        "DEMO_GATEWAY": "on",
        "DEBUG": "off",
        "HTTPS": "off",
        "REDIS_URL": "",
    }


def files_beside(database: Path) -> Path:
    """Where the demonstration of that database stores uploads."""
    return database.with_name("media")


def manage(*command: str, environment: dict[str, str]) -> str:
    done = subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "manage.py", *command],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def await_answer(port: int) -> None:
    """Until the process that answers has loaded the portal, whatever it answers."""
    caller = http.client.HTTPConnection(HOST, port, timeout=START_SECONDS)
    with closing(caller):
        caller.request("GET", "/")
        caller.getresponse()
