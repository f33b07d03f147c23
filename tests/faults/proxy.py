"""A proxy before a server of ours, which falls silent, slow or away when it is told to."""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Lock, Thread

CHUNK = 65_536


class FaultProxy:
    """Listens on its own port of 127.0.0.1. ``upstream`` is (host, port) or a path."""

    def __init__(self, upstream: tuple[str, int] | str) -> None:
        self._upstream = upstream
        self._lock = Lock()
        self._open: list[socket.socket] = []
        self._speaks = Event()
        self._speaks.set()
        self.delay = 0.0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listener.getsockname()[1])
        self._listen()

    def fall_silent(self) -> None:
        """Connections are accepted and kept, and nothing is said any more."""
        self._speaks.clear()

    def go_down(self) -> None:
        """Connections break, and new ones are refused."""
        self._stop_listening()
        self._break()

    def come_back(self) -> None:
        self._speaks.set()
        self.delay = 0.0
        if self._listener.fileno() == -1:
            self._listener = socket.create_server(("127.0.0.1", self.port))
            self._listen()

    def close(self) -> None:
        self._stop_listening()
        self._speaks.set()
        self._break()

    def _listen(self) -> None:
        Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def _stop_listening(self) -> None:
        # Closing alone does not wake the thread that accepts.
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _break(self) -> None:
        with self._lock:
            broken, self._open = self._open, []
        for one in broken:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            ends = (client, listener)
            Thread(target=self._connect, args=ends, daemon=True).start()

    def _connect(self, client: socket.socket, listener: socket.socket) -> None:
        is_path = isinstance(self._upstream, str)
        server = socket.socket(socket.AF_UNIX if is_path else socket.AF_INET)
        server.connect(self._upstream)
        with self._lock:
            # Accepted just before the proxy went down: nobody else would close them.
            if listener.fileno() == -1:
                client.close()
                server.close()
                return
            self._open += [client, server]
        Thread(target=self._pass, args=(client, server), daemon=True).start()
        self._pass(server, client)

    def _pass(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(CHUNK):
                self._speaks.wait()
                time.sleep(self.delay)
                target.sendall(data)
        for one in (source, target):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


@contextmanager
def proxied(upstream: tuple[str, int] | str) -> Iterator[FaultProxy]:
    proxy = FaultProxy(upstream)
    try:
        yield proxy
    finally:
        proxy.close()
