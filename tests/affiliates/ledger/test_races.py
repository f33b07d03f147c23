from __future__ import annotations

from threading import Event

import pytest
from django.db import transaction

from affiliates.ledger.models import AccountBalance, LedgerEntry, LedgerPosting
from affiliates.ledger.rules import Account, PostingKind
from affiliates.ledger.selectors import account_balances, balance, balances_of
from affiliates.ledger.services import post, rebuild_balances
from tests.factories.affiliates import AffiliateFactory
from tests.factories.books import MovementFactory
from tests.races import at_once, needs_postgresql

pytestmark = [needs_postgresql, pytest.mark.django_db(transaction=True)]

POSTS = 100
THREADS = 20
WAIT = 30


def repeatedly(post_one):
    """Call it with 0 to 99, from twenty threads at once."""

    def act(thread):
        for number in range(thread, POSTS, THREADS):
            post_one(number)

    at_once(THREADS, act)


def test_a_hundred_posts_at_once_keep_the_balance(affiliate, now):
    def post_one(number):
        post(
            [
                MovementFactory(affiliate=affiliate, key=f"e:{number}", amount=number),
                MovementFactory(
                    affiliate=affiliate,
                    key=f"a:{number}",
                    kind=PostingKind.APPROVED,
                    source=Account.PENDING,
                    target=Account.PAYABLE,
                    amount=number // 2,
                ),
            ],
            now=now,
        )

    repeatedly(post_one)

    earned, approved = 4950, 2450
    assert balances_of(affiliate.pk) == {
        "EUR": dict.fromkeys(Account, 0)
        | {
            Account.EXPENSE: -earned,
            Account.PENDING: earned - approved,
            Account.PAYABLE: approved,
        }
    }
    assert rebuild_balances() == 3
    assert balance(affiliate.pk, "EUR", Account.PENDING) == earned - approved


def test_posts_that_name_the_same_affiliates_in_any_order_do_not_deadlock(
    affiliate, host, now
):
    user = host.client(affiliate.brand, email="second@example.com")
    both = [affiliate, AffiliateFactory(brand=affiliate.brand, user=user)]

    def post_one(number):
        ordered = both if number % 2 else both[::-1]
        post(
            [
                MovementFactory(affiliate=one, key=f"{number}:{one.pk}", amount=1)
                for one in ordered
            ],
            now=now,
        )

    repeatedly(post_one)

    for one in both:
        assert balance(one.pk, "EUR", Account.PENDING) == POSTS


def test_one_of_a_hundred_with_the_same_key_is_posted(affiliate, now):
    refused = []

    def post_one(number):
        movement = MovementFactory(affiliate=affiliate, key="earned:1", amount=5)
        try:
            with transaction.atomic():
                post([movement], now=now)
        except Exception as error:  # noqa: BLE001 - which one it is, is asserted
            refused.append(type(error).__name__)

    repeatedly(post_one)

    assert refused == ["IntegrityError"] * (POSTS - 1)
    assert LedgerPosting.objects.count() == 1
    assert balance(affiliate.pk, "EUR", Account.PENDING) == 5


def test_rebuilding_while_others_post_loses_nothing(affiliate, now):
    def post_one(number):
        if number % 10 == 0:
            rebuild_balances()
        post([MovementFactory(affiliate=affiliate, key=f"{number}", amount=1)], now=now)

    repeatedly(post_one)

    assert LedgerEntry.objects.count() == 2 * POSTS
    assert balance(affiliate.pk, "EUR", Account.PENDING) == POSTS
    rebuild_balances()
    assert AccountBalance.objects.count() == 2


def test_posting_does_not_wait_for_another_of_the_same_affiliate(affiliate, now):
    post([MovementFactory(affiliate=affiliate, key="0", amount=1)], now=now)
    is_posted, may_commit = Event(), Event()

    def post_one(number):
        with transaction.atomic():
            if number == 1:
                assert is_posted.wait(timeout=WAIT)
            movement = MovementFactory(
                affiliate=affiliate, key=f"of-{number}", amount=9
            )
            post([movement], now=now)
            if number == 0:
                is_posted.set()
                # Would time out if the other waited for the balance.
                assert may_commit.wait(timeout=WAIT)
        may_commit.set()

    at_once(2, post_one)

    pending = AccountBalance.objects.filter(account=Account.PENDING)
    assert sorted(pending.values_list("amount", flat=True)) == [9, 10]
    assert balance(affiliate.pk, "EUR", Account.PENDING) == 19
    [row] = account_balances().filter(account=Account.PENDING)
    assert (row.part, row.balance, str(row)) == (0, 19, "Pending €0.19")
