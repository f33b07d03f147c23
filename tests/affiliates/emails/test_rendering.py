"""What e-mails say, in which language, and that every kind says something."""

from __future__ import annotations

import re
from zoneinfo import ZoneInfo

import pytest

from affiliates.brands.rules import Font
from affiliates.emails.kinds import KINDS
from affiliates.emails.preview.values import CLAIM, SAMPLES
from affiliates.emails.rendering import write
from affiliates.emails.types import EmailKind, money, named

pytestmark = pytest.mark.django_db


# Codes, keys of rows, and parts of addresses.
IN_NO_TEXT = (
    "refund",
    "email",
    CLAIM,
    "INVOICE-1042",
    "2026-02-01",
    "2026-02-28",
    "trackingintegration",
)


@pytest.fixture
def written(brand):
    brand.name, brand.time_zone = "Shop\r\n& Co", "Europe/Berlin"

    def of(kind, values=None, **fields):
        values = SAMPLES.get(kind, {}) if values is None else values
        return write(kind, values, brand=brand, **{"language": "en", **fields})

    return of


def test_moments_are_of_the_readers_zone_or_the_brands(written):
    kind = EmailKind.DESTINATION_CHANGED

    assert "13:00 (Europe/Berlin)" in written(kind, language="de").text
    tokyo = written(kind, language="de", zone=ZoneInfo("Asia/Tokyo"))
    assert "8. März 2026, 21:00 (Asia/Tokyo)" in tokyo.text


def test_table_has_every_kind():
    assert set(KINDS) == set(EmailKind)


@pytest.mark.parametrize("kind", EmailKind)
def test_each_kind_has_a_subject_a_text_and_the_same_as_html(written, kind):
    email = written(kind, name="Ada Lovelace")

    # Staff write the whole subject of an announcement.
    is_own = kind == EmailKind.ANNOUNCEMENT
    assert email.subject.startswith("New banners" if is_own else "Shop & Co: ")
    assert email.text.startswith("Hello Ada Lovelace,\n\n")
    assert "\n\nShop & Co\n" in email.text
    assert email.html.startswith('<!doctype html>\n<html lang="en">')
    assert ">Hello Ada Lovelace,</p>" in email.html
    assert "<strong>Shop &amp; Co</strong>" in email.html
    for part in ("http://", "<img", "<link", "<script"):
        assert part not in email.html
    for value in SAMPLES.get(kind, {}).values():
        if isinstance(value, str) and value not in IN_NO_TEXT:
            assert value in email.text


def test_what_others_wrote_is_text_in_both_parts(written):
    email = written(EmailKind.DECLINED, {"reason": "<b>No</b> & never"})

    assert "Reason: <b>No</b> & never" in email.text
    assert "Reason: &lt;b&gt;No&lt;/b&gt; &amp; never" in email.html


@pytest.mark.parametrize(
    ("language", "amount", "day"),
    [
        ("en", "€1,250.00", "8 Mar 2026, 13:00 (Europe/Berlin)"),
        ("de", "1.250,00\xa0€", "8. März 2026, 13:00 (Europe/Berlin)"),
        ("tlh", "€1,250.00", "8 Mar 2026, 13:00 (Europe/Berlin)"),
        ("", "€1,250.00", "8 Mar 2026, 13:00 (Europe/Berlin)"),
    ],
)
def test_amounts_and_moments_are_written_as_the_language_does(
    written, language, amount, day
):
    paid = {
        "payout": 3,
        "amount": money(125_000, "EUR"),
        "destination": named("PayPal", ""),
    }

    assert amount in written(EmailKind.PAID, paid, language=language).text
    assert day in written(EmailKind.DESTINATION_CHANGED, language=language).text


def test_yen_have_no_decimals(written):
    paid = {
        "payout": 3,
        "amount": money(1_250, "JPY"),
        "destination": named("PayPal", ""),
    }

    assert "¥1,250 " in written(EmailKind.PAID, paid).text


def test_a_hosts_template_is_taken_instead(written, settings, tmp_path):
    folder = tmp_path / "affiliates" / "emails"
    folder.mkdir(parents=True)
    (folder / "applied.txt").write_text(
        "{% autoescape off %}Welcome to {{ brand }}.{% endautoescape %}"
    )
    (folder / "applied.html").write_text("<h1>{{ brand }}</h1>{{ body }}")
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": [tmp_path]}]

    email = written(EmailKind.APPLIED)

    assert email.text == (
        "Hello,\n\nWelcome to Shop & Co.\n\nSee your application:\n"
        "https://shop.example.com/affiliate/\n\nShop & Co\n"
    )
    assert email.html == "<h1>Shop &amp; Co</h1>Welcome to Shop &amp; Co.\n"


def test_layout_has_the_brands_font(written, brand):
    brand.font = Font.OLD_STYLE

    assert "&#x27;Palatino Linotype&#x27;" in written(EmailKind.PAID).html


def test_layout_has_the_brands_logo_and_a_shade_of_its_colour(written, brand):
    brand.colour, brand.logo = "#ffff00", f"affiliates/images/{'0' * 32}.png"

    html = written(EmailKind.PAID).html

    logo = f"https://shop.example.com/affiliate/images/{'0' * 32}.png"
    assert f'<img src="{logo}" alt="Shop &amp; Co"' in html
    assert "background: #737300" in html
    assert "background: #ffff00 !important" in html
    assert [one for one in re.findall(r'src="(.*?)"', html) if one != logo] == []


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ({"commission": money(12_50, "EUR")}, ["€12.50"]),
        ({"commission": ""}, []),
    ],
)
def test_amount_is_shown_large_if_there_is_one(written, values, shown):
    sale = {**SAMPLES[EmailKind.SALE], **values}

    html = written(EmailKind.SALE, sale).html

    assert re.findall(r"font-size: 32px[^>]*>(.*?)</p>", html) == shown


def test_without_the_area_there_is_no_button(written, brand):
    brand.domains.all().delete()

    email = written(EmailKind.PAID)

    assert "See the payout" not in email.text
    assert "<a " not in email.html


def test_layout_ends_with_the_legal_line_and_the_support_contact(written, brand):
    brand.legal_text = "Shop & Co GmbH\n20457 Hamburg"
    brand.support = "help@shop.example.com"

    email = written(EmailKind.APPROVED)

    assert email.text.endswith(
        "\n\nShop & Co\nShop & Co GmbH\n20457 Hamburg\nContact: help@shop.example.com\n"
    )
    assert (
        "Shop &amp; Co GmbH<br>20457 Hamburg<br>"
        '<a href="mailto:help@shop.example.com">Contact</a>'
    ) in email.html


def test_support_contact_may_be_a_page(written, brand):
    brand.support = "https://shop.example.com/help"

    email = written(EmailKind.APPROVED)

    assert email.text.endswith("Contact: https://shop.example.com/help\n")
    assert '<a href="https://shop.example.com/help">Contact</a>' in email.html
