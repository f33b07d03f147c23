"""What those are sent who are no affiliates yet, as text and as HTML."""

from __future__ import annotations

import re
from html import escape

import pytest
from django.urls import reverse
from django.utils import translation

from affiliates.adapter import get_adapter
from affiliates.contracts import ClientDetails
from affiliates.contrib.recruitment import emails
from affiliates.emails.links import open_link
from affiliates.emails.models import Email
from affiliates.emails.rules import HIDDEN_LINK
from tests.database import nothing_written
from tests.factories.recruitment import InvitationFactory, UnverifiedApplicationFactory

URL = "https://shop.example.com/affiliate/page/a-token:1_x"
SUBJECTS = {
    ("account", "en"): "you have an account already",
    ("account", "de"): "Sie haben schon ein Konto",
    ("confirm", "en"): "confirm your application",
    ("confirm", "de"): "bestätigen Sie Ihre Bewerbung",
    ("invitation", "en"): "become an affiliate",
    ("invitation", "de"): "Partner werden",
    ("verify", "en"): "confirm your e-mail address",
    ("verify", "de"): "bestätigen Sie Ihre E-Mail-Adresse",
}
BUTTONS = {
    ("account", "en"): "Sign in",
    ("account", "de"): "Anmelden",
    ("confirm", "en"): "Confirm the application",
    ("confirm", "de"): "Bewerbung bestätigen",
    ("invitation", "en"): "See the invitation",
    ("invitation", "de"): "Einladung ansehen",
    ("verify", "en"): "Confirm the address",
    ("verify", "de"): "Adresse bestätigen",
}
HELLO = {"en": "Hello,", "de": "Hallo,"}


@pytest.fixture
def send(brand, buyer, now):
    """Queue one of this kind, and find it."""
    brand.name = "Shop\n& <Co>"
    brand.save()
    told = {"url": URL, "now": now}

    def send(kind):
        if kind == "account":
            emails.tell_of_account(brand, recipient="ada@example.com", **told)
        elif kind == "confirm":
            application = UnverifiedApplicationFactory(brand=brand, firstname="Buy now")
            emails.ask_to_confirm(application, **told)
        elif kind == "invitation":
            language = translation.get_language()
            invitation = InvitationFactory(brand=brand, language=language)
            emails.send_invitation(invitation, **told)
        else:
            client = get_adapter().get_client(str(buyer.pk))
            emails.ask_to_verify(brand, client=client, affiliate_id=1, **told)
        return Email.objects.get(key__startswith=f"recruitment_{kind}:")

    return send


@pytest.fixture
def details(monkeypatch):
    """What the host knows of its clients."""

    def details(**known):
        monkeypatch.setattr(
            type(get_adapter()),
            "client_details",
            lambda self, ids: {one: ClientDetails(**known) for one in ids},
        )

    details()
    return details


@pytest.mark.parametrize(("kind", "language"), SUBJECTS)
def test_staff_read_what_each_says(admin_client, brand, kind, language):
    address = reverse("admin:affiliates_email_texts")
    asked = {"brand": brand.pk, "kind": f"recruitment_{kind}", "language": language}

    with nothing_written():
        shown = admin_client.get(address, asked).text

    with translation.override(language):
        written = emails.write_sample(kind, brand)
    assert SUBJECTS[kind, language] in written.subject
    assert escape(written.subject) in shown
    assert escape(written.text) in shown
    assert f'lang="{language}"' in written.html


@pytest.mark.parametrize(("kind", "language"), SUBJECTS)
def test_each_is_text_and_html_from_the_brand_in_the_readers_language(
    kind, language, send, details
):
    with translation.override(language):
        email = send(kind)

    assert email.subject == f"Shop & <Co>: {SUBJECTS[kind, language]}"
    first, *said, brand = email.text.rstrip("\n").split("\n\n")
    assert (first, brand) == (HELLO[language], "Shop & <Co>")
    # What opens nothing is stored as it is.
    url = URL if kind == "account" else HIDDEN_LINK
    assert open_link(email.link) == ("" if kind == "account" else URL)
    button, label = said.pop(), BUTTONS[kind, language]
    assert button == f"{label}:\n{url}"
    assert "http" not in "".join(said)
    assert "Buy now" not in email.text + email.html
    assert email.html.startswith(f'<!doctype html>\n<html lang="{language}">')
    assert re.findall(r'<a class="button" href="(.*?)".*>(.*?)</a>', email.html) == [
        (url, label)
    ]
    for one in (first, *said, "Shop & <Co>"):
        assert f">{escape(one)}</" in email.html


def test_a_client_is_written_to_by_name_in_the_language_the_host_knows(send, details):
    details(name="Ada Lovelace", language="de")

    email = send("verify")

    assert email.subject == "Shop & <Co>: bestätigen Sie Ihre E-Mail-Adresse"
    assert email.text.startswith("Hallo Ada Lovelace,\n\n")
    assert ">Hallo Ada Lovelace,</p>" in email.html
