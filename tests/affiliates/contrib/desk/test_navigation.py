"""The pages of the admin by work."""

from __future__ import annotations

import pytest
from django.contrib.admin import site
from django.contrib.auth.models import Group, Permission
from django.test import RequestFactory
from django.urls import reverse

from affiliates.brands.roles import ROLES, group_name
from affiliates.contrib.desk.navigation import MOST_ITEMS, areas
from affiliates.contrib.desk.system.page import LISTED, groups
from affiliates.contrib.desk.theme import sidebar
from tests.factories.affiliates import AffiliateFactory
from tests.factories.claims import MissingSaleClaimFactory

OURS = ["Every day", "Program", "Orders and money"]


@pytest.fixture
def ask(admin_user):
    def ask(path="/admin/", user=admin_user):
        request = RequestFactory().get(path)
        request.user = user
        return request

    return ask


def shown_by(request):
    """The addresses in the sidebar, and on the System page."""
    sidebar_ = [item.path for area in areas(request) for item in area.items]
    lines = [line for group in groups(request, site) for line in group.lines]
    return sidebar_, [line.item.path for line in lines]


def staff_with(role, host, brand):
    user = host.client(brand, email=f"{role}@example.com")
    user.groups.add(Group.objects.get(name=group_name(role)))
    return type(user).objects.get(pk=user.pk)


def test_areas_in_the_order_of_the_work(ask):
    assert [area.title for area in areas(ask())][:3] == OURS


@pytest.mark.parametrize("role", [None, *ROLES])
def test_the_sidebar_is_short_and_every_page_is_reachable(
    ask, brand, host, admin_user, role
):
    request = ask(user=staff_with(role, host, brand) if role else admin_user)

    sidebar_, system = shown_by(request)

    lists = {
        row["admin_url"]
        for app in site.get_app_list(request)
        for row in app["models"]
        if row["admin_url"]
    }
    assert 15 < len(sidebar_) <= MOST_ITEMS == 28
    assert lists <= {*sidebar_, *system}
    assert reverse("admin:affiliates_brand_system") in sidebar_


def test_every_page_of_ours_on_the_system_page_has_its_line(ask):
    found = {group.title: group.lines for group in groups(ask(), site)}

    assert "More" not in found
    for title in LISTED:
        assert [line.item.title for line in found[title] if not line.about] == []


def test_the_system_page_shows_what_one_may_see(
    admin_client, admin_user, django_user_model
):
    whole = admin_client.get(reverse("admin:affiliates_brand_system"))
    admin_user.is_superuser = False
    admin_user.save()
    admin_user.user_permissions.set(
        Permission.objects.filter(codename__in=["view_brand", "view_sale"])
    )
    part = admin_client.get(reverse("admin:affiliates_brand_system"))

    assert "Ledger postings" in whole.content.decode()
    assert [
        [line.item.title for line in group.lines] for group in part.context["groups"]
    ] == [["Sales"], ["Personal data"]]


def test_no_page_is_named_twice(ask):
    paths = [item.path for area in areas(ask()) for item in area.items]

    assert len(paths) == len(set(paths))


def test_a_count_beside_what_waits_and_none_beside_the_rest(ask, brand, host):
    user = host.client(brand, email="new@example.com")
    AffiliateFactory(brand=brand, user=user, status="pending")

    [every_day, to_do, *others] = areas(ask())

    counts = {item.title: item.count for item in to_do.items if item.count}
    assert counts == {"Affiliates to approve": "1"}
    assert [
        item for area in [every_day, *others] for item in area.items if item.count
    ] == []


def test_only_what_the_person_may_see(ask, brand, affiliate, host, django_user_model):
    user = host.client(brand, email="helper@example.com")
    user.user_permissions.set(
        Permission.objects.filter(codename__in=["view_payout", "view_missingsaleclaim"])
    )
    helper = django_user_model.objects.get(pk=user.pk)
    MissingSaleClaimFactory(affiliate=affiliate)
    waiting = host.client(brand, email="new@example.com")
    AffiliateFactory(brand=brand, user=waiting, status="pending")

    seen = {
        area.title: [item.title for item in area.items]
        for area in areas(ask(user=helper))
    }

    assert seen == {
        "To do": ["Claims of missing sales"],
        "Orders and money": ["Payouts"],
    }


@pytest.mark.parametrize(
    ("path", "active"),
    [
        ("/admin/", "Overview"),
        (reverse("admin:affiliates_brand_overview") + "?span=7", "Overview"),
        (reverse("admin:affiliates_brand_changelist"), "Brands"),
        (reverse("admin:affiliates_payout_change", args=[1]), "Payouts"),
        (reverse("admin:affiliates_payoutbatch_changelist"), None),
        (reverse("admin:affiliates_brand_system"), "System"),
        (
            reverse("admin:affiliates_payout_changelist") + "?status__exact=requested",
            "Payouts",
        ),
        ("/admin/password_change/", None),
    ],
)
@pytest.mark.django_db
def test_the_page_that_one_is_on(ask, path, active):
    items = [item for group in sidebar(ask(path)) for item in group["items"]]

    titles = [item["title"] for item in items if item["active"]]
    assert titles == ([active] if active else [])
