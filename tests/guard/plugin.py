"""Fails the running test when personal data leaves by a log, delivery, e-mail or page.

Only what this process sends is seen: servers that a test starts are not.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Generator
from typing import Any

import pytest
from django.core.handlers.base import BaseHandler
from django.core.mail import EmailMessage
from django.db import connection
from django.http import HttpRequest, StreamingHttpResponse

from affiliates.outbox.http.types import Call
from affiliates.program.models import Affiliate
from affiliates.telemetry.logs import JsonFormatter
from tests.guard.markers import (
    Marker,
    accounts_of,
    forget_accounts,
    found_in,
    is_marked,
    numbers_of,
)
from tests.guard.rules import (
    ANYBODY,
    OF_CLIENTS,
    PROVIDER,
    STAFF,
    WEBHOOK,
    Outlet,
    Reader,
    ReaderKind,
    allowed,
)

OURS = ("affiliates", "portal")
# Of staff who look at the area, in the browser of anybody.
LOOK_COOKIE = "affiliates_look"
# These answer the account that was just logged in, and the owner of a link by e-mail.
PAGES_OF_ONE = re.compile(r"/api/clients/.*|.*/confirm/.+")
# These name clients, and what they bought, if the brand says so.
PAGES_OF_CLIENTS = re.compile(r".*/(commissions|orders|referrals)\b.*")
# A visit's answer leads on to the page that was sent, by a view that leaves no body behind.
VISIT, SENT_PAGES = "/api/affiliate_link/visit", {"page", "redirect"}
# A delivery goes to it.
ADDRESS_OF_WEBHOOK = "hook"
format_record = JsonFormatter().format
leaks: list[str] = []


class Guard:
    """Replaces each outlet once, for the whole run."""

    def pytest_configure(self) -> None:
        _watch_logs()
        _watch_deliveries()
        _watch_emails()
        _watch_answers()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self) -> Generator[None, Any, Any]:
        result = yield
        fail_if_leaked()
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_teardown(self) -> Generator[None, Any, Any]:
        result = yield
        forget_accounts()
        fail_if_leaked()
        return result


def fail_if_leaked() -> None:
    if leaks:
        found = "\n".join(dict.fromkeys(leaks))
        leaks.clear()
        pytest.fail(f"Personal data left:\n{found}", pytrace=False)


def judge(outlet: Outlet, reader: Reader, found: set[Marker], where: str) -> None:
    for one in sorted(found, key=str):
        if not allowed(outlet, reader, one):
            leaks.append(f"{outlet.value} to {reader.kind.value}, {where}: {one}")


def _watch_logs() -> None:
    handle, info = logging.Logger.handle, logging.Logger.info

    def watched(self: logging.Logger, record: logging.LogRecord) -> None:
        if record.levelno >= logging.INFO:
            watch_log(self.name, format_record(record))
        handle(self, record)

    def watched_info(self: Any, msg: object, *args: Any, **options: Any) -> None:
        """Also where tests log warnings only."""
        if self.name.startswith(OURS) and not self.isEnabledFor(logging.INFO):
            about = (self.name, logging.INFO, "", 0, msg, args, None)
            record = self.makeRecord(*about, extra=options.get("extra"))
            watch_log(self.name, format_record(record))
        options["stacklevel"] = options.get("stacklevel", 1) + 1
        info(self, msg, *args, **options)

    logging.Logger.handle = watched  # type: ignore[method-assign]
    logging.Logger.info = watched_info  # type: ignore[method-assign]


def watch_log(name: str, text: str) -> None:
    if is_marked(text):
        judge(Outlet.LOG, ANYBODY, found_in(text), name)


def _watch_deliveries() -> None:
    init = Call.__init__

    def watched(self: Call, **fields: Any) -> None:
        init(self, **fields)
        watch_call(self)

    Call.__init__ = watched  # type: ignore[method-assign]


def watch_call(call: Call) -> None:
    text = f"{call.headers} {call.body.decode('utf-8', 'replace')}"
    if is_marked(f"{call.url} {text}"):
        names = {name.lower() for name, _ in call.headers}
        reader = WEBHOOK if "webhook-id" in names else PROVIDER
        called = {one for one in found_in(call.url) if one.field != ADDRESS_OF_WEBHOOK}
        judge(Outlet.DELIVERY, reader, found_in(text) | called, call.method)


def _watch_emails() -> None:
    message = EmailMessage.message

    def watched(self: EmailMessage, *args: Any, **options: Any) -> Any:
        watch_email(self)
        return message(self, *args, **options)

    EmailMessage.message = watched  # type: ignore[method-assign]


def watch_email(email: EmailMessage) -> None:
    parts = [part[0] for part in getattr(email, "alternatives", ())]
    text = "\n".join(map(str, (email.subject, email.body, *parts)))
    if not is_marked(text):
        return
    for address in email.recipients():
        known = accounts_of(address)
        is_staff = not known or any(one.kind == "staff" for one in known)
        numbers = frozenset(one.number for one in known)
        # Of an address that no factory gave to an account nothing is known.
        reader = STAFF if is_staff else Reader(ReaderKind.PERSON, numbers)
        judge(Outlet.EMAIL, reader, found_in(text), str(email.subject))


def _watch_answers() -> None:
    answer, answer_async = BaseHandler.get_response, BaseHandler.get_response_async

    def watched(self: BaseHandler, request: HttpRequest) -> Any:
        response = answer(self, request)
        watch_answer(request, response)
        return response

    async def watched_async(self: BaseHandler, request: HttpRequest) -> Any:
        response = await answer_async(self, request)
        watch_answer(request, response)
        return response

    BaseHandler.get_response = watched  # type: ignore[method-assign]
    BaseHandler.get_response_async = watched_async  # type: ignore[method-assign]


def watch_answer(request: HttpRequest, response: Any) -> None:
    if not response.streaming:
        _watch_content(request, response, response.content)
    elif type(response) is StreamingHttpResponse and not response.is_async:
        parts = response.streaming_content
        response.streaming_content = (
            _watch_content(request, response, part) for part in parts
        )


def _watch_content(request: HttpRequest, response: Any, content: bytes) -> bytes:
    if is_marked(content):
        text = content.decode("utf-8", "replace")
        is_file = "attachment" in response.get("Content-Disposition", "")
        outlet = Outlet.FILE if is_file else Outlet.PAGE
        shown = found_in(text) - found_in(_sent_by(request))
        if request.path == VISIT:
            shown = {one for one in shown if one.field not in SENT_PAGES}
        reader = reader_of(request, shown)
        judge(outlet, reader, shown, f"{request.method} {request.path}")
    return content


def reader_of(request: HttpRequest, shown: set[Marker]) -> Reader:
    """An account that the request never loaded is not logged in."""
    user = vars(request).get("user")
    user = getattr(request, "_cached_user", None) or user
    loaded = vars(user) if user is not None else {}
    is_looking = any(LOOK_COOKIE in name for name in request.COOKIES)
    if is_looking or loaded.get("is_staff"):
        return STAFF
    if loaded.get("id"):
        numbers = numbers_of(user)
        is_unmasked = PAGES_OF_CLIENTS.fullmatch(request.path) is not None and any(
            (one.kind, one.field) in OF_CLIENTS and one.number not in numbers
            for one in shown
        )
        reads_clients = is_unmasked and _reads_clients(user)
        return Reader(ReaderKind.PERSON, numbers, reads_clients=reads_clients)
    numbers = frozenset(one.number for one in shown)
    if PAGES_OF_ONE.fullmatch(request.path) and len(numbers) == 1:
        return Reader(ReaderKind.PERSON, numbers)
    return ANYBODY


def _reads_clients(user: Any) -> bool:
    """Whether the affiliate's brand shows its clients: no test counts this query."""
    is_counted, connection.force_debug_cursor = connection.force_debug_cursor, False
    try:
        return Affiliate.objects.filter(user=user, brand__masks_clients=False).exists()
    finally:
        connection.force_debug_cursor = is_counted


def _sent_by(request: HttpRequest) -> str:
    """What a form shows again was its reader's own."""
    known = vars(request)
    posted = known.get("_post") or {}
    values = [value for name in posted for value in posted.getlist(name)]
    body = known.get("_body", b"").decode("utf-8", "replace")
    return "\n".join((request.get_full_path(), body, *values))
