"""In which language a visitor of the shop reads, and who is not asked."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import translation

from affiliates.adapter import get_adapter
from portal.clients.models import User
from tests.factories.affiliates import BrandFactory
from tests.factories.portal import ClientFactory
from tests.portal.conftest import ORIGIN

SHOP = "shop.localhost:8000"
GERMAN = {"host": SHOP, "accept-language": "de-AT,en;q=0.5"}

pytestmark = pytest.mark.django_db


@pytest.fixture
def visitor() -> Client:
    return Client()


@pytest.mark.parametrize(
    ("asked", "language"),
    [("", "en"), ("de-AT,en;q=0.5", "de"), ("fr", "en"), ("fr,de;q=0.1", "de")],
)
def test_a_page_is_in_the_browsers_language_where_it_is_ours(visitor, asked, language):
    page = visitor.get("/login", headers={"host": SHOP, "accept-language": asked})

    assert f'<html lang="{language}">' in page.text
    assert f'src="/texts/{language}.js"' in page.text
    assert page["Content-Language"] == language
    assert {"Accept-Language", "Cookie"} <= set(page["Vary"].split(", "))


def test_a_choice_is_the_areas_too_and_stays(visitor):
    BrandFactory(client_area=SHOP)
    page = visitor.get("/login?next=/basket", headers={"host": SHOP}).text
    assert 'action="/affiliate/language"' in page
    assert 'name="next" value="/login?next=/basket"' in page

    answer = visitor.post(
        "/affiliate/language",
        {"language": "de", "next": "/login?next=/basket"},
        headers={"host": SHOP},
    )

    assert answer["Location"] == "/login?next=/basket"
    for path in ("/basket", "/affiliate/program"):
        assert '<html lang="de">' in visitor.get(path, headers={"host": SHOP}).text


@pytest.mark.parametrize("host", ["docs.shop.localhost:8000", "api.localhost:8000"])
def test_hosts_that_keep_no_choice_offer_none(visitor, host):
    page = visitor.get("/", headers={**GERMAN, "host": host}).text

    assert '<html lang="de">' in page
    assert "/affiliate/language" not in page


def test_staff_are_not_asked(visitor):
    login = visitor.get("/admin/login/", headers=GERMAN)

    assert "Log in" in login.text
    assert "Anmelden" not in login.text
    assert "Accept-Language" not in login.get("Vary", "")


def test_the_api_refuses_in_the_language_asked_for(visitor, brand):
    refusal = visitor.get("/api/orders", headers={**GERMAN, "origin": ORIGIN})

    assert refusal.json()["errors"][0]["detail"] == "Anmeldedaten fehlen."
    assert refusal["Content-Language"] == "de"


def test_the_next_request_of_the_thread_begins_anew(visitor):
    visitor.get("/", headers=GERMAN)

    assert translation.get_language() == "en"


def test_what_scripts_say_is_kept_by_its_address_alone(visitor):
    said = visitor.get("/texts/de.js", headers={"host": SHOP, "accept-language": "en"})

    assert '"Your basket": "Ihr Warenkorb"' in said.text
    assert said["Content-Type"].startswith("text/javascript")
    assert said["Cache-Control"] == "public, max-age=60"
    assert not said.has_header("Vary")
    assert not said.has_header("Set-Cookie")
    again = visitor.get(
        "/texts/de.js", headers={"host": SHOP, "if-none-match": said["ETag"]}
    )
    assert again.status_code == 304


def test_the_codes_own_language_needs_no_texts(visitor):
    said = visitor.get("/texts/en.js", headers={"host": SHOP, "accept-language": "de"})

    assert "Warenkorb" not in said.text
    assert "globals.gettext" in said.text


@pytest.mark.parametrize("path", ["/texts/fr.js", "/texts/.js", "/texts/de"])
def test_texts_of_no_language_of_ours_do_not_exist(visitor, path):
    assert visitor.get(path, headers={"host": SHOP}).status_code == 404


def test_clients_are_written_to_in_the_language_they_read_last():
    client = ClientFactory(brand=BrandFactory(client_area=SHOP))
    reader = Client(headers=GERMAN)
    reader.force_login(client, "portal.clients.backends.ClientBackend")

    def written_in() -> str:
        return get_adapter().client_details([str(client.pk)])[str(client.pk)].language

    assert written_in() == ""
    reader.get("/account")
    assert written_in() == "de"
    with CaptureQueriesContext(connection) as again:
        reader.get("/account")
    assert [one for one in again if "UPDATE" in one["sql"]] == []

    reader.get("/account", headers={"accept-language": "en"})

    assert written_in() == "en"


def test_what_staff_and_strangers_read_is_kept_of_nobody(admin_user):
    ClientFactory(brand=BrandFactory(client_area=SHOP))
    staff = Client(headers=GERMAN)
    staff.force_login(admin_user)
    for reader in (staff, Client(headers=GERMAN)):
        assert reader.get("/login").status_code == 200

    assert {*User.objects.values_list("language", flat=True)} == {""}
