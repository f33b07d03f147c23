"""Whom readers of a brand's pages and e-mails deal with."""

from __future__ import annotations

from django.core.exceptions import ValidationError
from django.core.validators import URLValidator, validate_email
from django.db import models

from affiliates.brands.rules import BrandContact
from affiliates.db.records import Record, optional_text

PAGE = URLValidator(schemes=["http", "https"])


def require_contact(text: str) -> None:
    try:
        PAGE(text) if "/" in text else validate_email(text)
    except ValidationError:
        fault = "Write an e-mail address, or the address of a page with https://."
        raise ValidationError(fault) from None


class BrandContactFields(Record):
    """A brand's part with its address, its support and its legal pages."""

    legal_text = models.TextField(
        "address and legal line",
        max_length=500,
        blank=True,
        default="",
        db_default="",
        help_text=(
            "Company, postal address and what the law asks for, such as the register "
            "number. Every e-mail ends with it."
        ),
    )
    support = optional_text(
        verbose_name="support contact",
        max_length=254,
        validators=[require_contact],
        help_text=(
            "An e-mail address, or the address of a page. It is in every e-mail and on "
            "the affiliate's pages."
        ),
    )
    privacy_url = optional_text(
        verbose_name="privacy notice",
        max_length=500,
        validators=[PAGE],
        help_text="The address of the page. Forms that ask for personal data link to it.",
    )
    imprint_url = optional_text(
        verbose_name="imprint",
        max_length=500,
        validators=[PAGE],
        help_text="The address of the page. The affiliate's pages link to it.",
    )

    class Meta:
        abstract = True

    def contact(self) -> BrandContact:
        return BrandContact(
            legal_text=self.legal_text,
            support=self.support,
            privacy_url=self.privacy_url,
            imprint_url=self.imprint_url,
        )
