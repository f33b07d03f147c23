"""A brand at work: what visitors, clients, staff and affiliates do, through the services."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from itertools import count
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction
from moneyed import Money

from affiliates.brands.models.brand import Brand
from affiliates.brands.selectors import get_brand
from affiliates.contracts import (
    CancelledRefund,
    ClientRegistration,
    InvoiceLine,
    OrderConversion,
    OrderPlaced,
    PaidInvoice,
    RefundedInvoice,
    RefundKind,
)
from affiliates.core.money import from_minor
from affiliates.errors import InvalidInput
from affiliates.host_events import (
    invoice_paid,
    invoice_refunded,
    order_placed,
    refund_cancelled,
)
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.program.services import change_status
from affiliates.referrals.services import register_client
from affiliates.settlement.services import convert_order
from affiliates.visits.rules import Visit
from affiliates.visits.services import track_visit
from tests.guard.markers import marker
from tests.hosts.host import Host

STARTED_AT = datetime(2026, 1, 1, 12, tzinfo=UTC)
# What a host may try: more than is left, another currency, a reference that is known.
REFUSED_CANCELLATIONS = (
    "exceeds_refund",
    "invalid_amount",
    "currency_mismatch",
    "cancellation_exists",
)
PERSON = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 "
    + marker("visitor", "agent")
)


@dataclass(kw_only=True)
class Visitor:
    """Somebody with a browser: their cookie, and their account once there is one."""

    number: int
    cookie: str | None = None
    client: Any = None


@dataclass(kw_only=True)
class Invoice:
    """An invoice of an order. ``net`` and ``gross`` are minor units."""

    ref: str
    order_ref: str
    renewal: int
    currency: str
    lines: list[tuple[str, str, int]]
    gross: int
    is_paid: bool = False

    @property
    def payment_ref(self) -> str:
        return f"payment-{self.ref}"


@dataclass(kw_only=True)
class Order:
    ref: str
    visitor: Visitor
    currency: str
    placed_at: datetime
    is_placed: bool = True
    invoices: list[Invoice] = field(default_factory=list)


@dataclass(kw_only=True)
class World:
    """Every operation takes place ``now``; time goes on only by ``pass_by``."""

    host: Host
    brand: Brand
    affiliates: list[Affiliate]
    now: datetime = STARTED_AT
    visitors: list[Visitor] = field(default_factory=list)
    orders: list[Order] = field(default_factory=list)
    numbers: count[int] = field(default_factory=lambda: count(1))
    earlier_days: set[date] = field(default_factory=set)

    @property
    def invoices(self) -> list[Invoice]:
        return [invoice for order in self.orders for invoice in order.invoices]

    @property
    def days(self) -> list[date]:
        """Those on which anything can have happened."""
        return sorted({*self.earlier_days, self.now.date()})

    def pass_by(self, **time: int) -> None:
        self.earlier_days.add(self.now.date())
        self.now += timedelta(**time)

    def arrive(self) -> Visitor:
        visitor = Visitor(number=next(self.numbers))
        self.visitors.append(visitor)
        return visitor

    def visit(self, visitor: Visitor, affiliate: Affiliate) -> None:
        """Follow the affiliate's link, with the cookie of the last time."""
        answer = track_visit(
            brand=get_brand(self.brand.pk),
            visit=Visit(
                visit_url=f"{self.brand.default_redirect_url}?ref={affiliate.code}",
                referrer_url="",
                user_agent=PERSON,
                referral_cookie=visitor.cookie,
                ip=f"203.0.{visitor.number % 250}.7",
                ip_prefix=f"203.0.{visitor.number % 250}.0/24",
                is_prefetch=False,
            ),
            now=self.now,
        )
        visitor.cookie = answer.referral_cookie

    def register(self, visitor: Visitor) -> None:
        registered = register_client(
            registration=ClientRegistration(
                brand_id=self.brand.pk,
                email=f"client-{visitor.number}@example.com",
                firstname="Ada",
                lastname="Client",
                password="correct horse battery",
            ),
            referral_cookie=visitor.cookie,
            now=self.now,
        )
        visitor.client = get_user_model().objects.get(pk=registered.client.id)

    def convert(
        self, visitor: Visitor, *, currency: str, lines: list[tuple[str, str, int]]
    ) -> Order:
        """Order and get the initial invoice: lines of kind, billing cycle and net."""
        order_ref = self.host.order(visitor.client, created_at=self.now)
        converted = convert_order(
            conversion=OrderConversion(
                order_ref=order_ref,
                client_id=str(visitor.client.pk),
                payment_details_id=self.host.payment_details_id(visitor.client),
            ),
            origin_brand_id=self.brand.pk,
            referral_cookie=visitor.cookie,
            now=self.now,
        )
        order = Order(
            ref=order_ref, visitor=visitor, currency=currency, placed_at=self.now
        )
        order.invoices.append(_invoice(order, str(converted["id"]), 0, lines))
        self.orders.append(order)
        return order

    def sell(
        self, affiliate: Affiliate, *, currency: str, lines: list[tuple[str, str, int]]
    ) -> Order:
        """The whole way of a new client, up to the unpaid invoice."""
        visitor = self.arrive()
        self.visit(visitor, affiliate)
        self.register(visitor)
        return self.convert(visitor, currency=currency, lines=lines)

    def buy_elsewhere(
        self, visitor: Visitor, *, currency: str, lines: list[tuple[str, str, int]]
    ) -> Order:
        """Order on a page of the host's own, which tells of it by ``place``."""
        order = Order(
            ref=f"elsewhere-{next(self.numbers)}",
            visitor=visitor,
            currency=currency,
            placed_at=self.now,
            is_placed=False,
        )
        order.invoices.append(_invoice(order, f"{order.ref}-first", 0, lines))
        self.orders.append(order)
        return order

    def place(self, order: Order) -> None:
        order.is_placed = True
        order_placed(
            OrderPlaced(
                brand_id=self.brand.pk,
                order_ref=order.ref,
                invoice_ref=order.invoices[0].ref,
                client_id=str(order.visitor.client.pk),
                placed_at=order.placed_at,
                client_paid_before=False,
            ),
            referral_cookie=order.visitor.cookie,
            now=self.now,
        )

    def renew(
        self, order: Order, lines: list[tuple[str, str, int]] | None = None
    ) -> Invoice:
        """The next invoice, for what the first one sold unless it is of other lines."""
        number = len(order.invoices)
        ref = f"{order.invoices[0].ref[:50]}-r{number}"
        invoice = _invoice(order, ref, number, lines or order.invoices[0].lines)
        order.invoices.append(invoice)
        return invoice

    def pay(self, invoice: Invoice, *, payment_ref: str = "") -> None:
        invoice.is_paid = True
        invoice_paid(
            PaidInvoice(
                brand_id=self.brand.pk,
                invoice_ref=invoice.ref,
                order_ref=invoice.order_ref,
                payment_ref=payment_ref or invoice.payment_ref,
                gross=from_minor(invoice.gross, invoice.currency),
                lines=lines_of(invoice.lines, invoice.currency),
                paid_at=self.now,
                renewal_number=invoice.renewal,
            ),
            now=self.now,
        )

    def refund(
        self,
        invoice: Invoice,
        amount: int,
        *,
        kind: RefundKind,
        ref: str = "",
        currency: str = "",
        **named: Any,
    ) -> None:
        """``amount`` minor units go back to the client; it may be more than was paid."""
        invoice_refunded(
            RefundedInvoice(
                brand_id=self.brand.pk,
                invoice_ref=invoice.ref,
                refund_ref=ref or f"refund-{next(self.numbers)}",
                gross=from_minor(amount, currency or invoice.currency),
                refunded_at=self.now,
                kind=kind,
                **named,
            ),
            now=self.now,
        )

    def cancel_refund(
        self, refund_ref: str, gross: Money | None, *, ref: str = ""
    ) -> bool:
        """Nothing happens to what cannot be cancelled: a part that is more than is left.

        Returns whether it was accepted.
        """
        event = CancelledRefund(
            brand_id=self.brand.pk,
            refund_ref=refund_ref,
            cancellation_ref=ref or f"cancellation-{next(self.numbers)}",
            gross=gross,
            cancelled_at=self.now,
        )
        try:
            with transaction.atomic():
                refund_cancelled(event, now=self.now)
        except InvalidInput as refusal:
            if refusal.code not in REFUSED_CANCELLATIONS:
                raise
            return False
        return True

    def set_status(self, affiliate: Affiliate, status: AffiliateStatus) -> None:
        change_status(Affiliate.objects.filter(pk=affiliate.pk), status=status)


def _invoice(
    order: Order, ref: str, renewal: int, lines: list[tuple[str, str, int]]
) -> Invoice:
    net = max(0, sum(amount for _, _, amount in lines))
    return Invoice(
        ref=ref,
        order_ref=order.ref,
        renewal=renewal,
        currency=order.currency,
        lines=lines,
        gross=net + net * 19 // 100,
    )


def lines_of(
    lines: Sequence[tuple[str, str, int]], currency: str
) -> tuple[InvoiceLine, ...]:
    return tuple(_line(line, currency) for line in lines)


def _line(line: tuple[str, str, int], currency: str) -> InvoiceLine:
    kind, billing_cycle, net = line
    amount: Money = from_minor(net, currency)
    return InvoiceLine(
        description=f"{kind}, {billing_cycle}",
        product_ref=f"{kind}-1",
        kind=kind,
        billing_cycle=billing_cycle,
        quantity=1,
        net=amount,
        tld="com" if kind == "domain" else "",
    )
