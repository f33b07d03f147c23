"""What is changed by hand of the program around the books, and what is found of it."""

from __future__ import annotations

import pytest
from django.db import connection

from affiliates.brands.models.brand import Brand
from affiliates.payouts.statement_models import PayoutStatement, StatementSeries
from affiliates.program.models import Affiliate
from affiliates.referrals.models import OrderReferral
from affiliates.sales.models import Sale
from affiliates.verification.checks import all_checks
from affiliates.verification.guards import faulty_guards
from affiliates.verification.verify import Verification
from tests.affiliates.verification.finding import everything_found, found_after
from tests.append_only import unguarded

pytestmark = pytest.mark.django_db


def test_thorough_verification_of_one_brand_reads_only_its_rows(program):
    Sale.objects.filter(pk=program.commission("held").sale_id).update(position=7)

    found = {}
    for brand in Brand.objects.all():
        one = Verification(brand_id=brand.pk, checks=all_checks(is_deep=True))
        found[brand.name] = bool(list(one.findings(on_row=lambda _: None)))

    assert found == {program.world.brand.name: True, "Other": False}


def test_statements_that_are_gone_with_their_series_are_missed(program):
    stated = PayoutStatement.objects.filter(kind="paid").order_by("payout_id")
    expected = [
        f"Payout {one.payout_id} was stated as {one.name}: that statement is missing."
        for one in stated
    ]

    def remove() -> None:
        PayoutStatement.objects.all()._raw_delete("default")
        StatementSeries.objects.all()._raw_delete("default")

    with unguarded():
        found = found_after(remove)

    assert len(expected) == 2
    assert found == expected


@pytest.mark.skipif(connection.vendor != "sqlite", reason="Its triggers are dropped")
def test_recruiter_of_another_brand_is_found(program):
    one = program.world.affiliates[0]
    stranger = Affiliate.objects.exclude(brand=program.world.brand).get()
    with connection.cursor() as cursor:
        for when in ("insert", "update"):
            cursor.execute(
                "DROP TRIGGER affiliates_affiliate_has_a_fitting_recruiter_on_" + when
            )

    Affiliate.objects.filter(pk=one.pk).update(recruiter=stranger)

    assert everything_found() == [
        f"Affiliate {one.pk} ({one.code}) was recruited by affiliate {stranger.pk}, of "
        "another brand."
    ]


def test_trigger_that_the_statistics_need_is_missed(program):
    table = OrderReferral._meta.db_table
    on_table = f" ON {table}" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        cursor.execute(f"DROP TRIGGER {table}_notes_update{on_table}")

    assert list(faulty_guards()) == [
        (
            f"{table}_notes_update",
            "is missing or switched off: statistics miss what changes.",
        )
    ]
