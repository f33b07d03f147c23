"""What affiliates show on their sites: uploaded by staff, drawn anew, served to all."""

from __future__ import annotations

import re
from html import escape
from io import BytesIO

import pytest
from django.core.files.storage import InMemoryStorage
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from rest_framework.test import APIClient

from affiliates.brands.forms import PictureField
from affiliates.program.creative_models import Creative
from affiliates.program.services import save_creative
from affiliates.uploads.drawing import (
    MAX_BYTES,
    NO_IMAGE,
    NO_PILLOW,
    TOO_LARGE,
    TOO_WIDE,
    drawn_anew,
)
from tests.cases import each
from tests.database import nothing_written, queries_of
from tests.factories.affiliates import (
    AffiliateLinkFactory,
    BrandFactory,
    CreativeFactory,
)

Image = pytest.importorskip("PIL.Image")

CREATIVES = "/api/affiliate/creatives"
PAGE = "/affiliate/creatives"
SECRET = b"taken at 52.5 N 13.4 E"


def drawn(kind="PNG", size=(3, 2), colour=(200, 30, 40), **options) -> bytes:
    file = BytesIO()
    Image.new("RGB", size, colour).save(file, kind, **options)
    return file.getvalue()


@pytest.fixture(autouse=True)
def _files(settings):
    """Kept in memory."""
    memory = {"BACKEND": "django.core.files.storage.InMemoryStorage"}
    settings.STORAGES = {**settings.STORAGES, "default": memory}


@pytest.fixture
def banner(brand) -> Creative:
    creative = CreativeFactory.build(brand=brand, name="Banner", text='Fast & "cheap"')
    save_creative(creative, upload=drawn_anew(drawn()))
    return creative


@pytest.fixture
def partner(affiliate) -> APIClient:
    client = APIClient()
    client.force_authenticate(affiliate.user)
    return client


@each("kind", ["PNG", "JPEG", "WEBP"])
def test_a_picture_is_drawn_anew_without_what_came_along(kind):
    exif = Image.Exif()
    exif[0x010E] = SECRET.decode()
    exif[0x0112] = 6  # To be turned by a quarter.
    content = drawn(kind, exif=exif.tobytes()) + SECRET

    picture = drawn_anew(content)

    assert SECRET in content
    assert SECRET not in picture.content
    assert (picture.width, picture.height) == (2, 3)
    with Image.open(BytesIO(picture.content)) as image:
        assert (image.format, image.size, dict(image.getexif())) == (kind, (2, 3), {})


def test_what_can_be_seen_through_stays_so():
    file = BytesIO()
    Image.new("RGBA", (1, 1), (0, 0, 0, 0)).save(file, "PNG")

    with Image.open(BytesIO(drawn_anew(file.getvalue()).content)) as image:
        assert image.getpixel((0, 0)) == (0, 0, 0, 0)


@each(
    ("content", "said"),
    [
        (b"<svg xmlns='http://www.w3.org/2000/svg'><script/></svg>", NO_IMAGE),
        (b"", NO_IMAGE),
        (drawn("GIF"), NO_IMAGE),
        (drawn()[:40], NO_IMAGE),
        (drawn("BMP"), NO_IMAGE),
        (b"x" * (MAX_BYTES + 1), TOO_LARGE),
        (drawn(size=(2_001, 1)), TOO_WIDE.format(2_000)),
    ],
)
def test_anything_else_is_refused(content, said):
    with pytest.raises(ValueError, match=said):
        drawn_anew(content)


def test_without_pillow_nothing_is_taken(monkeypatch):
    monkeypatch.setattr("affiliates.uploads.drawing.HAS_PILLOW", False)

    with pytest.raises(ValueError, match=re.escape(NO_PILLOW)):
        drawn_anew(drawn())


def test_an_upload_is_refused_by_its_size_before_it_is_read():
    file = SimpleUploadedFile("big.png", b"x")
    file.size = MAX_BYTES + 1

    with pytest.raises(Exception, match=TOO_LARGE):
        PictureField().clean(file)


def test_the_snippet_holds_the_affiliates_own_address(partner, affiliate, banner):
    [found] = partner.get(CREATIVES).json()["data"]["creatives"]

    image = f"https://shop.example.com/affiliate/images/{banner.image[18:]}"
    assert found.pop("created_at")
    assert found == {
        "id": banner.pk,
        "name": "Banner",
        "text": 'Fast & "cheap"',
        "image": image,
        "width": 3,
        "height": 2,
        "file": None,
        "file_name": "",
        "file_type": None,
        "file_size": None,
        "snippet": '<a href="https://shop.example.com/?ref=partner" rel="sponsored">'
        f'<img src="{image}" alt="Fast &amp; &quot;cheap&quot;" width="3" height="2">'
        "</a>",
    }


