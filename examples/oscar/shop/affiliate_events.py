"""What affiliates has to know, each in the transaction of the request that did it."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings
from django.db.models import Sum
from django.db.models.signals import post_save
from django.dispatch import receiver
from django.utils import timezone
from moneyed import Money
from oscar.apps.checkout.signals import post_checkout
from oscar.apps.customer.signals import user_registered
from oscar.apps.order.models import Order, PaymentEvent

from affiliates import contracts, host_events
from affiliates.cookies import referral_cookie
from affiliates.errors import AffiliatesError
from shop.affiliate_adapter import GUEST


@contextmanager
def refusals_logged() -> Iterator[None]:
    """What affiliates refuses must not stop a customer: nothing was written."""
    try:
        yield
    except AffiliatesError:
        logging.getLogger(__name__).exception("affiliates has refused an event")


@receiver(user_registered)
@refusals_logged()
def report_client(*, request, user, **kwargs) -> None:
    event = contracts.ClientRegistered(
        brand_id=settings.BRAND_ID,
        client_id=str(user.pk),
        registered_at=user.date_joined,
    )
    cookie = referral_cookie(request)
    host_events.client_registered(event, referral_cookie=cookie, now=timezone.now())


@receiver(post_checkout)
@refusals_logged()
def report_order(*, order, request, **kwargs) -> None:
    orders = Order.objects.filter(user=order.user, guest_email=order.guest_email)
    paid = orders.exclude(pk=order.pk).filter(payment_events__event_type__code="paid")
    vouchers = order.discounts.exclude(voucher_code="")
    event = contracts.OrderPlaced(
        brand_id=settings.BRAND_ID,
        order_ref=str(order.number),
        invoice_ref=str(order.number),
        client_id=str(order.user_id or f"{GUEST}{order.number}"),
        placed_at=order.date_placed,
        client_paid_before=paid.exists(),
        coupon_codes=tuple(vouchers.values_list("voucher_code", flat=True)),
    )
    cookie = referral_cookie(request)
    host_events.order_placed(event, referral_cookie=cookie, now=timezone.now())


@receiver(post_save, sender=PaymentEvent)
@refusals_logged()
def report_payment(*, instance, created, **kwargs) -> None:
    order, kind = instance.order, instance.event_type.code
    ref = f"{kind}-{instance.pk}"
    if created and kind == "refunded":
        refund = contracts.RefundedInvoice(
            brand_id=settings.BRAND_ID,
            invoice_ref=str(order.number),
            refund_ref=ref,
            gross=Money(instance.amount, order.currency),
            refunded_at=instance.date_created,
        )
        host_events.invoice_refunded(refund, now=timezone.now())
    elif created and kind == "paid" and _is_paid_in_full(order):
        payment = contracts.PaidInvoice(
            brand_id=settings.BRAND_ID,
            invoice_ref=str(order.number),
            order_ref=str(order.number),
            payment_ref=ref,
            gross=Money(order.total_incl_tax, order.currency),
            lines=tuple(map(_line, order.lines.all())),
            paid_at=instance.date_created,
        )
        host_events.invoice_paid(payment, now=timezone.now())


def _is_paid_in_full(order: Order) -> bool:
    paid = order.payment_events.filter(event_type__code="paid")
    return paid.aggregate(sum=Sum("amount"))["sum"] >= order.total_incl_tax


def _line(line) -> contracts.InvoiceLine:
    net, before = line.line_price_excl_tax, line.line_price_before_discounts_excl_tax
    return contracts.InvoiceLine(
        description=line.title,
        product_ref=line.partner_sku,
        kind=line.product.get_product_class().slug if line.product else "",
        billing_cycle="one_time",
        quantity=line.quantity,
        net=Money(net, line.order.currency),
        discount=Money(before - net, line.order.currency),
    )
