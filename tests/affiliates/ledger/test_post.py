from __future__ import annotations

import pytest
from django.db import IntegrityError, connection, transaction

from affiliates.ledger.models import AccountBalance, LedgerEntry, LedgerPosting
from affiliates.ledger.rules import MAX_AMOUNT, Account, PostingKind
from affiliates.ledger.selectors import account_balances, balance, balances_of
from affiliates.ledger.services import post, rebuild_balances
from tests.factories.books import MovementFactory

APPROVAL = {
    "kind": PostingKind.APPROVED,
    "source": Account.PENDING,
    "target": Account.PAYABLE,
}


def entries():
    return list(
        LedgerEntry.objects.order_by("id").values_list(
            "posting__key", "account", "currency", "amount"
        )
    )


def test_writes_both_sides(affiliate, now):
    movement = MovementFactory(affiliate=affiliate, key="earned:1", amount=1250)

    post([movement], now=now)

    assert entries() == [
        ("earned:1", "expense", "EUR", -1250),
        ("earned:1", "pending", "EUR", 1250),
    ]
    posting = LedgerPosting.objects.get()
    assert (posting.kind, posting.brand_id) == ("earned", affiliate.brand_id)
    assert (posting.commission_id, posting.payout_id) == (None, None)
    assert posting.posted_at == now


def test_balances_add_up(affiliate, now):
    post([MovementFactory(affiliate=affiliate, amount=1250)], now=now)
    post([MovementFactory(affiliate=affiliate, amount=50)], now=now)
    post(
        [
            MovementFactory(affiliate=affiliate, amount=7, currency="JPY"),
            MovementFactory(affiliate=affiliate, amount=1000, **APPROVAL),
        ],
        now=now,
    )

    assert balances_of(affiliate.pk) == {
        "EUR": dict.fromkeys(Account, 0)
        | {Account.EXPENSE: -1300, Account.PENDING: 300, Account.PAYABLE: 1000},
        "JPY": dict.fromkeys(Account, 0) | {Account.EXPENSE: -7, Account.PENDING: 7},
    }
    assert balance(affiliate.pk, "EUR", Account.PENDING) == 300
    assert balance(affiliate.pk, "USD", Account.PENDING) == 0


def test_takes_three_queries(affiliate, now, django_assert_num_queries):
    movements = MovementFactory.build_batch(20, affiliate=affiliate)
    # The postings; then the entries with the balances, which SQLite cannot.
    queries = {"postgresql": 2, "sqlite": 3}[connection.vendor]

    with transaction.atomic(), django_assert_num_queries(queries):
        post(movements, now=now)


def test_leaves_out_movements_of_nothing(affiliate, now, django_assert_num_queries):
    with django_assert_num_queries(0):
        post([MovementFactory(affiliate=affiliate, amount=0)], now=now)

    assert entries() == []


@pytest.mark.parametrize(
    ("_case", "fields", "message"),
    [
        ("negative", {"amount": -1}, "is below zero"),
        ("beyond the column", {"amount": MAX_AMOUNT + 1}, "too large"),
        ("wrong way", {"target": Account.PAYABLE}, "from expense to payable"),
    ],
)
def test_refuses(affiliate, now, _case, fields, message):
    movements = [
        MovementFactory(affiliate=affiliate),
        MovementFactory(affiliate=affiliate, **fields),
    ]

    with pytest.raises(ValueError, match=message):
        post(movements, now=now)

    assert entries() == []
    assert not AccountBalance.objects.exists()


def test_refuses_a_key_posted_before(affiliate, now):
    post([MovementFactory(affiliate=affiliate, key="earned:1")], now=now)

    with pytest.raises(IntegrityError), transaction.atomic():
        post(
            [
                MovementFactory(affiliate=affiliate, key="earned:2"),
                MovementFactory(affiliate=affiliate, key="earned:1"),
            ],
            now=now,
        )

    assert LedgerPosting.objects.count() == 1
    assert balance(affiliate.pk, "EUR", Account.PENDING) == 1250


def test_refuses_movements_that_add_up_to_too_much(affiliate, now):
    with pytest.raises(ValueError, match="too large"):
        post(
            MovementFactory.build_batch(2, affiliate=affiliate, amount=MAX_AMOUNT),
            now=now,
        )

    assert entries() == []


def test_keeps_the_largest_amount_exactly_and_refuses_one_more(affiliate, now):
    post([MovementFactory(affiliate=affiliate, amount=MAX_AMOUNT)], now=now)

    with pytest.raises(ValueError, match="too large"), transaction.atomic():
        post([MovementFactory(affiliate=affiliate, amount=1)], now=now)

    assert balance(affiliate.pk, "EUR", Account.PENDING) == MAX_AMOUNT
    assert balance(affiliate.pk, "EUR", Account.EXPENSE) == -MAX_AMOUNT
    assert LedgerPosting.objects.count() == 1


def test_balance_is_the_sum_of_its_parts(affiliate, now):
    post([MovementFactory(affiliate=affiliate, amount=9)], now=now)
    account = {"affiliate": affiliate, "account": Account.PENDING, "currency": "EUR"}
    AccountBalance.objects.create(**account, part=7, amount=5)

    assert balance(affiliate.pk, "EUR", Account.PENDING) == 14
    assert balances_of(affiliate.pk)["EUR"][Account.PENDING] == 14
    [listed] = account_balances().filter(account=Account.PENDING)
    assert (listed.part, listed.balance, str(listed)) == (0, 14, "Pending €0.14")
    assert rebuild_balances() == 2
    assert balance(affiliate.pk, "EUR", Account.PENDING) == 9
