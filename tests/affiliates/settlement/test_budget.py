"""How many statements a payment, a refund and a cancellation cost, savepoints included."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from affiliates.brands.selectors import get_brand
from affiliates.commissions.models import CommissionReversal
from affiliates.fraud.selectors import fraud_terms
from affiliates.outbox.active import active_webhook_of, active_webhooks
from affiliates.outbox.models.delivery import Delivery

# On PostgreSQL also the locks; there a posting writes its entries with the balances.
IS_POSTGRESQL = connection.vendor == "postgresql"


@pytest.fixture
def asked(plan, affiliate, brand, settings) -> Callable[..., int]:
    """Counts the statements of a call, as a running process makes them."""
    get_brand(brand.pk)
    active_webhooks(brand.pk)
    active_webhook_of(affiliate.pk)
    fraud_terms(brand.pk)
    settings.AFFILIATES_CONFIG_REFRESH_SECONDS = 3600

    def asked(call: Callable[..., None], *arguments, **options) -> int:
        with CaptureQueriesContext(connection) as queries:
            call(*arguments, **options)
        assert not any("SAVEPOINT" in query["sql"] for query in queries)
        return len(queries)

    return asked


def test_payment_and_renewal(asked, order, till):
    first = asked(till.pay)
    renewal = asked(till.pay, invoice="invoice-2", renewal=1)
    again = asked(till.pay)

    assert (first, renewal, again) == (12, 13, 2 + IS_POSTGRESQL)


@pytest.mark.parametrize(
    ("credited", "counts"),
    [
        ("third_party", [3 + IS_POSTGRESQL, 5 + IS_POSTGRESQL, 11 + 2 * IS_POSTGRESQL]),
        ("both", [13, 13, 20 + IS_POSTGRESQL]),
    ],
)
def test_order_of_an_integration(request, credited, counts, asked, till):
    request.getfixturevalue(credited)

    assert [
        asked(till.pay),
        asked(till.refund, "1.00"),
        asked(till.cancel, "0.50"),
    ] == counts
    operations = Delivery.objects.order_by("id").values_list("operation", flat=True)
    assert list(operations) == ["sale", "reversal", "restoration"]


@pytest.mark.parametrize("before", [0, 1, 20])
def test_refund_and_cancellation_however_many_came_before(asked, order, till, before):
    till.pay()
    for number in range(before):
        till.refund("1.00", ref=f"earlier-{number}")

    refund = asked(till.refund, "1.00")
    again = asked(till.refund, "1.00")
    cancellation = asked(till.cancel, "0.50")

    assert (refund, again) == (11, 4 + IS_POSTGRESQL)
    assert cancellation == 18 + IS_POSTGRESQL
    assert CommissionReversal.objects.count() == before + 2
