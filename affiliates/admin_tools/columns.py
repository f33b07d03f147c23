"""How times, money and links to rows are written in columns and on pages."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from operator import attrgetter
from typing import Any

from django.contrib import admin
from django.contrib.auth import get_user_model
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.html import format_html
from djmoney.money import Money

from affiliates.adapter import Reference, get_adapter
from affiliates.core.money import from_minor

MOMENT_FORMAT = "j M Y, H:i:s T"


def moment(value: datetime | None) -> str:
    """The time in the site's zone, and the zone's name."""
    if value is None:
        return "-"
    return date_format(timezone.localtime(value), MOMENT_FORMAT)


def column(
    path: str,
    description: str,
    *,
    show: Callable[[Any], str] = str,
    ordering: str | None = None,
) -> Any:
    """A column of what ``path`` leads to from the row, such as ``sale.paid_at``."""
    read = attrgetter(path)

    @admin.display(description=description, ordering=ordering)
    def shown(page: Any, row: Any) -> str:
        return show(read(row))

    return shown


def client_email_path(relation: str) -> str:
    """The query path of a client's e-mail address, whatever the host calls it."""
    return f"{relation}__{get_user_model().get_email_field_name()}"


def client_link(client: Any) -> str:
    """The client's e-mail address, linked to the host's page of the client."""
    email = getattr(client, client.get_email_field_name(), "")
    return host_link(Reference.CLIENT, str(client.pk), email or str(client))


def host_link(reference: Reference, ref: str, text: str = "") -> str:
    """The host's page of the thing with this reference, or only its name."""
    url = get_adapter().admin_url(reference, ref)
    if url is None:
        return text or ref
    return format_html('<a href="{}" class="text-link">{}</a>', url, text or ref)


def row_link(model: str, pk: Any, text: object) -> str:
    """The page of a row of ours, or a dash for none."""
    if pk is None:
        return "-"
    page = reverse(f"admin:affiliates_{model}_change", args=[pk])
    return format_html('<a href="{}" class="text-link">{}</a>', page, text)


def money_text(amount: int, currency: str) -> str:
    """Minor units as people read them: €12.50."""
    return str(Money(from_minor(amount, currency).amount, currency))
