"""Rows that were deleted in a shell whose foreign keys are off."""

from __future__ import annotations

import pytest

from affiliates.contrib.payout_runs.models import PayoutRunLine
from affiliates.payouts.models import Payout, PayoutTerms
from affiliates.payouts.statement_models import PayoutStatement
from affiliates.plans.models.coupon import CouponCodeVersion
from tests.affiliates.verification.finding import found_after

pytestmark = pytest.mark.portable


def test_each_is_found_by_the_rows_that_name_it(program):
    payout = Payout.objects.earliest("pk")
    statement = PayoutStatement.objects.earliest("pk")
    version = CouponCodeVersion.objects.earliest("pk")
    line = PayoutRunLine.objects.earliest("pk")

    for row, finding in (
        (
            PayoutTerms.objects.get(),
            f"Payout {payout.pk} is of a brand whose payout terms are gone: save them as "
            "they were.",
        ),
        (
            payout.destination,
            f"Payout {payout.pk} names destination {payout.destination_id}, which is gone.",
        ),
        (
            version.coupon,
            f"Coupon code version {version.pk} names coupon {version.coupon_id}, which is "
            "gone.",
        ),
        (
            statement.series,
            f"Payout statement {statement.pk} names series {statement.series_id}, which is gone.",
        ),
        (
            line.run,
            f"Payout run line {line.pk} names run {line.run_id}, which is gone.",
        ),
    ):
        rows = type(row).objects.filter(pk=row.pk)

        assert finding in found_after(lambda rows=rows: rows._raw_delete("default"))
