"""That the guard finds what leaks: each outlet is made to leak."""

from __future__ import annotations

import logging

import pytest
from django.core.mail import EmailMessage
from django.http import HttpResponse, StreamingHttpResponse
from django.test import RequestFactory

from affiliates.outbox.http.types import Call
from tests.guard.markers import marker, name_of_account
from tests.guard.plugin import fail_if_leaked, leaks, watch_answer

NAME, OTHER = marker("client", "lastname", 7), marker("client", "lastname", 17)
AGENT, HOOK = marker("visitor", "agent"), marker("affiliate", "hook", 7)
IBAN = "DE89370400440532013000"
logger = logging.getLogger("affiliates.leaks")


class Account:
    """As loaded by a session; ``lastname`` says whose."""

    def __init__(self, *, is_staff: bool = False) -> None:
        self.id = 1
        self.is_staff = is_staff
        self.lastname = NAME


@pytest.fixture
def leaked():
    """What was found, which fails no test here."""

    def take() -> list[str]:
        found = list(leaks)
        leaks.clear()
        return found

    yield take
    leaks.clear()


@pytest.mark.parametrize(
    ("_case", "log"),
    [
        ("message", lambda: logger.warning(NAME)),
        ("argument", lambda: logger.error("About %s", NAME)),
        ("extra", lambda: logger.warning("Seen", extra={"who": NAME})),
        ("below the level of tests", lambda: logger.info("About %s", NAME)),
        ("its extra", lambda: logger.info("Seen", extra={"who": NAME})),
    ],
)
def test_log(_case, log, leaked):
    log()

    assert leaked() == [f"log to anybody, affiliates.leaks: {NAME}"]


def test_log_of_an_exception(leaked):
    try:
        raise ValueError(NAME)
    except ValueError:
        logger.exception("It failed")

    assert leaked() == [f"log to anybody, affiliates.leaks: {NAME}"]


@pytest.mark.parametrize(
    ("_case", "parts", "found"),
    [
        ("body", {"body": f'{{"name": "{NAME}"}}'.encode()}, [NAME]),
        ("address", {"url": f"https://hooks.example.com/?q={NAME}"}, [NAME]),
        ("header", {"headers": (("X-Name", NAME),)}, [NAME]),
        ("declared receiver", {"body": AGENT.encode()}, []),
        ("its own address", {"url": f"https://hooks.example.com/{HOOK}"}, []),
        (
            "address of a webhook in a body",
            {"url": f"https://hooks.example.com/{HOOK}", "body": HOOK.encode()},
            [HOOK],
        ),
    ],
)
def test_delivery(_case, parts, found, leaked):
    Call(**{"method": "POST", "url": "https://tracker.example.com", **parts})

    assert leaked() == [f"delivery to provider, POST: {one}" for one in found]


def test_delivery_to_a_webhook_is_another_receiver(leaked):
    headers = (("webhook-id", "msg_1"),)
    Call(method="POST", url="https://hooks.example.com", headers=headers, body=b"zq-")
    assert leaked() == []

    Call(
        method="POST",
        url="https://hooks.example.com",
        headers=headers,
        body=AGENT.encode(),
    )
    assert leaked() == [f"delivery to webhook, POST: {AGENT}"]


@pytest.mark.parametrize(
    ("_case", "kind", "body", "found"),
    [
        ("own", "client", NAME, []),
        ("another's", "client", OTHER, [f"e-mail to a person, Hello: {OTHER}"]),
        ("of staff", "staff", OTHER, []),
        ("whole account", "staff", IBAN, ["e-mail to staff, Hello: zq-secret-iban-0"]),
    ],
)
def test_email(_case, kind, body, found, leaked):
    name_of_account(kind, 7, email="seven@example.com")

    EmailMessage("Hello", body, to=["Seven@example.com"]).message()

    assert leaked() == found


@pytest.mark.parametrize(
    ("_case", "user", "body", "found"),
    [
        ("anonymous", None, NAME, [f"page to anybody, GET /page: {NAME}"]),
        ("owner", Account(), NAME, []),
        ("another", Account(), OTHER, [f"page to a person, GET /page: {OTHER}"]),
        ("staff", Account(is_staff=True), OTHER, []),
        (
            "whole account",
            Account(is_staff=True),
            IBAN,
            ["page to staff, GET /page: zq-secret-iban-0"],
        ),
    ],
)
@pytest.mark.parametrize("is_streamed", [False, True])
def test_page(_case, user, body, found, is_streamed, leaked):
    request = RequestFactory().get("/page")
    request.user = user
    answer = StreamingHttpResponse([body]) if is_streamed else HttpResponse(body)

    watch_answer(request, answer)

    assert b"".join(answer) == body.encode()
    assert leaked() == found


def test_page_may_show_again_what_was_sent(leaked):
    request = RequestFactory().post("/page", {"name": NAME})
    assert request.POST["name"] == NAME

    watch_answer(request, HttpResponse(NAME))

    assert leaked() == []


@pytest.mark.parametrize("path", ["/api/clients/login", "/affiliate/confirm/token"])
def test_a_login_and_a_link_by_email_answer_one_person(path, leaked):
    request = RequestFactory().post(path)

    watch_answer(request, HttpResponse(NAME))
    assert leaked() == []

    watch_answer(request, HttpResponse(NAME + OTHER))
    assert len(leaked()) == 2


def test_every_answer_is_watched(client, db, monkeypatch):
    seen = []
    monkeypatch.setattr(
        "tests.guard.plugin.watch_answer",
        lambda request, answer: seen.append((request.path, answer.status_code)),
    )

    client.get("/nowhere")

    assert seen == [("/nowhere", 404)]


def test_leak_fails_the_test():
    leaks.append("page to anybody, GET /page: zq-client-lastname-7")

    with pytest.raises(pytest.fail.Exception, match="Personal data left:\npage to"):
        fail_if_leaked()

    assert leaks == []
