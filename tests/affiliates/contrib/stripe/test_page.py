"""The samples of docs/stripe.md lead from nothing to a credited order."""

from __future__ import annotations

import re
import sys
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from textwrap import dedent
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from django.contrib.auth import get_user_model
from django.test import Client, RequestFactory
from django.utils import timezone

from affiliates.contrib.stripe.applying import HANDLERS
from affiliates.contrib.stripe.models import StripeEvent
from tests.affiliates.contrib.stripe.conftest import SECRET
from tests.affiliates.host_events.cookies import click_of, cookie_of

pytestmark = pytest.mark.django_db
PAGE = (Path(__file__).resolve().parents[4] / "docs/stripe.md").read_text("utf-8")


def sample(name: str) -> str:
    [text] = re.findall(rf"```python\n *# {name}\n(.+?)```", PAGE, re.DOTALL)
    return dedent(text)


def run(name: str, **names: object) -> dict[str, object]:
    found = dict(names)
    exec(compile(sample(name), name, "exec"), found)  # noqa: S102 - of our own page
    return found


def test_the_script_credits_an_order(
    brand, buyer, affiliate, program, earned, settings, monkeypatch, capsys
):
    def urlopen(request):
        answer = Client().post(
            request.full_url.removeprefix("http://localhost:8000"),
            request.data,
            content_type="application/json",
            headers=dict(request.header_items()),
        )
        return SimpleNamespace(status=answer.status_code)

    monkeypatch.setenv("STRIPE_WEBHOOK_SECRET", SECRET)
    monkeypatch.setattr("urllib.request.urlopen", urlopen)
    cookie = cookie_of(click_of(affiliate, timezone.now() - timedelta(hours=1)))
    url = f"http://localhost:8000/api/stripe/{brand.pk}"
    monkeypatch.setattr(sys, "argv", ["try_stripe.py", url, str(buyer.pk), cookie])
    named = run("settings.py", os=__import__("os"), INSTALLED_APPS=[])
    settings.AFFILIATES_STRIPE_SECRETS = {
        brand.pk: named["AFFILIATES_STRIPE_SECRETS"][1]
    }

    run("try_stripe.py")

    printed = capsys.readouterr().out
    assert printed in PAGE.replace("    checkout", "checkout").replace("    in", "in")
    assert named["INSTALLED_APPS"] == ["affiliates.contrib.stripe"]
    assert {row.state for row in StripeEvent.objects.all()} == {"applied"}
    assert earned() == {"in_1": 200}


def test_a_session_carries_the_client_and_the_cookie(monkeypatch, settings):
    stripe = Mock()
    monkeypatch.setitem(sys.modules, "stripe", stripe)
    request = RequestFactory().post("/")
    request.user = SimpleNamespace(pk=7)
    request.COOKIES["referral_cookie"] = "c" * 288

    begin = run("views.py", redirect=BytesIO)["begin_checkout"]
    stripe.checkout.Session.create.return_value.url = b"https://checkout.stripe.com"
    begin(request)

    given = stripe.checkout.Session.create.call_args.kwargs
    assert given["client_reference_id"] == "7"
    assert given["metadata"] == {"referral_cookie": "c" * 288}


def test_the_function_of_the_page_finds_a_client(buyer):
    client_of = run("shop/stripe_clients.py", User=get_user_model())["client_of"]

    assert client_of(SimpleNamespace(email=buyer.email)) == str(buyer.pk)
    assert client_of(SimpleNamespace(email="nobody@example.com")) is None


def test_every_event_that_is_read_is_in_the_table():
    table = PAGE.partition("## What each event becomes")[2].partition("###")[0]
    first_cells = " ".join(re.findall(r"^\| (`.+?) \|", table, re.MULTILINE))

    assert set(re.findall(r"`([\w.]+)`", first_cells)) == {*HANDLERS}
