"""Where browsers report what a Content-Security-Policy refused."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any


class PolicyReports:
    def __init__(self, address: str) -> None:
        self.address = address
        self.received: list[dict[str, Any]] = []


@contextmanager
def receive_reports() -> Iterator[PolicyReports]:
    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            reports.received.append(json.loads(body)["csp-report"])
            self.send_response(204)
            self.end_headers()

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    reports = PolicyReports(f"http://127.0.0.1:{server.server_port}/csp")
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield reports
    server.shutdown()
    thread.join()
    server.server_close()
