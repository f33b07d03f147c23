"""The simulator on a socket: the vendor's scripts, a page for people, a control API."""

from __future__ import annotations

import socket
import struct
import sys
import threading
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

from portal.demo.network import control, page, scripts
from portal.demo.network.answers import Answer
from portal.demo.network.faults import Fault, Faults
from portal.demo.network.options import Options
from portal.demo.network.records import LoggedRequest
from portal.demo.network.state import State

LOOPBACK = "127.0.0.1"
CONTROL_PREFIX = "/__sim/"
# Closing with unsent data thrown away, which the other side sees as a reset.
LINGER_NOT = struct.pack("ii", 1, 0)
MAX_BODY = 64 * 1024 * 1024
REASONS = {status.value: status.phrase for status in HTTPStatus}


class Simulator:
    """One installation, served from a thread of this process.

    ``state`` holds what it has received, ``settings`` what a merchant would set. ``stop``
    refuses connections and breaks the open ones; ``start`` then serves on the same port,
    with everything remembered.
    """

    def __init__(
        self, *, host: str = LOOPBACK, port: int = 0, options: Options | None = None
    ) -> None:
        self.state = State(options)
        self.faults = Faults()
        self._host, self._port = host, port
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None

    @property
    def settings(self) -> Options:
        return self.state.options

    @property
    def address(self) -> str:
        return f"http://{self._host}:{self._port}"

    def start(self) -> None:
        """Listen and serve. Raises OSError when the port cannot be had."""
        server = _Server((self._host, self._port), self.state, self.faults)
        self._port = server.server_address[1]
        self._server = server
        self._thread = threading.Thread(
            target=server.serve_forever, args=(0.02,), daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        server, thread = self._server, self._thread
        if server is None or thread is None:
            return
        self._server = self._thread = None
        server.stopping.set()
        server.shutdown()
        thread.join()
        server.server_close()
        server.close_connections()

    def wait(self) -> None:
        """Until it is stopped."""
        if self._thread is not None:
            self._thread.join()

    def fault(self, **values: Any) -> None:
        """Let something go wrong: see ``faults.Fault``. Raises WrongFault, TypeError."""
        self.faults.add(Fault(**values))

    def clear_faults(self) -> None:
        self.faults.clear()

    def reset(self) -> None:
        """Forget everything received, and the faults; the settings stay."""
        self.clear_faults()
        self.state.reset()

    def __enter__(self) -> Simulator:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 512

    def __init__(self, address: tuple[str, int], state: State, faults: Faults) -> None:
        super().__init__(address, _Handler)
        self.state, self.faults = state, faults
        self.stopping = threading.Event()
        self._connections: set[socket.socket] = set()
        self._connections_lock = threading.Lock()

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._connections_lock:
            self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._connections_lock:
            self._connections.discard(request)
        super().shutdown_request(request)

    def close_connections(self) -> None:
        with self._connections_lock:
            for connection in self._connections:
                try:
                    connection.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass  # Its other end was faster.

    def handle_error(self, request: Any, client_address: Any) -> None:
        # A caller that hung up is an ordinary day here; anything else is a mistake.
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    # Read in one go: the request line and headers rarely need a second system call.
    rbufsize = 64 * 1024

    def do_GET(self) -> None:  # noqa: N802 - the name that http.server calls
        self._serve()

    do_POST = do_PATCH = do_GET  # noqa: N815 - the name that http.server calls

    def log_message(self, format: str, *args: Any) -> None:
        pass

    def _serve(self) -> None:
        body = self._read_body()
        path = urlsplit(self.path).path
        if path == "/":
            self._send(page.render(self.server.state))
        elif path.startswith(CONTROL_PREFIX):
            self._send(self._control(path.removeprefix(CONTROL_PREFIX), body))
        else:
            self._serve_script(path, body)

    def _read_body(self) -> bytes:
        length = min(int(self.headers.get("Content-Length") or 0), MAX_BODY)
        return self.rfile.read(length) if length else b""

    def _control(self, name: str, body: bytes) -> Answer:
        query = urlsplit(self.path).query
        if self.command == "POST":
            return control.act(self.server.state, self.server.faults, name, body)
        return control.show(self.server.state, self.server.faults, name, query)

    def _serve_script(self, path: str, body: bytes) -> None:
        request = LoggedRequest(
            method=self.command,
            target=self.path,
            headers=tuple(self.headers.items()),
            body=body,
            peer=self.client_address[0],
            at=self.server.state.now(),
        )
        self.server.state.record(request)
        script = scripts.script_for(path)
        if script is None:
            self._send(Answer(status=404, body=b"Not Found\n"))
            return
        fault = self.server.faults.take(scripts.kind_of(path, request))
        if fault is None:
            self._send(script(self.server.state, request))
        else:
            self._serve_badly(fault, lambda: script(self.server.state, request))

    def _serve_badly(self, fault: Fault, serve: Callable[[], Answer]) -> None:
        if fault.delay_s and self.server.stopping.wait(fault.delay_s):
            self._reset()
            return
        answer = serve() if fault.is_processed else None
        if fault.close_before or fault.close_after_processing:
            self._reset()
            return
        if answer is None or fault.replaces_the_answer:
            status, headers, raw = fault.replacement()
            answer = Answer(status=status, body=raw, headers=tuple(headers))
        self._send(answer, every_s=fault.drip_interval_s if fault.drip else 0.0)

    def _send(self, answer: Answer, *, every_s: float = 0.0) -> None:
        head = [f"HTTP/1.1 {answer.status} {REASONS.get(answer.status, 'Unknown')}"]
        head += [f"{name}: {value}" for name, value in answer.headers]
        head += [f"Content-Length: {len(answer.body)}", "", ""]
        raw = "\r\n".join(head).encode("latin-1", "replace") + answer.body
        if not every_s:
            self.connection.sendall(raw)
            return
        for byte in raw:
            self.connection.sendall(bytes([byte]))
            if self.server.stopping.wait(every_s):
                self._reset()
                return

    def _reset(self) -> None:
        self.close_connection = True
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, LINGER_NOT)
        # The reader holds the socket open as well.
        self.rfile.close()
        self.connection.close()
