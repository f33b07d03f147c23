"""What customers do. What affiliates has to know is said in the same transaction."""

from datetime import datetime
from decimal import Decimal

from django.conf import settings
from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import Q
from moneyed import Money

from affiliates import contracts, host_events
from hosting.models import PRODUCTS, VAT, Coupon, Invoice, Order


@transaction.atomic
def sign_up(user: User, *, cookie: str | None, now: datetime) -> None:
    user.save()
    event = contracts.ClientRegistered(
        brand_id=settings.BRAND_ID,
        client_id=str(user.pk),
        registered_at=now,
    )
    host_events.client_registered(event, referral_cookie=cookie, now=now)


@transaction.atomic
def place_order(
    user: User, product: str, *, code: str, cookie: str | None, now: datetime
) -> Invoice:
    paid_before = Invoice.objects.filter(order__user=user, paid_at__isnull=False)
    valid = Q(valid_until=None) | Q(valid_until__gt=now)
    coupon = Coupon.objects.filter(valid, code=code.upper(), is_active=True).first()
    bought = {"user": user, "product": product, "coupon": coupon}
    order = Order.objects.create(**bought, placed_at=now)
    invoice = bill(order)
    event = contracts.OrderPlaced(
        brand_id=settings.BRAND_ID,
        order_ref=str(order.pk),
        invoice_ref=str(invoice.pk),
        client_id=str(user.pk),
        placed_at=now,
        client_paid_before=paid_before.exists(),
        coupon_codes=(code,) if code else (),
    )
    host_events.order_placed(event, referral_cookie=cookie, now=now)
    return invoice


@transaction.atomic
def bill(order: Order) -> Invoice:
    """The order's first invoice, later those of its renewals."""
    order = Order.objects.select_for_update().get(pk=order.pk)
    net = PRODUCTS[order.product][-1]
    if order.coupon and not order.invoices.exists():
        net -= (net * order.coupon.percent_off / 100).quantize(Decimal("0.01"))
    gross = (net * (1 + VAT)).quantize(Decimal("0.01"))
    return order.invoices.create(period=order.invoices.count(), net=net, gross=gross)


@transaction.atomic
def pay(invoice_id: int, *, now: datetime) -> None:
    invoice = Invoice.objects.select_for_update().get(pk=invoice_id)
    if invoice.paid_at is not None:
        return
    invoice.paid_at = now
    invoice.save(update_fields=["paid_at"])
    name, billing_cycle, price = PRODUCTS[invoice.order.product]
    line = contracts.InvoiceLine(
        description=name,
        product_ref=invoice.order.product,
        kind="hosting",
        billing_cycle=billing_cycle,
        quantity=1,
        net=Money(invoice.net, "EUR"),
        discount=Money(price - invoice.net, "EUR"),
    )
    event = contracts.PaidInvoice(
        brand_id=settings.BRAND_ID,
        invoice_ref=str(invoice.pk),
        order_ref=str(invoice.order_id),
        payment_ref=f"payment-{invoice.pk}",
        gross=Money(invoice.gross, "EUR"),
        lines=(line,),
        paid_at=now,
        renewal_number=invoice.period,
    )
    host_events.invoice_paid(event, now=now)


@transaction.atomic
def refund(invoice_id: int, *, now: datetime) -> None:
    invoice = Invoice.objects.select_for_update().get(pk=invoice_id)
    if invoice.paid_at is None or invoice.refunded_at is not None:
        return
    invoice.refunded_at = now
    invoice.save(update_fields=["refunded_at"])
    event = contracts.RefundedInvoice(
        brand_id=settings.BRAND_ID,
        invoice_ref=str(invoice.pk),
        refund_ref=f"refund-{invoice.pk}",
        gross=Money(invoice.gross, "EUR"),
        refunded_at=now,
    )
    host_events.invoice_refunded(event, now=now)
