"""Which rows of each table one text names, by its indexes, and what is said of each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial, reduce
from operator import or_
from typing import Any
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db.models import Q

from affiliates.adapter import get_adapter
from affiliates.admin_tools.columns import moment, row_money
from affiliates.admin_tools.visible import Brands
from affiliates.brands.models.brand import Brand
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.program.rules import LINK_HASH, tokens_in
from affiliates.sales.models import Sale

MAX_NAMED = 50
# A hash is told from a word by this many digits.
MIN_HASH_DIGITS = 8
HEXADECIMAL = frozenset("0123456789abcdef")


class Text:
    """The typed text and the host's ids for it, each looked up at most once.

    ``seen_brands`` are the person's; None: all.
    """

    def __init__(self, typed: str, seen_brands: Brands | None = None) -> None:
        self.typed = typed.strip()
        self.seen_brands = seen_brands
        self.spellings = {self.typed, self.typed.lower(), self.typed.upper()}
        self.tokens = tokens_in(self.typed) | {self.typed.lower()}

    @cached_property
    def brands(self) -> list[int]:
        return list(Brand.objects.values_list("pk", flat=True))

    @cached_property
    def orders(self) -> set[str]:
        return {*self.spellings, *get_adapter().order_refs(self.typed)}

    @cached_property
    def invoices(self) -> set[str]:
        return {*self.spellings, *get_adapter().invoice_refs(self.typed)}

    @cached_property
    def clients(self) -> list[str]:
        """Returns ids of clients by whole e-mail address."""
        if "@" not in self.typed:
            return []
        clients = get_adapter().find_clients(self.typed, limit=MAX_NAMED)
        if clients:
            return list(clients)
        users = get_user_model()
        emails = {f"{users.get_email_field_name()}__in": self.spellings}
        known = users._default_manager.filter(**emails).values_list("pk", flat=True)
        return [str(pk) for pk in known[:MAX_NAMED]]

    @cached_property
    def clients_like(self) -> list[str]:
        """Returns ids of the person's clients by the host's own search, as lists do."""
        find = partial(get_adapter().find_clients, self.typed, limit=MAX_NAMED)
        if self.seen_brands is None:
            return list(find())
        brands = sorted(self.seen_brands)
        return [client for brand in brands for client in find(brand_id=brand)]

    @cached_property
    def sales(self) -> list[int]:
        """Returns the ids of the invoice's sales."""
        named = Sale.objects.filter(self.of_brands(invoice_ref__in=self.invoices))
        return list(named.values_list("pk", flat=True)[:MAX_NAMED])

    @cached_property
    def integrations(self) -> list[int]:
        of_brands = TrackingIntegration.objects.filter(affiliate=None)
        return list(of_brands.values_list("pk", flat=True))

    @cached_property
    def uuid(self) -> UUID | None:
        try:
            return UUID(self.typed)
        except ValueError:
            return None

    @cached_property
    def number(self) -> int | None:
        text = self.typed.lower().removeprefix("payout").strip(" #")
        # Within a bigint.
        return (
            int(text)
            if text.isascii() and text.isdecimal() and len(text) < 19
            else None
        )

    def of_brands(self, **named: Any) -> Q:
        """By an index that begins with the brand."""
        return Q(brand__in=self.brands, **named)


@dataclass(frozen=True, slots=True)
class Kind:
    """One table: which of its rows a text names, and what is said of each."""

    model: str
    named: Callable[[Text], Q | None]
    # The brand, then what may begin with a capital: unfold gives it one.
    said: Callable[[Any], Sequence[object]]
    # Whether its list's search for parts is tried too, where nothing is named.
    has_parts: bool = False
    related: tuple[str, ...] = ("brand",)
    invoice_path: str = ""


def _orders(text: Text) -> Q:
    named = text.of_brands(order_ref__in=text.orders)
    named |= text.of_brands(invoice_ref__in=text.invoices)
    if text.clients:
        named |= Q(client__in=text.clients)
    return named if text.uuid is None else named | Q(click_id=text.uuid)


def _affiliates(text: Text) -> Q:
    named = text.of_brands(code__in=text.tokens)
    return named | Q(user__in=text.clients) if text.clients else named


def _links(text: Text) -> Q | None:
    """By its hash, or eight or more of the digits that it begins with."""
    hashes = {token for token in text.tokens if LINK_HASH.fullmatch(token)}
    if hashes:
        return Q(hash__in=hashes)
    start = text.typed.lower()
    if len(start) < MIN_HASH_DIGITS or not HEXADECIMAL.issuperset(start):
        return None
    return Q(hash__startswith=start)


