"""Bonuses and deductions: what is posted, once, by whom, and how a held one ends."""

from __future__ import annotations

import pytest
from django.urls import reverse

from affiliates.commissions.models import Adjustment
from affiliates.commissions.services.adjusting import (
    NewAdjustment,
    adjust,
    adjust_by_hand,
    end_held_bonus,
)
from affiliates.errors import AffiliatesError, InvalidInput, NotAllowed, StateConflict
from affiliates.ledger.models import LedgerPosting
from affiliates.ledger.rules import Account, PostingKind
from affiliates.ledger.selectors import balances_of
from tests.affiliates.verification.finding import everything_found
from tests.database import nothing_written
from tests.factories.affiliates import AffiliateFactory, BrandFactory
from tests.guard.markers import marker


@pytest.fixture
def post(brand, affiliate, admin_user, now):
    def post(amount=500, **fields):
        wanted = {
            "affiliate_id": affiliate.pk,
            "currency": "EUR",
            "reason": marker("affiliate", "adjustment"),
        }
        return adjust(
            [NewAdjustment(amount=amount, **{**wanted, **fields})],
            brand_id=brand.pk,
            actor_id=admin_user.pk,
            now=now,
        )

    return post


@pytest.fixture
def end(admin_user, now):
    def end(kind, reason="Kept its word."):
        held = Adjustment.objects.get(kind=PostingKind.BONUS_HELD)
        end_held_bonus(
            adjustment_id=held.pk,
            kind=kind,
            reason=reason,
            actor_id=admin_user.pk,
            now=now,
        )

    return end


def euros(affiliate):
    return {
        account: amount
        for account, amount in balances_of(affiliate.pk)["EUR"].items()
        if amount
    }


@pytest.mark.parametrize(
    ("amount", "is_held", "balances"),
    [
        (500, False, {Account.EXPENSE: -500, Account.PAYABLE: 500}),
        (500, True, {Account.EXPENSE: -500, Account.HELD: 500}),
        (-500, False, {Account.EXPENSE: 500, Account.PAYABLE: -500}),
    ],
)
def test_money_goes_where_its_kind_says(post, affiliate, amount, is_held, balances):
    assert post(amount, is_held=is_held) == 1

    assert euros(affiliate) == balances
    assert everything_found() == []


@pytest.mark.parametrize(
    ("kind", "balances"),
    [
        (PostingKind.BONUS_RELEASED, {Account.EXPENSE: -500, Account.PAYABLE: 500}),
        (PostingKind.BONUS_WITHDRAWN, {}),
    ],
)
def test_held_bonus_ends_once(post, end, affiliate, kind, balances):
    post(is_held=True)

    end(kind)

    assert euros(affiliate) == balances
    with pytest.raises(AffiliatesError) as refusal:
        end(PostingKind.BONUS_RELEASED)
    assert refusal.value.code == "bonus_ended"
    assert euros(affiliate) == balances
    assert everything_found() == []


def test_same_key_is_posted_once(post, affiliate):
    assert [post(key="opening:1"), post(key="opening:1")] == [1, 0]

    assert euros(affiliate)[Account.PAYABLE] == 500


@pytest.mark.parametrize(
    "changed",
    [
        {"amount": 600},
        {"amount": -500},
        {"is_held": True},
        {"currency": "USD"},
        {"reason": "Fairer."},
    ],
)
def test_same_key_for_something_else_is_refused(post, changed):
    post(key="opening:1")

    with nothing_written(), pytest.raises(StateConflict) as refusal:
        post(**{"key": "opening:1", **changed})

    assert refusal.value.code == "posted_otherwise"
    assert everything_found() == []


def test_same_key_for_another_affiliate_is_refused(post, rival):
    post(key="opening:1")

    with nothing_written(), pytest.raises(StateConflict) as refusal:
        post(key="opening:1", affiliate_id=rival.pk)

    assert refusal.value.code == "posted_otherwise"


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"amount": 0}, "invalid_amount"),
        ({"amount": 2**63}, "invalid_amount"),
        ({"reason": " "}, "required"),
        ({"reason": "x" * 256}, "max_length"),
        ({"currency": "XXY"}, "unknown_currency"),
        ({"amount": -1, "is_held": True}, "deduction_held"),
        ({"affiliate_id": 0}, "unknown_affiliate"),
    ],
)
def test_refusal_posts_nothing(post, fields, code):
    with pytest.raises(AffiliatesError) as refusal:
        post(**fields)

    assert refusal.value.code == code
    assert not Adjustment.objects.exists()
    assert not LedgerPosting.objects.exists()


