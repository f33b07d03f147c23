"""Creatives with a file: staff upload it, the brand's affiliates download it."""

from __future__ import annotations

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import IntegrityError, transaction
from django.test import Client
from django.utils import translation
from rest_framework.test import APIClient

from affiliates.program.creative_models import Creative
from affiliates.uploads.files import MARKUP, MAX_FILE_BYTES, TOO_LARGE, UNKNOWN
from affiliates.uploads.pdf import DAMAGED
from tests.affiliates.uploads.hostile import zipped, zipped_within
from tests.cases import each
from tests.database import nothing_written
from tests.factories.affiliates import AffiliateFactory, BrandFactory, CreativeFactory
from tests.factories.files import pdf

CREATIVES = "/api/affiliate/creatives"
PAGE = "/affiliate/creatives"
ADD = "/admin/affiliates/creative/add/"
DISPOSITION = 'attachment; filename="Leaflet.pdf"'


@pytest.fixture
def partner(affiliate) -> APIClient:
    client = APIClient()
    client.force_authenticate(affiliate.user)
    return client


@pytest.fixture(autouse=True)
def _files(settings):
    """Kept in memory."""
    memory = {"BACKEND": "django.core.files.storage.InMemoryStorage"}
    settings.STORAGES = {**settings.STORAGES, "default": memory}


def file_page(creative) -> str:
    return f"{PAGE}/{creative.pk}/file"


def test_the_api_names_the_file(partner, leaflet):
    [row] = partner.get(CREATIVES).json()["data"]["creatives"]

    assert row.pop("created_at")
    assert row == {
        "id": leaflet.pk,
        "name": "Blog",
        "text": "To print",
        "image": None,
        "width": None,
        "height": None,
        "file": f"https://shop.example.com{file_page(leaflet)}",
        "file_name": "Leaflet.pdf",
        "file_type": "application/pdf",
        "file_size": len(pdf()),
        "snippet": None,
    }


def test_a_creative_is_answered_or_its_file(partner, leaflet):
    [row] = partner.get(CREATIVES).json()["data"]["creatives"]
    path = f"{CREATIVES}/{leaflet.pk}"

    data = partner.get(path).json()["data"]
    file = partner.get(path, headers={"accept": "application/pdf"})

    assert data == row
    assert file.content == pdf()
    assert file["Content-Type"] == "application/pdf"
    assert file["Content-Disposition"] == DISPOSITION


def test_the_page_lists_the_file_with_its_type_and_size(browser, leaflet):
    page = browser.get(PAGE).text

    for text in (
        "Leaflet.pdf",
        f"PDF, {len(pdf())}\xa0bytes",
        f'href="{file_page(leaflet)}',
    ):
        assert text in page
    assert "&lt;a href" not in page


def test_a_file_is_a_download(browser, leaflet):
    answer = browser.get(file_page(leaflet))

    assert answer.content == pdf()
    assert answer["Content-Type"] == "application/pdf"
    assert answer["Content-Disposition"] == DISPOSITION
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Security-Policy"] == "default-src 'none'; sandbox"
    assert "no-store" in answer["Cache-Control"]


def test_nobody_downloads_without_signing_in(leaflet):
    browser = Client(headers={"host": "shop.example.com"})

    answer = browser.get(file_page(leaflet))

    assert answer.status_code == 302
    assert f"next={file_page(leaflet)}" in answer["Location"]
    assert APIClient().get(f"{CREATIVES}/{leaflet.pk}").status_code == 401
    stored = leaflet.file.rpartition("/")[2]
    assert browser.get(f"/affiliate/images/{stored}").status_code == 404


def test_another_brands_file_is_not_found(host, leaflet, brand):
    other = BrandFactory(client_area="other.example.com")
    user = host.client(other, email="abroad@example.com")
    AffiliateFactory(brand=other, user=user)
    browser = Client(headers={"host": "other.example.com"})
    browser.force_login(user)
    api = APIClient()
    api.force_authenticate(user)

    page = browser.get(file_page(leaflet))
    answer = api.get(f"{CREATIVES}/{leaflet.pk}", headers={"accept": "application/pdf"})

    assert (page.status_code, answer.status_code) == (404, 404)


def _turned_off(creative):
    Creative.objects.filter(pk=creative.pk).update(is_active=False)


def _gone(creative):
    default_storage.delete(creative.file)


@pytest.mark.parametrize("change", [_turned_off, _gone])
def test_what_is_not_there_is_not_found(change, browser, leaflet):
    change(leaflet)

    assert browser.get(file_page(leaflet)).status_code == 404


