"""Shared options of commands: brands, days, addresses, and faults with their remedy."""

from __future__ import annotations

from argparse import ArgumentParser
from datetime import UTC, date, datetime, timedelta

from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.core.validators import validate_email
from django.utils import timezone

from affiliates.brands.models.brand import Brand
from affiliates.core.days import span_of, start_of

DEFAULT_DAYS = 30
COULD_NOT_RUN = 2


def fault(text: str) -> CommandError:
    return CommandError(text, returncode=COULD_NOT_RUN)


def email_given(text: str) -> str:
    """``--email`` without spaces around it."""
    email = text.strip()
    try:
        validate_email(email)
    except ValidationError:
        raise fault(f"{email} is no e-mail address.") from None
    return email


def add_day_options(parser: ArgumentParser) -> None:
    """``--from`` and ``--to``, as ``days`` reads them."""
    parser.add_argument(
        "--from",
        dest="first",
        metavar="DATE",
        help=f"First day, such as 2026-03-01. Default: {DEFAULT_DAYS} days.",
    )
    parser.add_argument(
        "--to",
        dest="last",
        metavar="DATE",
        help="Last day, included. Default: today.",
    )


def days(first: str | None, last: str | None) -> tuple[date, date]:
    """``--from`` and ``--to``: by default the DEFAULT_DAYS until today."""
    end = day("--to", last) if last else timezone.localdate()
    start = end - timedelta(days=DEFAULT_DAYS - 1)
    if first:
        start = day("--from", first)
    if start > end:
        raise fault(f"The first day, {start}, is after the last, {end}.")
    return start, end


def span(first: date, last: date) -> tuple[datetime, datetime]:
    """The moments of these days of the site's time zone, the end not included."""
    return span_of(first, last, timezone.get_current_timezone())


def day(option: str, text: str) -> date:
    try:
        day = date.fromisoformat(text)
        for edge in (day - timedelta(days=DEFAULT_DAYS), day + timedelta(days=1)):
            start_of(edge, timezone.get_current_timezone()).astimezone(UTC)
    except (ValueError, OverflowError):
        raise fault(f"{option} must be a day such as 2026-03-01.") from None
    return day


def brand_named(name: str) -> Brand:
    """The brand with this name or, where none has it, with this id."""
    brand = Brand.objects.filter(name=name).first()
    if brand is None and name.isascii() and name.isdigit() and len(name) < 10:
        brand = Brand.objects.filter(pk=int(name)).first()
    if brand is None:
        raise fault(f"There is no brand with the name or id {name}.")
    return brand
