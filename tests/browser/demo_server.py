"""The demonstration, served by granian on a free port with a database of its own."""

from __future__ import annotations

import base64
import json
import os
import socket
import sqlite3
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LOOPBACK = "127.0.0.1"
START_SECONDS = 90
STOP_SECONDS = 10


@dataclass(frozen=True)
class DemoServer:
    """A running service; ``demo`` is what seed_demo printed."""

    database: Path
    demo: dict[str, Any]

    @property
    def origin(self) -> str:
        return str(self.demo["origin"])

    @property
    def visit_endpoint(self) -> str:
        return f"{self.demo['api_base']}/api/affiliate_link/visit"

    def query(self, sql: str, *values: str) -> list[tuple[Any, ...]]:
        """What the service wrote, read without its help."""
        uri = f"{self.database.as_uri()}?mode=ro"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            return connection.execute(sql, values).fetchall()

    def count(self, table: str) -> int:
        ((rows,),) = self.query(f"SELECT count(*) FROM {table}")  # noqa: S608 - our own names
        return int(rows)


@contextmanager
def serve_demo(folder: Path) -> Iterator[DemoServer]:
    port = _free_port()
    database = folder / "demo.sqlite3"
    environment = _environment(port=port, database=database)
    _manage("migrate", "--verbosity=0", environment=environment)
    demo = _manage("seed_demo", f"--port={port}", environment=environment)
    log = (folder / "server.log").open("wb")
    server = subprocess.Popen(  # noqa: S603 - our own command
        [
            *(sys.executable, "-m", "granian", "--interface", "wsgi"),
            *("--host", LOOPBACK, "--port", str(port), "--workers", "1"),
            *("--blocking-threads", "4", "--log-level", "warning"),
            "portal.wsgi:application",
        ],
        cwd=ROOT,
        env=environment,
        stdout=log,
        stderr=subprocess.STDOUT,
    )
    try:
        _wait_until_answering(server, port=port, log=folder / "server.log")
        yield DemoServer(database=database, demo=json.loads(demo))
    finally:
        server.terminate()
        try:
            server.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()
        log.close()


def _environment(*, port: int, database: Path) -> dict[str, str]:
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "portal.settings",
        "SECRET_KEY": "of-the-browser-tests-only-" + "0" * 40,
        "AFFILIATES_COOKIE_KEYS": "1:" + base64.b64encode(b"k" * 32).decode(),
        "PAYMENT_WEBHOOK_SECRET_DEMO": "whsec_" + base64.b64encode(b"w" * 32).decode(),
        "DATABASE_URL": f"sqlite:///{database}",
        "STOREFRONT_ORIGIN": f"http://shop.localhost:{port}",
        "DEMO_GATEWAY": "on",
        "DEBUG": "off",
        "HTTPS": "off",
        "REDIS_URL": "",
    }


def _manage(*command: str, environment: dict[str, str]) -> str:
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


def _free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind((LOOPBACK, 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_until_answering(
    server: subprocess.Popen[bytes], *, port: int, log: Path
) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            urllib.request.urlopen(f"http://{LOOPBACK}:{port}/", timeout=5).close()
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError(f"The server did not start:\n{log.read_text()}")
