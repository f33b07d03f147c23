"""How times, money and links to rows are written in columns and on pages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from operator import attrgetter
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from djmoney.money import Money

from affiliates.adapter import Reference, get_adapter
from affiliates.admin_tools import theme
from affiliates.admin_tools.exports import ShownText
from affiliates.admin_tools.naming import page_name
from affiliates.core.money import from_minor
from affiliates.db.accounts import email_of

# A narrow column breaks it only between day and time.
MOMENT_FORMAT = "j\N{NO-BREAK SPACE}M\N{NO-BREAK SPACE}Y, H:i\N{NO-BREAK SPACE}T"


def moment(value: datetime | None) -> str:
    """The time in the site's zone, and the zone's name."""
    if value is None:
        return "-"
    return ShownText.of(value, date_format(timezone.localtime(value), MOMENT_FORMAT))


def column(
    path: str, description: str, *, show: Callable[[Any], object] = str, **options: Any
) -> Any:
    """A column of what ``path`` leads to from the row, such as ``sale.paid_at``.

    A dash where that is None. ``options`` are those of Django's ``display``, and
    unfold's ``label``.
    """
    read = attrgetter(path)

    def show_found(row: Any) -> object:
        value = read(row)
        return "-" if value is None else show(value)

    return row_column(description, show_found, **options)


def row_column(description: str, show: Callable[[Any], object], **options: Any) -> Any:
    """A column of what ``show`` makes of the whole row."""

    def shown(page: Any, row: Any) -> object:
        return show(row)

    return theme.decorators.display(description=description, **options)(shown)


def coloured_column(name: str, description: str, colours: Mapping[Any, str]) -> Any:
    """A field with choices, its label in the colour of its value."""
    return row_column(
        description,
        lambda row: (getattr(row, name), getattr(row, f"get_{name}_display")()),
        ordering=name,
        label=colours,
    )


def row_money(row: Any) -> str:
    """The ``amount`` of a row, in minor units of its ``currency``."""
    return money_text(row.amount, row.currency)


def client_link(client: Any) -> str:
    """The client's e-mail address, linked to the host's page of the client."""
    if client is None:
        return "Erased"
    return host_link(Reference.CLIENT, str(client.pk), email_of(client) or str(client))


def host_link(reference: Reference, ref: str, text: str = "") -> str:
    """The host's page of the thing with this reference, or only its name."""
    url = get_adapter().admin_url(reference, ref)
    if url is None:
        return text or ref
    return format_html('<a href="{}" class="text-link">{}</a>', url, text or ref)


def invoice_link(row: Any) -> str:
    """The host's page of the invoice of a sale or payment, by its number."""
    return host_link(Reference.INVOICE, row.invoice_ref, row.invoice_number)


def story_link(order: Any) -> str:
    """The page that tells the story of an order, given its referral."""
    return row_link("orderreferral", order.pk, "The story of the order")


def page_link(row: Any) -> str:
    return row_link(row._meta.model_name, row.pk, row)


def row_link(model: str, pk: Any, text: object) -> str:
    """The page of a row of ours, or a dash for none."""
    if pk is None:
        return "-"
    page = reverse(page_name(model, "change"), args=[pk])
    return format_html('<a href="{}" class="text-link">{}</a>', page, text)


def money_text(amount: int, currency: str) -> str:
    """Minor units as people read them: €12.50."""
    money = Money(from_minor(amount, currency).amount, currency)
    return ShownText.of(money, str(money))