def test_balance_beyond_what_is_kept_is_refused(post):
    post(2**63 - 1)

    with pytest.raises(AffiliatesError) as refusal:
        post(2**63 - 1)

    assert refusal.value.code == "invalid_amount"
    assert Adjustment.objects.count() == 1


def test_affiliate_of_another_brand_is_refused(post, host):
    other = BrandFactory(name="Other", client_area="other.example.com")
    stranger = AffiliateFactory(
        brand=other, user=host.client(other, email="s@example.com")
    )

    with pytest.raises(AffiliatesError):
        post(affiliate_id=stranger.pk)

    assert not Adjustment.objects.exists()


def test_nobody_adjusts_a_balance_of_their_own(brand, affiliate, now):
    wanted = NewAdjustment(affiliate.pk, "EUR", 500, "For me.")

    with pytest.raises(AffiliatesError) as refusal:
        adjust([wanted], brand_id=brand.pk, actor_id=affiliate.user_id, now=now)

    assert refusal.value.code == "own_balance"
    assert not LedgerPosting.objects.exists()


def test_nobody_ends_a_held_bonus_of_their_own(post, affiliate, now):
    post(is_held=True)

    with nothing_written(), pytest.raises(NotAllowed) as refusal:
        end_held_bonus(
            adjustment_id=Adjustment.objects.get().pk,
            kind=PostingKind.BONUS_RELEASED,
            reason="For me.",
            actor_id=affiliate.user_id,
            now=now,
        )

    assert refusal.value.code == "own_balance"


FORM = {
    "way": "bonus",
    "amount": "5.00",
    "currency": "eur",
    "reason": marker("affiliate", "adjustment"),
    "key": "k",
}


@pytest.fixture
def page(affiliate):
    return reverse("admin:affiliates_affiliate_adjust", args=[affiliate.pk])


def confirmed(client, page) -> list[str]:
    answer = client.post(page, {**FORM, "confirmed": "yes"}, follow=True)
    return [str(one) for one in answer.context["messages"]]


def test_page_asks_twice_and_posts_once(admin_client, affiliate, page):
    assert 'name="amount"' in admin_client.get(page).content.decode()
    second = admin_client.post(page, FORM).content.decode()
    assert "Post it" in second
    assert "€5.00" in second
    assert not Adjustment.objects.exists()

    said = [confirmed(admin_client, page) for _ in range(2)]

    assert said == [
        ["€5.00 posted for partner."],
        ["€5.00 was posted for partner already."],
    ]
    assert euros(affiliate) == {Account.EXPENSE: -500, Account.PAYABLE: 500}


def test_page_gone_back_to_posts_no_other_amount(admin_client, affiliate, page):
    confirmed(admin_client, page)

    with nothing_written():
        answer = admin_client.post(page, {**FORM, "amount": "20", "confirmed": "yes"})

    posted = f"Posted already: Bonus €5.00, “{FORM['reason']}”."
    assert posted in answer.content.decode()
    assert euros(affiliate) == {Account.EXPENSE: -500, Account.PAYABLE: 500}


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"amount": "0"}, "Give an amount above zero."),
        ({"amount": "0.001"}, "0.001: EUR has 2 decimals."),
        ({"amount": "100.5", "currency": "jpy"}, "100.5: JPY has no decimals."),
        ({"currency": "XXY"}, "There is no such currency."),
        ({"reason": ""}, "This field is required."),
    ],
)
def test_page_says_what_is_wrong(admin_client, page, changed, told):
    answer = admin_client.post(page, {**FORM, **changed, "confirmed": "yes"})

    assert told in answer.content.decode()
    assert not Adjustment.objects.exists()


def test_posting_shows_the_reason(admin_client, post):
    post()

    posting = LedgerPosting.objects.get()
    rows = admin_client.get(reverse("admin:affiliates_ledgerposting_changelist"))
    row = reverse("admin:affiliates_ledgerposting_change", args=[posting.pk])
    assert FORM["reason"] in rows.content.decode()
    assert FORM["reason"] in admin_client.get(row).content.decode()


