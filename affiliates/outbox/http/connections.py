"""Connections of the one client: to checked addresses, ended at a deadline."""

from __future__ import annotations

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any

import httpcore

from affiliates.core.network import is_public
from affiliates.outbox.http.types import CallFailed, FailureKind

Resolve = Callable[[str, int], Sequence[str]]


def resolve(host: str, port: int) -> list[str]:
    """Every IP address of the name. Raises OSError. The system sets the time limit."""
    # As bytes: for text Python applies its own rules and raises its own errors.
    answers = socket.getaddrinfo(host.encode(), port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(answer[4][0]) for answer in answers))


class ConnectionProgress(threading.local):
    """The progress of this thread's call."""

    deadline = 0.0
    is_guarded = True
    is_sent = False

    def begin(self, *, seconds: float, is_guarded: bool) -> None:
        self.deadline = time.monotonic() + seconds
        self.is_guarded = is_guarded
        self.is_sent = False

    def within(self, seconds: float | None) -> float:
        """The smaller of these seconds and the call's remaining seconds."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise httpcore.TimeoutException
        return left if seconds is None else min(seconds, left)


class GuardedBackend(httpcore.NetworkBackend):
    """Resolves a name once and connects to an address that was checked.

    Otherwise a name could resolve to a public address for the check and to a private
    one for the connection.
    """

    def __init__(
        self, progress: ConnectionProgress, *, resolve: Resolve, connect_seconds: float
    ) -> None:
        self._progress = progress
        self._resolve = resolve
        self._connect_seconds = connect_seconds
        self._backend = httpcore.SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,
        local_address: str | None = None,
        socket_options: Iterable[Any] | None = None,
    ) -> httpcore.NetworkStream:
        until = time.monotonic() + self._progress.within(self._connect_seconds)
        addresses = self._addresses(host, port, until)
        for position, address in enumerate(addresses[:-1]):
            # A share for each, so that a dead first address does not use all the time.
            shares = len(addresses) - position
            with suppress(httpcore.ConnectError, httpcore.ConnectTimeout):
                return self._open(address, port, until, shares=shares)
        try:
            return self._open(addresses[-1], port, until, shares=1)
        except (httpcore.ConnectError, httpcore.ConnectTimeout) as failure:
            raise _not_connected(host, failure.__cause__) from None

    def _open(
        self, address: str, port: int, until: float, *, shares: int
    ) -> httpcore.NetworkStream:
        left = until - time.monotonic()
        if left <= 0:
            raise httpcore.ConnectTimeout
        stream = self._backend.connect_tcp(address, port, timeout=left / shares)
        return _DeadlineStream(stream, self._progress)

    def _addresses(self, host: str, port: int, until: float) -> Sequence[str]:
        name = host.strip("[]")
        addresses = _resolve_until(lambda: self._resolve(name, port), name, until)
        if self._progress.is_guarded and not all(map(is_public, addresses)):
            raise CallFailed(
                FailureKind.FORBIDDEN,
                f"{host} resolves to an address that is not public. "
                "Enter the provider's public address.",
            )
        return addresses


def _resolve_until(
    look_up: Callable[[], Sequence[str]], host: str, until: float
) -> Sequence[str]:
    # The system's resolver ignores our deadline: it may continue in its thread.
    addresses: list[str] = []
    thread = threading.Thread(
        target=_collect, args=(look_up, addresses), name=f"resolve {host}", daemon=True
    )
    thread.start()
    thread.join(max(0.0, until - time.monotonic()))
    if thread.is_alive() or not addresses:
        raise CallFailed(
            FailureKind.NOT_SENT, f"The name {host} could not be resolved."
        )
    return addresses


def _collect(look_up: Callable[[], Sequence[str]], addresses: list[str]) -> None:
    try:
        addresses.extend(look_up())
    except OSError:
        return


class _DeadlineStream(httpcore.NetworkStream):
    """A connection whose every step ends at the call's deadline."""

    def __init__(
        self, stream: httpcore.NetworkStream, progress: ConnectionProgress
    ) -> None:
        self._stream = stream
        self._progress = progress

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:
        return self._stream.read(max_bytes, self._progress.within(timeout))

    def write(self, buffer: bytes, timeout: float | None = None) -> None:
        seconds = self._progress.within(timeout)
        self._progress.is_sent = self._progress.is_sent or bool(buffer)
        self._stream.write(buffer, seconds)

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,
    ) -> httpcore.NetworkStream:
        name = server_hostname.strip("[]") if server_hostname else None
        seconds = self._progress.within(timeout)
        try:
            secured = self._stream.start_tls(ssl_context, name, seconds)
        except (httpcore.ConnectError, httpcore.ConnectTimeout) as failure:
            raise _not_connected(server_hostname, failure.__cause__) from None
        return _DeadlineStream(secured, self._progress)

    def get_extra_info(self, info: str) -> Any:
        return self._stream.get_extra_info(info)

    def close(self) -> None:
        self._stream.close()


def _not_connected(host: str | None, cause: BaseException | None) -> CallFailed:
    if isinstance(cause, ssl.SSLCertVerificationError):
        reason = cause.verify_message.rstrip(".")
        return CallFailed(
            FailureKind.CERTIFICATE,
            f"The certificate of {host} is not valid: {reason}.",
        )
    reason = "it took too long"
    if isinstance(cause, ssl.SSLError):
        reason = "it does not speak TLS as it should"
    elif isinstance(cause, OSError) and cause.strerror:
        reason = cause.strerror
    return CallFailed(FailureKind.NOT_SENT, f"No connection to {host}: {reason}.")
