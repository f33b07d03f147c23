from __future__ import annotations

import pytest
from django.urls import reverse

from affiliates.commissions.rules import CommissionStatus
from affiliates.ledger.models import AccountBalance, LedgerPosting
from affiliates.ledger.services import post
from tests.factories.affiliates import AffiliateFactory, BrandFactory
from tests.factories.books import MovementFactory
from tests.factories.program import make_program

POSTINGS = "admin:affiliates_ledgerposting_changelist"
BALANCES = "admin:affiliates_accountbalance_changelist"


@pytest.fixture
def program(affiliate, now):
    return make_program(affiliate, now=now)


@pytest.fixture
def stranger(host, now):
    """An affiliate of another brand, with one posting."""
    brand = BrandFactory(name="Other", client_area="other.example.com")
    user = host.client(brand, email="stranger@example.com")
    stranger = AffiliateFactory(brand=brand, user=user, code="stranger")
    post([MovementFactory(affiliate=stranger, key="earned:stranger")], now=now)
    return stranger


def shown(admin_client, page, **query):
    answer = admin_client.get(reverse(page), query)
    assert answer.status_code == 200
    return list(answer.context["cl"].result_list)


def test_postings_show_where_the_money_went(admin_client, program):
    answer = admin_client.get(reverse(POSTINGS))

    page = answer.content.decode()
    assert "Commission approved" in page
    assert "Pending → Payable" in page
    assert "€8.00" in page


@pytest.mark.parametrize(
    ("_case", "query", "count"),
    [
        ("all", {}, 22),
        ("by kind", {"kind__exact": "held"}, 1),
        ("by account", {"account": "clearing"}, 5),
        ("by key", {"q": "earned:stranger"}, 1),
        ("by affiliate's code", {"q": "partner"}, 21),
        ("by nonsense", {"affiliate": "none"}, 22),
    ],
)
def test_postings_are_found(admin_client, program, stranger, _case, query, count):
    assert len(shown(admin_client, POSTINGS, **query)) == count


def test_postings_are_found_by_brand_and_affiliate(admin_client, program, stranger):
    by_brand = shown(admin_client, POSTINGS, brand__id__exact=stranger.brand_id)
    by_affiliate = shown(admin_client, POSTINGS, affiliate=stranger.pk)

    assert [row.key for row in by_brand] == ["earned:stranger"]
    assert [row.key for row in by_affiliate] == ["earned:stranger"]


def test_a_list_of_postings_costs_the_same_however_long(
    admin_client, program, stranger, django_assert_max_num_queries
):
    with django_assert_max_num_queries(16):
        shown(admin_client, POSTINGS)


def test_an_affiliates_page_shows_its_own_balances(
    admin_client, program, affiliate, stranger
):
    page = reverse("admin:affiliates_affiliate_change", args=[affiliate.pk])
    # The form: with the desk installed, the page itself is a summary.
    answer = admin_client.get(page, {"_popup": "1"})

    inlines = answer.context["inline_admin_formsets"]
    [balances] = [one for one in inlines if one.formset.model is AccountBalance]
    rows = {form.instance for form in balances.formset.forms}
    assert rows == set(AccountBalance.objects.filter(affiliate=affiliate))
    page = answer.content.decode()
    assert "Payable" in page
    assert f"?affiliate={affiliate.pk}&amp;account=payable" in page


def test_balances_are_added_up_without_costs_and_what_left(
    admin_client, program, affiliate
):
    rows = AccountBalance.objects.filter(affiliate=affiliate)
    owed = ["pending", "held", "payable", "clearing"]
    total = sum(row.amount for row in rows.filter(account__in=owed))

    page = admin_client.get(reverse(BALANCES)).content.decode()

    text = "Owed to affiliates, less their debts in all: "
    assert f"{text}<strong>€{total / 100:.2f}</strong>" in page
    payable = rows.get(account="payable")
    assert str(payable) == f"Payable €{payable.amount / 100:.2f}"


def test_a_posting_shows_its_entries_and_what_it_is_for(admin_client, program):
    commission = program.commissions[CommissionStatus.HELD]
    posting = LedgerPosting.objects.get(commission=commission, kind="held")

    answer = admin_client.get(
        reverse("admin:affiliates_ledgerposting_change", args=[posting.pk])
    )

    page = answer.content.decode()
    assert "-€10.00" in page
    assert f"Commission {commission.pk}</a>" in page
    assert posting.key in page


@pytest.mark.parametrize("model", ["ledgerposting", "accountbalance"])
def test_nothing_can_be_added_changed_or_deleted(admin_client, program, model):
    row = {"ledgerposting": LedgerPosting, "accountbalance": AccountBalance}[model]
    pk = row.objects.first().pk
    before = list(row.objects.values())

    answers = [
        admin_client.post(reverse(f"admin:affiliates_{model}_add"), {}),
        admin_client.post(reverse(f"admin:affiliates_{model}_change", args=[pk]), {}),
        admin_client.post(reverse(f"admin:affiliates_{model}_delete", args=[pk]), {}),
    ]

    assert [answer.status_code for answer in answers] == [403, 403, 403]
    assert list(row.objects.values()) == before


def test_balances_lead_to_their_postings(admin_client, program, affiliate):
    page = admin_client.get(reverse(BALANCES)).content.decode()

    assert "€8.00" in page
    assert f"?affiliate={affiliate.pk}&amp;account=payable" in page


def test_balances_are_found_by_account_and_affiliate(admin_client, program, stranger):
    by_account = shown(admin_client, BALANCES, account__exact="pending")
    by_affiliate = shown(admin_client, BALANCES, affiliate=stranger.pk)

    assert {row.affiliate.code for row in by_account} == {"partner", "stranger"}
    assert {row.account for row in by_affiliate} == {"expense", "pending"}