def test_held_bonus_is_released_on_its_page(admin_client, post, affiliate):
    post(is_held=True)
    held = Adjustment.objects.get()
    url = reverse("admin:affiliates_adjustment_release", args=[held.pk])

    admin_client.post(url, {"reason": "Kept its word.", "confirmed": "yes"})

    assert euros(affiliate)[Account.PAYABLE] == 500
    row = reverse("admin:affiliates_adjustment_change", args=[held.pk])
    assert "Held bonus released" in admin_client.get(row).content.decode()


@pytest.mark.parametrize("name", ["release", "withdraw"])
def test_ended_meanwhile_nothing_is_done(admin_client, admin_user, post, name):
    post(is_held=True)
    held = Adjustment.objects.get()
    url = reverse("admin:affiliates_adjustment_release", args=[held.pk])
    admin_client.post(url, {"reason": "Kept its word.", "confirmed": "yes"})
    again = reverse(f"admin:affiliates_adjustment_{name}", args=[held.pk])

    with nothing_written():
        answer = admin_client.post(again, {"reason": "Mine", "confirmed": "yes"})

    said = [str(one) for one in answer.wsgi_request._messages]
    assert said[-1] == f"{held}: Held bonus released already by {admin_user}."


@pytest.mark.parametrize("name", ["release", "withdraw"])
def test_only_who_may_ends_it(admin_client, admin_user, post, name):
    post(is_held=True)
    admin_user.is_superuser = False
    admin_user.save(update_fields=["is_superuser"])
    url = reverse(
        f"admin:affiliates_adjustment_{name}", args=[Adjustment.objects.get().pk]
    )

    assert admin_client.post(url, {"reason": "x", "confirmed": "y"}).status_code == 403
    assert Adjustment.objects.count() == 1


@pytest.fixture
def colleague(brand, host, admin_user):
    """A second person who may release a bonus: a superuser as the first."""
    user = host.client(brand, email="colleague@example.com")
    # The portal's clients have a brand, its staff have none.
    user.brand, user.is_staff, user.is_superuser = None, True, True
    user.save()
    return user


def by_hand(affiliate, actor, now, *, amount, is_held=False):
    wanted = NewAdjustment(affiliate.pk, "EUR", amount, "Summer.", is_held)
    return adjust_by_hand(
        wanted, brand_id=affiliate.brand_id, actor_id=actor.pk, now=now
    )


@pytest.mark.parametrize(
    ("amount", "limit", "is_alone", "is_posted"),
    [
        (100_001, 1_000, False, False),
        (100_000, 1_000, False, True),
        (25_000_000_000, 1_000, False, False),
        (100_001, 1_000, True, True),
        (100_001, None, False, True),
        (-100_001, 1_000, False, True),
    ],
)
def test_a_bonus_above_the_limit_is_not_payable_by_one_person(
    amount, limit, is_alone, is_posted, brand, affiliate, admin_user, colleague, now
):
    brand.change(bonus_limit=limit)
    if is_alone:
        type(colleague).objects.filter(pk=colleague.pk).update(is_active=False)

    if is_posted:
        assert by_hand(affiliate, admin_user, now, amount=amount) == 1
        return
    with nothing_written(), pytest.raises(InvalidInput) as refusal:
        by_hand(affiliate, admin_user, now, amount=amount)
    assert refusal.value.code == "bonus_over_limit"


def test_a_large_held_bonus_is_released_by_somebody_else(
    affiliate, admin_user, colleague, end, now
):
    by_hand(affiliate, admin_user, now, amount=100_001, is_held=True)

    with nothing_written(), pytest.raises(NotAllowed, match="Somebody else"):
        end(PostingKind.BONUS_RELEASED)
    end_held_bonus(
        adjustment_id=Adjustment.objects.get().pk,
        kind=PostingKind.BONUS_RELEASED,
        reason="Agreed.",
        actor_id=colleague.pk,
        now=now,
    )

    assert euros(affiliate) == {Account.EXPENSE: -100_001, Account.PAYABLE: 100_001}


def test_the_author_of_a_large_held_bonus_may_withdraw_it(
    affiliate, admin_user, colleague, end, now
):
    by_hand(affiliate, admin_user, now, amount=100_001, is_held=True)

    end(PostingKind.BONUS_WITHDRAWN)

    assert euros(affiliate) == {}
