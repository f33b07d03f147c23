"""The list of affiliates: its numbers, its order by each of them, and its filters."""

from __future__ import annotations

import csv
from datetime import timedelta

import pytest
import time_machine
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from affiliates.contrib.desk.affiliate.listing import AffiliateList
from affiliates.ledger.rules import Account, PostingKind
from affiliates.ledger.services import post
from tests.affiliates.contrib.desk.ranking.conftest import COUNTED_AT
from tests.factories.affiliates import AffiliateFactory
from tests.factories.books import MovementFactory
from tests.factories.plans import AffiliateGroupFactory, CommissionPlanFactory

PAGE = reverse("admin:affiliates_affiliate_changelist")
NUMBERS = ("clicks", "revenue", "payable", "owed", "last_sale")
EVERY = ["sleeper", "rival", "partner"]


@pytest.fixture
def listed(world, host):
    """Partner and rival of the ranking, and an affiliate who never sold."""
    user = host.client(world.brand, email="sleeper@example.com")
    AffiliateFactory(brand=world.brand, user=user, code="sleeper")
    return world


def bonus(affiliate, amount, currency="EUR"):
    """Payable at once."""
    posted = MovementFactory.build(
        affiliate=affiliate,
        kind=PostingKind.BONUS,
        target=Account.PAYABLE,
        amount=amount,
        currency=currency,
    )
    post([posted], now=COUNTED_AT)


def open_list(client, *, later=timedelta(), **asked):
    with time_machine.travel(COUNTED_AT + later, tick=False):
        return client.get(PAGE, asked)


def codes(answer):
    return [row.code for row in answer.context["cl"].result_list]


def cells(answer, *names):
    page = answer.context["cl"].model_admin
    rows = answer.context["cl"].result_list
    return {
        row.code: [str(getattr(page, name)(row)).replace("\xa0", " ") for name in names]
        for row in rows
    }


def place(answer, name):
    return answer.context["cl"].list_display.index(name)


def test_list_shows_who_sells_and_what_they_are_owed(listed, admin_client):
    bonus(listed.affiliates[1], 5_00)

    answer = open_list(admin_client)

    assert cells(answer, *NUMBERS) == {
        "partner": ["2", "€300.00", "€0.00", "€30.00", "1 Jan 2026"],
        "rival": ["1", "€200.00", "€5.00", "€25.00", "1 Jan 2026"],
        "sleeper": ["0", "€0.00", "€0.00", "€0.00", "-"],
    }


@pytest.mark.parametrize(
    ("column", "ascending"),
    [
        ("code", ["partner", "rival", "sleeper"]),
        ("clicks", ["sleeper", "rival", "partner"]),
        ("revenue", ["sleeper", "rival", "partner"]),
        ("payable", ["sleeper", "partner", "rival"]),
        ("owed", ["sleeper", "rival", "partner"]),
    ],
)
def test_list_is_sorted_by_its_numbers(listed, admin_client, column, ascending):
    bonus(listed.affiliates[0], 4_00)
    bonus(listed.affiliates[1], 5_00)
    position = place(open_list(admin_client), column)

    assert codes(open_list(admin_client, o=f"{position}")) == ascending
    assert codes(open_list(admin_client, o=f"-{position}")) == ascending[::-1]


def test_list_is_sorted_by_the_names_that_it_shows(listed, admin_client):
    position = place(open_list(admin_client), "name")

    names = [
        name
        for [name] in cells(open_list(admin_client, o=f"{position}"), "name").values()
    ]

    assert names == sorted(names, key=str.lower)


def test_who_never_sold_comes_before_who_sold_long_ago(listed, admin_client):
    position = place(open_list(admin_client), "last_sale")

    first, *_ = codes(open_list(admin_client, o=f"{position}"))
    *_, last = codes(open_list(admin_client, o=f"-{position}"))

    assert first == last == "sleeper"


def test_every_column_of_the_list_can_be_sorted(listed, admin_client):
    shown = open_list(admin_client).context["cl"]

    assert set(shown.list_display) == {
        "action_checkbox",
        *(name for name in AffiliateList.list_display if name != "brand"),
    }
    assert [
        name for name in shown.list_display[1:] if not shown.get_ordering_field(name)
    ] == []


