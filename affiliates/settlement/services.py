"""Stores payments that the host reports and settles them; assigns orders.

Facts are stored first; sales, commissions and reversals follow from the facts, and the
outbox notifies a credited tracking integration. The same events therefore end in the
same state in any order, and with any number of repeats or concurrent calls.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django.db import transaction
from django.db.models import Q

from affiliates.adapter import get_adapter
from affiliates.brands.selectors import reported_brand
from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus, StepReason, Why
from affiliates.commissions.services.locks import lock_earners
from affiliates.commissions.services.staff import release, take_away
from affiliates.contracts import (
    OrderConversion,
    OrderPlaced,
    PaidInvoice,
    PreparedConversion,
)
from affiliates.core import addresses
from affiliates.db.records import insert_once
from affiliates.db.transactions import joins_request, joins_transaction
from affiliates.errors import InvalidInput, NotFound
from affiliates.fraud.models import FraudReview
from affiliates.fraud.rules.policy import Signal
from affiliates.referrals import services as referrals
from affiliates.referrals.evidence import result_of
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules.types import EventResult
from affiliates.referrals.selectors import binding_of
from affiliates.sales.invoice_lines import (
    as_kept,
    require_references,
    require_storable,
    to_json,
)
from affiliates.sales.known import (
    KnownOrder,
    KnownPayment,
    known_of_conversion,
    new_payment,
    order_of,
    payment_of,
    payments_of_order,
    payments_of_renewed,
)
from affiliates.sales.models import InvoicePayment
from affiliates.sales.rules import comparable_lines
from affiliates.settlement.locks import lock_references
from affiliates.settlement.settle import settle, settle_known
from affiliates.telemetry.spans import traced

logger = logging.getLogger(__name__)


@traced("affiliates.conversion")
@joins_request
def convert_order(
    *,
    conversion: OrderConversion,
    origin_brand_id: int | None,
    referral_cookie: str | None,
    ip_prefix: str = "",
    now: datetime,
) -> Mapping[str, object]:
    """Converts the order; records its sales at once if their payments came first.

    Returns the data of the answer. A repeat returns the same, and the first cookie
    stands. Raises as ``referrals.services.prepare_conversion``.
    """
    prepared = referrals.prepare_conversion(
        conversion, origin_brand_id=origin_brand_id, now=now
    )
    lock_references(prepared.brand_id, order=prepared.order_ref)
    known = known_of_conversion(prepared)
    if not known.is_attributed:
        referrals.attribute_order(
            prepared,
            binding=known.binding,
            referral_cookie=referral_cookie,
            ip_prefix=ip_prefix,
            at=now,
            now=now,
        )
    if known.is_paid:
        settle_all(prepared, now=now)
    # Last: the brand's other orders wait for its invoice number until the commit.
    return get_adapter().finish_conversion(prepared)


@joins_transaction
def place_order(
    event: OrderPlaced, *, referral_cookie: str | None, now: datetime
) -> EventResult:
    """Attributes the order as of its placement by the host; then as ``convert_order``.

    Raises as ``referrals.services.placed_order`` and ``is_placed``, and InvalidInput
    for references beyond the contract's limits.
    """
    require_references(event.order_ref, event.invoice_ref, event.client_id)
    placed = referrals.placed_order(event, now=now)
    lock_references(event.brand_id, invoice=event.invoice_ref, order=event.order_ref)
    if not referrals.is_placed(placed):
        referrals.attribute_order(
            placed,
            binding=binding_of(placed.order.client, brand_id=event.brand_id),
            referral_cookie=referral_cookie,
            ip_prefix=addresses.ip_prefix(event.ip),
            at=placed.converted_at,
            now=now,
        )
    settle_all(placed, now=now)
    return result_of(referral_cookie, brand_id=event.brand_id, at=placed.converted_at)


@joins_transaction
def record_payment(event: PaidInvoice, *, now: datetime) -> None:
    """Stores the payment and records its sale. A repeat changes nothing.

    A payment that made no sale, because it named the order without being its initial
    invoice, may be reported again with the number of its renewal. Raises NotFound for an
    unknown brand; InvalidInput for amounts and keys beyond the contract's limits, for a
    line in a currency other than the payment's, for a position beyond the renewal's
    number, for a renewal of the order that another invoice has already paid, and for an
    invoice that was paid with other facts.
    """
    reported_brand(event.brand_id)
    require_storable(event)
    lock_references(event.brand_id, invoice=event.invoice_ref, order=event.order_ref)
    others = _other_payments(event)
    payment = InvoicePayment(
        brand_id=event.brand_id,
        invoice_ref=event.invoice_ref,
        order_ref=event.order_ref,
        payment_ref=event.payment_ref,
        gross=as_kept(event.gross),
        lines=[to_json(line) for line in event.lines],
        renewal_number=event.renewal_number,
        position=event.position,
        paid_at=event.paid_at.astimezone(UTC),
        received_at=now,
    )
    if insert_once(payment):
        converted = new_payment(payment, others)
        if converted is not None:
            settle(*converted, new_fact=payment, now=now)
        return
    known = payment_of(event.brand_id, event.invoice_ref)
    if known is not None and not _is_repeat(payment, known):
        known.payment.change(
            renewal_number=payment.renewal_number, position=payment.position
        )
        known = payment_of(event.brand_id, event.invoice_ref)
    if known is not None:
        settle_known(known, now=now)


@transaction.atomic
def override_attribution(
    *,
    referral_id: int,
    affiliate_id: int | None,
    reason: str,
    actor_id: Any,
    now: datetime,
) -> OrderReferral:
    """Gives the order and all it earned to the affiliate, or to nobody.

    The earlier affiliate's commissions are rejected, even paid ones: that leaves a
    negative balance. Every paid invoice of the order earns the new affiliate a
    commission by its own plan; commissions that only the attribution decision held are
    released. A tracking integration that loses the order is notified to reverse its
    sale. A repeat changes nothing. Raises as ``referrals.services.override_order``.
    """
    known = OrderReferral.objects.filter(pk=referral_id).first()
    if known is None:
        raise NotFound
    lock_references(known.brand_id, invoice=known.invoice_ref, order=known.order_ref)
    known.refresh_from_db(fields=["decision", "integration", "external_visitor_id"])
    referral = referrals.override_order(
        referral_id=referral_id,
        affiliate_id=affiliate_id,
        reason=reason,
        actor_id=actor_id,
        now=now,
    )
    if referral.decision == known.decision:
        return referral
    _take_from_others(referral, reason=reason, actor_id=actor_id, now=now)
    order = KnownOrder(referral=referral, has_sales=True)
    for payment in payments_of_order(referral):
        settle(payment, order, reassigned_from=known, now=now)
    _release_undecided(referral, reason=reason, actor_id=actor_id, now=now)
    return referral


def _take_from_others(
    referral: OrderReferral, *, reason: str, actor_id: Any, now: datetime
) -> None:
    lost = [
        commission.pk
        for commission in Commission.objects.filter(
            sale__order_referral=referral, share_of__isnull=True
        ).exclude(status=CommissionStatus.REJECTED)
        if commission.affiliate_id != referral.affiliate_id
    ]
    new = [] if referral.affiliate_id is None else [referral.affiliate_id]
    lock_earners(new, Q(sale__order_referral=referral))
    why = Why(StepReason.GIVEN_TO_NOBODY, {"note": reason})
    if referral.affiliate is not None:
        details = {"affiliate": str(referral.affiliate), "note": reason}
        why = Why(StepReason.GIVEN_AWAY, details)
    take_away(commission_ids=lost, actor_id=actor_id, why=why, now=now)


def _release_undecided(
    referral: OrderReferral, *, reason: str, actor_id: Any, now: datetime
) -> None:
    """Releases commissions held by the decision, not those held by fraud signals."""
    if referral.affiliate_id is None:
        return
    held = Commission.objects.filter(
        sale__order_referral=referral,
        affiliate_id=referral.affiliate_id,
        share_of__isnull=True,
        status=CommissionStatus.HELD,
        reason=StepReason.DECISION_HELD,
    ).values_list("pk", "sale_id")
    suspicious = {
        review.sale_id
        for review in FraudReview.objects.filter(sale_id__in=[sale for _, sale in held])
        if review.holds_for_more_than(Signal.SELF_REFERRAL)
    }
    release(
        commission_ids=[pk for pk, sale_id in held if sale_id not in suspicious],
        actor_id=actor_id,
        reason=reason,
        now=now,
    )


def settle_all(order: OrderReferral | PreparedConversion, *, now: datetime) -> None:
    """Settles the order's known payments; the caller holds its lock. Repeatable."""
    payments = payments_of_order(order)
    if len(payments) > 1:
        # Before the first sale is posted: a later one may have to lock the affiliate.
        known = order_of(payments[0])
        if known is not None and known.referral.affiliate_id is not None:
            lock_earners(
                [known.referral.affiliate_id], Q(sale__order_referral=known.referral)
            )
    for payment in payments:
        settle_known(payment, now=now)