def test_the_snippet_holds_a_link_of_the_affiliates(partner, link, brand):
    CreativeFactory(brand=brand, text="<b>")

    [found] = partner.get(CREATIVES, {"link": link.pk}).json()["data"]["creatives"]

    address = f"https://shop.example.com/aff/{link.hash}"
    assert found["snippet"] == f'<a href="{address}" rel="sponsored">&lt;b&gt;</a>'
    assert found["image"] is None


def test_a_link_of_somebody_else_is_not_there(partner, browser, rival):
    link = AffiliateLinkFactory(affiliate=rival)

    assert partner.get(CREATIVES, {"link": link.pk}).status_code == 404
    assert browser.get(PAGE, {"link": link.pk}).status_code == 404


def test_creatives_are_the_brands_own_active_ones(partner, brand):
    CreativeFactory(brand=brand, is_active=False)
    CreativeFactory(brand=BrandFactory(client_area="other.example.com"))

    assert partner.get(CREATIVES).json()["data"]["creatives"] == []


def test_the_page_shows_the_image_and_its_html_to_copy(browser, partner, banner):
    answer = browser.get(PAGE)

    [found] = partner.get(CREATIVES).json()["data"]["creatives"]
    assert f'src="{found["image"]}"' in answer.text
    assert "3 × 2 pixels" in answer.text
    assert f'value="{escape(found["snippet"])}"' in answer.text
    assert (
        "img-src 'self' data: https://shop.example.com;"
        in (answer["Content-Security-Policy"])
    )


def test_without_creatives_the_page_says_so(browser):
    assert "Nothing here yet." in browser.get(PAGE).text


def test_more_creatives_take_no_more_queries(browser, brand):
    CreativeFactory(brand=brand)
    browser.get(PAGE)
    few = queries_of(lambda: browser.get(PAGE))
    for _ in range(5):
        CreativeFactory(brand=brand)

    assert queries_of(lambda: browser.get(PAGE)) == few


def test_an_image_is_served_to_everybody_and_kept(banner):
    answer = Client().get(f"/affiliate/images/{banner.image[18:]}")

    content = b"".join(answer.streaming_content)
    assert content == drawn_anew(drawn()).content
    assert answer["Content-Type"] == "image/png"
    assert answer["Cache-Control"] == "public, max-age=31536000, immutable"
    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Security-Policy"] == "default-src 'none'; sandbox"


@each(
    "name",
    ["0" * 32 + ".png", "0" * 32 + ".svg", "../lists/1.png", "%2e%2e%2flists.png"],
)
def test_no_other_file_is_served(db, name):
    assert Client().get(f"/affiliate/images/{name}").status_code == 404


def test_a_public_storage_gives_the_address(partner, browser, brand, settings):
    public = f"{InMemoryStorage.__module__}.InMemoryStorage"
    settings.STORAGES = {
        **settings.STORAGES,
        "affiliates_images": {
            "BACKEND": public,
            "OPTIONS": {"base_url": "https://cdn.example.net/"},
        },
    }
    creative = CreativeFactory.build(brand=brand)
    save_creative(creative, upload=drawn_anew(drawn()))

    [found] = partner.get(CREATIVES).json()["data"]["creatives"]

    assert found["image"] == f"https://cdn.example.net/{creative.image}"
    policy = browser.get(PAGE)["Content-Security-Policy"]
    assert "img-src 'self' data: https://cdn.example.net;" in policy


@pytest.fixture
def upload(admin_client, brand):
    def upload(content: bytes):
        return admin_client.post(
            "/admin/affiliates/creative/add/",
            {
                "brand": brand.pk,
                "name": "Banner",
                "text": "Fast",
                "is_active": "on",
                "upload": SimpleUploadedFile("evil.html", content, "text/html"),
            },
        )

    return upload


def test_staff_upload_an_image(upload, admin_client, brand):
    answer = upload(drawn("JPEG"))

    creative = Creative.objects.get()
    assert answer.status_code == 302
    assert (creative.brand, creative.width, creative.height) == (brand, 3, 2)
    assert creative.image.startswith("affiliates/images/")
    assert creative.image.endswith(".jpg")
    page = admin_client.get(f"/admin/affiliates/creative/{creative.pk}/change/")
    assert "3 × 2 pixels" in page.text


def test_what_is_no_image_is_refused_and_nothing_is_written(upload):
    with nothing_written():
        answer = upload(b"<svg/>")

    assert NO_IMAGE in answer.text
