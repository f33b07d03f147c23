"""The numbers of the first page: what they are, and the rows that they lead to."""

from __future__ import annotations

from copy import deepcopy
from datetime import UTC, datetime

import pytest
import time_machine
from django.contrib.auth.models import Permission
from django.urls import reverse

from affiliates.adapter import CatalogueProduct, get_adapter
from affiliates.contracts import RefundKind
from affiliates.contrib.statistics.services import count_changes, mark_changes
from affiliates.program.models import AffiliateLink
from tests.factories.affiliates import AffiliateLinkFactory, BrandFactory
from tests.factories.integrations import TrackingIntegrationFactory
from tests.factories.programs import make_partners

PAGE = "admin:affiliates_brand_overview"
LINES = [("hosting", "annually", 10_000)]
# Later than every day that is asked for: those until today, one after the other, are many.
COUNTED_AT = datetime(2026, 1, 12, tzinfo=UTC)
# The second day of the world, and the first one before it.
SECOND_DAY = {"span": "custom", "first_day": "2026-01-02", "last_day": "2026-01-02"}
BOTH_DAYS = {"span": "custom", "first_day": "2026-01-01", "last_day": "2026-01-02"}


@pytest.fixture(scope="module")
def kept_world(keep_rows):
    return keep_rows(sell_on_two_days)


@pytest.fixture(autouse=True)
def world(db, kept_world):
    """A sale of 100.00 on the first day; of the second day three, and a refund."""
    return deepcopy(kept_world)


@pytest.fixture
def brand(world):
    return world.brand


@pytest.fixture
def affiliate(world):
    return world.affiliates[0]


def sell_on_two_days():
    world = make_partners("partner")
    buy(world)
    world.pass_by(days=1)
    world.visit(world.arrive(), world.affiliates[0])
    orders = [buy(world) for _ in range(3)]
    world.refund(orders[0].invoices[0], 5_950, kind=RefundKind.REFUND)
    return world


def buy(world):
    visitor = world.arrive()
    world.visit(visitor, world.affiliates[0])
    world.register(visitor)
    order = world.convert(visitor, currency="EUR", lines=LINES)
    world.pay(order.invoices[0])
    return order


def numbers_of(client, brand, asked):
    count_changes(now=lambda: COUNTED_AT)
    return client.get(reverse(PAGE), {"brand": brand.pk, **asked}).context["numbers"]


def test_numbers_against_those_before(world, brand, admin_client):
    numbers = numbers_of(admin_client, brand, SECOND_DAY)

    assert [
        (one["label"], one["text"], one["before"], one["change"])
        for one in numbers["tiles"]
    ] == [
        ("Human clicks", "4", "1", "+300 %"),
        ("Signups", "3", "1", "+200 %"),
        ("Orders", "3", "1", "+200 %"),
        ("Sales", "3", "1", "+200 %"),
        ("Net revenue", "€250.00", "€100.00", "+150 %"),
        ("Commission", "€25.00", "€10.00", "+150 %"),
        ("Cost of the program", "10.0 %", "10.0 %", "+0.0 points"),
        ("Conversion rate", "75.0 %", "100.0 %", "−25.0 points"),
    ]


def test_every_number_leads_to_as_many_rows(world, brand, admin_client, undrawn):
    numbers = numbers_of(admin_client, brand, SECOND_DAY)

    rows = {
        one["label"]: admin_client.get(one["path"]).context["cl"].result_count
        for one in numbers["tiles"]
        if one["path"]
    }

    assert rows == {
        "Human clicks": 4,
        "Signups": 3,
        "Orders": 3,
        "Sales": 3,
        "Net revenue": 3,
        "Commission": 3,
    }


def test_what_a_tile_says_its_list_says(world, brand, admin_client, undrawn):
    numbers = numbers_of(admin_client, brand, SECOND_DAY)

    told = {}
    for tile in numbers["tiles"]:
        if tile["path"]:
            cl = admin_client.get(tile["path"]).context["cl"]
            sums = [str(one) for sums in cl.totals.values() for one in sums]
            told[tile["label"]] = tile["text"] in [cl.paginator.text, *sums]

    assert told == {
        "Human clicks": True,
        "Signups": True,
        "Orders": True,
        "Sales": True,
        "Net revenue": True,
        "Commission": True,
    }


