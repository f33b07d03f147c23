"""Every button that the demonstration's pages show is pressed: none is refused.

What a press changes is rolled back. A form with a field that only a person can fill in
is opened, not sent.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django import forms as django_forms
from django.contrib.admin.sites import site
from django.contrib.messages import WARNING
from django.db import connection, transaction
from django.test import Client
from django.test.html import Element, parse_html
from django.urls import reverse

from affiliates.admin_tools.heads import HasHead
from affiliates.admin_tools.naming import page_name
from affiliates.program.models import Affiliate
from portal.clients.models import User
from portal.demo.accounts import ADMIN_EMAIL, login
from portal.demo.year.program import PRINTED
from tests.browser.demo_server import PORT

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.site,
    pytest.mark.usefixtures("year"),
    pytest.mark.skipif(
        connection.vendor == "postgresql", reason="A page has the same buttons on each."
    ),
]
SHOP, DESK = f"shop.localhost:{PORT}", f"api.localhost:{PORT}"
# Their buttons end what the others need, or ask for a password first.
ENDS = ("/sign-out", "/leave")
FIELDS = ("input", "select", "textarea")
CHOSEN = ("checkbox", "radio", "submit", "button")
REASON = "Pressed by a test."


@pytest.mark.parametrize("code", ["demo", *PRINTED])
def test_no_button_of_the_area_leads_to_a_refusal(code: str) -> None:
    client = Client(HTTP_HOST=SHOP)
    email = Affiliate.objects.get(code=code).user.email
    client.post("/login", {"email": email, "password": login(email).password})
    pages = {path: page_of(client, path) for path in navigation(client)}
    refused, pressed = [], set()
    for path, page in pages.items():
        for target, sent in [*buttons(page), *forms(page, path)]:
            if (target, str(sent)) in pressed or target.endswith(ENDS):
                continue
            pressed.add((target, str(sent)))
            if status := press(client, target, sent):
                refused.append((path, target, status))

    assert refused == []
    assert len(pages) > 10  # noqa: PLR2004 - all of the navigation
    assert pressed


@pytest.mark.parametrize(
    "page",
    [page for page in site._registry.values() if isinstance(page, HasHead)],
    ids=lambda page: page.opts.model_name,
)
def test_no_act_of_a_head_is_refused(page: Any) -> None:
    client = Client(HTTP_HOST=DESK)
    client.force_login(User.objects.get(email=ADMIN_EMAIL))
    refused = []
    for row in one_of_each_status(page.model):
        name = page_name(page.opts.model_name, "change")
        head = client.get(reverse(name, args=[row.pk])).context["head"]
        for title, target in [*head.buttons, *head.menu]:
            refused += [(str(row), title, fault) for fault in act(client, target)]

    assert refused == []


def act(client: Client, target: str) -> Iterator[str]:
    """Opens the question, answers it with a reason, and yields what was refused."""
    with rolled_back():
        asked = client.get(target)
        yield from warnings_of(asked)
        assert asked.status_code < 400  # noqa: PLR2004 - HTTP's refusals
        form = asked.context.get("form") if asked.context else None
        fields = getattr(form, "fields", {"of another page": django_forms.CharField()})
        listing = asked.context and asked.context.get("listing")
        # It says what stands in the way, and has no button.
        is_told = listing and not listing.is_possible
        if is_told or any(
            field.required and name != "reason" for name, field in fields.items()
        ):
            return
        answer = client.post(target, {"reason": REASON})
        form = answer.context.get("form") if answer.context else None
        yield from form.errors.values() if form else ()
        yield from warnings_of(answer)


def warnings_of(answer: Any) -> list[str]:
    messages = getattr(answer.wsgi_request, "_messages", ())
    return [str(message) for message in messages if message.level >= WARNING]


def one_of_each_status(model: Any) -> list[Any]:
    status = "status" if hasattr(model, "status") else "outcome"
    values = model.objects.order_by().values_list(status, flat=True).distinct()
    return [model.objects.filter(**{status: value}).last() for value in values]


def press(client: Client, target: str, sent: dict[str, str] | None) -> int | None:
    """The status of a refusal."""
    with rolled_back():
        answer = client.get(target) if sent is None else client.post(target, sent)
        return answer.status_code if answer.status_code >= 400 else None  # noqa: PLR2004 - HTTP's refusals


@contextmanager
def rolled_back() -> Iterator[None]:
    block = transaction.atomic()
    # As in Django's own tests: services may insist on being the outermost.
    block._from_testcase = True
    with block:
        yield
        transaction.set_rollback(True)


def page_of(client: Client, path: str) -> Element:
    answer = client.get(path)
    assert answer.status_code == 200, path  # noqa: PLR2004 - it is in the navigation
    return parse_html(answer.text)


def navigation(client: Client) -> list[str]:
    first = page_of(client, "/affiliate/")
    menus = [one for one in elements(first) if one.name == "nav"]
    paths = [
        attributes_of(link).get("href", "")
        for menu in menus
        for link in elements(menu)
        if link.name == "a"
    ]
    return [*dict.fromkeys(path for path in paths if path.startswith("/affiliate/"))]


def buttons(page: Element) -> Iterator[tuple[str, None]]:
    for one in elements(page):
        if one.name == "a" and "button" in attributes_of(one).get("class", "").split():
            yield attributes_of(one)["href"], None


def forms(page: Element, path: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Those that can be sent as they are."""
    for form in elements(page):
        if form.name == "form" and attributes_of(form).get("method") == "post":
            fields = [
                attributes_of(one) for one in elements(form) if one.name in FIELDS
            ]
            needed = [one for one in fields if "required" in one]
            if all(one.get("value") for one in needed):
                sent = {
                    one["name"]: one.get("value", "")
                    for one in fields
                    if "name" in one and one.get("type") not in CHOSEN
                }
                chosen = [one for one in elements(form) if one.name == "select"]
                sent |= {attributes_of(one)["name"]: _choice(one) for one in chosen}
                yield attributes_of(form).get("action", path), sent


def _choice(select: Element) -> str:
    options = [attributes_of(one) for one in elements(select) if one.name == "option"]
    chosen = [one for one in options if "selected" in one]
    return [*chosen, *options][0].get("value", "")


def attributes_of(element: Element) -> dict[str, str]:
    return {name: value or "" for name, value in element.attributes}


def elements(parent: Element) -> Iterator[Element]:
    for child in parent.children:
        if isinstance(child, Element):
            yield child
            yield from elements(child)
