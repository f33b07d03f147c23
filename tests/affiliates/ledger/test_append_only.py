"""Rows that money and decisions rest on are refused by the database itself."""

from __future__ import annotations

from functools import partial

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, transaction

from affiliates.brands.models.versions import AttributionPolicyVersion
from affiliates.ledger.models import LedgerEntry, LedgerPosting
from affiliates.ledger.services import post
from affiliates.verification.guards import DELETE, GUARDS, faulty_guards
from tests.append_only import unguarded
from tests.factories.affiliates import BrandFactory
from tests.factories.books import (
    AdjustmentFactory,
    CommissionEventFactory,
    CommissionFactory,
    CommissionLineFactory,
    CommissionReversalFactory,
    DecisionOverrideFactory,
    ForfeitDeductionFactory,
    MovementFactory,
    OrderCandidateFactory,
    PayoutEventFactory,
    PayoutFactory,
    PlanVersionFactory,
    PolicyVersionFactory,
)
from tests.factories.payout_runs import (
    AnswerLineFactory,
    GapFactory,
    RunLineFactory,
    StatementFactory,
)
from tests.factories.plans import CouponCodeFactory
from tests.races import needs_postgresql

TABLES = pytest.mark.parametrize(
    "model", [guard.model for guard in GUARDS], ids=lambda model: model._meta.model_name
)


@pytest.fixture
def rows(affiliate, now):
    """A row in each guarded table, by model."""
    commission = CommissionFactory(affiliate=affiliate)
    post([MovementFactory(affiliate=affiliate)], now=now)
    reversal = CommissionReversalFactory(commission=commission)
    deduction = ForfeitDeductionFactory(forfeited__departure__affiliate=affiliate)
    made = [
        LedgerPosting.objects.first(),
        LedgerEntry.objects.first(),
        CommissionLineFactory(commission=commission),
        reversal,
        reversal.sale_reversal,
        CommissionEventFactory(commission=commission),
        PayoutEventFactory(payout=PayoutFactory(affiliate=affiliate)),
        PlanVersionFactory(plan__brand=affiliate.brand),
        CouponCodeFactory(affiliate=affiliate).versions.get(),
        PolicyVersionFactory(brand=affiliate.brand),
        AdjustmentFactory(affiliate=affiliate),
        deduction,
        deduction.forfeited,
        deduction.forfeited.departure,
        RunLineFactory(affiliate=affiliate),
        AnswerLineFactory(answer__brand=affiliate.brand),
        StatementFactory(payout=PayoutFactory(affiliate=affiliate, currency="USD")),
        GapFactory(series__brand=affiliate.brand, series__affiliate=affiliate),
        DecisionOverrideFactory(
            referral=commission.sale.order_referral, actor=affiliate.user
        ),
        OrderCandidateFactory(
            referral=commission.sale.order_referral, affiliate=affiliate
        ),
    ]
    # Of an app that a host may leave out.
    if models := apps.all_models["affiliates_offers"]:
        offer = models["offer"].objects.create(brand=affiliate.brand, text="10 % off")
        version = {"number": 1, "terms": {}, "effective_from": now}
        made.append(models["offerversion"].objects.create(offer=offer, **version))
    return {type(row): row for row in made}


def raw(statement, row):
    table = row._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(statement.format(table=table), [row.pk])


def stored(row):
    return type(row)._base_manager.filter(pk=row.pk).values().get()


@TABLES
def test_refuses_every_update(rows, model):
    row = rows[model]
    before = stored(row)

    for update in (
        row.save,
        lambda: model._base_manager.filter(pk=row.pk).update(id=row.pk),
        partial(raw, "UPDATE {table} SET id = id WHERE id = %s", row),
    ):
        with (
            pytest.raises(IntegrityError, match="are only ever added: "),
            transaction.atomic(),
        ):
            update()

    assert stored(row) == before


