"""Claims, their possible orders, and what affiliates may read about those."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta, tzinfo
from uuid import UUID

from django.contrib.auth import get_user_model
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import get_language, gettext_noop
from django.utils.translation import gettext as _

from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.commissions.selectors import taken_back_of
from affiliates.contrib.claims.models import MissingSaleClaim
from affiliates.contrib.claims.rules import GRANTED, WAITING, ClaimStatus, takes_part
from affiliates.core.days import day
from affiliates.core.money import from_minor, local_text
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules.redaction import redact
from affiliates.sales.models import Sale
from affiliates.sales.selectors import orders_numbered

NOT_PAID = gettext_noop("The invoice is not paid yet. The sale is recorded when it is.")
NO_COMMISSION = gettext_noop("The sale is recorded. It earns no commission.")
DAYS_AROUND = 2
MAX_SUGGESTED = 20
# No order is older; days before the year 1 would be out of range.
FIRST_DAY = date(1970, 1, 3)
_STATUS_SENTENCES = {
    CommissionStatus.PENDING: gettext_noop("{It} of {amount} is pending until {day}."),
    CommissionStatus.MATURED: gettext_noop("{It} of {amount} is waiting for approval."),
    CommissionStatus.HELD: gettext_noop("{It} of {amount} is held for review."),
    CommissionStatus.APPROVED: gettext_noop("{It} of {amount} is approved."),
    CommissionStatus.REJECTED: gettext_noop("{It} of {amount} is rejected."),
    CommissionStatus.PAID: gettext_noop("{It} of {amount} is paid."),
    CommissionStatus.REVERSED: gettext_noop(
        "{It} of {amount} is taken back, as the invoice was refunded."
    ),
}


def orders_named(text: str, *, brand_id: int) -> list[OrderReferral]:
    """The brand's orders with this number, or with an invoice that has it."""
    named = orders_numbered(text, brand_id=brand_id)
    return list(OrderReferral.objects.filter(named, brand_id=brand_id).order_by("id"))


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


def answers_to(claims: Sequence[MissingSaleClaim]) -> dict[UUID, list[str]]:
    """The answers that the affiliate reads to its claims, as sentences."""
    earned = _earned(
        [claim for claim in claims if claim.status == ClaimStatus.ANSWERED]
    )
    return {
        claim.pk: list(_answer_to(claim, earned.get(claim.pk, []))) for claim in claims
    }


def answer_text(claim: MissingSaleClaim) -> str:
    return " ".join(answers_to([claim])[claim.pk])


def _answer_to(claim: MissingSaleClaim, earned: list[str]) -> Iterator[str]:
    """Staff's answer, or the order's current state."""
    order = claim.referral
    if claim.answer:
        yield from claim.answer.splitlines()
    elif claim.status == ClaimStatus.GRANTED:
        yield _(GRANTED)
    elif claim.status != ClaimStatus.ANSWERED or order is None:
        yield _(WAITING)
    else:
        zone = claim.affiliate.zone()
        reading = redact(order.decision, affiliate_id=claim.affiliate_id, zone=zone)
        yield reading.summary
        yield from (click.sentence for click in reading.clicks)
        yield from earned


def suggested_orders(claim: MissingSaleClaim) -> list[OrderReferral]:
    """A claim's possible orders, for staff: by its reference or its client."""
    named = Q(pk=claim.referral_id)
    if claim.order_hint:
        named |= orders_numbered(claim.order_hint, brand_id=claim.brand_id)
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


def _earned(claims: Sequence[MissingSaleClaim]) -> dict[UUID, list[str]]:
    """The earnings of claims whose order is credited to the affiliate."""
    own = {
        claim.pk: claim
        for claim in claims
        if claim.referral and claim.referral.affiliate_id == claim.affiliate_id
    }
    if not own:
        return {}
    orders = {claim.referral_id for claim in own.values()}
    commissions = list(
        Commission.objects.filter(
            sale__order_referral__in=orders, share_of__isnull=True
        )
        .select_related("sale")
        .order_by("sale__renewal_number", "id")
    )
    taken_back = taken_back_of([commission.pk for commission in commissions])
    sales = Sale.objects.filter(order_referral__in=orders)
    paid = set(sales.values_list("order_referral_id", flat=True))
    return {
        pk: [
            _commission(
                commission, taken_back.get(commission.pk, 0), claim.affiliate.zone()
            )
            for commission in commissions
            if commission.sale.order_referral_id == claim.referral_id
            and commission.affiliate_id == claim.affiliate_id
        ]
        or [_(NO_COMMISSION if claim.referral_id in paid else NOT_PAID)]
        for pk, claim in own.items()
    }


def _commission(commission: Commission, taken_back: int, zone: tzinfo) -> str:
    renewal = commission.sale.renewal_number
    subject = _("Your commission")
    if renewal:
        subject = _("Your commission for renewal {number}").format(number=renewal)
    status = CommissionStatus(commission.status)
    sentence = _(_STATUS_SENTENCES[status]).format(
        It=subject,
        amount=_amount(commission.amount, commission.currency),
        day=day(commission.matures_at, zone),
    )
    if not taken_back or status is CommissionStatus.REVERSED:
        return sentence
    back = _amount(-taken_back, commission.currency)
    taken = _("Refunds took back {amount} of it.").format(amount=back)
    return f"{sentence} {taken}"


def _amount(amount: int, currency: str) -> str:
    return local_text(from_minor(amount, currency), get_language() or "en")
