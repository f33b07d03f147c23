"""The pages of the admin by work."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.test import RequestFactory
from django.urls import reverse

from affiliates.contrib.desk.navigation import areas, sidebar
from tests.factories.affiliates import AffiliateFactory

OURS = ["Every day", "Set up", "Money", "Look up", "Health"]


@pytest.fixture
def ask(admin_user):
    def ask(path="/admin/", user=admin_user):
        request = RequestFactory().get(path)
        request.user = user
        return request

    return ask


def test_every_page_of_ours_has_its_place(ask):
    titles = [area.title for area in areas(ask())]

    assert titles[:5] == OURS
    assert "More" not in titles


def test_no_page_is_named_twice(ask):
    paths = [item.path for area in areas(ask()) for item in area.items]

    assert len(paths) == len(set(paths))


def test_a_count_beside_what_waits_and_none_beside_the_rest(ask, brand, host):
    user = host.client(brand, email="new@example.com")
    AffiliateFactory(brand=brand, user=user, status="pending")

    [every_day, *others] = areas(ask())

    counts = {item.title: item.count for item in every_day.items if item.count}
    assert counts == {"Affiliates to approve": "1"}
    assert [item for area in others for item in area.items if item.count] == []


def test_only_what_the_person_may_see(ask, brand, host, django_user_model):
    user = host.client(brand, email="helper@example.com")
    user.user_permissions.set(
        Permission.objects.filter(codename__in=["view_sale", "view_missingsaleclaim"])
    )
    helper = django_user_model.objects.get(pk=user.pk)

    seen = {
        area.title: [item.title for item in area.items]
        for area in areas(ask(user=helper))
    }

    assert seen == {
        "Every day": ["Claims of missing sales"],
        "Look up": ["Sales", "Missing sale claims"],
    }


@pytest.mark.parametrize(
    ("path", "active"),
    [
        ("/admin/", "Overview"),
        (reverse("admin:affiliates_brand_overview") + "?span=7", "Overview"),
        (reverse("admin:affiliates_brand_changelist"), "Brands"),
        (reverse("admin:affiliates_payout_change", args=[1]), "Payouts"),
        (reverse("admin:affiliates_payoutbatch_changelist"), "Payout batches"),
        (
            reverse("admin:affiliates_payout_changelist") + "?status__exact=requested",
            "Payouts to approve",
        ),
        ("/admin/password_change/", None),
    ],
)
@pytest.mark.django_db
def test_the_page_that_one_is_on(ask, path, active):
    items = [item for group in sidebar(ask(path)) for item in group["items"]]

    titles = [item["title"] for item in items if item["active"]]
    assert titles == ([active] if active else [])
