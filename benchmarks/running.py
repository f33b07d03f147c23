"""Processes of our own, for as long as a block runs. The tests start theirs here too."""

from __future__ import annotations

import argparse
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
HOST = "127.0.0.1"
START_SECONDS = 60
STOP_SECONDS = 30

Process = subprocess.Popen[bytes]


def parse_arguments(
    name: str, description: str | None, **numbers: tuple[int, str]
) -> argparse.Namespace:
    """``--rounds``, and ``numbers`` with the default and the help of each."""
    parser = argparse.ArgumentParser(
        prog=f"python -m benchmarks.{name}",
        description=(description or "").partition("\n")[0],
    )
    for option, (default, words) in {"rounds": (5, "of each kind"), **numbers}.items():
        parser.add_argument(
            f"--{option}",
            type=int,
            default=default,
            help=f"{words} (default {default})",
        )
    return parser.parse_args()


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


@contextmanager
def python(
    *arguments: str, environment: Mapping[str, str], folder: Path = ROOT
) -> Iterator[Process]:
    """Run Python in the product's folder with ``environment`` added to our own.

    It is ended with the block.
    """
    process = subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, **environment},
        start_new_session=True,
    )
    with ended(process):
        yield process


@contextmanager
def ended(process: subprocess.Popen[Any]) -> Iterator[None]:
    """The leader of a session of its own is asked to end with the block.

    Raises TimeoutExpired when it does not, after all that it started has been killed.
    """
    try:
        yield
    finally:
        process.terminate()
        try:
            process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            raise


@contextmanager
def simulator() -> Iterator[str]:
    """The address of the simulated network, in a process of its own."""
    command = [sys.executable, "-m", "portal.demo.network", "--port", "0"]
    with subprocess.Popen(  # noqa: S603 - our own command
        command, cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None  # noqa: S101
        try:
            yield process.stdout.readline().split()[-1]
        finally:
            process.terminate()


@contextmanager
def granian(
    target: str,
    *,
    port: int,
    workers: int,
    threads: int,
    environment: Mapping[str, str],
    folder: Path = ROOT,
    interface: str = "wsgi",
) -> Iterator[Process]:
    """Serve an application on loopback; it accepts connections in the block.

    Under ASGI it has one thread of the server's, and those that it makes itself.
    """
    command = [
        "-m", "granian", "--interface", interface, target,
        "--host", HOST, "--port", str(port),
        "--workers", str(workers), "--no-ws", "--log-level", "error",
    ]  # fmt: skip
    if interface == "wsgi":
        command += ["--blocking-threads", str(threads)]
    with python(*command, environment=environment, folder=folder) as process:
        _await_connection(port, process)
        yield process


@contextmanager
def beside(act: Callable[[Event], object]) -> Iterator[None]:
    """Runs ``act`` on a thread of its own, beside the block.

    When the block ends the event is set, and the thread's end awaited. What it raised
    is raised then.
    """
    is_over = Event()
    with ThreadPoolExecutor(1) as pool:
        acting = pool.submit(act, is_over)
        try:
            yield
        finally:
            is_over.set()
        acting.result()


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def verdict(is_met: bool, line: str) -> bool:
    say(f"{'ok    ' if is_met else 'MISSED'} {line}")
    return is_met


def _await_connection(port: int, process: Process) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"The server ended with status {process.returncode}.")
        try:
            socket.create_connection((HOST, port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError(f"The server did not listen within {START_SECONDS} seconds.")
