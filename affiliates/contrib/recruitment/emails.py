"""E-mails to people who are no affiliates yet, in the language they read now.

A client gets them in its own language if the host knows it, as affiliates do; an
invited person in the language that staff chose.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, datetime

from django.utils import translation
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from affiliates.adapter import get_adapter
from affiliates.brands.models.brand import Brand
from affiliates.contracts import Client, ClientDetails
from affiliates.contrib.recruitment.models import Invitation, UnverifiedApplication
from affiliates.core.ids import new_id
from affiliates.emails.rendering import Link, Written, compose, known_language
from affiliates.emails.rules import HIDDEN_LINK
from affiliates.emails.services import enqueue_email

FOLDER = "affiliates/recruitment"
LABELS: Mapping[str, str] = {
    "account": "Application of somebody with an account",
    "confirm": "Application to be confirmed",
    "invitation": "Invitation",
    "verify": "E-mail address to be confirmed",
}
BUTTONS: Mapping[str, Promise] = {
    "account": _("Sign in"),
    "confirm": _("Confirm the application"),
    "invitation": _("See the invitation"),
    "verify": _("Confirm the address"),
}
SAMPLE_LINK = "https://shop.example.com/affiliates/sample"
SAMPLE_DAY = date(2026, 3, 31)
SUBJECTS: Mapping[str, Promise] = {
    "account": _("%(brand)s: you have an account already"),
    "confirm": _("%(brand)s: confirm your application"),
    "invitation": _("%(brand)s: become an affiliate"),
    "verify": _("%(brand)s: confirm your e-mail address"),
}


def ask_to_confirm(
    application: UnverifiedApplication, *, url: str, now: datetime
) -> None:
    """Without the name: a stranger may have filled in any text."""
    _enqueue(
        "confirm",
        application.brand,
        recipient=application.email,
        fact=str(application.pk),
        link=url,
        now=now,
    )


def tell_of_account(brand: Brand, *, recipient: str, url: str, now: datetime) -> None:
    """Notifies the owner of an account of an application with its address."""
    _enqueue(
        "account",
        brand,
        recipient=recipient,
        # Two applications look the same, and each must be answered.
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
        link=url,
        now=now,
    )


def send_invitation(invitation: Invitation, *, url: str, now: datetime) -> None:
    _enqueue(
        "invitation",
        invitation.brand,
        recipient=invitation.email,
        fact=str(invitation.pk),
        language=invitation.language,
        link=url,
        until=invitation.expires_at.astimezone(invitation.brand.zone()),
        now=now,
    )


def write_sample(kind: str, brand: Brand) -> Written:
    """Returns a sample of the e-mail, with a link that leads nowhere."""
    return _write(kind, brand, {"until": SAMPLE_DAY}, url=SAMPLE_LINK)


def _write(
    kind: str,
    brand: Brand,
    words: Mapping[str, object],
    *,
    url: str,
    name: str = "",
) -> Written:
    return compose(
        f"{FOLDER}/{kind}",
        words,
        brand=brand,
        subject=SUBJECTS[kind],
        name=name,
        button=Link(BUTTONS[kind], url),
    )


def _enqueue(
    kind: str,
    brand: Brand,
    *,
    recipient: str,
    fact: str,
    language: str = "",
    name: str = "",
    url: str = HIDDEN_LINK,
    link: str = "",
    now: datetime,
    **words: object,
) -> None:
    """``link`` is secret and in no stored text; ``url`` grants no access."""
    chosen = known_language(language) if language else translation.get_language()
    with translation.override(chosen):
        written = _write(kind, brand, words, url=url, name=name)
    enqueue_email(
        brand_id=brand.pk,
        key=f"recruitment_{kind}:{fact}",
        recipient=recipient,
        subject=written.subject,
        text=written.text,
        html=written.html,
        link=link,
        now=now,
    )
