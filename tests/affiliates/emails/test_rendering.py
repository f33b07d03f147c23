"""What e-mails say, in which language, and that every kind says something."""

from __future__ import annotations

from zoneinfo import ZoneInfo

import pytest

from affiliates.brands.models.brand import Brand
from affiliates.emails.kinds import KINDS
from affiliates.emails.rendering import write
from affiliates.emails.types import EmailKind, money, named

BRAND = Brand(name="Shop\r\n& Co", time_zone="Europe/Berlin")


def written(kind, values=None, **fields):
    values = KINDS[kind].sample if values is None else values
    return write(kind, values, brand=BRAND, **{"language": "en", **fields})


def test_moments_are_of_the_readers_zone_or_the_brands():
    kind = EmailKind.DESTINATION_CHANGED

    assert "13:00 (Europe/Berlin)" in written(kind, language="de").text
    tokyo = written(kind, language="de", zone=ZoneInfo("Asia/Tokyo"))
    assert "8. März 2026 21:00 (Asia/Tokyo)" in tokyo.text


def test_table_has_every_kind():
    assert set(KINDS) == set(EmailKind)


@pytest.mark.parametrize("kind", EmailKind)
def test_each_kind_has_a_subject_a_text_and_the_same_as_html(kind):
    email = written(kind, name="Ada Lovelace")

    assert email.subject.startswith("Shop & Co: ")
    assert email.text.startswith("Hello Ada Lovelace,\n\n")
    assert email.text.endswith("\n\nShop & Co\n")
    assert email.html.startswith('<!doctype html>\n<html lang="en">')
    assert "<p>Hello Ada Lovelace,</p>" in email.html
    assert "<p><strong>Shop &amp; Co</strong></p>" in email.html
    for part in ("http://", "<img", "<link", "<script"):
        assert part not in email.html
    for value in KINDS[kind].sample.values():
        if isinstance(value, str) and value not in ("refund", "email"):
            assert value in email.text


def test_what_others_wrote_is_text_in_both_parts():
    email = written(EmailKind.DECLINED, {"reason": "<b>No</b> & never"})

    assert "Why: <b>No</b> & never" in email.text
    assert "Why: &lt;b&gt;No&lt;/b&gt; &amp; never" in email.html


@pytest.mark.parametrize(
    ("language", "amount", "day"),
    [
        ("en", "€1,250.00", "March 8, 2026, 1 p.m. (Europe/Berlin)"),
        ("de", "1.250,00\xa0€", "8. März 2026 13:00 (Europe/Berlin)"),
        ("tlh", "€1,250.00", "March 8, 2026, 1 p.m. (Europe/Berlin)"),
        ("", "€1,250.00", "March 8, 2026, 1 p.m. (Europe/Berlin)"),
    ],
)
def test_amounts_and_moments_are_written_as_the_language_does(language, amount, day):
    paid = {
        "payout": 3,
        "amount": money(125_000, "EUR"),
        "destination": named("PayPal", ""),
    }

    assert amount in written(EmailKind.PAID, paid, language=language).text
    assert day in written(EmailKind.DESTINATION_CHANGED, language=language).text


def test_yen_have_no_decimals():
    paid = {
        "payout": 3,
        "amount": money(1_250, "JPY"),
        "destination": named("PayPal", ""),
    }

    assert "¥1,250 " in written(EmailKind.PAID, paid).text


def test_a_hosts_template_is_taken_instead(settings, tmp_path):
    folder = tmp_path / "affiliates" / "emails"
    folder.mkdir(parents=True)
    (folder / "applied.txt").write_text(
        "{% autoescape off %}Welcome to {{ brand }}.{% endautoescape %}"
    )
    (folder / "applied.html").write_text("<h1>{{ brand }}</h1>{{ body }}")
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": [tmp_path]}]

    email = written(EmailKind.APPLIED)

    assert email.text == "Hello,\n\nWelcome to Shop & Co.\n\nShop & Co\n"
    assert email.html == "<h1>Shop &amp; Co</h1>Welcome to Shop &amp; Co.\n"
