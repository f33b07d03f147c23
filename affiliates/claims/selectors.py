"""Claims, the orders they may be about, and what an affiliate may read of those."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

from django.contrib.auth import get_user_model
from django.db.models import Q
from django.utils import timezone

from affiliates.adapter import get_adapter
from affiliates.claims.models import MissingSaleClaim
from affiliates.claims.rules import takes_part
from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.commissions.selectors import taken_back_of
from affiliates.core.days import day
from affiliates.core.money import amount_text
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules.redaction import redact
from affiliates.sales.models import Sale

NOT_PAID = "The invoice is not paid yet. The sale is recorded when it is."
NO_COMMISSION = "The sale is recorded. It earns no commission."
DAYS_AROUND = 2
MAX_SUGGESTED = 20
# No order is older, and from a day of the year 1 nothing counts back.
FIRST_DAY = date(1970, 1, 3)
_STATUS_WORDS = {
    CommissionStatus.PENDING: "pending until {day}",
    CommissionStatus.MATURED: "waiting for approval",
    CommissionStatus.HELD: "held for review",
    CommissionStatus.APPROVED: "approved",
    CommissionStatus.REJECTED: "rejected",
    CommissionStatus.PAID: "paid",
    CommissionStatus.REVERSED: "taken back, as the invoice was refunded",
}


def orders_named(text: str, *, brand_id: int) -> list[OrderReferral]:
    """The brand's orders with this reference, and those of the invoice with it."""
    named = _named(text, brand_id=brand_id)
    return list(OrderReferral.objects.filter(named, brand_id=brand_id).order_by("id"))


def _named(text: str, *, brand_id: int) -> Q:
    numbered = get_adapter().order_refs(text, brand_id=brand_id)
    return Q(order_ref__in=[text, *numbered]) | Q(invoice_ref=text)


def own_order(
    orders: Sequence[OrderReferral], *, affiliate_id: int
) -> OrderReferral | None:
    """The first of the orders whose decision the affiliate takes part in."""
    for order in orders:
        if takes_part(
            order.decision,
            credited_id=order.affiliate_id,
            affiliate_id=affiliate_id,
        ):
            return order
    return None


def reading_of(order: OrderReferral, *, affiliate_id: int) -> list[str]:
    """What the affiliate may read of the order, sentence by sentence."""
    zone = timezone.get_current_timezone()
    reading = redact(order.decision, affiliate_id=affiliate_id, zone=zone)
    sentences = [reading.summary, *(click.sentence for click in reading.clicks)]
    if order.affiliate_id == affiliate_id:
        sentences += _earned(order, affiliate_id=affiliate_id)
    return sentences


def suggested_orders(claim: MissingSaleClaim) -> list[OrderReferral]:
    """The orders a claim may be about, for staff: by its reference or its client."""
    named = Q(pk=claim.referral_id)
    if claim.order_hint:
        named |= _named(claim.order_hint, brand_id=claim.brand_id)
    if claim.client_hint:
        email = get_user_model().get_email_field_name()
        named |= Q(**{f"client__{email}__iexact": claim.client_hint}) & _around(claim)
    orders = OrderReferral.objects.filter(named, brand_id=claim.brand_id)
    return list(
        orders.select_related("client", "affiliate").order_by("-id")[:MAX_SUGGESTED]
    )


def _around(claim: MissingSaleClaim) -> Q:
    if claim.ordered_on is None:
        return Q()
    ordered_on = max(claim.ordered_on, FIRST_DAY)
    start = timezone.make_aware(datetime.combine(ordered_on, time.min))
    return Q(
        converted_at__gte=start - timedelta(days=DAYS_AROUND),
        converted_at__lt=start + timedelta(days=DAYS_AROUND + 1),
    )


def _earned(order: OrderReferral, *, affiliate_id: int) -> list[str]:
    commissions = list(
        Commission.objects.filter(sale__order_referral=order, affiliate_id=affiliate_id)
        .select_related("sale")
        .order_by("sale__renewal_number", "id")
    )
    taken_back = taken_back_of([one.pk for one in commissions])
    if commissions:
        return [_commission(one, taken_back.get(one.pk, 0)) for one in commissions]
    is_paid = Sale.objects.filter(order_referral=order).exists()
    return [NO_COMMISSION if is_paid else NOT_PAID]


def _commission(commission: Commission, taken_back: int) -> str:
    renewal = commission.sale.renewal_number
    subject = f"Your commission for renewal {renewal}" if renewal else "Your commission"
    status = CommissionStatus(commission.status)
    words = _STATUS_WORDS[status].format(
        day=day(commission.matures_at, timezone.get_current_timezone())
    )
    earned = amount_text(commission.amount, commission.currency)
    sentence = f"{subject} of {earned} is {words}."
    if not taken_back or status is CommissionStatus.REVERSED:
        return sentence
    back = amount_text(-taken_back, commission.currency)
    return f"{sentence} Refunds took back {back} of it."