@pytest.mark.parametrize(
    "model",
    [guard.model for guard in GUARDS if DELETE in guard.operations],
    ids=lambda model: model._meta.model_name,
)
def test_refuses_every_delete(rows, model):
    row = rows[model]
    before = stored(row)

    for delete in (
        lambda: model._base_manager.filter(pk=row.pk)._raw_delete(using="default"),
        partial(raw, "DELETE FROM {table} WHERE id = %s", row),
    ):
        with (
            pytest.raises(IntegrityError, match="are only ever added: "),
            transaction.atomic(),
        ):
            delete()

    assert stored(row) == before


def test_a_brand_that_nothing_names_can_be_deleted(db):
    brand = BrandFactory()
    PolicyVersionFactory(brand=brand)

    brand.delete()

    assert not AttributionPolicyVersion.objects.filter(brand_id=brand.pk).exists()


def test_the_message_says_what_to_do_instead(rows):
    with (
        pytest.raises(IntegrityError, match="post a movement that takes it back"),
        transaction.atomic(),
    ):
        LedgerEntry.objects.update(amount=1)


def test_every_trigger_is_in_place(db):
    assert not [*faulty_guards()]


def test_missing_triggers_are_named(db):
    table = LedgerEntry._meta.db_table
    on_table = f" ON {table}" if connection.vendor == "postgresql" else ""

    with connection.cursor() as cursor:
        cursor.execute(f"DROP TRIGGER {table}_refuses_delete{on_table}")

    assert [name for name, _ in faulty_guards()] == [f"{table}_refuses_delete"]


def test_what_tests_switch_off_is_on_again_afterwards(rows):
    with unguarded():
        assert len([*faulty_guards()]) >= len(GUARDS)
        LedgerPosting.objects.update(kind="held")

    assert not [*faulty_guards()]


@transaction.atomic
def post_by_hand(affiliate, now, *sides, at_commit=False):
    posting = LedgerPosting(brand=affiliate.brand, kind="earned", key="1")
    posting.posted_at = now
    posting.save()
    add_by_hand(posting, affiliate, *sides)
    if not at_commit:
        connection.check_constraints()


def add_by_hand(posting, affiliate, *sides):
    LedgerEntry.objects.bulk_create(
        LedgerEntry(
            posting=posting,
            account=account,
            affiliate=affiliate,
            currency=currency,
            amount=amount,
        )
        for account, currency, amount in sides
    )


@needs_postgresql
@pytest.mark.parametrize(
    ("_case", "sides"),
    [
        ("none", []),
        ("one", [("pending", "EUR", 5)]),
        ("not zero", [("expense", "EUR", -5), ("pending", "EUR", 6)]),
        (
            "zero over all currencies only",
            [("expense", "EUR", -5), ("pending", "USD", 5)],
        ),
    ],
)
def test_postgresql_refuses_a_posting_that_does_not_sum_to_zero(
    affiliate, now, _case, sides
):
    with pytest.raises(IntegrityError, match="sum to zero in each currency"):
        post_by_hand(affiliate, now, *sides)

    assert not LedgerPosting.objects.exists()


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_postgresql_looks_at_the_sum_at_commit(affiliate, now):
    with pytest.raises(IntegrityError, match="sum to zero in each currency"):
        post_by_hand(affiliate, now, ("pending", "EUR", 5), at_commit=True)

    assert not LedgerPosting.objects.exists()


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_postgresql_refuses_an_entry_added_later(affiliate, now):
    post([MovementFactory(affiliate=affiliate)], now=now)

    with pytest.raises(IntegrityError, match="sum to zero in each currency"):
        add_by_hand(LedgerPosting.objects.get(), affiliate, ("held", "EUR", 5))

    assert LedgerEntry.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_a_test_with_transactions_of_its_own_leaves_rows_behind(rows):
    assert LedgerPosting.objects.count() == 2


@pytest.mark.django_db(transaction=True)
def test_and_the_next_one_finds_none_and_every_trigger():
    assert LedgerPosting.objects.count() == 0
    assert not [*faulty_guards()]
