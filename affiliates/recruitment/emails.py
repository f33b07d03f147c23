"""The e-mails to those who are no affiliates yet, in the language they read now.

A client is written to in its own where the host knows it, as affiliates are, and whoever
is invited in the one that staff chose.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from affiliates.adapter import get_adapter
from affiliates.brands.models.brand import Brand
from affiliates.contracts import Client, ClientDetails
from affiliates.core.ids import new_id
from affiliates.emails.rendering import compose, known_language
from affiliates.emails.services import enqueue_email
from affiliates.recruitment.models import Invitation, UnverifiedApplication

FOLDER = "affiliates/recruitment"
SUBJECTS: Mapping[str, Promise] = {
    "account": _("%(brand)s: you have an account already"),
    "confirm": _("%(brand)s: confirm your application"),
    "invitation": _("%(brand)s: become an affiliate"),
    "verify": _("%(brand)s: confirm your e-mail address"),
}


def ask_to_confirm(
    application: UnverifiedApplication, *, url: str, now: datetime
) -> None:
    """Without the name: whoever filled in the form may have put anything there."""
    _enqueue(
        "confirm",
        application.brand,
        recipient=application.email,
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
        # Nothing tells two applications apart, and each is to be answered.
        fact=str(new_id()),
        url=url,
        now=now,
    )


def ask_to_verify(
    brand: Brand, *, client: Client, affiliate_id: int, url: str, now: datetime
) -> None:
    known = get_adapter().client_details([client.id]).get(client.id, ClientDetails())
    _enqueue(
        "verify",
        brand,
        recipient=client.email,
        fact=str(affiliate_id),
        language=known.language,
        name=known.name,
        url=url,
        now=now,
    )


def send_invitation(invitation: Invitation, *, url: str, now: datetime) -> None:
    _enqueue(
        "invitation",
        invitation.brand,
        recipient=invitation.email,
        fact=str(invitation.pk),
        language=invitation.language,
        url=url,
        until=invitation.expires_at.astimezone(invitation.brand.zone()),
        now=now,
    )


def _enqueue(
    kind: str,
    brand: Brand,
    *,
    recipient: str,
    fact: str,
    language: str = "",
    name: str = "",
    now: datetime,
    **words: object,
) -> None:
    chosen = known_language(language) if language else translation.get_language()
    with translation.override(chosen):
        written = compose(
            f"{FOLDER}/{kind}", words, brand=brand, subject=SUBJECTS[kind], name=name
        )
    enqueue_email(
        brand_id=brand.pk,
        key=f"recruitment_{kind}:{fact}",
        recipient=recipient,
        subject=written.subject,
        text=written.text,
        html=written.html,
        now=now,
    )
