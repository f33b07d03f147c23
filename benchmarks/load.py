"""Load on the visit endpoint: by wrk, or by a slower generator in Python.

``python -m benchmarks.load PORT SECONDS FILE OFFSET`` is the latter. Each line of the
file is one visit: the client's address, a space, the body.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from http.client import HTTPConnection, HTTPException
from itertools import cycle, islice
from pathlib import Path

CONNECTIONS = 32
PATH = "/api/affiliate_link/visit"
ORIGIN = "https://shop.example.com"
WRK_SCRIPT = Path(__file__).with_name("post.lua")
GRACE_SECONDS = 60
TIMEOUT_SECONDS = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadResult:
    """What the clients saw. ``failed``: broken connections and answers other than 2xx."""

    answered: int
    seconds: float
    p50_ms: float
    p99_ms: float
    failed: int


def generator_name() -> str:
    return "wrk" if shutil.which("wrk") else "Python (wrk is not installed)"


def run_load(*, port: int, seconds: int, visits: Path, offset: int = 0) -> LoadResult:
    """Send the visits in turn from the offset on, over 32 connections."""
    wrk = shutil.which("wrk")
    if wrk:
        command = [
            wrk, "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--timeout",
            f"{TIMEOUT_SECONDS}s", "-s", str(WRK_SCRIPT),
            f"http://127.0.0.1:{port}", "--", str(visits), str(offset),
        ]  # fmt: skip
    else:
        command = [
            sys.executable, "-m", "benchmarks.load",
            str(port), str(seconds), str(visits), str(offset),
        ]  # fmt: skip
    output = subprocess.run(  # noqa: S603 - our own command
        command,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
        timeout=seconds + GRACE_SECONDS,
    ).stdout
    return LoadResult(**json.loads(output.strip().splitlines()[-1]))


def send_visit(connection: HTTPConnection, line: str) -> tuple[int, bytes]:
    """Send one visit; its status and body."""
    address, _, body = line.partition(" ")
    headers = {
        "Content-Type": "application/json",
        "Origin": ORIGIN,
        "X-Forwarded-For": address,
    }
    connection.request("POST", PATH, body.encode(), headers)
    response = connection.getresponse()
    return response.status, response.read()


def main() -> None:
    port, seconds, offset = int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[4])
    lines = Path(sys.argv[3]).read_text(encoding="utf-8").splitlines()
    began = time.perf_counter()

    def send_share(number: int) -> tuple[list[float], int]:
        share = islice(cycle(lines), offset + number, None, CONNECTIONS)
        return _send_until(began + seconds, port, share)

    with ThreadPoolExecutor(max_workers=CONNECTIONS) as pool:
        results = list(pool.map(send_share, range(CONNECTIONS)))
    latencies = sorted(latency for taken, _ in results for latency in taken)
    report = LoadResult(
        answered=len(latencies),
        seconds=time.perf_counter() - began,
        p50_ms=_percentile(latencies, 0.50),
        p99_ms=_percentile(latencies, 0.99),
        failed=sum(failed for _, failed in results),
    )
    sys.stdout.write(json.dumps(asdict(report)) + "\n")


def _send_until(end: float, port: int, lines: Iterable[str]) -> tuple[list[float], int]:
    """The latencies in milliseconds, and how many requests failed."""
    connection = HTTPConnection("127.0.0.1", port, timeout=TIMEOUT_SECONDS)
    latencies: list[float] = []
    failed = 0
    for line in lines:
        began = time.perf_counter()
        if began >= end:
            break
        try:
            status, _ = send_visit(connection, line)
        except (OSError, HTTPException):
            connection.close()
            failed += 1
        else:
            latencies.append((time.perf_counter() - began) * 1000)
            failed += status != 200
    connection.close()
    return latencies, failed


def _percentile(ordered: list[float], share: float) -> float:
    return ordered[int(share * (len(ordered) - 1))] if ordered else 0.0


if __name__ == "__main__":
    main()
