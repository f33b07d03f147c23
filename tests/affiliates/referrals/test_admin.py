"""Bound clients in Django admin."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from affiliates.referrals.models import ClientReferral
from tests.factories.affiliates import AffiliateFactory
from tests.factories.ledger import (
    ClientReferralFactory,
    OrderReferralFactory,
    decision_of,
)

LIST = "admin:affiliates_clientreferral_changelist"


@pytest.fixture
def referrals(affiliate, brand, host) -> list[ClientReferral]:
    return [
        ClientReferralFactory(
            affiliate=affiliate, client=host.client(brand, email=f"{name}@example.com")
        )
        for name in ("ada", "grace")
    ]


def test_clients_are_listed_by_email_in_few_queries(
    admin_client, referrals, settings, django_assert_max_num_queries
):
    settings.TIME_ZONE = "Europe/Madrid"

    with django_assert_max_num_queries(8):
        page = admin_client.get(reverse(LIST))

    text = page.content.decode()
    assert "ada@example.com" in text
    assert "grace@example.com" in text
    assert "1 Mar 2026, 13:00 CET" in text.replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(
    ("query", "found"), [("ada@", [0]), ("partner", [1, 0]), ("nobody", [])]
)
def test_client_is_found_by_email_or_affiliate(admin_client, referrals, query, found):
    page = admin_client.get(reverse(LIST), {"q": query})

    assert list(page.context["cl"].result_list) == [referrals[one] for one in found]


def test_search_without_a_match_says_so(admin_client, referrals):
    page = admin_client.get(reverse(LIST), {"q": "nobody"})

    assert "Nothing matches" in page.content.decode()


def test_empty_list_says_where_rows_come_from(admin_client):
    page = admin_client.get(reverse(LIST))

    text = page.content.decode()
    assert "Nothing yet" in text
    assert "These rows appear by themselves" in text


@pytest.mark.parametrize("page", ["add", "change", "delete"])
def test_referrals_are_neither_added_nor_changed_nor_deleted(
    admin_client, referrals, page
):
    arguments = [] if page == "add" else [referrals[0].pk]
    url = reverse(f"admin:affiliates_clientreferral_{page}", args=arguments)

    answer = admin_client.post(url, {"post": "yes"})

    assert answer.status_code == 403
    assert ClientReferral.objects.count() == 2
    if page == "change":
        assert admin_client.get(url).status_code == 200


def test_brands_page_counts_late_clicks_in_as_many_queries_for_any_number(
    admin_client, brand, host
):
    client = host.client(brand, email="buyer@example.com")
    page = reverse("admin:affiliates_brand_change", args=[brand.pk])

    def stand_down(name):
        """Twice, by an affiliate who is new."""
        late = AffiliateFactory(
            brand=brand, code=name, user=host.client(brand, email=f"{name}@example.com")
        )
        referral = OrderReferralFactory(
            brand=brand, client=client, made=decision_of(), converted_at=timezone.now()
        )
        referral.decision["stood_down"] = [late.pk, late.pk]
        referral.save()

    def look():
        with CaptureQueriesContext(connection) as asked:
            text = admin_client.get(page).content.decode()
        return len(asked), text

    stand_down("late-0")
    look()
    queries, _ = look()
    for number in range(1, 4):
        stand_down(f"late-{number}")

    again, text = look()

    assert [name for name in ("late-0", "late-3") if name not in text] == []
    assert again == queries
