"""Writes a kind's e-mail from its sample, for a preview or a test."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction
from django.urls import reverse
from django.utils import translation

from affiliates.brands.models.brand import Brand
from affiliates.core.ids import new_id
from affiliates.emails.kinds import KINDS
from affiliates.emails.links import site_url
from affiliates.emails.mail_server import NOBODY_RECEIVES, default_backend, path_of
from affiliates.emails.models import Email
from affiliates.emails.preview.values import SAMPLES
from affiliates.emails.rendering import Written, write
from affiliates.emails.services import enqueue_email
from affiliates.emails.types import EmailKind
from affiliates.errors import StateConflict

NAME = "Ada Lovelace"
MAX_TESTS = 20
WINDOW = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class AppSample:
    """An e-mail of an app beside the core; ``write`` works in the active language."""

    label: str
    write: Callable[[Brand], Written]


_OF_APPS: dict[str, AppSample] = {}


def register(kind: str, label: str, write: Callable[[Brand], Written]) -> None:
    """Adds an e-mail that is no EmailKind to the page of what e-mails say."""
    _OF_APPS[kind] = AppSample(label, write)


def kinds() -> list[tuple[str, Any]]:
    return [
        *EmailKind.choices,
        *((kind, of_app.label) for kind, of_app in _OF_APPS.items()),
    ]


def write_sample(
    kind: str,
    *,
    brand: Brand,
    language: str,
    values: Mapping[str, Any] | None = None,
) -> Written:
    """Writes it from ``values``, else from example values of its kind.

    Its unsubscribe link belongs to nobody. Raises errors of a host's template.
    """
    if kind in _OF_APPS:
        with translation.override(language):
            return _OF_APPS[kind].write(brand)
    kind = EmailKind(kind)
    known, site = KINDS[kind], site_url(brand)
    path = reverse("affiliates:email_unsubscribe", args=["test"])
    return write(
        kind,
        SAMPLES.get(kind, {}) if values is None else values,
        brand=brand,
        language=language,
        name="" if known.is_for_staff else NAME,
        unsubscribe_url=f"{site}{path}" if site and known.is_optional else "",
    )


@transaction.atomic
def send_test(kind: str, *, brand: Brand, person: Any, now: datetime, **of: Any) -> str:
    """``of`` as in ``write_sample``. Queues it to the person's own address and returns that address.

    Raises StateConflict with the reason for a refusal, and errors of a host's template.
    """
    address = address_of(person)
    if not address:
        raise StateConflict("no_address", "Your own account has no e-mail address.")
    if (backend := path_of(default_backend())) in NOBODY_RECEIVES:
        raise StateConflict(
            "no_mail_server", f"No mail server is set up: e-mails go to {backend}."
        )
    # The second of two parallel calls waits here, then counts the first.
    get_user_model().objects.select_for_update(no_key=True).get(pk=person.pk)
    mine = Email.objects.filter(recipient=address, created_at__gt=now - WINDOW)
    if mine.filter(key__startswith=f"test:{person.pk}:").count() >= MAX_TESTS:
        raise StateConflict(
            "too_many_tests", f"You had {MAX_TESTS} tests within an hour: wait a while."
        )
    written = write_sample(kind, brand=brand, **of)
    enqueue_email(
        brand_id=brand.pk,
        key=f"test:{person.pk}:{new_id()}",
        recipient=address,
        subject=f"[Test] {written.subject}",
        text=written.text,
        html=written.html,
        now=now,
    )
    return address


def address_of(person: Any) -> str:
    return getattr(person, person.get_email_field_name(), "")
