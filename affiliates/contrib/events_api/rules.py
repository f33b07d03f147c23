"""The scopes and the format of a brand's key, and which refusals are conflicts. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import TextChoices
from moneyed import CURRENCIES

from affiliates.core.money import minor_amount
from affiliates.errors import AffiliatesError, StateConflict

KEY_PREFIX = "abk_"
MAX_EVENTS = 100
MAX_LINES = 1_000
MAX_CAP = 10**15
# Of Standard Webhooks, as our own webhooks are signed.
SIGNATURE_HEADERS = ("webhook-id", "webhook-timestamp", "webhook-signature")
# A reference that is known with other facts: to the host a fault of its input, to a
# program that sends its events again the answer that its repeat is no repeat.
KNOWN_OTHERWISE = frozenset(
    {"payment_exists", "renewal_exists", "refund_exists", "cancellation_exists"}
)


class ReadableList(NamedTuple):
    """A list of the admin: its model, and the moments since which rows can be asked."""

    label: str
    moments: tuple[str, ...]


LISTS = {
    "affiliates": ReadableList("affiliates.Affiliate", ("created_at",)),
    "clients": ReadableList("affiliates.ClientReferral", ("bound_at",)),
    "orders": ReadableList("affiliates.OrderReferral", ("converted_at",)),
    "payments": ReadableList("affiliates.InvoicePayment", ("received_at",)),
    "refunds": ReadableList("affiliates.InvoiceRefund", ("received_at",)),
    "sales": ReadableList("affiliates.Sale", ("recorded_at",)),
    "commissions": ReadableList("affiliates.Commission", ("earned_at", "events__at")),
    "payouts": ReadableList("affiliates.Payout", ("requested_at", "events__at")),
}


@dataclass(frozen=True)
class KeyHolder:
    """Sees what a member of staff who is limited to the brand of the key sees."""

    affiliates_brands: frozenset[int]
    pk: None = None
    is_staff: bool = True
    is_active: bool = True
    is_authenticated: bool = True
    is_superuser: bool = False

    def has_perm(self, name: str) -> bool:
        return name.partition(".")[2].startswith("view_")

    def has_perms(self, names: Iterable[str]) -> bool:
        return all(map(self.has_perm, names))


class BrandScope(TextChoices):
    EVENTS_WRITE = "events:write", "Report events"
    LISTS_READ = "lists:read", "Read lists"


def read_cap(text: str, currency: str) -> int | None:
    """Returns the amount in minor units; None for none, or one of no currency."""
    if currency not in CURRENCIES:
        return None
    amount = minor_amount(text, currency)
    return amount if amount is not None and 0 <= amount < MAX_CAP else None


def answered(refusal: AffiliatesError) -> AffiliatesError:
    """Returns the refusal as an event is answered with it."""
    if refusal.code in KNOWN_OTHERWISE:
        return StateConflict(refusal.code, refusal.detail)
    return refusal
