"""When an affiliate may be paid, and how. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import Enum, auto
from typing import Any, NamedTuple

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _
from moneyed import CurrencyDoesNotExist, get_currency

from affiliates.core.money import amount_text
from affiliates.payouts.providers.protocol import PayoutProvider
from affiliates.program.rules import AffiliateStatus

DEFAULT_MINIMUM_UNITS = 50
# A confirmation that credits a wallet is presumed dead after this time.
CREDIT_LEASE = timedelta(minutes=2)


class PayoutStatus(TextChoices):
    REQUESTED = "requested", _("Requested")
    APPROVED = "approved", _("Approved")
    EXPORTED = "exported", _("Being paid")
    PAID = "paid", _("Paid")
    REJECTED = "rejected", _("Rejected")
    RETURNED = "returned", _("Returned")

    @property
    def is_open(self) -> bool:
        return self in (
            PayoutStatus.REQUESTED,
            PayoutStatus.APPROVED,
            PayoutStatus.EXPORTED,
        )


class Approval(Enum):
    """The effect of one person's approval of a payout."""

    FIRST = auto()
    FINAL = auto()


class Numbering(TextChoices):
    """The owner of a separate series of statements."""

    BRAND = "brand", "One series for the brand"
    AFFILIATE = "affiliate", "A series for each affiliate"


class StatementKind(TextChoices):
    PAID = "paid", _("Statement")
    RETURNED = "returned", _("Credit note")


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """A brand's terms of payout. ``minimums`` are in minor units.

    ``kinds`` are the codes of the providers that the brand pays by.
    """

    minimums: Mapping[str, int]
    cool_off: timedelta
    kinds: frozenset[str]

    def minimum(self, currency: str, *, status: AffiliateStatus) -> int:
        """The least that is paid: anything to an affiliate that has left."""
        if status is AffiliateStatus.LEFT:
            return 1
        units = DEFAULT_MINIMUM_UNITS * int(get_currency(currency).sub_unit)
        return max(self.minimums.get(currency, units), 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """``provider`` is None for a way to be paid that is not installed any more."""

    provider: PayoutProvider | None
    usable_from: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """An affiliate's request for its balance in one currency.

    ``is_forfeited``: it has left, and the balance is not paid.
    """

    currency: str
    payable: int
    status: AffiliateStatus
    is_forfeited: bool
    has_open_payout: bool
    destination: Destination | None


class Refusal(NamedTuple):
    """The reason for a refusal. ``code`` is stable, ``detail`` says what to do."""

    code: str
    detail: str


OWN_PAYOUT = Refusal(
    "own_payout", "It pays you yourself: somebody else has to approve it."
)
OWN_START = Refusal(
    "own_payout", "It would pay you yourself: somebody else has to start it."
)
SECOND_PERSON = Refusal(
    "second_person",
    "A second person has to approve it, who did not start or prepare it.",
)
INACTIVE = Refusal(
    "affiliate_inactive", "An affiliate that is pending or suspended is not paid."
)
FORFEITED = Refusal(
    "balance_forfeited",
    "This balance was given up or forfeited when the affiliate left the program.",
)
COOLS_OFF = Refusal(
    "destination_cooling_off",
    "The client's password or e-mail address was changed lately: it is paid after the "
    "cool-off.",
)
NO_DESTINATION = Refusal("no_destination", "Say first where the money is to go.")
NOT_OFFERED = Refusal(
    "kind_not_offered",
    "This brand does not pay that way. Choose another destination.",
)

NO_ACCOUNT_CREDIT = Refusal(
    "no_wallet",
    "This portal keeps no account credit. Once the payout is rejected, the affiliate "
    "can choose another destination.",
)


def judge_request(request: Request, *, terms: Terms, now: datetime) -> Refusal | None:
    """Why this payout cannot be requested now, or None."""
    currency, destination = request.currency, request.destination
    if not request.status.is_paid:
        return INACTIVE
    if request.is_forfeited:
        return FORFEITED
    if request.has_open_payout:
        return Refusal(
            "payout_open",
            f"A payout in {currency} is under way. Wait until it is finished.",
        )
    if destination is None:
        return NO_DESTINATION
    provider = destination.provider
    if provider is None or provider.code not in terms.kinds:
        return NOT_OFFERED
    if not provider.takes(currency):
        return Refusal(
            "currency_not_paid_there",
            f"{provider.label} takes no {currency}. Choose another destination.",
        )
    if now < destination.usable_from:
        day = destination.usable_from
        return Refusal(
            COOLS_OFF.code,
            "The destination, the password or the e-mail address was changed lately. "
            f"The destination is paid to from {day.day} {day:%B %Y %H:%M} UTC on.",
        )
    least = terms.minimum(currency, status=request.status)
    if request.payable < least:
        return Refusal(
            "below_minimum",
            f"{amount_text(request.payable, currency)} is payable. "
            f"At least {amount_text(least, currency)} is paid out.",
        )
    return None


def judge_approval(
    *, is_for_two: bool, prepared_by: Any, actor: Any
) -> Approval | Refusal:
    """``prepared_by`` started it or gave the first approval; None: nobody has yet."""
    if not is_for_two:
        return Approval.FINAL
    if actor in (None, prepared_by):
        return SECOND_PERSON
    return Approval.FIRST if prepared_by is None else Approval.FINAL


def usable_from(*, is_first: bool, terms: Terms, now: datetime) -> datetime:
    """The first destination can be used at once, a changed one after the cool-off."""
    return now if is_first else now + terms.cool_off


def is_cooling_off(cools_off_until: datetime | None, *, now: datetime) -> bool:
    """Whether the client's credentials were changed too recently to pay it."""
    return cools_off_until is not None and now < cools_off_until


def is_needed(needed_from: Mapping[str, int], *, currency: str, amount: int) -> bool:
    """Whether a payout needs what ``needed_from`` requires.

    Its values are the least amounts, in minor units; a currency without one needs
    nothing.
    """
    return currency in needed_from and amount >= needed_from[currency]


def is_currency(code: str) -> bool:
    try:
        get_currency(code)
    except CurrencyDoesNotExist:
        return False
    return True


def is_credit_under_way(started_at: datetime, *, now: datetime) -> bool:
    """Whether the confirmation that began then may still be crediting the wallet."""
    return abs(now - started_at) < CREDIT_LEASE
