"""The one client for outgoing HTTP: https to public addresses, with all limits set.

Only the connection outlives a call: no cookies, no redirects, and no proxy or
certificate store from the environment.
"""

from __future__ import annotations

import re
import ssl
from collections.abc import Collection, Iterable, Sequence
from typing import NoReturn, Self

import certifi
import httpcore

from affiliates.conf import conf
from affiliates.core.network import is_allowed_host, parse_target, port_of
from affiliates.core.urls import HttpUrl
from affiliates.outbox.http.connections import (
    ConnectionProgress,
    GuardedBackend,
    Resolve,
    resolve,
)
from affiliates.outbox.http.types import Call, CallFailed, FailureKind, Response
from affiliates.telemetry.request_ids import HEADER, current_request_id

CONNECT_SECONDS = 3.0
READ_SECONDS = 7.0
TOTAL_SECONDS = 10.0
MAX_BODY_BYTES = 65_536
# Fits a visited page and its referrer, percent-encoded; servers accept less.
MAX_CALL_URL_LENGTH = 65_536
USER_AGENT = "affiliate-tracking/1.0"

# Shorter than any server's keep-alive: if the server closes the connection during a
# sale, it is unknown whether the sale arrived.
_KEEPALIVE_SECONDS = 2.0
_DEFAULT_HEADERS = (
    ("Accept", "*/*"),
    ("Accept-Encoding", "identity"),
    ("User-Agent", USER_AGENT),
)
# Set by the client: given here, they could choose another host or another body.
_OWN_HEADERS = frozenset(
    {
        "accept-encoding",
        "connection",
        "content-length",
        "expect",
        "host",
        "keep-alive",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"(?:[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)?")
_BODILESS_METHODS = frozenset({"GET", "HEAD"})
_FAILURES = (
    httpcore.TimeoutException,
    httpcore.NetworkError,
    httpcore.ProtocolError,
)


class Transport:
    """Sends calls. Any number of threads may share one; a forked process needs its own.

    ``connect_seconds`` limits name resolution and connection together, then the TLS
    handshake likewise; ``read_seconds`` limits one silence; ``total_seconds`` the whole
    call. ``allowed_hosts`` defaults to AFFILIATES_TRACKING_ALLOWED_HOSTS,
    ``ssl_context`` to the authorities that browsers trust.
    """

    def __init__(
        self,
        *,
        allowed_hosts: Collection[str] | None = None,
        connect_seconds: float = CONNECT_SECONDS,
        read_seconds: float = READ_SECONDS,
        total_seconds: float = TOTAL_SECONDS,
        ssl_context: ssl.SSLContext | None = None,
        resolve: Resolve = resolve,
    ) -> None:
        if allowed_hosts is None:
            allowed_hosts = conf.tracking_allowed_hosts
        self._allowed_hosts = frozenset(allowed_hosts)
        self._total_seconds = total_seconds
        self._timeouts = {
            "connect": connect_seconds,
            "read": read_seconds,
            "write": read_seconds,
            "pool": total_seconds,
        }
        self._progress = ConnectionProgress()
        self._pool = httpcore.ConnectionPool(
            ssl_context=ssl_context
            or ssl.create_default_context(cafile=certifi.where()),
            max_connections=None,
            keepalive_expiry=_KEEPALIVE_SECONDS,
            network_backend=GuardedBackend(
                self._progress, resolve=resolve, connect_seconds=connect_seconds
            ),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._pool.close()

    def send(self, call: Call) -> Response:
        """Returns the answer of any status, its body cut at 64 KiB.

        Raises CallFailed, whose detail names the call's host at most.
        """
        try:
            url = parse_target(
                call.url,
                allowed_hosts=self._allowed_hosts,
                limit=MAX_CALL_URL_LENGTH,
            )
            _check_head(call)
        except ValueError as fault:
            raise CallFailed(FailureKind.FORBIDDEN, str(fault)) from None
        self._progress.begin(
            seconds=self._total_seconds,
            is_guarded=not is_allowed_host(url, self._allowed_hosts),
        )
        try:
            return self._exchange(call, url)
        except _FAILURES as failure:
            _fail(failure, host=url.hostname, is_sent=self._progress.is_sent)

    def _exchange(self, call: Call, url: HttpUrl) -> Response:
        has_body = call.body or call.method not in _BODILESS_METHODS
        with self._pool.stream(
            call.method,
            httpcore.URL(
                scheme=url.protocol.removesuffix(":"),
                host=url.hostname,
                port=port_of(url),
                target=url.pathname + url.search,
            ),
            headers=_with_defaults(call.headers),
            content=call.body if has_body else None,
            extensions={"timeout": self._timeouts},
        ) as answer:
            headers: dict[str, str] = {}
            for name, value in answer.headers:
                key, text = name.decode("latin-1").lower(), value.decode("latin-1")
                headers[key] = f"{headers[key]}, {text}" if key in headers else text
            return Response(
                status=answer.status,
                headers=headers,
                body=_read_capped(answer.iter_stream()),
            )


def _check_head(call: Call) -> None:
    if not _TOKEN.fullmatch(call.method):
        raise ValueError("The call's method is no HTTP method.")
    for name, value in call.headers:
        if not _TOKEN.fullmatch(name):
            raise ValueError("The call has a header without a proper name.")
        if name.lower() in _OWN_HEADERS:
            raise ValueError(f"The header {name} cannot be set: remove it.")
        if not _HEADER_VALUE.fullmatch(value):
            raise ValueError(
                f"The header {name} must be plain text: letters, digits "
                "and signs of ASCII, without blanks at its ends."
            )


def _with_defaults(headers: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    names = {name.lower() for name, _ in headers}
    defaults = [pair for pair in _DEFAULT_HEADERS if pair[0].lower() not in names]
    request_id = current_request_id()
    if request_id and HEADER.lower() not in names:
        defaults.append((HEADER, request_id))
    return [*headers, *defaults]


def _read_capped(chunks: Iterable[bytes]) -> bytes:
    body = bytearray()
    for chunk in chunks:
        body += chunk
        if len(body) >= MAX_BODY_BYTES:
            break
    return bytes(body[:MAX_BODY_BYTES])


def _fail(failure: Exception, *, host: str, is_sent: bool) -> NoReturn:
    if not is_sent:
        raise CallFailed(
            FailureKind.NOT_SENT, f"No connection to {host}: it took too long."
        ) from None
    detail = f"{host} closed the connection before the answer was whole."
    if isinstance(failure, httpcore.TimeoutException):
        detail = f"{host} gave no whole answer in time."
    elif isinstance(failure, httpcore.ProtocolError):
        detail = f"{host} gave no whole answer in HTTP."
    raise CallFailed(FailureKind.NO_ANSWER, detail) from None
