"""What the fault tests stand on: real workers, a real tracker, orders that were paid."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

from django.apps import apps
from django.utils import timezone

from affiliates.brands.models.brand import Brand
from affiliates.brands.selectors import get_brand
from affiliates.contracts import GuestRegistration, OrderConversion
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.outbox.secrets import CREDENTIALS
from affiliates.outbox.types import Operation
from affiliates.referrals.services import register_guest
from affiliates.settlement.services import convert_order
from affiliates.visits.rules import Visit
from affiliates.visits.services import track_visit
from benchmarks.running import ROOT, python
from portal.billing.services import mark_paid
from portal.demo.network.server import Simulator
from tests.database import database_url
from tests.factories.integrations import TrackingIntegrationFactory
from tests.factories.portal import (
    OrderFactory,
    OrderItemFactory,
    PaymentDetailsFactory,
    ProductFactory,
)

BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"
USERNAME = "merchant@example.com"
PASSWORD = "the-merchants-password"


def environment(tracker: Simulator) -> dict[str, str]:
    """The environment of a process that works on the tests' own database."""
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "tests.faults.settings",
        "DATABASE_URL": database_url(),
        "AFFILIATES_TRACKING_ALLOWED_HOSTS": urlsplit(tracker.address).netloc,
    }


def worker(variables: Mapping[str, str]) -> AbstractContextManager[object]:
    """``manage.py deliver`` in a process of its own, until the block ends."""
    return python("manage.py", "deliver", environment=variables)


@contextmanager
def forks(variables: Mapping[str, str], work: str) -> Iterator[Callable[[], int]]:
    """Each call makes one more process of ``work`` and returns its id: see forks.py."""
    with subprocess.Popen(  # noqa: S603 - our own command
        [sys.executable, "-m", "tests.faults.forks", work],
        cwd=ROOT,
        env=dict(variables),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    ) as process:

        def fork() -> int:
            process.stdin.write(b"\n")
            process.stdin.flush()
            return int(process.stdout.readline())

        try:
            yield fork
        finally:
            os.killpg(process.pid, signal.SIGKILL)


def integrate(brand: Brand, tracker: Simulator) -> TrackingIntegration:
    """The brand's integration with the tracker, credentials and all, at full speed."""
    tracker.settings.change({"username": USERNAME, "password": PASSWORD})
    return TrackingIntegrationFactory(
        brand=brand,
        address=tracker.address,
        requests_per_second=1000,
        config={"username": USERNAME, "sale_status": "A", "counts_within": "0"},
        secrets=CREDENTIALS.seal({"password": PASSWORD}),
    )


class Shop:
    """Sells one product, again and again, to visitors of the integration's affiliate."""

    def __init__(self, brand: Brand) -> None:
        self._brand_id = brand.pk
        self._product = ProductFactory(brand=brand)
        self._users = apps.get_model("portal", "User").objects

    def sell(self) -> str:
        """One visit, guest, order and payment; the paid invoice's reference."""
        now = timezone.now()
        answer = track_visit(
            brand=get_brand(self._brand_id),
            visit=Visit(
                visit_url="https://shop.example.com/plans?a_aid=testaff",
                referrer_url="https://blog.example.org/",
                user_agent=BROWSER,
                referral_cookie=None,
                ip="203.0.113.7",
                ip_prefix="203.0.113.0/24",
                is_prefetch=False,
            ),
            now=now,
        )
        guest = register_guest(
            registration=GuestRegistration(brand_id=self._brand_id),
            referral_cookie=answer.referral_cookie,
            now=now,
        ).client
        client = self._users.get(pk=guest.id)
        order = OrderFactory(client=client)
        OrderItemFactory(order=order, product=self._product)
        converted = convert_order(
            conversion=OrderConversion(
                order_ref=str(order.pk),
                client_id=guest.id,
                payment_details_id=PaymentDetailsFactory(client=client).pk,
            ),
            origin_brand_id=None,
            referral_cookie=answer.referral_cookie,
            now=now,
        )
        invoice_id = str(converted["id"])
        mark_paid(invoice_id=UUID(invoice_id), now=now)
        return invoice_id


def open_deliveries() -> int:
    return Delivery.objects.filter(next_at__isnull=False).count()


def await_condition(is_met: Callable[[], bool], *, seconds: float) -> float:
    """Wait until it is met; the seconds that took. Fails when it takes longer."""
    began = time.monotonic()
    while not is_met():
        waited = time.monotonic() - began
        assert waited < seconds, f"Not met within {seconds} s. {unfinished()}"
        time.sleep(0.1)
    return time.monotonic() - began


def unfinished() -> list[dict[str, Any]]:
    """What is open, for a failing test's message."""
    rows = Delivery.objects.filter(next_at__isnull=False).order_by("next_at")
    return list(
        rows.values("operation", "state", "attempt_count", "next_at", "detail")[:5]
    )


def sales_by_order(tracker: Simulator) -> Counter[str]:
    with tracker.state.lock:
        return Counter(
            one.orderid for one in tracker.state.transactions if one.type == "S"
        )


def credited_amounts(tracker: Simulator) -> set[tuple[str, Decimal, str]]:
    with tracker.state.lock:
        return {
            (one.refid, one.totalcost, one.currency)
            for one in tracker.state.transactions
            if one.type == "S"
        }


def states_of(operation: Operation) -> set[str]:
    rows = Delivery.objects.filter(operation=operation)
    return set(rows.values_list("state", flat=True))
