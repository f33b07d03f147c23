"""The product as a real server, for tests that need one."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 60
STOP_SECONDS = 10


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def serve(
    *,
    port: int,
    environment: Mapping[str, str],
    workers: int = 1,
    threads: int = 8,
) -> Iterator[None]:
    """Serve the portal on 127.0.0.1 until the block ends."""
    command = [
        sys.executable, "-m", "granian", "--interface", "wsgi", "portal.wsgi:application",
        "--host", "127.0.0.1", "--port", str(port),
        "--workers", str(workers), "--blocking-threads", str(threads),
        "--log-level", "error",
    ]  # fmt: skip
    process = subprocess.Popen(  # noqa: S603 - our own command
        command, cwd=ROOT, env={**os.environ, **environment}
    )
    try:
        _await_connection(port, process)
        yield
    finally:
        process.terminate()
        process.wait(STOP_SECONDS)


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
