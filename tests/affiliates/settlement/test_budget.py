"""How many statements a payment, a refund and a cancellation cost."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from affiliates.commissions.models import CommissionReversal
from affiliates.outbox.active import active_webhook_of, active_webhooks

# One transaction, which in a test is a savepoint; on PostgreSQL also the locks.
TRANSACTION = 2
LOCKS = {"sqlite": 0, "postgresql": 1}[connection.vendor]


@pytest.fixture
def asked(plan, order, affiliate, brand, settings) -> Callable[..., int]:
    """Counts the statements of a call, as a running process makes them."""
    active_webhooks(brand.pk)
    active_webhook_of(affiliate.pk)
    settings.AFFILIATES_CONFIG_REFRESH_SECONDS = 3600

    def asked(call: Callable[..., None], *arguments, **options) -> int:
        with CaptureQueriesContext(connection) as queries:
            call(*arguments, **options)
        return len(queries) - TRANSACTION

    return asked


def test_payment_and_renewal(asked, till):
    first = asked(till.pay)
    renewal = asked(till.pay, invoice="invoice-2", renewal=1)
    again = asked(till.pay)

    assert (first, renewal, again) == (16 + LOCKS, 16 + LOCKS, 2 + LOCKS)


@pytest.mark.parametrize("before", [0, 1, 20])
def test_refund_and_cancellation_however_many_came_before(asked, till, before):
    till.pay()
    for number in range(before):
        till.refund("1.00", ref=f"earlier-{number}")

    refund = asked(till.refund, "1.00")
    again = asked(till.refund, "1.00")
    cancellation = asked(till.cancel, "0.50")

    assert (refund, again) == (15 + 2 * LOCKS, 3 + 2 * LOCKS)
    assert cancellation == 19 + 3 * LOCKS
    assert CommissionReversal.objects.count() == before + 2
