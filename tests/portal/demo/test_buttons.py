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
            if refusal := press(client, target, sent):
                refused.append((path, target, refusal))

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
        if is_told or any(needs_a_person(*field) for field in fields.items()):
            return
        answer = client.post(target, {"reason": REASON})
        form = answer.context.get("form") if answer.context else None
        yield from form.errors.values() if form else ()
        yield from warnings_of(answer)


def needs_a_person(name: str, field: Any) -> bool:
    is_choice = isinstance(field.widget, django_forms.RadioSelect)
    return name != "reason" and (field.required or is_choice)


def warnings_of(answer: Any) -> list[str]:
    messages = getattr(answer.wsgi_request, "_messages", ())
    return [str(message) for message in messages if message.level >= WARNING]


def one_of_each_status(model: Any) -> list[Any]:
    status = "status" if hasattr(model, "status") else "outcome"
    values = model.objects.order_by().values_list(status, flat=True).distinct()
    return [model.objects.filter(**{status: value}).last() for value in values]


def press(client: Client, target: str, sent: dict[str, str] | None) -> object:
    """The status of a refusal, or the alert of a page that refuses."""
    with rolled_back():
        answer = client.get(target) if sent is None else client.post(target, sent)
        if answer.status_code >= 400:  # noqa: PLR2004 - HTTP's refusals
            return answer.status_code
        is_page = answer.status_code == 200 and "html" in answer["Content-Type"]  # noqa: PLR2004 - not a redirect
        shown = elements(parse_html(answer.text)) if is_page else ()
        alerts = [part for part in shown if attributes_of(part).get("role") == "alert"]
        return [str(alert) for alert in alerts if alert.children] or None


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
    menus = named(page_of(client, "/affiliate/"), "nav")
    links = [link for menu in menus for link in named(menu, "a")]
    paths = [attributes_of(link).get("href", "") for link in links]
    return [*dict.fromkeys(path for path in paths if path.startswith("/affiliate/"))]


def buttons(page: Element) -> Iterator[tuple[str, None]]:
    for link in map(attributes_of, named(page, "a")):
        if "button" in link.get("class", "").split():
            yield link["href"], None


def forms(page: Element, path: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Those that can be sent as they are."""
    for form in named(page, "form"):
        address = attributes_of(form)
        fields = [attributes_of(field) for field in named(form, *FIELDS)]
        is_filled = all(field.get("value") for field in fields if "required" in field)
        if address.get("method") == "post" and is_filled:
            sent = {
                field["name"]: field.get("value", "")
                for field in fields
                if "name" in field and field.get("type") not in CHOSEN
            }
            for select in named(form, "select"):
                sent[attributes_of(select)["name"]] = _choice(select)
            yield address.get("action", path), sent


def _choice(select: Element) -> str:
    options = [attributes_of(option) for option in named(select, "option")]
    chosen = [option for option in options if "selected" in option]
    return [*chosen, *options][0].get("value", "")


def named(parent: Element, *names: str) -> list[Element]:
    return [element for element in elements(parent) if element.name in names]


def attributes_of(element: Element) -> dict[str, str]:
    return {name: value or "" for name, value in element.attributes}


def elements(parent: Element) -> Iterator[Element]:
    for child in parent.children:
        if isinstance(child, Element):
            yield child
            yield from elements(child)