def test_charts_draw_every_day_and_say_the_sum(world, brand, admin_client):
    charts = numbers_of(admin_client, brand, BOTH_DAYS)["charts"]

    assert [one.title for one in charts] == [
        "Net revenue in EUR",
        "Commission in EUR",
        "Human clicks",
        "Orders",
    ]
    revenue = charts[0]
    assert [(one.label, one.value) for one in revenue.points] == [
        ("1 Jan", 10_000),
        ("2 Jan", 25_000),
    ]
    assert revenue.axis == ["€250.00", "€125.00", "€0.00"]
    assert revenue.sentence == (
        "€350.00 (period before: €0.00). Best day: 2 Jan (€250.00)."
    )
    assert [chart.is_unfinished for chart in charts] == [False] * 4


def test_weeks_are_drawn_of_a_long_span(world, brand, admin_client):
    days = {"span": "custom", "first_day": "2025-10-01", "last_day": "2026-01-10"}

    [revenue, *_] = numbers_of(admin_client, brand, days)["charts"]

    assert len(revenue.points) == 15
    assert [(one.label, one.value) for one in revenue.points if one.value] == [
        ("29 Dec – 4 Jan", 35_000)
    ]


def test_the_best_of_each_kind(world, brand, admin_client, affiliate):
    affiliates, links, products = numbers_of(admin_client, brand, SECOND_DAY)["tops"]

    page = reverse("admin:affiliates_affiliate_change", args=[affiliate.pk])
    assert affiliates["rows"] == [("partner", page, ["3", "€25.00"])]
    assert links["rows"] == []
    assert products["rows"] == [("hosting-1", "", ["3", "€250.00"])]


def test_products_have_the_names_of_the_catalogue(
    world, brand, admin_client, monkeypatch
):
    def of_brand(self, *, brand_id: int):
        named = CatalogueProduct(product_ref="hosting-1", name="Web hosting", kind="")
        return [named] if brand_id == brand.pk else []

    monkeypatch.setattr(type(get_adapter()), "catalogue", of_brand)

    *_, products = numbers_of(admin_client, brand, SECOND_DAY)["tops"]

    assert products["rows"] == [("Web hosting", "", ["3", "€250.00"])]
    asked = {**SECOND_DAY, "by": "product", "brand": brand.pk}
    page = admin_client.get(reverse("admin:affiliates_brand_ranking"), asked)
    [row] = page.context["rows"]
    assert (row["named"].name, row["named"].detail) == ("hosting-1", "Web hosting")


def test_best_links(world, affiliate, link, admin_client, brand):
    other = AffiliateLinkFactory(affiliate=affiliate)
    for code in (link.hash, other.hash, other.hash):
        affiliate.code = code
        world.visit(world.arrive(), affiliate)

    _, links, _ = numbers_of(admin_client, brand, SECOND_DAY)["tops"]

    assert [(name, values) for name, _, values in links["rows"]] == [
        (str(AffiliateLink.objects.get(pk=other.pk)), ["0", "2"]),
        (str(link), ["0", "1"]),
    ]


def test_money_of_the_currency_asked_for(world, brand, admin_client, undrawn):
    visitor = world.arrive()
    world.visit(visitor, world.affiliates[0])
    world.register(visitor)
    order = world.convert(visitor, currency="USD", lines=LINES)
    world.pay(order.invoices[0])

    busiest = numbers_of(admin_client, brand, SECOND_DAY)
    dollars = numbers_of(admin_client, brand, {**SECOND_DAY, "currency": "USD"})
    unknown = numbers_of(admin_client, brand, {**SECOND_DAY, "currency": "XXX"})

    assert busiest["currencies"] == ["EUR", "USD"]
    assert [one["currency"] for one in (busiest, dollars, unknown)] == [
        "EUR",
        "USD",
        "EUR",
    ]
    text = {one["label"]: one["text"] for one in dollars["tiles"]}
    assert (text["Net revenue"], text["Sales"]) == ("$100.00", "4")
    path = {one["label"]: one["path"] for one in dollars["tiles"]}
    listed = admin_client.get(path["Net revenue"]).context["cl"]
    assert listed.result_count == 1


def test_without_any_row_there_are_zeros_and_no_chart(admin_client):
    brand = BrandFactory(client_area="empty.example.com")

    numbers = numbers_of(admin_client, brand, SECOND_DAY)

    assert [one["text"] for one in numbers["tiles"]] == ["0"] * 4 + ["-"] * 4
    assert numbers["charts"] == []
    assert [top["rows"] for top in numbers["tops"]] == [[], [], []]


