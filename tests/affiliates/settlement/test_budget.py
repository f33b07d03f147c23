"""How many statements a payment, a refund and a cancellation cost, savepoints included."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from affiliates.commissions.models import CommissionReversal
from affiliates.fraud.selectors import policies_of
from affiliates.outbox.active import active_webhook_of, active_webhooks

# On PostgreSQL also the locks; there a posting writes its entries with the balances.
IS_POSTGRESQL = connection.vendor == "postgresql"


@pytest.fixture
def asked(plan, order, affiliate, brand, settings) -> Callable[..., int]:
    """Counts the statements of a call, as a running process makes them."""
    active_webhooks(brand.pk)
    active_webhook_of(affiliate.pk)
    policies_of(brand.pk)
    settings.AFFILIATES_CONFIG_REFRESH_SECONDS = 3600

    def asked(call: Callable[..., None], *arguments, **options) -> int:
        with CaptureQueriesContext(connection) as queries:
            call(*arguments, **options)
        assert not any("SAVEPOINT" in one["sql"] for one in queries)
        return len(queries)

    return asked


def test_payment_and_renewal(asked, till):
    first = asked(till.pay)
    renewal = asked(till.pay, invoice="invoice-2", renewal=1)
    again = asked(till.pay)

    assert (first, renewal, again) == (12, 13, 2 + IS_POSTGRESQL)


@pytest.mark.parametrize("before", [0, 1, 20])
def test_refund_and_cancellation_however_many_came_before(asked, till, before):
    till.pay()
    for number in range(before):
        till.refund("1.00", ref=f"earlier-{number}")

    refund = asked(till.refund, "1.00")
    again = asked(till.refund, "1.00")
    cancellation = asked(till.cancel, "0.50")

    assert (refund, again) == (11, 4 + IS_POSTGRESQL)
    assert cancellation == 18 + IS_POSTGRESQL
    assert CommissionReversal.objects.count() == before + 2
