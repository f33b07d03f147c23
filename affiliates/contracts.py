"""The values exchanged between affiliates and its host.

Money carries its currency. Times are aware and in UTC. References (``order_ref``,
``invoice_ref``, ...) are the host's own strings, at most 64 characters, unique per
brand. A value of another type, such as a time without a time zone, raises InvalidInput.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any

from django.db.models import TextChoices
from moneyed import Money

from affiliates.core.checking import Checked
from affiliates.errors import InvalidInput


class _Checked(Checked):
    __slots__ = ()
    refusal = InvalidInput


@dataclass(frozen=True, slots=True, kw_only=True)
class _Person(_Checked):
    """``extra`` holds the host's own fields; it is empty if its serializer has none."""

    email: str = ""
    firstname: str = ""
    lastname: str = ""
    user_agent: str = ""
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientRegistration(_Person):
    """A visitor's request to become a client. ``password`` may be left out."""

    brand_id: int
    password: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class GuestRegistration(_Person):
    """A visitor's request for a basket before an account. ``email`` may be empty."""

    brand_id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RegistrationCompletion(_Person):
    """A guest's request to become a full client. As ``ClientRegistration``."""

    client_id: str
    password: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Client(_Checked):
    """The facts about a client that affiliates needs. ``id``: the user's key as text."""

    id: str
    brand_id: int
    email: str
    is_guest: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientDetails(_Checked):
    """A client's data for correspondence; "" is unknown. Languages as ``pt-br``."""

    email: str = ""
    name: str = ""
    language: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisteredClient(_Checked):
    """A new client, and the registration's answer under ``data``."""

    client: Client
    data: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Order(_Checked):
    """A basket or order of one client. ``created_at`` is when the basket began.

    ``coupon_codes`` are those the client used, as typed, first one first.
    ``affiliate_code`` comes after them: see ``host_events.is_affiliate_code``.
    """

    order_ref: str
    brand_id: int
    client: Client
    created_at: datetime
    client_paid_before: bool
    coupon_codes: tuple[str, ...] = ()
    affiliate_code: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderConversion(_Checked):
    """A request for the initial invoice. ``payment_details_id`` None: bank transfer."""

    order_ref: str
    client_id: str
    payment_details_id: int | str | None = None
    extra: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedConversion(_Checked):
    """An order, and the reference and time of its initial invoice.

    ``finish_conversion`` gets ``host_state`` as ``prepare_conversion`` returned it.
    """

    order: Order
    invoice_ref: str
    converted_at: datetime
    host_state: Any = None
    brand_id = property(lambda self: self.order.brand_id)
    order_ref = property(lambda self: self.order.order_ref)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientRegistered(_Checked):
    """A registration of a client or guest, known to ``get_client``, without the API.

    ``registered_at`` is the time in the host's own row: later clicks do not count. A
    guest who becomes a full client is reported again, at that time.
    """

    brand_id: int
    client_id: str
    registered_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderPlaced(_Checked):
    """An order that a client placed on the host's own page or at a payment provider.

    ``invoice_ref`` is its initial invoice, which ``PaidInvoice`` names. Clicks after
    ``placed_at`` do not count. ``created_at``: when the basket began. ``coupon_codes``
    and ``affiliate_code`` as in ``Order``. Only the network of ``ip`` is stored.
    """

    brand_id: int
    order_ref: str
    invoice_ref: str
    client_id: str
    placed_at: datetime
    client_paid_before: bool
    created_at: datetime | None = None
    coupon_codes: tuple[str, ...] = ()
    affiliate_code: str = ""
    ip: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class InvoiceLine(_Checked):
    """An invoice line. ``net``: for the whole quantity, after discount, before tax.

    ``kind`` is hosting, domain, addon, setup, upgrade or the host's own word. A ``net``
    below zero is a credit: it lowers what other lines earn, those of its ``product_ref``
    first, then of its ``kind``. A domain has its ``tld`` without the dot and an
    ``operation``: register, transfer or renew. ``discount`` is taken off the price,
    ``credit`` is the part of ``net`` that account credit paid; both are positive.
    ``billing_cycle`` is a value of ``BillingCycle``. Amounts have at most 50 decimals,
    quantities are at most 1,000,000 in all lines. More than 255 characters of
    description, 64 of product_ref, 63 of tld or 20 of the other words are cut.
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
class PaidInvoice(_Checked):
    """An invoice is paid in full. ``gross`` is its total with tax, however it was paid:
    also by account credit, but without what was paid too much.

    ``renewal_number`` is 0 for an order's initial invoice and counts its renewals from
    1. ``position`` is what plans count: 0 for the first invoice with an amount. None: the
    renewal number less the zero invoices reported before it, such as that of a trial.
    """

    brand_id: int
    invoice_ref: str
    order_ref: str
    payment_ref: str
    gross: Money
    lines: tuple[InvoiceLine, ...]
    paid_at: datetime
    renewal_number: int = 0
    position: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WalletCredit(_Checked):
    """An affiliate's payout as account credit. ``payout_ref`` is never used again."""

    client_id: str
    payout_ref: str
    amount: Money


@dataclass(frozen=True, slots=True, kw_only=True)
class CouponRequest(_Checked):
    """An affiliate's code, in upper case, with the terms of its offer."""

    brand_id: int
    code: str
    affiliate_code: str
    host_terms: Mapping[str, object]
    for_new_clients: bool
    valid_from: datetime | None = None
    valid_until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CouponMade(_Checked):
    """The host's coupon. ``coupon_ref`` "": staff make it by hand."""

    coupon_ref: str = ""


class RefundKind(TextChoices):
    REFUND = "refund", "Refund"
    CHARGEBACK = "chargeback", "Chargeback"


@dataclass(frozen=True, slots=True, kw_only=True)
class RefundedInvoice(_Checked):
    """A refund: ``gross`` above zero, with tax. ``refund_ref``: unique per brand.

    ``lines`` are the refunded lines with the ``net`` that went back, ``net`` is the part
    of ``gross`` without tax, where no lines are named. Without either, a refund takes
    its part of everything. Another ``payment_ref`` than the payment's takes nothing.
    """

    brand_id: int
    invoice_ref: str
    refund_ref: str
    gross: Money
    refunded_at: datetime
    kind: RefundKind = RefundKind.REFUND
    lines: tuple[InvoiceLine, ...] = ()
    net: Money | None = None
    payment_ref: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CancelledRefund(_Checked):
    """A refund that was undone: a dispute was won, or the money was never sent.

    ``gross`` is the cancelled part, positive and with tax; None: all that is left.
    """

    brand_id: int
    refund_ref: str
    cancellation_ref: str
    cancelled_at: datetime
    gross: Money | None = None


class CredentialsChange(StrEnum):
    PASSWORD = "password"  # noqa: S105 - the name of what changed
    EMAIL = "email"
    LOGGED_OUT = "logged_out"
    SECOND_FACTOR_ON = "second_factor_on"
    SECOND_FACTOR_OFF = "second_factor_off"
    RECOVERY_CODES = "recovery_codes"


@dataclass(frozen=True, slots=True, kw_only=True)
class CredentialsChanged(_Checked):
    """A client's changed credentials, or the end of its sessions.

    ``former_email``, before a change, is notified too. ``is_by_staff``: not by the client.
    """

    client_id: str
    change: CredentialsChange
    former_email: str = ""
    is_by_staff: bool = False
