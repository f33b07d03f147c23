"""The three servers under test: all granian, with the same workers and threads."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WORKERS = 2
THREADS = 16
START_SECONDS = 60
STOP_SECONDS = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    name: str
    target: str
    settings: str = "portal.settings"


PRODUCT = Variant(name="product", target="portal.wsgi:application")
RAW = Variant(name="(a) raw WSGI", target="benchmarks.baselines.raw:application")
MODEL_SERIALIZER = Variant(
    name="(b) ModelSerializer",
    target="portal.wsgi:application",
    settings="benchmarks.baselines.model_serializer.settings",
)
VARIANTS = (PRODUCT, RAW, MODEL_SERIALIZER)


@dataclass(frozen=True, slots=True)
class Server:
    port: int
    pid: int


@contextmanager
def serve(variant: Variant, *, workers: int = WORKERS) -> Iterator[Server]:
    """A fresh server that accepts connections; gone when the block ends."""
    port = _free_port()
    command = [
        sys.executable, "-m", "granian", "--interface", "wsgi", variant.target,
        "--host", "127.0.0.1", "--port", str(port),
        "--workers", str(workers), "--blocking-threads", str(THREADS),
        "--no-ws", "--log-level", "error",
    ]  # fmt: skip
    process = subprocess.Popen(  # noqa: S603 - our own command
        command,
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": variant.settings},
        start_new_session=True,
    )
    try:
        _await_connection(port, process)
        yield Server(port, process.pid)
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _await_connection(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"The server ended with status {process.returncode}.")
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError(f"The server did not listen within {START_SECONDS} seconds.")
