"""Imports past and future earnings: opening balances, coupons, past orders."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any, NamedTuple

from django.contrib.auth import get_user_model
from django.db import InterfaceError, OperationalError, transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from affiliates.commissions.models import MAX_ADJUSTMENT_KEY, Adjustment
from affiliates.commissions.services.adjusting import NewAdjustment, adjust
from affiliates.commissions.services.locks import lock_earners
from affiliates.contracts import InvoiceLine, PaidInvoice
from affiliates.contrib.imports.files.rows import BalanceRow, CouponRow, Fault, OrderRow
from affiliates.contrib.imports.kinds.kind import AT_ONCE, Found, Kind, Run, checked
from affiliates.core.money import amount_text, from_minor
from affiliates.ledger.rules import MAX_AMOUNT, PostingKind
from affiliates.plans.models.coupon import CouponCode
from affiliates.plans.services import publish_coupon
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.models import MAX_REFERENCE, OrderReferral
from affiliates.referrals.past_orders import PastOrder, record_past_orders
from affiliates.sales.models import InvoicePayment
from affiliates.settlement.locks import lock_references
from affiliates.settlement.services import record_payment, settle_all
from affiliates.telemetry.stacks import stack_of

# Each holds two locks until the transaction ends, and databases have few.
MAX_PAID_ORDERS = 500
LOCKED_AT_ONCE = 100
PAST = "imported"

logger = logging.getLogger(__name__)


class Balances(Kind[BalanceRow]):
    """Each is a bonus or a deduction with a key of its own: posted once for ever."""

    def look_up(self, rows: Sequence[BalanceRow]) -> None:
        self.lookup.ask_affiliates(row.affiliate for row in rows)
        keys = {
            _balance_key(affiliate.pk, row)
            for row in rows
            if (affiliate := self.lookup.affiliates[row.affiliate])
        }
        self.known |= {
            adjustment.key: adjustment
            for adjustment in Adjustment.objects.filter(key__in=keys)
        }

    def judge(self, row: BalanceRow, number: int) -> Found | None:
        affiliate = self.lookup.affiliate(row.affiliate)
        key = _balance_key(affiliate.pk, row)
        self.say_once(number, "key", key)
        if (posted := self.known.get(key)) is not None:
            is_deduction = posted.kind == PostingKind.DEDUCTION
            amount = -posted.amount if is_deduction else posted.amount
            if amount != row.amount:
                text = amount_text(amount, posted.currency)
                raise Fault("balance_posted_otherwise", "amount", amount=text)
            return None
        if row.amount == 0:
            return None
        if abs(row.amount) > MAX_AMOUNT:
            raise Fault("amount_too_large", "amount")
        if len(key) > MAX_ADJUSTMENT_KEY:
            raise Fault("invalid_value", "reference", value=row.reference)
        if self.run.actor_id is not None and affiliate.user_id == self.run.actor_id:
            raise Fault("own_balance", "affiliate")
        made = NewAdjustment(
            affiliate_id=affiliate.pk,
            currency=row.currency,
            amount=row.amount,
            reason=row.reason,
            key=key,
        )
        return Found(key, affiliate, made)

    def write(self, rows: Sequence[Found]) -> None:
        adjust(
            [row.made for row in rows],
            brand_id=self.run.brand.pk,
            actor_id=self.run.actor_id,
            now=self.run.now,
        )


class Coupons(Kind[CouponRow]):
    def look_up(self, rows: Sequence[CouponRow]) -> None:
        self.lookup.ask_affiliates(row.affiliate for row in rows)
        known = CouponCode.objects.filter(
            brand=self.run.brand, code__in={row.code for row in rows}
        )
        self.known |= dict(known.values_list("code", "affiliate_id"))

    def judge(self, row: CouponRow, number: int) -> Found | None:
        affiliate = self.lookup.affiliate(row.affiliate)
        self.say_once(number, "code", row.code)
        owner = self.known.get(row.code)
        if owner is not None:
            if owner != affiliate.pk:
                raise Fault("coupon_of_other", "code", code=row.code)
            return None
        made = CouponCode(
            brand=self.run.brand,
            affiliate=affiliate,
            code=row.code,
            is_active=row.is_active,
            percent=row.percent,
            affiliate_funds_percent=row.affiliate_funds_percent,
        )
        checked(made, leaving=["brand", "affiliate"])
        return Found(row.code, affiliate, made)

    def write(self, rows: Sequence[Found]) -> None:
        coupons = [row.made for row in rows]
        CouponCode.objects.bulk_create(coupons, batch_size=AT_ONCE)
        for coupon in coupons:
            publish_coupon(coupon, now=self.run.now)


class _Sold(NamedTuple):
    order: PastOrder
    payment: PaidInvoice | None


class Orders(Kind[OrderRow]):
    """An order of the past is credited, so that its renewals earn. With an amount its
    first payment is recorded too, and earns as if it were told today."""

    def __init__(self, run: Run) -> None:
        super().__init__(run)
        self._paid_count = 0

    def look_up(self, rows: Sequence[OrderRow]) -> None:
        self.lookup.ask_clients(row.client for row in rows)
        self.lookup.ask_affiliates(row.affiliate for row in rows)
        named = Q(order_ref__in={row.order_ref for row in rows})
        named |= Q(invoice_ref__in={row.invoice_ref for row in rows})
        for referral in OrderReferral.objects.filter(named, brand=self.run.brand):
            self.known[f"order:{referral.order_ref}"] = referral
            self.known[f"invoice:{referral.invoice_ref}"] = referral

    def judge(self, row: OrderRow, number: int) -> Found | None:
        client = self.lookup.client(row.client)
        affiliate = self.lookup.affiliate(row.affiliate)
        self.say_once(number, "order", row.order_ref)
        self.say_once(number, "invoice", row.invoice_ref)
        names = f"order:{row.order_ref}", f"invoice:{row.invoice_ref}"
        known = [self.known[name] for name in names if name in self.known]
        if known:
            said = (row.order_ref, row.invoice_ref, client.id, affiliate.pk)
            if any(_said_of(referral) != said for referral in known):
                raise Fault("order_known_otherwise", "order_ref")
            return None
        self._check(row)
        if affiliate.status != AffiliateStatus.ACTIVE:
            raise Fault("affiliate_not_active", "affiliate", name=affiliate.code)
        order = PastOrder(
            order_ref=row.order_ref,
            invoice_ref=row.invoice_ref,
            client_id=get_user_model()._meta.pk.to_python(client.id),
            affiliate_id=affiliate.pk,
            affiliate_code=affiliate.code,
            is_self=str(affiliate.user_id) == client.id,
            placed_at=row.placed_at,
        )
        return Found(row.order_ref, affiliate, _Sold(order, self._payment(row)))

    def _check(self, row: OrderRow) -> None:
        if self.run.actor_id is None:
            raise Fault("staff_needed")
        if max(row.placed_at, row.paid_at or row.placed_at) > self.run.now:
            raise Fault("in_future", "placed_at")
        if max(len(row.order_ref), len(row.invoice_ref)) > MAX_REFERENCE:
            raise Fault("invalid_value", "order_ref", value=row.order_ref)

    def _payment(self, row: OrderRow) -> PaidInvoice | None:
        if row.net is None or row.paid_at is None:
            return None
        self._paid_count += 1
        if self._paid_count > MAX_PAID_ORDERS:
            raise Fault("too_many_paid", most=MAX_PAID_ORDERS)
        net = from_minor(row.net, row.currency)
        # The host's refunds are with tax: each takes back the part that it is of this.
        gross = net if row.gross is None else from_minor(row.gross, row.currency)
        line = InvoiceLine(
            description=row.order_ref,
            product_ref="",
            kind=PAST,
            billing_cycle="one_time",
            quantity=1,
            net=net,
        )
        return PaidInvoice(
            brand_id=self.run.brand.pk,
            invoice_ref=row.invoice_ref,
            order_ref=row.order_ref,
            payment_ref=row.invoice_ref,
            gross=gross,
            lines=(line,),
            paid_at=row.paid_at,
        )

    def write(self, rows: Sequence[Found]) -> None:
        paid = [row for row in rows if row.made.payment is not None]
        # In the order of settling and maturing: orders first, then affiliates by id.
        for row in paid:
            _lock(self.run.brand.pk, row.made.order)
        lock_earners({row.affiliate.pk for row in paid}, Q(pk__in=[]))
        record_past_orders(
            [row.made.order for row in rows],
            brand_id=self.run.brand.pk,
            reason=PAST,
            actor_id=self.run.actor_id,
            now=self.run.now,
        )
        for row in paid:
            record_payment(row.made.payment, now=self.run.now)

    def settle(self, keys: Sequence[str]) -> None:
        """Payments that were told before their order was there for all to see."""
        orders = OrderReferral.objects.filter(brand=self.run.brand).defer("decision")
        for start in range(0, len(keys), LOCKED_AT_ONCE):
            part = orders.filter(order_ref__in=keys[start : start + LOCKED_AT_ONCE])
            for order in _paid_among(part):
                self._settle(order)

    def _settle(self, order: OrderReferral) -> None:
        try:
            with transaction.atomic():
                _lock(order.brand_id, order)
                settle_all(order, now=self.run.now)
        except (InterfaceError, OperationalError):
            raise
        except Exception as fault:  # noqa: BLE001 - any error of one order
            # It is imported all the same, and the others must not wait for it.
            logger.error(
                "The payments of an imported order could not be settled: %s",
                stack_of(fault),
                extra={"order": order.order_ref},
            )


@transaction.atomic
def _paid_among(orders: QuerySet[Any]) -> list[OrderReferral]:
    """Returns the orders with an invoice payment that has no sale."""
    for order in orders.order_by("pk"):
        # Once locked, calls about payments that could not see the order have ended.
        _lock(order.brand_id, order)
    payments = InvoicePayment.objects.filter(
        brand_id=OuterRef("brand_id"), sale__isnull=True
    )
    first = payments.filter(invoice_ref=OuterRef("invoice_ref"))
    renewals = payments.filter(order_ref=OuterRef("order_ref"), renewal_number__gt=0)
    return list(orders.filter(Exists(first) | Exists(renewals)).order_by("pk"))


def _lock(brand_id: int, order: OrderReferral | PastOrder) -> None:
    lock_references(brand_id, invoice=order.invoice_ref, order=order.order_ref)


def _balance_key(affiliate_id: int, row: BalanceRow) -> str:
    return f"import:{affiliate_id}:{row.currency}:{row.reference}"


def _said_of(referral: OrderReferral) -> tuple[str, str, str, int | None]:
    return (
        referral.order_ref,
        referral.invoice_ref,
        str(referral.client_id),
        referral.affiliate_id,
    )
