"""Writes the text of an e-mail in its recipient's language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

from django.conf import settings
from django.template.loader import render_to_string, select_template
from django.utils import translation
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from djmoney.money import Money

from affiliates.brands.models.brand import Brand
from affiliates.brands.rules import Font
from affiliates.core.colours import DEFAULT_COLOUR, Palette, palette
from affiliates.core.language import translated
from affiliates.core.money import from_minor
from affiliates.emails.kinds import KINDS, KindOfEmail
from affiliates.emails.links import area_url, logo_url, page_url
from affiliates.emails.types import EmailKind

FOLDER = "affiliates/emails"
# The grounds of base.html.
CARD, DARK_CARD = "#ffffff", "#1b1f26"


class Link(NamedTuple):
    label: str | Promise
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    subject: str
    text: str
    html: str


def write(
    kind: EmailKind,
    values: Mapping[str, Any],
    *,
    brand: Brand,
    language: str,
    zone: ZoneInfo | None = None,
    name: str = "",
    unsubscribe_url: str = "",
) -> Written:
    """``values`` are made by ``emails.types``. The site's language replaces an unknown
    one. Moments are in ``zone``, or else in the brand's time zone."""
    with translation.override(known_language(language)):
        words = {
            key: _shown(value, zone or brand.zone()) for key, value in values.items()
        }
        known = KINDS[kind]
        optional = known.is_optional and not known.is_for_staff
        return compose(
            f"{FOLDER}/{kind}",
            words,
            brand=brand,
            subject=known.subject,
            name=name,
            button=Link(known.button.label, page_url(kind, values, brand)),
            figure=_figure(known, words),
            unsubscribe_url=unsubscribe_url,
            choices_url=area_url(brand, "notifications") if optional else "",
        )


def compose(
    template: str,
    words: Mapping[str, Any],
    *,
    brand: Brand,
    subject: str | Promise,
    button: Link,
    figure: tuple[str | Promise, str] | None = None,
    name: str = "",
    unsubscribe_url: str = "",
    choices_url: str = "",
) -> Written:
    """Puts the template's text into the one layout, in the active language.

    ``subject`` has placeholders for ``words`` and the brand. ``figure`` is a caption and
    the amount shown large. A template may have an HTML part of its own.
    """
    words = {**words, "brand": _one_line(brand.name)}
    written = str(subject) % words
    # A plain str, so that inserted values are escaped in the HTML part.
    body = "".join([render_to_string(f"{template}.txt", words).strip()])
    around = {
        "brand": words["brand"],
        "subject": written,
        "body": body,
        "name": _one_line(name),
        "language": translation.get_language() or settings.LANGUAGE_CODE,
        "button": button if button.url else None,
        "figure": figure,
        "unsubscribe_url": unsubscribe_url,
        "choices_url": choices_url,
        "contact": brand.contact(),
        "logo": logo_url(brand),
        "font": Font(brand.font).stack,
        **_colours(brand),
    }
    html = select_template([f"{template}.html", f"{FOLDER}/base.html"])
    return Written(
        subject=written,
        text=render_to_string(f"{FOLDER}/base.txt", around).strip() + "\n",
        html=html.render({**words, **around}).strip() + "\n",
    )


def known_language(language: str) -> str:
    """The language, or the site's own if the site does not have it."""
    try:
        return translation.get_supported_language_variant(language)
    except LookupError:
        return str(settings.LANGUAGE_CODE)


def _figure(
    known: KindOfEmail, words: Mapping[str, Any]
) -> tuple[str | Promise, str] | None:
    label = words[known.figure.value] if known.figure else ""
    amounts = label if isinstance(label, list) else [label]
    text = " · ".join(amount for amount in amounts if amount)
    return (known.figure.caption, text) if known.figure and text else None


def _colours(brand: Brand) -> dict[str, Palette]:
    colour = brand.colour or DEFAULT_COLOUR
    return {
        "light": palette(colour, page=CARD),
        "dark": palette(colour, page=DARK_CARD),
    }


def _shown(value: Any, zone: ZoneInfo) -> Any:
    if isinstance(value, list):
        return [_shown(part, zone) for part in value]
    if not isinstance(value, Mapping):
        return value
    if "currency" in value:
        exact = from_minor(value["amount"], value["currency"])
        return str(Money(exact.amount, exact.currency))
    if "moment" in value:
        at = datetime.fromisoformat(value["moment"]).astimezone(zone)
        written = date_format(at, _("j M Y, H:i"))
        return f"{written} ({zone.key})"
    if "day" in value:
        return date_format(
            datetime.fromisoformat(value["day"]).astimezone(zone), _("j M Y")
        )
    if "translations" in value:
        return _shown(translated(value["text"], value["translations"]), zone)
    if "word" in value:
        word = translation.gettext(value["word"]) if value["word"] else ""
        return f"{word} {value['hint']}".strip()
    if "month" in value:
        return date_format(date.fromisoformat(value["month"]), "YEAR_MONTH_FORMAT")
    return {key: _shown(part, zone) for key, part in value.items()}


def _one_line(text: str) -> str:
    return " ".join(text.split())
