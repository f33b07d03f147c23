"""No number, queue, search or choice of the desk bypasses `visible_to`."""

from __future__ import annotations

import pytest
from django.contrib import admin
from django.forms import BaseForm, ModelChoiceField
from django.urls import reverse
from django.utils import timezone

from affiliates.contrib.desk.exports.models import SavedListState
from affiliates.contrib.desk.exports.services import ask_for_list, make_lists
from affiliates.contrib.desk.queues import waiting
from affiliates.contrib.desk.search.finding import find
from tests.factories.affiliates import AffiliateFactory
from tests.factories.integrations import TrackingIntegrationFactory

OVERVIEW = "admin:affiliates_brand_overview"
UNEARNED = "admin:affiliates_brand_unearned"
RANKING = "admin:affiliates_brand_ranking"
COHORTS = "admin:affiliates_brand_cohorts"
OWED = "admin:affiliates_brand_owed"


@pytest.fixture
def asking(rf, admin_user):
    request = rf.get("/")
    request.user = admin_user
    return request


@pytest.fixture
def applicant(brand, host):
    user = host.client(brand, email="new@example.com")
    return AffiliateFactory(brand=brand, user=user, code="newcomer", status="pending")


def test_search_finds_nothing_hidden(request, applicant, asking):
    assert [len(group.hits) for group in find(asking, applicant.code)] == [1]

    request.getfixturevalue("sees_nothing")

    assert find(asking, applicant.code) == []


def test_queues_count_nothing_hidden(
    request, applicant, asking, rf, django_assert_num_queries
):
    assert sum(one.count for one in waiting(asking)) == 1

    request.getfixturevalue("sees_nothing")

    other = rf.get("/")
    other.user = asking.user
    # No queue reads a table: one that bypasses it would, also without a row.
    with django_assert_num_queries(0):
        assert sum(one.count for one in waiting(other)) == 0


@pytest.mark.parametrize("page", [OVERVIEW, UNEARNED, RANKING, COHORTS, OWED])
def test_numbers_are_of_no_hidden_brand(page, request, brand, admin_client):
    asked = {"brand": brand.pk}
    assert admin_client.get(reverse(page), asked).context["chosen"].brand == brand

    request.getfixturevalue("sees_nothing")

    answer = admin_client.get(reverse(page), asked)
    assert answer.status_code == 200
    assert "chosen" not in answer.context


def test_a_saved_list_has_no_hidden_row(
    request, applicant, admin_user, settings, tmp_path
):
    settings.MEDIA_ROOT = tmp_path
    request.getfixturevalue("sees_nothing")
    saved = ask_for_list(
        asker_id=admin_user.pk,
        site=admin.site.name,
        model="affiliates.affiliate",
        query="",
        file_format="csv",
        url_of=str,
        now=timezone.now(),
    )

    make_lists(now=timezone.now, should_stop=lambda: False)

    saved.refresh_from_db()
    assert (saved.state, saved.row_count) == (SavedListState.READY, 0)


@pytest.mark.parametrize(
    "page",
    [
        "affiliates_click_try_url",
        "affiliates_email_texts",
        "affiliates_orderreferral_what_if",
        "affiliates_orderreferral_reconcile",
        "affiliates_delivery_replay",
        "affiliates_imports_importfile_upload",
        "affiliates_payout_runs_payoutrun_make",
        "affiliates_payout_runs_payoutanswer_upload",
    ],
)
def test_pages_offer_nothing_hidden(page, request, brand, admin_client):
    TrackingIntegrationFactory(brand=brand)
    path = reverse(f"admin:{page}")
    assert offered(admin_client.get(path)) == 1

    request.getfixturevalue("sees_nothing")

    assert offered(admin_client.get(path)) == 0


def offered(answer) -> int:
    """How many rows the page's forms have to choose from."""
    assert answer.status_code == 200
    fields = [
        field
        for form in answer.context_data.values()
        if isinstance(form, BaseForm)
        for field in form.fields.values()
        if isinstance(field, ModelChoiceField)
    ]
    return sum(field.queryset.count() for field in fields)
