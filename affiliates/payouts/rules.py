"""When an affiliate may be paid, and how. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from moneyed import CurrencyDoesNotExist, get_currency

from affiliates.core.enums import LabelledEnum
from affiliates.core.money import amount_text

DEFAULT_MINIMUM_UNITS = 50
# A confirmation that credits a wallet is presumed dead after so long.
CREDIT_LEASE = timedelta(minutes=2)
# PayPal pays these with the decimals that they have everywhere else. It takes no
# decimals of HUF and TWD, so a whole balance could not be sent.
_PAYPAL_CURRENCIES = """
AUD BRL CAD CHF CNY CZK DKK EUR GBP HKD ILS JPY MXN MYR NOK NZD PHP PLN SEK SGD THB USD
"""
PAYPAL_CURRENCIES = frozenset(_PAYPAL_CURRENCIES.split())


class DestinationKind(LabelledEnum):
    WALLET = "wallet", "Account credit"
    PAYPAL = "paypal", "PayPal"
    BANK = "bank", "Bank transfer (SEPA)"
    OFFLINE = "offline", "By agreement"

    @property
    def is_exported(self) -> bool:
        """Whether it is paid by a file that PayPal or a bank takes."""
        return self in (DestinationKind.PAYPAL, DestinationKind.BANK)

    def takes(self, currency: str) -> bool:
        if self is DestinationKind.BANK:
            return currency == "EUR"
        return self is not DestinationKind.PAYPAL or currency in PAYPAL_CURRENCIES


class PayoutStatus(LabelledEnum):
    REQUESTED = "requested", "Requested"
    APPROVED = "approved", "Approved"
    EXPORTED = "exported", "Being paid"
    PAID = "paid", "Paid"
    REJECTED = "rejected", "Rejected"
    RETURNED = "returned", "Returned"

    @property
    def is_open(self) -> bool:
        return self in (
            PayoutStatus.REQUESTED,
            PayoutStatus.APPROVED,
            PayoutStatus.EXPORTED,
        )


class Numbering(LabelledEnum):
    """Who has a series of statements of its own."""

    BRAND = "brand", "One series for the brand"
    AFFILIATE = "affiliate", "A series for each affiliate"


class StatementKind(LabelledEnum):
    PAID = "paid", "Statement"
    RETURNED = "returned", "Credit note"


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """What a brand pays by. ``minimums`` are in minor units."""

    minimums: Mapping[str, int]
    cool_off: timedelta
    kinds: frozenset[DestinationKind]

    def minimum(self, currency: str) -> int:
        units = DEFAULT_MINIMUM_UNITS * int(get_currency(currency).sub_unit)
        return max(self.minimums.get(currency, units), 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    kind: DestinationKind
    usable_from: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """An affiliate asks for its balance in one currency."""

    currency: str
    payable: int
    affiliate_is_active: bool
    has_open_payout: bool
    destination: Destination


class Refusal(NamedTuple):
    """Why not. ``code`` is stable, ``detail`` says what to do."""

    code: str
    detail: str


OWN_PAYOUT = Refusal(
    "own_payout", "It pays you yourself: somebody else has to approve it."
)
NEEDS_RUN = Refusal(
    "needs_second_person",
    "This brand asks for a second person: put it into a payout run.",
)
INACTIVE = Refusal("affiliate_inactive", "Only an active affiliate is paid.")
NO_DESTINATION = Refusal("no_destination", "Say first where the money is to go.")
NOT_OFFERED = Refusal(
    "kind_not_offered",
    "This brand does not pay that way. Choose another destination.",
)


def judge_request(request: Request, *, terms: Terms, now: datetime) -> Refusal | None:
    """Why this payout cannot be requested now, or None."""
    currency, destination = request.currency, request.destination
    if not request.affiliate_is_active:
        return INACTIVE
    if request.has_open_payout:
        return Refusal(
            "payout_open",
            f"A payout in {currency} is under way. Wait until it is finished.",
        )
    if destination.kind not in terms.kinds:
        return NOT_OFFERED
    if not destination.kind.takes(currency):
        return Refusal(
            "currency_not_paid_there",
            f"{destination.kind.label} takes no {currency}. Choose another destination.",
        )
    if now < destination.usable_from:
        day = destination.usable_from
        return Refusal(
            "destination_cooling_off",
            "The destination was changed lately. It is paid to from "
            f"{day.day} {day:%B %Y %H:%M} UTC on.",
        )
    least = terms.minimum(currency)
    if request.payable < least:
        return Refusal(
            "below_minimum",
            f"{amount_text(request.payable, currency)} is payable. "
            f"At least {amount_text(least, currency)} is paid out.",
        )
    return None


def usable_from(*, is_first: bool, terms: Terms, now: datetime) -> datetime:
    """The first destination may be paid to at once, a changed one after the cool-off."""
    return now if is_first else now + terms.cool_off


def is_currency(code: str) -> bool:
    try:
        get_currency(code)
    except CurrencyDoesNotExist:
        return False
    return True


def is_credit_under_way(started_at: datetime, *, now: datetime) -> bool:
    """Whether the confirmation that began then may still be crediting the wallet."""
    return abs(now - started_at) < CREDIT_LEASE
