"""What two years of a program leave behind, month by month."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from io import StringIO
from typing import Any

import pytest
import time_machine
from django.core.management import call_command
from django.db import connection
from django.db.models import Q

from affiliates.commissions.models import Commission
from affiliates.contracts import RefundKind
from affiliates.contrib.recruitment.models import Application
from affiliates.contrib.statistics.models import DailyFigures
from affiliates.core.days import months_later
from affiliates.emails.models import Email
from affiliates.encrypted.addresses import HASHED
from affiliates.ledger.models import LedgerEntry
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.queue.rules import QueueState
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.program.services import change_status
from affiliates.sales.models import Sale
from affiliates.visits.models import Click
from affiliates.worker.running import run_job
from tests.affiliates.privacy.retention.clicks import put_back_partitions
from tests.factories.affiliates import AffiliateFactory, AffiliateLinkFactory
from tests.factories.emails import EmailFactory
from tests.factories.integrations import (
    DeliveryFactory,
    TrackingIntegrationFactory,
)
from tests.factories.programs import make_world
from tests.factories.recruitment import ApplicationFactory
from tests.factories.world import World
from tests.lengths import times

START = datetime(2026, 1, 1, tzinfo=UTC)
# All that is kept for a time is gone after 14 months.
MONTHS = times(16, long=24)
VISITORS, CLIENTS = 6, 2
JOBS = ("commissions", "statistics", "clicks", "purge", "statistics")
HASHES = Q(ip_prefix__startswith=HASHED)
COUNTS: Mapping[str, Callable[[], int]] = {
    "clicks": Click.objects.count,
    "with network": Click.objects.exclude(Q(ip_prefix="") | HASHES).count,
    "with hash": Click.objects.filter(HASHES).count,
    "with agent": Click.objects.exclude(user_agent="").count,
    "e-mails": Email.objects.count,
    "with text": Email.objects.exclude(text="").count,
    "deliveries": Delivery.objects.count,
    "declined": Application.objects.count,
    "sales": Sale.objects.count,
    "commissions": Commission.objects.count,
    "entries": LedgerEntry.objects.count,
}
# They are known when their day is over; the others follow commissions.
FINAL = (
    *("clicks", "human_clicks", "unique_clicks", "signups", "orders", "sales"),
    *("reversals", "revenue", "reversed_revenue"),
)


@pytest.fixture
def _parts():
    yield
    if connection.vendor == "postgresql":
        put_back_partitions()


@pytest.mark.long
@pytest.mark.portable
@pytest.mark.usefixtures("_parts")
@pytest.mark.django_db(transaction=True)
def test_two_years():
    world = make_world()
    for affiliate in world.affiliates:
        AffiliateLinkFactory(affiliate=affiliate)
    integration = TrackingIntegrationFactory(brand=world.brand, is_active=False)
    rows, figures = [], {}
    print()  # noqa: T201 - the table is what this test shows
    print("month  ", *COUNTS, sep=" | ")  # noqa: T201
    for number in range(MONTHS):
        month, last = months_later(START, number), _last_moment(number)
        with time_machine.travel(month, tick=False) as clock:
            _live(world, clock, integration, number)
            clock.move_to(last)
            for name in JOBS:
                assert run_job(name, now=last).is_done
        rows.append([count() for count in COUNTS.values()])
        print(f"{month:%Y-%m}", *rows[-1], sep=" | ")  # noqa: T201
        for key, value in _figures().items():
            assert figures.setdefault(key, value) == value

    found = [dict(zip(COUNTS, row, strict=True)) for row in rows]
    assert found[-1] == {
        # Those of this month and 13 before, and of each earlier one those of its clients.
        "clicks": 14 * VISITORS + (MONTHS - 14) * CLIENTS,
        "with network": 0,
        "with hash": 14 * VISITORS + (MONTHS - 14) * CLIENTS,
        # Of the last 90 days, the days of visits of three months, or of two.
        "with agent": times(3, long=2) * VISITORS,
        "e-mails": 7 * MONTHS + 4,
        "with text": 3,
        "deliveries": 1,
        "declined": 6,
        "sales": MONTHS * CLIENTS,
        "commissions": MONTHS * CLIENTS,
        "entries": 10 * MONTHS - 2,
    }
    entries = [row["entries"] for row in found]
    assert entries == sorted(entries)
    assert {row["with network"] for row in found} == {0}
    assert {row["deliveries"] for row in found} == {1}
    assert {row["with agent"] for row in found[4:]} == {2 * VISITORS, 3 * VISITORS}
    assert {row["with text"] for row in found[2:]} == {3}
    assert {row["declined"] for row in found[5:]} == {6}
    with time_machine.travel(_last_moment(MONTHS - 1), tick=False):
        assert _said("verify_ledger", "--deep", "--all")[-1] == "Everything agrees."
        span = (f"--from={START:%Y-%m-%d}", f"--to={_last_moment(MONTHS - 1):%Y-%m-%d}")
        assert "differ" not in " ".join(_said("verify_statistics", *span))


def _last_moment(number: int) -> datetime:
    return months_later(START, number + 1) - timedelta(hours=1)


def _live(world: World, clock: Any, integration: Any, number: int) -> None:
    """Six visitors; two of them register, order and pay, and one gets money back."""

    def move(**time: int) -> None:
        world.now += timedelta(**time)
        world.earlier_days.add(world.now.date())
        clock.move_to(world.now)

    world.now = months_later(START, number)
    move(days=2)
    _others(world, integration, number)
    visitors = [world.arrive() for _ in range(VISITORS)]
    for place, visitor in enumerate(visitors):
        move(hours=1)
        world.visit(visitor, world.affiliates[place % 3])
    for visitor in visitors[:CLIENTS]:
        move(hours=1)
        world.register(visitor)
        move(hours=2)
        order = world.convert(
            visitor, currency="EUR", lines=[("hosting", "annually", 12_000)]
        )
        move(hours=1)
        world.pay(order.invoices[0])
    move(days=2)
    world.refund(world.orders[-1].invoices[0], 1_190, kind=RefundKind.REFUND)


def _others(world: World, integration: Any, number: int) -> None:
    """An e-mail, a delivery, and an applicant who is declined."""
    sent = {"state": QueueState.SENT, "created_at": world.now}
    EmailFactory(brand=world.brand, key=f"monthly:{number}", **sent)
    DeliveryFactory(integration=integration, **sent)
    user = world.host.client(world.brand, email=f"applicant-{number}@example.com")
    applicant = AffiliateFactory(
        brand=world.brand, user=user, status=AffiliateStatus.PENDING
    )
    ApplicationFactory(affiliate=applicant, applied_at=world.now)
    waiting = Affiliate.objects.filter(pk=applicant.pk)
    change_status(waiting, status=AffiliateStatus.SUSPENDED, reason="No site.")


def _figures() -> dict[tuple[Any, ...], tuple[Any, ...]]:
    return {
        (row.day, row.dimension, row.affiliate_id, row.value, row.currency): tuple(
            getattr(row, name) for name in FINAL
        )
        for row in DailyFigures.objects.all()
    }


def _said(*command: str) -> list[str]:
    printed = StringIO()
    call_command(*command, stdout=printed, stderr=StringIO())
    return printed.getvalue().splitlines()
