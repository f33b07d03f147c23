"""The canary: somebody made up who visits, registers, orders, pays and is refunded.

It takes the way of every client of a test brand, by the functions that the endpoints and
the host call, and leaves the same rows. How it went is stored.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet, Sum

from affiliates.adapter import get_adapter
from affiliates.brands.models.brand import Brand
from affiliates.brands.selectors import brand_for_origin
from affiliates.canary.models import MAX_FAULT, CanaryRun
from affiliates.canary.rules import CanaryStep
from affiliates.contracts import ClientRegistered, OrderPlaced, PaidInvoice
from affiliates.errors import AffiliatesError, StateConflict
from affiliates.host_events import (
    client_registered,
    invoice_paid,
    invoice_refunded,
    order_placed,
)
from affiliates.ledger.models import LedgerEntry
from affiliates.ledger.rules import Account
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.program.services import enrol
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.visits.rules import Visit
from affiliates.visits.services import track_visit

# Somebody who orders within seconds of the click is a signal of fraud.
BEFORE_THE_ORDER = timedelta(minutes=10)
KEPT = timedelta(days=90)
CODE = "canary"
BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


def run_canaries(*, now: datetime) -> list[CanaryRun]:
    """Walk on every active test brand."""
    brands = Brand.objects.filter(is_active=True, is_test=True)
    return [run_canary(brand, now=now) for brand in brands]


def run_canary(brand: Brand, *, now: datetime) -> CanaryRun:
    """Walk once, and store how it went. Raises StateConflict unless it is a test brand.

    Each step is a transaction of its own; what the steps before a fault wrote, stays.
    """
    if not brand.is_test:
        raise StateConflict("no_test_brand", f"{brand} is not marked as a test brand.")
    step, fault = CanaryStep.VISIT, ""
    try:
        for step in _walk(brand, now=now):  # noqa: B007 - the last one is stored
            pass
    except AffiliatesError as error:
        fault = error.detail
    except ValidationError as error:
        fault = " ".join(error.messages)
    except Exception as error:  # noqa: BLE001 - the host's adapter may raise anything
        fault = f"{type(error).__name__}: {error}"
    CanaryRun.objects.filter(brand=brand, ran_at__lt=now - KEPT).delete()
    return CanaryRun.objects.create(
        brand=brand, ran_at=now, step=step, fault=fault[:MAX_FAULT]
    )


def _walk(brand: Brand, *, now: datetime) -> Iterator[CanaryStep]:
    """Yields each step before it takes it."""
    yield CanaryStep.VISIT
    affiliate = _affiliate_of(brand, now=now)
    cookie = _visit(affiliate, now=now - BEFORE_THE_ORDER)
    yield CanaryStep.REGISTRATION
    client_id = _register(affiliate, cookie=cookie, now=now)
    yield CanaryStep.ORDER
    order = _order(affiliate, client_id=client_id, cookie=cookie, now=now)
    yield CanaryStep.PAYMENT
    payment = _pay(order, now=now)
    yield CanaryStep.REFUND
    _refund(payment, now=now)


@transaction.atomic
def _affiliate_of(brand: Brand, *, now: datetime) -> Affiliate:
    """The brand's first active affiliate; where it has none, one that is made up too."""
    active = Affiliate.objects.filter(brand=brand, status=AffiliateStatus.ACTIVE)
    found = active.select_related("brand").order_by("pk").first()
    if found is not None:
        return found
    client_id = get_adapter().make_test_client(brand_id=brand.pk, now=now)
    user = get_user_model()._default_manager.get(pk=client_id)
    return enrol(user, brand=brand, code=CODE)


def _visit(affiliate: Affiliate, *, now: datetime) -> str:
    url = affiliate.url()
    if url is None:
        raise _fault("The brand has no client area: add one to its domains.")
    visit = Visit(
        visit_url=url,
        referrer_url="",
        user_agent=BROWSER,
        referral_cookie=None,
        ip="",
        ip_prefix="",
        is_prefetch=False,
    )
    brand = brand_for_origin(affiliate.brand.client_area_url())
    cookie = track_visit(brand=brand, visit=visit, now=now).referral_cookie
    if cookie is None:
        raise _fault("The visit was answered without a referral cookie.")
    return cookie


@transaction.atomic
def _register(affiliate: Affiliate, *, cookie: str, now: datetime) -> str:
    brand_id = affiliate.brand_id
    client_id = get_adapter().make_test_client(brand_id=brand_id, now=now)
    client_registered(
        ClientRegistered(brand_id=brand_id, client_id=client_id, registered_at=now),
        referral_cookie=cookie,
        now=now,
    )
    bound = ClientReferral.objects.filter(client__pk=client_id, affiliate=affiliate)
    if not bound.exists():
        raise _fault(f"The client is not bound to the affiliate {affiliate}.")
    return client_id


@transaction.atomic
def _order(
    affiliate: Affiliate, *, client_id: str, cookie: str, now: datetime
) -> OrderPlaced:
    order = get_adapter().make_test_order(client_id, now=now)
    order_placed(order, referral_cookie=cookie, now=now)
    decided = OrderReferral.objects.get(
        brand=affiliate.brand_id, order_ref=order.order_ref
    )
    if decided.affiliate_id != affiliate.pk:
        why = decided.get_reason_display()
        raise _fault(f"The order is not credited to the affiliate {affiliate}: {why}")
    return order


@transaction.atomic
def _pay(order: OrderPlaced, *, now: datetime) -> PaidInvoice:
    payment = get_adapter().pay_test_order(order, now=now)
    invoice_paid(payment, now=now)
    if _cost(payment) <= 0:
        raise _fault("The payment earned nothing: look at the brand's default plan.")
    return payment


@transaction.atomic
def _refund(payment: PaidInvoice, *, now: datetime) -> None:
    refund = get_adapter().refund_test_order(payment, now=now)
    invoice_refunded(refund, now=now)
    if _cost(payment) or _sum(_entries(payment)):
        raise _fault("After the whole refund, the books still count its commission.")


def _cost(payment: PaidInvoice) -> int:
    """What the books count as the program's expense for it, in minor units."""
    return -_sum(_entries(payment).filter(account=Account.EXPENSE))


def _entries(payment: PaidInvoice) -> QuerySet[LedgerEntry]:
    return LedgerEntry.objects.filter(
        posting__commission__sale__brand=payment.brand_id,
        posting__commission__sale__invoice_ref=payment.invoice_ref,
    )


def _sum(entries: QuerySet[LedgerEntry]) -> int:
    total: int | None = entries.aggregate(total=Sum("amount"))["total"]
    return total or 0


def _fault(text: str) -> StateConflict:
    return StateConflict("canary", text)
