from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from affiliates.brands.models.brand import Brand
from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.contrib.claims.models import MissingSaleClaim
from affiliates.fraud.models import FraudReview
from affiliates.outbox.models.delivery import Delivery
from affiliates.payouts.models import Payout
from affiliates.payouts.rules import PayoutStatus
from affiliates.program.models import Affiliate
from affiliates.referrals.models import OrderReferral
from affiliates.sales.models import SaleReversal
from affiliates.visits.models import Click
from portal.billing.models import Invoice, InvoiceCounter
from tests.affiliates.verification.finding import everything_found
from tests.cases import each
from tests.factories.affiliates import BrandFactory

pytestmark = pytest.mark.django_db

SMALL = {
    "orders": 200,
    "clicks": 900,
    "affiliates": 30,
    "brands": 1,
    "jobs": 1,
    "no_statistics": True,
}


def seed(**options: object) -> None:
    call_command("seed_load", stdout=StringIO(), stderr=StringIO(), **options)


def test_copies_of_histories_agree_with_each_other():
    seed(**SMALL)

    assert everything_found() == []
    connection.check_constraints()
    assert 180 <= OrderReferral.objects.count() <= 200
    assert 850 <= Click.objects.count() <= 900
    assert Affiliate.objects.count() == 30
    assert (
        set(PayoutStatus)
        >= {one.status for one in Payout.objects.all()}
        >= {
            PayoutStatus.APPROVED,
            PayoutStatus.PAID,
            PayoutStatus.REJECTED,
        }
    )
    assert {one.status for one in Commission.objects.all()} >= {
        CommissionStatus.PENDING,
        CommissionStatus.HELD,
        CommissionStatus.PAID,
        CommissionStatus.REJECTED,
        CommissionStatus.REVERSED,
    }
    for model in (SaleReversal, FraudReview, MissingSaleClaim, Delivery):
        assert model.objects.exists(), model
    numbers = Invoice.objects.order_by("number").values_list("number", flat=True)
    last = InvoiceCounter.objects.get().last_number
    assert list(numbers) == [f"INV-{number:06d}" for number in range(1, last + 1)]
    for click in Click.objects.all()[:50]:
        made_at = (click.id.int >> 80) / 1000
        assert abs(made_at - click.created_at.timestamp()) < 0.002
    # The services go on where the copies end.
    Affiliate.objects.create(
        brand=Brand.objects.get(), user=Invoice.objects.first().client, code="new"
    )


def test_database_with_a_brand_is_refused_unless_told():
    BrandFactory()

    with pytest.raises(CommandError, match="--add"):
        seed(**SMALL)

    assert Brand.objects.count() == 1
    assert not Click.objects.exists()


@each(
    "wanted",
    [
        {"orders": 20},
        {"clicks": 100},
        {"affiliates": 0},
        {"brands": 0},
    ],
)
def test_too_small_a_program_is_refused(wanted):
    with pytest.raises(CommandError):
        seed(**{**SMALL, **wanted})

    assert not Brand.objects.exists()
