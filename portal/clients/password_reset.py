"""A forgotten password: a link by e-mail that sets a new one, once, within the hour.

A request is stored without a look at any account, so that its answer says nothing about
one; the worker looks, and sends. The link is Django's token: it ends with the password,
with the next login by a session, and with a changed e-mail address.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from uuid import UUID

from django.conf import settings
from django.contrib.auth.tokens import default_token_generator
from django.core.mail import EmailMessage
from django.db import transaction
from django.db.models import QuerySet
from django.template.loader import render_to_string
from django.utils import translation

from affiliates.errors import InvalidInput
from affiliates.extending import insert_once
from portal.clients.models import MAX_EMAIL_LENGTH, User
from portal.clients.reset_requests import PasswordReset
from portal.clients.services import hash_password

# One e-mail to an address in this time, however often it is asked for.
PAUSE = timedelta(minutes=15)
PAGE = "/password-reset"


def request_reset(
    *, brand_id: int, email: str, origin: str, language: str, now: datetime
) -> None:
    """The same statement for every address that an account may have."""
    lower = email.lower()
    if len(lower) > MAX_EMAIL_LENGTH:
        return  # A few capitals, such as \u0130, become two small letters.
    insert_once(
        PasswordReset(
            brand_id=brand_id,
            email=lower,
            origin=origin,
            language=language,
            requested_at=now,
        )
    )


def send_links(*, now: datetime) -> tuple[int, int]:
    """Send what was asked for; returns how many were sent, and how many were not.

    What could not be sent is tried again until it is as old as the pause.
    """
    PasswordReset.objects.filter(requested_at__lt=now - PAUSE).delete()
    sent = failed = 0
    for asked in (
        PasswordReset.objects.filter(is_done=False)
        .select_related("brand")
        .order_by("pk")
    ):
        client = _clients(User.objects.with_email(asked.email), asked.brand_id).first()
        try:
            sent += 0 if client is None else _send(asked, client)
        except Exception:  # noqa: BLE001 - any error of a mail server
            failed += 1
            continue
        PasswordReset.objects.filter(pk=asked.pk).update(is_done=True)
    return sent, failed


def client_of(token: str, *, brand_id: int) -> User | None:
    """The client who may set a password by this token, if it still holds."""
    return _holder(token, _clients(User.objects.all(), brand_id))


@transaction.atomic
def reset_password(*, token: str, brand_id: int, password: str) -> User:
    """Set it; every session and token of the client ends, and so does this link.

    Raises InvalidInput on ``token`` or ``password``.
    """
    # Locked: of two at once the second finds the password changed.
    locked = User.objects.select_for_update(no_key=True, of=("self",))
    client = _holder(token, _clients(locked, brand_id))
    if client is None:
        raise InvalidInput(
            "link_ended", "This link was used, or is too old.", field="token"
        )
    client.password = hash_password(password, client)
    client.save(update_fields=["password"])
    return client


def _holder(token: str, clients: QuerySet[User]) -> User | None:
    pk, _, made = token.partition("-")
    try:
        client = clients.filter(pk=UUID(hex=pk)).first()
    except ValueError:
        return None
    holds = client is not None and default_token_generator.check_token(client, made)
    return client if holds else None


def _clients(users: QuerySet[User], brand_id: int) -> QuerySet[User]:
    return users.filter(
        brand=brand_id, brand__is_active=True, is_guest=False, is_active=True
    )


def _send(asked: PasswordReset, client: User) -> int:
    token = f"{client.pk.hex}-{default_token_generator.make_token(client)}"
    area = asked.brand.client_area_url(asked.origin)
    site = area or settings.STOREFRONT_ORIGIN
    with translation.override(asked.language):
        written = render_to_string(
            "storefront/password_email.txt",
            {"brand": asked.brand, "link": f"{site}{PAGE}/{token}"},
        )
    subject, _, text = written.partition("\n")
    return EmailMessage(
        " ".join(subject.split()),
        text.strip() + "\n",
        to=[client.email],
        headers={"Auto-Submitted": "auto-generated"},
    ).send()