def _with_uuid(text: Text, *fields: str) -> Q | None:
    if text.uuid is None:
        return None
    return Q(*((name, text.uuid) for name in fields), _connector=Q.OR)


def _payouts(text: Text) -> Q:
    named = Q(remote_ref__in=text.spellings - {""})
    return named if text.number is None else named | Q(pk=text.number)


def _client_referrals(text: Text) -> Q | None:
    named = [Q(client__in=text.clients)] if text.clients else []
    named += [Q(click_id=text.uuid)] if text.uuid is not None else []
    return reduce(or_, named) if named else None


def _deliveries(text: Text) -> Q | None:
    """By the invoice or their key: both indexes begin with the integration."""
    if not text.integrations:
        return None
    named = Q(order_ref__in=text.invoices - {""}) | Q(key=text.typed)
    return Q(integration__in=text.integrations) & named


def _with_amount(row: Any) -> Sequence[object]:
    return row.brand, row.get_status_display(), row.affiliate.code, row_money(row)


# In the order in which they are shown.
KINDS = (
    Kind(
        "affiliate",
        _affiliates,
        lambda row: (row.brand, row.get_status_display(), row.user),
        has_parts=True,
        related=("brand", "user"),
    ),
    Kind(
        "affiliatelink",
        _links,
        lambda row: (row.affiliate.brand, f"Link of {row.affiliate.code}"),
        related=("affiliate__brand",),
    ),
    Kind(
        "couponcode",
        lambda text: text.of_brands(code__in=text.spellings),
        lambda row: (row.brand, f"Coupon of {row.affiliate.code}"),
        has_parts=True,
        related=("brand", "affiliate"),
    ),
    Kind(
        "orderreferral",
        _orders,
        lambda row: (row.brand, moment(row.converted_at), row.client),
        related=("brand", "client"),
        invoice_path="invoice_ref",
    ),
    Kind(
        "invoicepayment",
        lambda text: (
            text.of_brands(invoice_ref__in=text.invoices)
            | Q(payment_ref__in=text.spellings)
        ),
        lambda row: (row.brand, row.gross, moment(row.paid_at)),
        invoice_path="invoice_ref",
    ),
    Kind(
        "invoicerefund",
        lambda text: (
            text.of_brands(invoice_ref__in=text.invoices)
            | Q(refund_ref__in=text.spellings)
        ),
        lambda row: (row.brand, row.gross, moment(row.refunded_at)),
    ),
    Kind(
        "refundcancellation",
        lambda text: (
            text.of_brands(refund_ref__in=text.spellings)
            | Q(cancellation_ref__in=text.spellings)
        ),
        lambda row: (row.brand, moment(row.cancelled_at), row.refund_ref),
    ),
    Kind(
        "sale",
        lambda text: Q(pk__in=text.sales) if text.sales else None,
        lambda row: (row.brand, row.get_status_display(), row.affiliate.code, row.net),
        related=("brand", "affiliate"),
        invoice_path="invoice_ref",
    ),
    Kind(
        "commission",
        lambda text: Q(sale__in=text.sales) if text.sales else None,
        _with_amount,
        related=("brand", "affiliate"),
    ),
    Kind(
        "payout",
        _payouts,
        _with_amount,
        related=("brand", "affiliate"),
    ),
    Kind(
        "click",
        lambda text: _with_uuid(text, "pk", "visitor_id"),
        lambda row: (row.brand, moment(row.created_at), row.visit_url[:60]),
    ),
    Kind(
        "clientreferral",
        _client_referrals,
        lambda row: (row.brand, moment(row.bound_at), row.client),
        related=("brand", "client", "affiliate"),
    ),
    Kind(
        "delivery",
        _deliveries,
        lambda row: (row.brand, row.get_state_display(), moment(row.created_at)),
    ),
    Kind(
        "missingsaleclaim",
        lambda text: _with_uuid(text, "pk"),
        lambda row: (row.brand, row.get_status_display()),
        related=("brand", "affiliate"),
    ),
    Kind(
        "email",
        lambda text: Q(recipient__in=text.spellings) if "@" in text.typed else None,
        lambda row: (row.brand, row.get_state_display(), moment(row.created_at)),
    ),
)
