"""What opens an account is shown to nobody of staff, and kept nowhere as it is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.apps import apps
from django.contrib import admin
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import NoReverseMatch, reverse

from affiliates.brands.roles import ROLES, group_name
from affiliates.emails.models import Email
from affiliates.emails.sending import send_due
from portal.clients.open_sessions import OpenSession
from tests.factories.portal import StaffFactory
from tests.lengths import times
from tests.portal.admin.live_tokens import (
    tokens_in,
    tokens_of,
    write_emails,
    write_reset,
)

BACKEND = "tests.affiliates.emails.backends.InterruptedBackend"
IN_EMAILS = {"confirm", "invitation", "verify", "unsubscribe", "password-reset"}
PREVIEWS = "admin:affiliates_email_texts"
# Every page of every role takes minutes: those who see most, always.
ROWS = times(5, long=20)
SEARCHED = times(("operator", "finance"), long=tuple(ROLES))


@pytest.fixture
def _clock(now):
    with time_machine.travel(now, tick=False):
        yield


@pytest.fixture
def tokens(_clock, affiliate, staff, now, settings, mailoutbox) -> dict[str, str]:
    write_reset(affiliate, now=now)
    settings.EMAIL_BACKEND = BACKEND
    tokens = tokens_of(affiliate, staff, now=now)
    write_emails(affiliate, now=now)
    send_due(now=lambda: now + timedelta(hours=1))
    found = tokens_in(mailoutbox)
    assert found.keys() == IN_EMAILS
    # The sale waits in a digest, which has no token yet.
    sent = Email.objects.exclude(kind__in=["sale", "digest"])
    assert set(sent.values_list("state", flat=True)) == {"unclear"}
    return tokens | found


def test_no_column_holds_a_token(tokens):
    texts = {
        f"{model._meta.label}.{field} {number}": str(value)
        for model in apps.get_models()
        for number, row in enumerate(model._default_manager.values())
        for field, value in row.items()
        if isinstance(value, str | bytes | list | dict)
    } | {
        f"portal.OpenSession {number}": str(row.get_decoded())
        for number, row in enumerate(OpenSession.objects.all())
    }

    assert _seen(tokens, texts) == []


@pytest.mark.long
@pytest.mark.parametrize("role", SEARCHED)
def test_no_page_shows_a_token(tokens, role):
    browser = _browser_of(role)

    texts = {path: _text_of(browser, path) for path in _paths(tokens)}

    assert "(link, not shown)" in "".join(texts.values())
    assert _seen(tokens, texts) == []


def _seen(tokens: dict[str, str], texts: dict[str, str]) -> list[tuple[str, str]]:
    return [
        (kind, place)
        for place, text in texts.items()
        for kind, token in tokens.items()
        if token in text
    ]


def _browser_of(role: str) -> Client:
    user = StaffFactory(is_superuser=False)
    user.groups.add(Group.objects.get(name=group_name(role)))
    browser = Client()
    browser.force_login(user)
    return browser


def _text_of(browser: Client, path: str) -> str:
    answer = browser.get(path)
    assert answer.status_code in {200, 302, 403, 404}, path
    if answer.streaming:
        return b"".join(answer.streaming_content).decode()
    return f"{answer.headers} {answer.content.decode()}"


def _paths(tokens: dict[str, str]) -> Iterator[str]:
    """Every list, its file, every row's own pages, what e-mails say, and the search."""
    for model, page in admin.site._registry.items():
        prefix = f"admin:{model._meta.app_label}_{model._meta.model_name}"
        yield reverse(f"{prefix}_changelist")
        with suppress(NoReverseMatch):
            yield reverse(f"{prefix}_export", args=["csv"])
        for row in page.model._default_manager.all()[:ROWS]:
            for name in ("change", "history"):
                yield reverse(f"{prefix}_{name}", args=[row.pk])
            yield from _own_pages(page, prefix, row)
    yield reverse(PREVIEWS)
    yield "/admin/search/?s=example.com"


def _own_pages(page: Any, prefix: str, row: Any) -> Iterator[str]:
    """What is asked before something is done to the row: looked at, never answered."""
    for name in getattr(page, "actions_detail", ()):
        with suppress(NoReverseMatch):
            yield reverse(f"{prefix}_{name}", args=[row.pk])
