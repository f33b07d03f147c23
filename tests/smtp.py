"""A real mail server that is told how to fail."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from email import message_from_bytes
from email.message import Message
from typing import Any

from aiosmtpd.controller import Controller

from benchmarks.running import HOST, free_port

OK = "250 OK"


class Mailbox:
    """What was accepted, in its order, and how the next ones are answered."""

    def __init__(self) -> None:
        self.accepted: list[Message] = []
        self.recipient_answer = OK
        # How often it was asked for a recipient, and for how long it thinks.
        self.asked = 0
        self.asked_for = 0.0
        self.text_answer = OK
        # After the text: accepted, and the connection lost or the answer late.
        self.hangs_up = False
        self.answers_after = 0.0
        self.port = 0

    async def handle_RCPT(
        self, server: Any, session: Any, envelope: Any, address: str, options: Any
    ) -> str:
        self.asked += 1
        await asyncio.sleep(self.asked_for)
        if self.recipient_answer == OK:
            envelope.rcpt_tos.append(address)
        return self.recipient_answer

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        if self.text_answer == OK:
            self.accepted.append(message_from_bytes(envelope.content))
        if self.hangs_up:
            server.transport.abort()
        await asyncio.sleep(self.answers_after)
        return self.text_answer


@contextmanager
def mail_server() -> Iterator[Mailbox]:
    mailbox = Mailbox()
    mailbox.port = free_port()
    controller = Controller(mailbox, hostname=HOST, port=mailbox.port)
    controller.start()
    try:
        yield mailbox
    finally:
        controller.stop()
