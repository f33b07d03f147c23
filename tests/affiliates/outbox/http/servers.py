"""Servers on loopback that say exactly what a test has them say, byte by byte."""

from __future__ import annotations

import datetime
import ipaddress
import socket
import ssl
import struct
import threading
from collections.abc import Callable
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


class Peer:
    """The client's end of one connection, as the server sees it."""

    def __init__(self, sock: socket.socket, stopping: threading.Event) -> None:
        self._sock = sock
        self._stopping = stopping
        self._buffer = b""

    def read_request(self) -> bytes:
        """One request with its body, b"" when the client has gone."""
        while b"\r\n\r\n" not in self._buffer:
            if not self._receive():
                return b""
        head, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
        length = 0
        for line in head.lower().split(b"\r\n"):
            if line.startswith(b"content-length:"):
                length = int(line.split(b":")[1])
        while len(self._buffer) < length:
            if not self._receive():
                return b""
        body, self._buffer = self._buffer[:length], self._buffer[length:]
        return head + b"\r\n\r\n" + body

    def send(self, data: bytes) -> None:
        self._sock.sendall(data)

    def pause(self, seconds: float) -> None:
        """Wait, but not beyond the test."""
        self._stopping.wait(seconds)

    def reset(self) -> None:
        """Close with RST, as a crashed process or a firewall does."""
        self._sock.setsockopt(
            socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
        )
        self._sock.close()

    def _receive(self) -> bool:
        data = self._sock.recv(65_536)
        self._buffer += data
        return bool(data)


Talk = Callable[[Peer], None]


def answering(data: bytes) -> Talk:
    """Answer every request on the connection with the same bytes."""

    def talk(peer: Peer) -> None:
        while peer.read_request():
            peer.send(data)

    return talk


class Server:
    """Listens on a free port of 127.0.0.1; ``talk`` has one connection each time."""

    def __init__(self, talk: Talk, *, tls: ssl.SSLContext | None = None) -> None:
        self._talk = talk
        self._tls = tls
        self._stopping = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._threads = [threading.Thread(target=self._accept)]
        self.port: int = self._listener.getsockname()[1]
        self.host = f"127.0.0.1:{self.port}"
        self.requests: list[bytes] = []
        self.connections = 0
        # To be acquired once for each connection that the server has closed.
        self.closed = threading.Semaphore(0)

    def __enter__(self) -> Server:
        self._threads[0].start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()
        # A blocked accept is not woken by a close.
        with socket.socket() as waker:
            waker.connect(("127.0.0.1", self.port))
        for thread in list(self._threads):
            thread.join()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            sock, _ = self._listener.accept()
            if self._stopping.is_set():
                sock.close()
                return
            self.connections += 1
            thread = threading.Thread(target=self._serve, args=(sock,))
            self._threads.append(thread)
            thread.start()

    def _serve(self, sock: socket.socket) -> None:
        sock.settimeout(10)
        try:
            if self._tls:
                sock = self._tls.wrap_socket(sock, server_side=True)
            self._talk(_Recording(sock, self._stopping, self.requests))
        except OSError:
            pass  # the client has gone, which is what many tests want it to do
        finally:
            sock.close()
            self.closed.release()


class _Recording(Peer):
    def __init__(
        self, sock: socket.socket, stopping: threading.Event, requests: list[bytes]
    ) -> None:
        super().__init__(sock, stopping)
        self._requests = requests

    def read_request(self) -> bytes:
        request = super().read_request()
        if request:
            self._requests.append(request)
        return request


def certificate(
    folder: Path, *, host: str, days: tuple[int, int] = (-1, 1)
) -> tuple[ssl.SSLContext, Path]:
    """A server's context with a certificate signed by itself, and the certificate."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, host)])
    now = datetime.datetime.now(datetime.UTC)
    try:
        subject: x509.GeneralName = x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        subject = x509.DNSName(host)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + datetime.timedelta(days=days[0]))
        .not_valid_after(now + datetime.timedelta(days=days[1]))
        .add_extension(x509.SubjectAlternativeName([subject]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    public, private = folder / "certificate.pem", folder / "key.pem"
    public.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    private.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(public, private)
    return context, public
