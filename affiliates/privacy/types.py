"""The facts that the table of personal data gives for a column."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _


class Person(TextChoices):
    """An applicant is an affiliate, or is not one yet."""

    VISITOR = "visitor", _("Visitor")
    CLIENT = "client", _("Client")
    AFFILIATE = "affiliate", _("Affiliate or applicant")
    STAFF = "staff", _("Staff")

    def owns(self, other: Person) -> bool:
        """Whether this person's data includes the other's: a client was a visitor."""
        return self is other or {self, other} == {Person.VISITOR, Person.CLIENT}


class Ground(TextChoices):
    """The legal grounds of Article 6(1) GDPR."""

    CONSENT = (
        "consent",
        _(
            "Consent where the brand asks for it, otherwise legitimate interest: (a), (f)"
        ),
    )
    CONTRACT = "contract", _("Contract with the person: (b)")
    DUTY = "duty", _("Legal duty to keep books: (c)")
    INTEREST = "interest", _("Legitimate interest: (f)")


class Receiver(TextChoices):
    """Who gets data besides the operator's staff."""

    AFFILIATE = "affiliate", _("The affiliate, as far as the brand shows clients")
    PROVIDER = "provider", _("The brand's tracking integration")
    WEBHOOK = "webhook", _("Webhooks of the brand and the affiliate")
    BANK = "bank", _("The bank, PayPal, Wise or the gateway")
    MAIL = "mail", _("The mail server")
    TAX = "tax", _("The tax authorities' check of VAT IDs, where the brand uses it")


class Key(StrEnum):
    """By what rows of a person are found."""

    USER = "user"
    GUEST = "guest"
    EMAIL = "email"
    AFFILIATE = "affiliate"
    VISITOR = "visitor"
    CLICK = "click"
    PROVIDER_VISITOR = "provider_visitor"
    ORDER = "order"
    INVOICE = "invoice"

    @property
    def is_of_brand(self) -> bool:
        """Whether two brands may use the same value."""
        return self in {
            Key.GUEST,
            Key.EMAIL,
            Key.ORDER,
            Key.INVOICE,
            Key.PROVIDER_VISITOR,
        }


@dataclass(frozen=True, slots=True)
class Kept:
    """For how long. ``{count}`` in the text is the value of the setting of ``conf``."""

    text: Any
    setting: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Use:
    """Whose data it is, why it is stored, on which ground, how long, and who gets it.

    Secrets are not handed out: they open an account, and say nothing of the person.
    What ``stays`` is not erased with the person: the law asks for books.
    """

    person: Person
    why: Any
    ground: Ground
    kept: Kept
    receivers: tuple[Receiver, ...] = ()
    is_secret: bool = False
    stays: bool = False
