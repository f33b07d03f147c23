"""Orders and payments of Stripe as the values of the seam. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from moneyed import Money

from affiliates.contracts import InvoiceLine, PaidInvoice
from affiliates.contrib.stripe.reading import (
    COOKIE,
    PAID_BEFORE,
    Parsed,
    cycle_of,
    id_of,
    is_of_plan,
    items,
    moment,
    money,
    net_of,
    payments_of,
    period_of,
    product_of,
    reads,
    subscription_of,
    sum_of,
    total_net_of,
)
from affiliates.core.days import BillingCycle

SUBSCRIPTION, ITEM, PAYMENT, OTHER = "subscription", "item", "payment", "other"
FIRST, CYCLE = "subscription_create", "subscription_cycle"
UPDATE = "subscription_update"
# More is usage, such as calls or bytes, and no number of pieces.
MAX_PIECES = 1_000

# Product, kind and billing cycle of a line.
Labels = Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class StripeCustomer:
    """The buyer of a session, for the host's function; "" is unknown.

    ``email`` and ``metadata`` (the session's) are not stored: they are empty when staff
    try a stored event again.
    """

    brand_id: int
    customer: str
    client_reference_id: str
    email: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """A completed session. ``invoice_ref`` "" is not known; ``order_ref`` "": no order.

    ``paid`` is the payment of a session without an invoice.
    """

    order_ref: str
    invoice_ref: str
    created: datetime
    cookie: str | None
    client_paid_before: bool
    payments: tuple[str, ...]
    paid: PaidInvoice | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Invoice:
    """A paid invoice. ``subscription`` "": it is the only one of its order."""

    paid: PaidInvoice
    subscription: str
    is_first: bool
    opens_term: bool
    is_update: bool
    created: datetime
    starts: datetime | None
    ends: datetime | None
    labels: Mapping[str, Labels]
    payments: tuple[str, ...]

    @property
    def has_amount(self) -> bool:
        return bool(self.paid.gross.amount > 0)

    @property
    def is_sale(self) -> bool:
        """False for a total below zero: a change to less, which pays nothing."""
        return bool(self.paid.gross.amount >= 0)

    def numbered(self, number: int, position: int) -> PaidInvoice:
        return replace(self.paid, renewal_number=number, position=position)


@reads
def customer_of(brand_id: int, session: Parsed) -> StripeCustomer:
    details = session.get("customer_details") or {}
    return StripeCustomer(
        brand_id=brand_id,
        customer=id_of(session.get("customer")),
        client_reference_id=session.get("client_reference_id") or "",
        email=details.get("email") or session.get("customer_email") or "",
        metadata=dict(session.get("metadata") or {}),
    )


@reads
def checkout_of(brand_id: int, session: Parsed, *, at: datetime) -> Checkout:
    """Of a session that is complete; ``at`` is the time of its event."""
    subscription, invoice = map(
        id_of, (session.get("subscription"), session.get("invoice"))
    )
    metadata = session.get("metadata") or {}
    # An id of a session is longer than a reference may be.
    ref = invoice or id_of(session.get("payment_intent"))
    order_ref = subscription or ref
    paid = None
    if not (subscription or invoice) and session["payment_status"] == "paid":
        paid = _paid_session(brand_id, session, ref, at=at)
    return Checkout(
        order_ref=order_ref,
        invoice_ref=invoice if subscription else ref,
        created=moment(session["created"]),
        cookie=metadata.get(COOKIE) or None,
        client_paid_before=metadata.get(PAID_BEFORE, "") not in ("", "false"),
        payments=payments_of([session]) if ref and not subscription else (),
        paid=paid,
    )


@reads
def invoice_of(brand_id: int, invoice: Parsed, *, at: datetime) -> Invoice:
    """A paid invoice; ``at`` is the time of its event."""
    subscription, invoice_ref = subscription_of(invoice), id_of(invoice)
    rows = items(invoice["lines"])
    periods = [period_of(row) for row in rows if row.get("period")]
    # Usage is billed for the term before, an item for its own time.
    terms = [period_of(row)[0] for row in rows if row.get("period") and is_of_plan(row)]
    reason = invoice.get("billing_reason")
    paid_at = (invoice.get("status_transitions") or {}).get("paid_at")
    paid = PaidInvoice(
        brand_id=brand_id,
        invoice_ref=invoice_ref,
        order_ref=subscription or invoice_ref,
        payment_ref=invoice_ref,
        gross=money(invoice["total"], invoice["currency"]),
        lines=_lines(invoice, rows),
        paid_at=moment(paid_at) if paid_at else at,
    )
    payments = [invoice, *(row["payment"] for row in items(invoice.get("payments")))]
    return Invoice(
        paid=paid,
        subscription=subscription,
        is_first=not subscription or reason == FIRST,
        opens_term=reason in (FIRST, CYCLE),
        is_update=reason == UPDATE,
        created=moment(invoice["created"]),
        starts=max(terms, default=min((start for start, _ in periods), default=None)),
        ends=max((end for _, end in periods), default=None),
        labels={row["id"]: _labels(row) for row in rows},
        payments=payments_of(payments),
    )


def _paid_session(
    brand_id: int, session: Parsed, ref: str, *, at: datetime
) -> PaidInvoice:
    currency, total = session["currency"], session["amount_total"]
    tax = (session.get("total_details") or {}).get("amount_tax") or 0
    labels = ("", PAYMENT, BillingCycle.ONE_TIME)
    return PaidInvoice(
        brand_id=brand_id,
        invoice_ref=ref,
        order_ref=ref,
        payment_ref=ref,
        gross=money(total, currency),
        lines=(line_of({}, labels, money(total - tax, currency)),),
        paid_at=at,
        position=0,
    )


def _lines(invoice: Parsed, rows: Sequence[Parsed]) -> tuple[InvoiceLine, ...]:
    """The lines, and one for the rest: an event has ten lines at most."""
    currency, net = invoice["currency"], total_net_of(invoice)
    nets = [net_of(row) for row in rows]
    credits = _credits(
        _balance_used(invoice), nets, total=int(invoice["total"]), net=net
    )
    lines = [
        line_of(
            row,
            _labels(row),
            money(amount, currency),
            discount=_above_zero(sum_of(row.get("discount_amounts")), currency),
            credit=_above_zero(credit, currency),
        )
        for row, amount, credit in zip(rows, nets, credits, strict=True)
    ]
    if rest := net - sum(nets):
        lines.append(line_of({}, ("", OTHER, ""), money(rest, currency)))
    return tuple(lines)


def _balance_used(invoice: Parsed) -> int:
    """What the customer's balance at Stripe, which is below zero, paid with tax."""
    ends, starts = invoice.get("ending_balance"), invoice.get("starting_balance")
    used = int(ends or 0) - int(starts or 0)
    return max(0, min(used, int(invoice["total"])))


def _credits(used: int, nets: Sequence[int], *, total: int, net: int) -> list[int]:
    """Each line's part of the balance, without tax and in proportion."""
    above = [max(0, amount) for amount in nets]
    share = used * net // total if total > 0 else 0
    parts, done, sum_above = [], 0, 0
    for amount in above:
        sum_above += amount
        upto = share * sum_above // sum(above) if sum(above) else 0
        parts.append(min(amount, upto - done))
        done = upto
    return parts


def line_of(row: Parsed, labels: Labels, net: Money, **amounts: Any) -> InvoiceLine:
    """A line of an invoice or credit note."""
    quantity = row.get("quantity")
    return InvoiceLine(
        description=row.get("description") or "",
        product_ref=labels[0],
        kind=labels[1],
        billing_cycle=labels[2],
        quantity=quantity if quantity and 0 < quantity <= MAX_PIECES else 1,
        net=net,
        **amounts,
    )


def _labels(row: Parsed) -> Labels:
    kind = SUBSCRIPTION if subscription_of(row) else ITEM
    return [product_of(row), kind, cycle_of(row)]


def _above_zero(amount: int, currency: str) -> Money | None:
    return money(amount, currency) if amount > 0 else None
