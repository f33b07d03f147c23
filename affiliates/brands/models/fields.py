"""Fields that several models have, and what may be in them."""

from __future__ import annotations

from typing import Any
from zoneinfo import available_timezones

from django.core import validators
from django.core.exceptions import ValidationError
from django.db import models

from affiliates.brands.rules import addresses_in
from affiliates.core.domains import canonical_domains

MAX_ZONE = 64
MAX_MONTHS = 120
MAX_ADDRESSES = 1_000
MAX_DOMAINS = 5_000
CLICKS_KEPT = (
    "In whole months; 0: for ever. Older ones are deleted, except those that a client or "
    "an order came by, and their counts stay in the statistics. A click that may still "
    "earn something by the cookie's lifetime or the window is kept longer."
)
CONSENT = (
    "Whether a visitor must agree before a cookie recognises them. Not needed: "
    "every visit gets one. Not needed for one session: the cookie ends with the "
    "browser's session, after a day at most. Required: until the page reports "
    "consent, a visit gets its redirect alone, and its click is counted without "
    "visitor, browser and network. A reported refusal counts in all three."
)
PRIVACY_SIGNAL = (
    "What it means that a visitor's browser sends Sec-GPC: 1 (Firefox, Brave and "
    "DuckDuckGo can). Not considered: such visitors are tracked like all others. "
    "Counts as a refusal: as if the page reported that they refuse consent, and a "
    "cookie they hold is taken back. Affiliates then earn from them only by a "
    "coupon, or where they had registered before."
)

OLD_ADDRESSES = (
    "Until then encrypted. A hash still shows which clicks and orders of one day came from "
    "one network, and no address."
)


MAX_FLAGGED_HOLD_DAYS = 365
FLAGGED_HOLD = (
    "In days: staff can look at a flagged sale for at least so long before it is paid, also "
    "if its plan has no hold. Counted from the day the payment is reported. 0: as its plan "
    "says."
)
BONUS_LIMIT = (
    "At most, in whole units of its currency: a larger bonus of staff is held until "
    "somebody else releases it, if two persons may. Empty: without limit."
)
BANNED_REFERRERS = (
    "Domains that affiliates may not send visitors from, such as coupons.example.com, one a "
    "line. Hosts below a domain count too. A sale whose winning click came from one is "
    "held, unless the fraud signals below say otherwise."
)


class DomainsField(models.TextField):  # type: ignore[type-arg]  # not generic when run
    """Domains, one a line, in their canonical form once cleaned."""

    def __init__(self, *args: Any, **options: Any) -> None:
        usual = {
            "max_length": MAX_DOMAINS,
            "blank": True,
            "default": "",
            "db_default": "",
        }
        super().__init__(*args, **{**usual, **options})

    def deconstruct(self) -> tuple[str, str, Any, Any]:
        """A plain column: migrations need not know what it holds."""
        name, _, args, options = super().deconstruct()
        return name or "", "django.db.models.TextField", args, options

    def to_python(self, value: Any) -> Any:
        try:
            return canonical_domains(super().to_python(value))
        except ValueError as error:
            raise ValidationError(str(error)) from None


def require_zone(name: str) -> None:
    if name not in available_timezones():
        fault = f"There is no time zone {name}: write one such as Europe/Berlin."
        raise ValidationError(fault)


def zone_field(*, help_text: str) -> models.CharField[str, str]:
    return models.CharField(
        max_length=MAX_ZONE,
        blank=True,
        default="",
        db_default="",
        validators=[require_zone],
        help_text=help_text,
    )


def months_field(verbose_name: str, *, help_text: str = CLICKS_KEPT) -> Any:
    """For how many whole months something is kept; 13 at first."""
    return models.PositiveSmallIntegerField(
        verbose_name,
        default=13,
        db_default=13,
        validators=[validators.MaxValueValidator(MAX_MONTHS)],
        help_text=help_text,
    )


def bonus_limit_field() -> Any:
    return models.PositiveIntegerField(
        "bonus payable at once",
        null=True,
        blank=True,
        default=1_000,
        db_default=1_000,
        help_text=BONUS_LIMIT,
    )


def flagged_hold_field() -> Any:
    return models.PositiveSmallIntegerField(
        "hold of flagged sales",
        default=3,
        db_default=3,
        validators=[validators.MaxValueValidator(MAX_FLAGGED_HOLD_DAYS)],
        help_text=FLAGGED_HOLD,
    )


def rule_field(
    rules: type[models.TextChoices], name: str | None = None, *, help_text: str
) -> Any:
    """One of the rules, the first one unless chosen."""
    first = next(iter(rules))
    return models.CharField(
        name,
        max_length=20,
        choices=rules.choices,
        default=first,
        db_default=first,
        help_text=help_text,
    )


def require_addresses(text: str) -> None:
    for address in addresses_in(text):
        try:
            validators.validate_email(address)
        except ValidationError:
            fault = f"{address} is no e-mail address: divide several by commas."
            raise ValidationError(fault) from None


def addresses_field(verbose_name: str, *, help_text: str) -> models.CharField[str, str]:
    return models.CharField(
        verbose_name,
        max_length=MAX_ADDRESSES,
        blank=True,
        default="",
        db_default="",
        validators=[require_addresses],
        help_text=help_text,
    )