def _other_payments(event: PaidInvoice) -> list[InvoicePayment]:
    """Returns the other payments of the order that a renewal names.

    Requires one invoice per renewal: not two that are both the order's third.
    """
    if event.renewal_number == 0:
        return []
    payments = payments_of_renewed(event.brand_id, event.order_ref)
    others = [row for row in payments if row.invoice_ref != event.invoice_ref]
    renewal = event.order_ref, event.renewal_number
    if renewal in [(row.order_ref, row.renewal_number) for row in others]:
        raise InvalidInput(
            "renewal_exists", "Another invoice is this renewal of the order already."
        )
    return others


def _is_repeat(payment: InvoicePayment, known: KnownPayment) -> bool:
    """False if it only gives the stored payment, which made no sale, its number."""
    stored = known.payment
    if _facts(payment) == _facts(stored):
        if payment.payment_ref != stored.payment_ref:
            logger.warning("Invoice paid twice", extra={"invoice": stored.pk})
        place = payment.renewal_number, payment.position
        if place == (stored.renewal_number, stored.position):
            return True
        if stored.renewal_number == 0 and known.sale is None:
            return False
    raise InvalidInput(
        "payment_exists", "This invoice was reported as paid with other facts already."
    )


def _facts(payment: InvoicePayment) -> tuple[object, ...]:
    return payment.order_ref, payment.gross, comparable_lines(payment.lines)