@pytest.mark.parametrize(
    ("asked", "later", "found"),
    [
        ({"unsold": "60"}, 0, ["sleeper"]),
        ({"unsold": "60"}, 60, EVERY),
        ({"unsold": "never"}, 90, ["sleeper"]),
        ({"unsold": "60", "owed": "10"}, 60, ["rival", "partner"]),
        ({"unsold": "60", "owed": "50"}, 60, ["partner"]),
        ({"owed": "0"}, 0, ["rival", "partner"]),
        ({"owed": "100"}, 0, []),
        ({"unsold": "soon", "owed": "much"}, 0, EVERY),
    ],
)
def test_who_stopped_selling_and_is_still_owed_money_is_found(
    listed, admin_client, asked, later, found
):
    bonus(listed.affiliates[0], 20_01)

    answer = open_list(admin_client, later=timedelta(days=later), **asked)

    assert codes(answer) == found


def test_amounts_are_of_one_currency_at_a_time(listed, admin_client):
    bonus(listed.affiliates[1], 7_00, "USD")

    usual = open_list(admin_client)
    dollars = open_list(admin_client, currency="USD")
    above = open_list(admin_client, currency="USD", owed="0")

    names = ("revenue", "payable", "owed")
    assert cells(usual, *names)["rival"] == ["€200.00", "€0.00", "€20.00"]
    assert cells(dollars, *names)["rival"] == ["$0.00", "$7.00", "$7.00"]
    assert codes(dollars) == EVERY
    assert codes(above) == ["rival"]


def test_plan_is_the_own_one_else_that_of_the_group_else_the_default(
    listed, admin_client
):
    partner, rival = listed.affiliates
    own, shared = (
        CommissionPlanFactory(brand=listed.brand, name=name)
        for name in ("Own", "Shared")
    )
    rival.group = AffiliateGroupFactory(brand=listed.brand, plan=shared)
    rival.save()
    partner.plan = own
    partner.save()

    answer = open_list(admin_client)
    default = cells(answer, "plan_now")["sleeper"]
    filtered = open_list(admin_client, plan=shared.pk)

    assert cells(answer, "plan_now") == {
        "partner": ["Own"],
        "rival": ["Shared"],
        "sleeper": default,
    }
    assert codes(filtered) == ["rival"]
    assert codes(open_list(admin_client, group__id__exact=rival.group_id)) == ["rival"]


def test_numbers_need_the_permission_to_see_their_rows(
    listed, admin_client, admin_user
):
    admin_user.is_superuser = False
    admin_user.save()
    names = ["view_affiliate", "view_click"]
    admin_user.user_permissions.set(Permission.objects.filter(codename__in=names))

    shown = open_list(admin_client).context["cl"]

    assert [name for name in NUMBERS if name in shown.list_display] == ["clicks"]
    assert {"owed", "last sale"}.isdisjoint(spec.title for spec in shown.filter_specs)


def test_list_asks_as_much_for_many_affiliates_as_for_few(listed, admin_client, host):
    counts = []
    for number in range(2):
        user = host.client(listed.brand, email=f"more-{number}@example.com")
        AffiliateFactory(brand=listed.brand, user=user)
        position = place(open_list(admin_client), "revenue")
        with CaptureQueriesContext(connection) as queries:
            open_list(admin_client, o=f"-{position}")
        counts.append(len(queries))

    assert counts[0] == counts[1] <= 25


def test_file_has_the_numbers_in_the_order_of_the_list(listed, admin_client):
    position = place(open_list(admin_client), "revenue")
    path = reverse("admin:affiliates_affiliate_export", args=["csv"])

    with time_machine.travel(COUNTED_AT, tick=False):
        answer = admin_client.get(path, {"o": f"-{position}"})
        text = b"".join(answer.streaming_content).decode("utf-8-sig")

    rows = list(csv.DictReader(text.splitlines()))
    assert [
        (row["Code"], row["Net revenue, 90 days"], row["Owed"]) for row in rows
    ] == [
        ("partner", "300.00", "30.00"),
        ("rival", "200.00", "20.00"),
        ("sleeper", "0.00", "0.00"),
    ]
