"""CPU of a delivery and of an e-mail, beside the bare call and the bare e-mail.

The other side, the simulated network and a mail server that keeps nothing, are processes
of their own: only this process is measured.
"""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.running import HOST

if TYPE_CHECKING:
    from affiliates.outbox.http.client import Transport
    from affiliates.outbox.http.types import Call, Response

ROUNDS = 5
ROWS = 200

_MAIL_SERVER = """
import asyncio

async def serve(reader, writer):
    writer.write(b"220 sink\\r\\n")
    while line := await reader.readline():
        verb = line[:4].upper()
        if verb == b"DATA":
            writer.write(b"354 Go on\\r\\n")
            while await reader.readline() != b".\\r\\n":
                pass
        writer.write(b"250 OK\\r\\n")

async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()

asyncio.run(main())
"""


def delivery_cpu(address: str) -> tuple[float, float]:
    """CPU in ms of a call of the client alone, and of a whole delivery: medians."""
    from django.utils import timezone

    from affiliates.outbox.http.client import Transport
    from affiliates.outbox.http.types import Call
    from affiliates.outbox.models.integration import TrackingIntegration
    from affiliates.outbox.pacing import MAX_UNDER_WAY
    from affiliates.outbox.sending.deliver import serve

    integration_id = TrackingIntegration.objects.values_list("pk", flat=True).get()
    query = f"visitorId={'0' * 32}&getParams=%3Fa_aid%3Dtestaff&ip=203.0.113.7"
    call = Call(method="POST", url=f"{address}/scripts/track.php?{query}")

    with Transport() as transport:

        def bare() -> int:
            for _ in range(ROWS):
                transport.send(call)
            return ROWS

        def deliveries() -> int:
            sender = _Counting(transport)
            count = 0
            while sender.count < ROWS:
                states, free_at = serve(
                    integration_id,
                    transport=sender,
                    now=timezone.now,
                    should_stop=lambda: sender.count >= ROWS,
                    under_way=MAX_UNDER_WAY,
                )
                count += states.total()
                if free_at is not None:
                    time.sleep(max((free_at - timezone.now()).total_seconds(), 0))
            return count

        return _interleaved(bare, deliveries)


class _Counting:
    """Counts the calls that it passes on."""

    def __init__(self, transport: Transport) -> None:
        self.count = 0
        self._transport = transport

    def send(self, call: Call) -> Response:
        self.count += 1
        return self._transport.send(call)


def email_cpu(brand_id: int) -> tuple[float, float]:
    """CPU in ms of an e-mail sent by the backend alone, and of one of the outbox."""
    from django.conf import settings
    from django.core.mail import EmailMultiAlternatives, get_connection
    from django.utils import timezone

    from affiliates.emails.sending import send_due

    with _mail_server() as port:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = HOST, port
        settings.EMAIL_HOST_USER = settings.EMAIL_HOST_PASSWORD = ""
        settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False

        def bare() -> int:
            with get_connection() as connection:
                for number in range(ROWS):
                    message = EmailMultiAlternatives(
                        f"Payout {number}", "Paid.\n" * 20, to=["a@example.com"]
                    )
                    message.attach_alternative("<p>Paid.</p>\n" * 200, "text/html")
                    connection.send_messages([message])
            return ROWS

        def emails() -> int:
            return send_due(now=timezone.now).total()

        return _interleaved(bare, emails, before=lambda: _queue_emails(brand_id))


def _queue_emails(brand_id: int) -> None:
    from django.utils import timezone

    from affiliates.emails.models import Email
    from affiliates.emails.services import notify_affiliates
    from affiliates.emails.types import EmailKind, News, money
    from affiliates.program.models import Affiliate

    first = Email.objects.count()
    affiliates = list(Affiliate.objects.values_list("pk", flat=True))
    news = [
        News(
            kind=EmailKind.PAID,
            brand_id=brand_id,
            affiliate_id=affiliates[number % len(affiliates)],
            fact=str(number),
            values={
                "payout": number,
                "amount": money(100 + number, "EUR"),
                "destination": "PayPal",
            },
        )
        for number in range(first, first + ROWS)
    ]
    notify_affiliates(news, now=timezone.now())


def _interleaved(
    bare: Callable[[], int],
    product: Callable[[], int],
    *,
    before: Callable[[], None] = lambda: None,
) -> tuple[float, float]:
    """The medians of rounds in turn, without the first, which warms up."""
    taken: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS + 1):
        before()
        for times, act in zip(taken, (bare, product), strict=True):
            began = time.process_time()
            count = act()
            times.append((time.process_time() - began) / count * 1000)
    return median(taken[0][1:]), median(taken[1][1:])


@contextmanager
def _mail_server() -> Iterator[int]:
    """The port of a server that accepts everything."""
    command = [sys.executable, "-c", _MAIL_SERVER]
    with subprocess.Popen(  # noqa: S603 - our own command
        command, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None  # noqa: S101
        try:
            yield int(process.stdout.readline())
        finally:
            process.terminate()
