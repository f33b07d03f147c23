"""The e-mails to those who are no affiliates yet, in the language they read now."""

from __future__ import annotations

from datetime import datetime

from django.template.loader import render_to_string
from django.utils.translation import gettext as _

from affiliates.brands.models.brand import Brand
from affiliates.core.ids import new_id
from affiliates.emails.services import enqueue_email
from affiliates.recruitment.models import Invitation, UnverifiedApplication


def ask_to_confirm(
    application: UnverifiedApplication, *, url: str, now: datetime
) -> None:
    _enqueue(
        "confirm",
        application.brand,
        recipient=application.email,
        subject=_("confirm your application"),
        fact=str(application.pk),
        url=url,
        now=now,
    )


def tell_of_account(brand: Brand, *, recipient: str, url: str, now: datetime) -> None:
    """To somebody with an account, whoever applied by that address."""
    _enqueue(
        "account",
        brand,
        recipient=recipient,
        subject=_("you have an account already"),
        # Nothing tells two applications apart, and each is to be answered.
        fact=str(new_id()),
        url=url,
        now=now,
    )


def ask_to_verify(
    brand: Brand, *, recipient: str, affiliate_id: int, url: str, now: datetime
) -> None:
    _enqueue(
        "verify",
        brand,
        recipient=recipient,
        subject=_("confirm your e-mail address"),
        fact=str(affiliate_id),
        url=url,
        now=now,
    )


def send_invitation(invitation: Invitation, *, url: str, now: datetime) -> None:
    _enqueue(
        "invitation",
        invitation.brand,
        recipient=invitation.email,
        subject=_("become an affiliate"),
        fact=str(invitation.pk),
        url=url,
        until=invitation.expires_at.astimezone(invitation.brand.zone()),
        now=now,
    )


def _enqueue(
    kind: str,
    brand: Brand,
    *,
    recipient: str,
    subject: str,
    fact: str,
    now: datetime,
    **values: object,
) -> None:
    name = " ".join(brand.name.split())
    enqueue_email(
        brand_id=brand.pk,
        key=f"recruitment_{kind}:{fact}",
        recipient=recipient,
        subject=f"{name}: {subject}",
        text=render_to_string(
            f"affiliates/recruitment/{kind}.txt", {"brand": name, **values}
        ),
        now=now,
    )