def test_only_numbers_of_rows_that_one_may_see(world, brand, admin_user, admin_client):
    admin_user.is_superuser = False
    admin_user.save()
    codenames = ["view_brand", "view_click", "view_orderreferral"]
    admin_user.user_permissions.set(Permission.objects.filter(codename__in=codenames))

    numbers = numbers_of(admin_client, brand, SECOND_DAY)

    assert [one["label"] for one in numbers["tiles"]] == [
        "Human clicks",
        "Orders",
        "Conversion rate",
    ]
    assert [one.title for one in numbers["charts"]] == ["Human clicks", "Orders"]
    assert numbers["tops"] == []


@pytest.fixture
def busy(world):
    """The world's second day is not over yet, and a refund of it was cancelled."""
    buy(world)
    world.refund(world.invoices[-1], 100, kind=RefundKind.REFUND, ref="mistake")
    world.cancel_refund("mistake", None)
    count_changes(now=lambda: world.now)
    with time_machine.travel(world.now, tick=False):
        yield world


def test_page_asks_little(busy, brand, admin_client, django_assert_max_num_queries):
    asked = {"brand": brand.pk, **BOTH_DAYS}
    admin_client.get(reverse(PAGE), asked)

    # A host that lists its products is asked for them by one.
    with django_assert_max_num_queries(24):
        page = admin_client.get(reverse(PAGE), asked)

    clicks, signups, orders, *_ = page.context["numbers"]["tiles"]
    assert [one["text"] for one in (clicks, signups, orders)] == ["6", "5", "5"]


def test_page_asks_no_more_for_many_integrations_or_brands(
    busy, brand, admin_client, django_assert_num_queries
):
    others = [
        BrandFactory(client_area=f"other-{number}.example.com") for number in range(3)
    ]
    asked = {"brand": "all", **BOTH_DAYS}
    admin_client.get(reverse(PAGE), asked)
    for one in others:
        TrackingIntegrationFactory(brand=one)

    with django_assert_num_queries(18):
        page = admin_client.get(reverse(PAGE), asked)

    assert len(page.context["by_brand"]["rows"]) == 4


def test_all_brands_stand_side_by_side(world, brand, admin_client):
    other = BrandFactory(name="Zebra", client_area="zebra.example.com")
    BrandFactory(name="Test", client_area="test.example.com", is_test=True)
    tiles = numbers_of(admin_client, brand, SECOND_DAY)["tiles"]
    alone = {one["label"]: (one["text"], one["path"]) for one in tiles}

    page = admin_client.get(reverse(PAGE), {"brand": "all", **SECOND_DAY})

    found = page.context["by_brand"]
    assert found["columns"] == [
        "Human clicks",
        "Signups",
        "Orders",
        "Sales",
        "Net revenue EUR",
        "Commission EUR",
    ]
    assert [(row[0], [text for _, text, _ in row[2]]) for row in found["rows"]] == [
        (brand, ["4", "3", "3", "3", "€250.00", "€25.00"]),
        (other, ["0", "0", "0", "0", "€0.00", "€0.00"]),
    ]
    shown = {label: told for label, *told in found["rows"][0][2]}
    assert shown["Net revenue EUR"] == [*alone["Net revenue"]]
    assert shown["Orders"] == [*alone["Orders"]]
    assert [text for _, text in found["whole"]] == [
        "4",
        "3",
        "3",
        "3",
        "€250.00",
        "€25.00",
    ]
    assert f"?{found['rows'][1][1]}" == f"?brand={other.pk}&span=custom" + (
        "&first_day=2026-01-02&last_day=2026-01-02"
    )


def test_says_which_days_are_still_of_the_time_zone_before(
    world, brand, admin_client, undrawn
):
    def said():
        page = admin_client.get(reverse(PAGE), {"brand": brand.pk, **BOTH_DAYS})
        return page.context["numbers"]["cut_off"]

    before = str(brand.zone())
    numbers_of(admin_client, brand, BOTH_DAYS)
    assert "old numbers" not in said()
    brand.change(time_zone="Asia/Tokyo")

    assert said().endswith(
        f"Earlier days are still days of {before}: they will be counted again."
    )

    mark_changes(brand, now=COUNTED_AT)

    assert said().startswith("Days of Asia/Tokyo.")
    assert said().endswith(
        "Days that are being counted again, and show their old numbers: 2."
    )

    numbers_of(admin_client, brand, BOTH_DAYS)

    assert "old numbers" not in said()
