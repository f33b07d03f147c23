from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.checks import WARNING
from django.urls import reverse
from django.utils import timezone

from affiliates.operations.health.requests import hosts_to_add, refused_origins
from tests.factories.affiliates import RefusedOriginFactory

pytestmark = pytest.mark.django_db


def test_nothing_is_said_while_no_page_is_refused(brand, now):
    assert list(refused_origins(now)) == []
    assert list(hosts_to_add(brand)) == []


def test_refused_hosts_are_named_and_lead_to_the_steps_of_the_brand(brand, now):
    for number in range(7):
        RefusedOriginFactory(
            host=f"copy{number}.test", seen_at=now - timedelta(minutes=number)
        )
    RefusedOriginFactory(
        host="www.shop.example.com", seen_at=now - timedelta(minutes=9)
    )

    (finding,) = refused_origins(now)

    assert (finding.id, finding.level) == ("affiliates.D038", WARNING)
    assert finding.msg == (
        "In the last 24 hours pages on these hosts called the API and were refused, as "
        "they are no client area of an active brand: www.shop.example.com, copy0.test, "
        "copy1.test, copy2.test, copy3.test and 3 more."
    )
    assert finding.hint == (
        "Add the hosts that are yours to the domains of their brand: its first steps in "
        "the admin offer each. Leave hosts that are not yours: they are forgotten a day "
        "after their last call."
    )
    guide = reverse("admin:affiliates_brand_guide")
    assert finding.page.address == f"{guide}?brand={brand.pk}"


def test_first_steps_offer_each_host_to_add(brand):
    at = timezone.now()
    RefusedOriginFactory(host="www.shop.example.com", seen_at=at)

    (finding,) = hosts_to_add(brand)

    assert (finding.title, finding.id) == ("Add www.shop.example.com", None)
    assert finding.said.startswith("Pages on www.shop.example.com are refused, last ")
    assert finding.said.endswith(
        ": it is no client area. Add it if the host is yours; otherwise leave it, and "
        "it is forgotten in a day."
    )
    form = reverse("admin:affiliates_brand_change", args=[brand.pk])
    assert finding.page.address == f"{form}?add_host=www.shop.example.com"
    assert finding.page.permission == "affiliates.change_brand"
