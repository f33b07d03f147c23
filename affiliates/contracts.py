"""The values that cross the seam between affiliates and its host.

Money carries its currency. Times are aware and in UTC. References (``order_ref``,
``invoice_ref``, ...) are the host's own strings, at most 64 characters, unique per
brand; affiliates stores them and never reads meaning into them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from moneyed import Money


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientRegistration:
    """A visitor wants to become a client. ``extra`` holds the host's own fields.

    What the host's serializer leaves out is empty; a password is None then.
    """

    brand_id: int
    email: str = ""
    firstname: str = ""
    lastname: str = ""
    password: str | None = None
    user_agent: str = ""
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class GuestRegistration:
    """A visitor wants a basket before an account. ``email`` may be empty."""

    brand_id: int
    email: str = ""
    firstname: str = ""
    lastname: str = ""
    user_agent: str = ""
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistrationCompletion:
    """A guest wants to become a full client. As ``ClientRegistration``."""

    client_id: str
    email: str = ""
    firstname: str = ""
    lastname: str = ""
    password: str | None = None
    user_agent: str = ""
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Client:
    """What affiliates needs to know of a client. ``id`` is the user's key as text."""

    id: str
    brand_id: int
    email: str
    is_guest: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientDetails:
    """A client as people write to them; "" is not known.

    ``language`` is a code as in Django's LANGUAGES, such as ``pt-br``.
    """

    email: str = ""
    name: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredClient:
    """A client just registered, and what the registration answers under ``data``."""

    client: Client
    data: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A basket or order of one client. ``created_at`` is when the basket began.

    ``coupon_codes`` are those the client used, as typed, first one first.
    """

    order_ref: str
    brand_id: int
    client: Client
    created_at: datetime
    client_paid_before: bool
    coupon_codes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderConversion:
    """The client wants the basket turned into its initial invoice.

    ``payment_details_id`` is a whole number unless the host's serializer says otherwise:
    a UUID is its text, None is absent.
    """

    order_ref: str
    client_id: str
    payment_details_id: int | str | None = None
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvertedOrder:
    """The initial invoice of an order, and what the conversion answers under ``data``."""

    brand_id: int
    order_ref: str
    invoice_ref: str
    converted_at: datetime
    data: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientRegistered:
    """Somebody became a client, or a guest, on a page or by an import of the host's own.

    ``client_id`` is one that the adapter's ``get_client`` knows, ``registered_at`` when
    it registered by the host's own row: what the client clicked later does not count,
    however late or often this is told. A guest that becomes a full client is told again,
    with that moment.
    """

    brand_id: int
    client_id: str
    registered_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderPlaced:
    """A client placed an order on a page of the host's own, or at a payment provider.

    ``invoice_ref`` is the order's initial invoice, which ``PaidInvoice`` names when it is
    paid: what is paid once, or a subscription's first. ``placed_at`` is when the client
    placed the order, by the host's own row or the provider's event: what the client
    clicked later does not count. ``created_at`` is when the basket began, None where
    there is none. ``client_paid_before``: an earlier order of theirs. ``coupon_codes`` as
    typed, first one first. ``ip`` is the client's address, "" where it is not known; its
    network is kept.
    """

    brand_id: int
    order_ref: str
    invoice_ref: str
    client_id: str
    placed_at: datetime
    client_paid_before: bool
    created_at: datetime | None = None
    coupon_codes: tuple[str, ...] = ()
    ip: str = ""


class CookieUse(StrEnum):
    """``UNUSABLE`` was damaged, expired, of another brand, or no cookie at all."""

    ABSENT = "absent"
    USABLE = "usable"
    UNUSABLE = "unusable"


@dataclass(frozen=True, slots=True, kw_only=True)
class EventResult:
    """What became of the referral cookie given with an event; a repeat answers the same.

    Log ``UNUSABLE``: something on its way cut or encoded the cookie. Whom it credits is
    in the admin, and never a reason to treat the client in another way.
    """

    cookie: CookieUse


@dataclass(frozen=True, slots=True, kw_only=True)
class InvoiceLine:
    """One line of an invoice. ``net`` is for the whole quantity, after discount, before tax.

    ``kind`` is hosting, domain, addon, setup, upgrade or the host's own word.
    ``billing_cycle`` is one_time, monthly, quarterly, semi_annually, annually,
    biennially or triennially. A domain has its ``tld`` without the dot and an
    ``operation``: register, transfer or renew. ``discount`` is what was taken off the
    price, ``credit`` what of ``net`` the client's account credit paid; both are positive,
    and None is none. Amounts may be finer than the currency's minor unit, with at most
    50 decimals: each is kept as it is and rounded once, half up, where it is counted.

    At most 255 characters of description, 64 of product_ref, 63 of tld, 20 of kind,
    billing_cycle and operation; a quantity of at most 1,000,000 in all lines of an invoice.
    """

    description: str
    product_ref: str
    kind: str
    billing_cycle: str
    quantity: int
    net: Money
    tld: str = ""
    operation: str = ""
    discount: Money | None = None
    credit: Money | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PaidInvoice:
    """An invoice is paid in full. ``gross`` is what the client paid, tax included.

    ``renewal_number`` is 0 for an order's initial invoice and counts its renewals from 1.
    """

    brand_id: int
    invoice_ref: str
    order_ref: str
    payment_ref: str
    gross: Money
    lines: tuple[InvoiceLine, ...]
    paid_at: datetime
    renewal_number: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class WalletCredit:
    """An affiliate wants its payout as account credit. ``payout_ref`` is unique for ever."""

    client_id: str
    payout_ref: str
    amount: Money


class RefundKind(StrEnum):
    REFUND = "refund"
    CHARGEBACK = "chargeback"


@dataclass(frozen=True, slots=True, kw_only=True)
class RefundedInvoice:
    """Money went back to the client. ``gross`` is positive, tax included."""

    brand_id: int
    invoice_ref: str
    refund_ref: str
    gross: Money
    refunded_at: datetime
    kind: RefundKind = RefundKind.REFUND
