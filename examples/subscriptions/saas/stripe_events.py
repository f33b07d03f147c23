"""What Stripe tells of subscriptions, in whatever order, and what affiliates hears of it."""

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from moneyed import Money, get_currency

from affiliates import contracts, host_events
from affiliates.contracts import RefundKind
from saas.models import Payment, Subscription

CYCLES = {"month": "monthly", "year": "annually"}


@transaction.atomic
def receive(event: dict[str, Any]) -> bool:
    """False where it must come again: something before it is not known yet."""
    handler = HANDLERS.get(event["type"])
    return handler is None or handler(event["data"]["object"], event) is not False


def checkout_completed(session: dict[str, Any], event: dict[str, Any]) -> None:
    if session["mode"] != "subscription":
        return
    user_id = session["client_reference_id"]
    Subscription.objects.get_or_create(
        stripe_id=session["subscription"], defaults={"user_id": user_id}
    )
    others = Subscription.objects.filter(user=user_id).exclude(
        pk=session["subscription"]
    )
    paid = Payment.objects.filter(subscription_id__in=others.values("pk"))
    host_events.order_placed(
        contracts.OrderPlaced(
            brand_id=settings.BRAND_ID,
            order_ref=session["subscription"],
            invoice_ref=session["invoice"],
            client_id=user_id,
            placed_at=_time(session["created"]),
            client_paid_before=paid.exists(),
        ),
        referral_cookie=session["metadata"].get("referral_cookie") or None,
        now=timezone.now(),
    )


def invoice_paid(invoice: dict[str, Any], event: dict[str, Any]) -> None:
    """One line for each invoice: a change of plan credits time unused, in a line below zero."""
    total = invoice["total_excluding_tax"]
    if not invoice.get("subscription") or total <= 0:  # A trial, or a change to less.
        return
    payment = Payment.objects.filter(pk=invoice["id"]).first() or _number(invoice)
    line = invoice["lines"]["data"][-1]
    price, currency = line["price"], invoice["currency"]
    # What the customer's balance at Stripe has paid.
    credit = invoice["total"] - invoice["amount_paid"]
    event = contracts.PaidInvoice(
        brand_id=settings.BRAND_ID,
        invoice_ref=payment.pk,
        order_ref=payment.subscription_id,
        payment_ref=payment.charge_id or payment.pk,
        gross=_money(invoice["total"], currency),
        lines=(
            contracts.InvoiceLine(
                description=line["description"][:255],
                product_ref=price["product"],
                kind="subscription",
                billing_cycle=CYCLES[price["recurring"]["interval"]],
                quantity=1,
                net=_money(total, currency),
                credit=_money(min(credit, total), currency) if credit > 0 else None,
            ),
        ),
        paid_at=_time(invoice["status_transitions"]["paid_at"]),
        renewal_number=payment.number,
    )
    host_events.invoice_paid(event, now=timezone.now())


def charge_refunded(charge: dict[str, Any], event: dict[str, Any]) -> None:
    """The charge says what was refunded until now, the event what until then."""
    refunded = charge["amount_refunded"]
    before = event["data"]["previous_attributes"]["amount_refunded"]
    if charge.get("invoice"):
        _take_back(
            charge["invoice"],
            f"{charge['id']}-{refunded}",
            _money(refunded - before, charge["currency"]),
            at=event["created"],
            kind=RefundKind.REFUND,
        )


def dispute_lost_money(dispute: dict[str, Any], event: dict[str, Any]) -> bool:
    payment = Payment.objects.filter(charge_id=dispute["charge"]).first()
    if payment is None:
        return False
    _take_back(
        payment.pk,
        dispute["id"],
        _money(dispute["amount"], dispute["currency"]),
        at=event["created"],
        kind=RefundKind.CHARGEBACK,
    )
    return True


HANDLERS = {
    "checkout.session.completed": checkout_completed,
    "invoice.paid": invoice_paid,
    "charge.refunded": charge_refunded,
    "charge.dispute.funds_withdrawn": dispute_lost_money,
}


def _number(invoice: dict[str, Any]) -> Payment:
    """Two at once would get the same: one fails, and Stripe sends it again."""
    known = Payment.objects.filter(subscription_id=invoice["subscription"])
    last = known.aggregate(last=Max("number"))["last"] or 0
    is_first = invoice["billing_reason"] == "subscription_create"
    return Payment.objects.create(
        invoice_id=invoice["id"],
        subscription_id=invoice["subscription"],
        charge_id=invoice["charge"] or "",
        number=0 if is_first else last + 1,
    )


def _take_back(
    invoice_id: str, ref: str, gross: Money, *, at: int, kind: RefundKind
) -> None:
    event = contracts.RefundedInvoice(
        brand_id=settings.BRAND_ID,
        invoice_ref=invoice_id,
        refund_ref=ref,
        gross=gross,
        refunded_at=_time(at),
        kind=kind,
    )
    host_events.invoice_refunded(event, now=timezone.now())


def _money(amount: int, code: str) -> Money:
    currency = get_currency(code.upper())
    return Money(Decimal(amount) / currency.sub_unit, currency)


def _time(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
