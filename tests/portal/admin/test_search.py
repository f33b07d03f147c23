"""What the search of the admin finds of clients by a part of the name or e-mail address."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext

from affiliates.brands.models.staff import StaffBrand
from affiliates.contrib.desk.search.finding import find
from tests.factories.affiliates import AffiliateFactory, BrandFactory


@pytest.fixture
def asking(rf, admin_user):
    request = rf.get("/")
    request.user = admin_user
    return request


def test_a_part_of_a_name_finds_the_client_and_the_affiliate(asking, brand, host):
    user = host.client(brand, email="julia@example.com")
    user.lastname = "Brandtner"
    user.save()
    AffiliateFactory(brand=brand, user=user, code="pixelwerk")

    groups = find(asking, "randtn")

    assert [(group.title, group.hits[0].title) for group in groups] == [
        ("Affiliates", "pixelwerk"),
        ("Users", "julia@example.com"),
    ]


def test_clients_beyond_the_limit_are_not_read(asking, brand, host):
    for number in range(7):
        host.client(brand, email=f"huber{number}@example.com")

    with CaptureQueriesContext(connection) as asked:
        groups = find(asking, "huber")

    assert [len(group.hits) for group in groups] == [5]
    reading = [one["sql"] for one in asked if "huber" in one["sql"].lower()]
    assert [sql for sql in reading if " LIKE " in sql and "LIMIT" not in sql] == []
    assert len(asked) <= 30


def test_a_part_finds_clients_of_own_brands_alone(asking, brand, host):
    other = BrandFactory(client_area="other.example.com", name="Other")
    host.client(brand, email="huber.own@example.com")
    host.client(other, email="huber.other@example.com")
    asking.user = staff = host.client(brand, email="s@example.com")
    view = Permission.objects.filter(codename="view_user")
    staff.user_permissions.set(view)
    StaffBrand.objects.create(person=staff, brand=brand)

    [group] = find(asking, "huber")

    assert [hit.title for hit in group.hits] == ["huber.own@example.com"]


def test_a_person_who_may_not_see_clients_finds_none(asking, brand, host):
    host.client(brand, email="huber@example.com")
    asking.user = host.client(brand, email="s@example.com")

    assert find(asking, "huber") == []