def test_a_creative_without_a_file_has_no_download(browser, partner, brand):
    creative = CreativeFactory(brand=brand)

    assert browser.get(file_page(creative)).status_code == 404
    assert partner.get(f"{CREATIVES}/{creative.pk}").json()["data"]["file"] is None


def form_of(brand, **changes):
    return {
        "brand": brand.pk,
        "name": "Leaflet",
        "text": "To print",
        "translations_de": "",
        "is_active": "on",
        **changes,
    }


def upload_of(content: bytes, name: str = "leaflet.pdf") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content, "application/pdf")


def test_staff_upload_a_file(admin_client, brand):
    answer = admin_client.post(ADD, form_of(brand, download=upload_of(pdf())))

    creative = Creative.objects.get()
    page = f"/admin/affiliates/creative/{creative.pk}/"
    shown = admin_client.get(f"{page}change/").text
    assert answer.status_code == 302
    assert (creative.file_name, creative.file_size) == ("leaflet.pdf", len(pdf()))
    assert creative.file.startswith("affiliates/files/")
    assert f"PDF, {len(pdf())}\xa0bytes" in shown
    assert "leaflet.pdf" in shown


def test_the_form_says_what_is_taken(admin_client):
    page = admin_client.get(ADD).text

    assert "PDF, PNG, JPEG, WebP or plain text in UTF-8, at most 10 MB." in page


@each(
    ("content", "fault"),
    [
        (b"<html><script>alert(1)</script>", MARKUP),
        (b"<svg onload='alert(1)'/>", MARKUP),
        (zipped_within(), DAMAGED),
        (zipped(), UNKNOWN),
        (b"x" * (MAX_FILE_BYTES + 1), TOO_LARGE),
        (b"", "The submitted file is empty."),
    ],
)
def test_a_hostile_file_writes_nothing(content, fault, admin_client, brand):
    with nothing_written():
        answer = admin_client.post(ADD, form_of(brand, download=upload_of(content)))

    assert answer.status_code == 200
    assert fault in answer.text
    assert not default_storage.exists("affiliates/files")


def test_a_hook_that_refuses_writes_nothing(admin_client, brand, settings):
    settings.AFFILIATES_SCAN_UPLOAD = "affiliates.no_scanner"

    with nothing_written():
        answer = admin_client.post(ADD, form_of(brand, download=upload_of(pdf())))

    assert "The file could not be scanned: try again later." in answer.text


def test_an_image_and_a_file_are_two_creatives(admin_client, brand):
    image = pytest.importorskip("PIL.Image").new("RGB", (3, 2))
    picture = SimpleUploadedFile("a.png", b"")
    image.save(picture, "PNG")
    picture.seek(0)

    with nothing_written():
        answer = admin_client.post(
            ADD, form_of(brand, upload=picture, download=upload_of(pdf()))
        )

    assert "Choose one: an image or a file." in answer.text


def test_a_saved_file_is_never_changed(admin_client, leaflet, brand):
    page = f"/admin/affiliates/creative/{leaflet.pk}/change/"

    admin_client.post(
        page, form_of(brand, name="Poster", download=upload_of(b"Hello", "other.txt"))
    )

    stored = Creative.objects.get()
    assert (stored.name, stored.file) == ("Poster", leaflet.file)
    assert stored.file_name == "Leaflet.pdf"


@each(
    "fields",
    [
        {"file": "affiliates/files/1.pdf"},
        {"file_name": "a.pdf"},
        {"file_size": 1},
        {"file": "affiliates/files/1.pdf", "file_name": "a.pdf", "file_size": 0},
        {
            "file": "affiliates/files/1.pdf",
            "file_name": "a.pdf",
            "file_size": 1,
            "image": "affiliates/images/1.png",
            "width": 1,
            "height": 1,
        },
    ],
)
def test_the_database_keeps_no_half_file(fields, brand):
    with (
        pytest.raises(IntegrityError, match="file_of_a_creative"),
        transaction.atomic(),
    ):
        CreativeFactory(brand=brand, **fields)


def test_readers_get_the_text_in_their_language(admin_client, brand, partner, browser):
    admin_client.post(ADD, form_of(brand, translations_de="Zum Drucken"))

    german = partner.get(CREATIVES, headers={"accept-language": "de-AT"})
    french = partner.get(CREATIVES, headers={"accept-language": "fr"})
    browser.cookies["django_language"] = "de"
    page = browser.get(PAGE, headers={"accept-language": "de"}).text

    [row] = german.json()["data"]["creatives"]
    assert row["text"] == "Zum Drucken"
    assert row["snippet"].endswith(">Zum Drucken</a>")
    assert french.json()["data"]["creatives"][0]["text"] == "To print"
    assert "<p>Zum Drucken</p>" in page
    with translation.override("en"):
        assert Creative.objects.get().own_text == "To print"
