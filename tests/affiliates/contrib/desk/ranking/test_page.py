"""The ranking: its order, its columns with their definitions, and where rows lead."""

from __future__ import annotations

import csv
from datetime import UTC, datetime
from io import StringIO
from uuid import uuid4

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse

from affiliates.contrib.desk.ranking import page as ranking
from affiliates.contrib.desk.ranking.columns import SETS, every_column, sets_of
from affiliates.contrib.statistics.metrics import CLIENT_METRICS, METRICS
from affiliates.contrib.statistics.reports.ranking import RANKED_BY
from affiliates.contrib.statistics.services import count_changes
from affiliates.contrib.statistics.types import Dimension
from affiliates.referrals.models import OrderReferral
from tests.factories.affiliates import AffiliateFactory, ClickFactory

PAGE = "admin:affiliates_brand_ranking"
DAYS = {"span": "custom", "first_day": "2026-01-01", "last_day": "2026-01-02"}


def open_page(client, world, **asked):
    return client.get(reverse(PAGE), {"brand": world.brand.pk, **DAYS, **asked})


def rows_of(answer):
    text = b"".join(answer.streaming_content).decode("utf-8-sig")
    return list(csv.DictReader(StringIO(text)))


def shown(answer):
    return [
        [row["named"].name, *(value for _, value, _ in row["values"])]
        for row in answer.context["rows"]
    ]


def labels(answer):
    return [str(one["label"]) for one in answer.context["columns"]]


def test_affiliates_by_revenue_with_the_brand_below(world, admin_client):
    affiliate, rival = world.affiliates

    answer = open_page(admin_client, world)

    assert labels(answer) == [
        "Net revenue",
        "Commission",
        "Sales",
        "Orders",
        "Signups",
        "Unique clicks",
        "Conversion rate",
        "Refund rate",
    ]
    rest = ["1", "1", "1"]
    assert shown(answer) == [
        [affiliate.code, "€300.00", "€30.00", *rest, "2", "50.0 %", "0.0 %"],
        [rival.code, "€200.00", "€20.00", *rest, "1", "100.0 %", "0.0 %"],
    ]
    whole = ["€500.00", "€50.00", "2", "2", "2", "3", "66.7 %", "0.0 %"]
    assert [text for _, text in answer.context["whole"]] == whole


@pytest.mark.parametrize("name", SETS)
def test_sorted_by_each_column_in_both_orders(world, admin_client, name, undrawn):
    for metric in SETS[name].metrics:
        asked = {"columns": name, "sort": metric.name}
        best = open_page(admin_client, world, **asked)
        worst = open_page(admin_client, world, **asked, order="asc")

        [heading] = [one for one in best.context["columns"] if one["sorted"]]
        assert (heading["label"], heading["sorted"]) == (metric.label, "descending")
        assert sorted(keys(best)) == sorted(keys(worst))
        turned = admin_client.get(reverse(PAGE) + heading["path"])
        assert keys(turned) == keys(worst)


def keys(answer):
    return [row["key"] for row in answer.context["rows"]]


def test_each_column_has_its_definition_on_the_page(world, admin_client):
    for name, one in SETS.items():
        text = open_page(admin_client, world, columns=name).content.decode()
        for metric in one.metrics:
            definition = str(metric.definition).replace("'", "&#x27;")
            assert f'title="{definition}"' in text
            assert f"<dd>{definition}</dd>" in text


def test_every_metric_is_a_column_of_some_set():
    columns = {metric for one in SETS.values() for metric in one.metrics}

    assert columns == {*METRICS, *CLIENT_METRICS}
    assert set(every_column(Dimension.AFFILIATE)) == columns


def test_what_is_in_no_part_has_a_line_above_the_brand(world, admin_client):
    first = OrderReferral.objects.order_by("pk").first()
    OrderReferral.objects.filter(pk=first.pk).update(coupon_code="spring")
    count_changes(now=lambda: datetime(2026, 1, 4, tzinfo=UTC))

    answer = open_page(admin_client, world, by="coupon")
    file = rows_of(open_page(admin_client, world, by="coupon", file="csv"))

    def numbers(name):
        return [text for _, text in answer.context[name]][:4]

    assert shown(answer)[0][:5] == ["spring", "€300.00", "€30.00", "1", "1"]
    assert numbers("rest") == ["€200.00", "€20.00", "1", "1"]
    assert [(row["Coupon"], row["Net revenue"]) for row in file] == [
        ("spring", "300.00"),
        ("Without a coupon", "200.00"),
    ]
    assert numbers("whole") == ["€500.00", "€50.00", "2", "2"]
    assert "Without a coupon" in answer.text


@pytest.mark.parametrize("dimension", RANKED_BY)
def test_every_dimension_has_its_page(world, admin_client, dimension):
    for name in sets_of(dimension):
        answer = open_page(admin_client, world, by=dimension.value, columns=name)
        assert answer.status_code == 200
        assert answer.context["asked"].dimension is dimension
        assert answer.context["asked"].column_set == name


def test_an_affiliate_leads_to_its_page_and_has_its_name(world, admin_client):
    affiliate, _ = world.affiliates
    affiliate.user.first_name, affiliate.user.last_name = "Ada", "Lovelace"
    affiliate.user.save()

    [row, _] = open_page(admin_client, world).context["rows"]

    assert row["named"].detail == affiliate.user.get_full_name()
    assert admin_client.get(row["named"].path).context["affiliate"] == affiliate


def test_a_coupon_leads_to_its_orders(world, admin_client):
    order = OrderReferral.objects.order_by("pk").first()
    OrderReferral.objects.filter(pk=order.pk).update(coupon_code="spring")
    count_changes(now=lambda: datetime(2026, 1, 4, tzinfo=UTC))

    answer = open_page(admin_client, world, by="coupon")

    assert shown(answer) == [["spring", "€300.00", "€30.00", "1", "1", "0.0 %"]]
    path = answer.context["rows"][0]["named"].path
    listed = admin_client.get(path).context["cl"].queryset
    assert [one.pk for one in listed] == [order.pk]


def test_file_has_every_part_with_every_metric(world, admin_client):
    affiliate, rival = world.affiliates

    answer = open_page(admin_client, world, file="csv", sort="net_revenue")

    assert answer["Content-Disposition"] == (
        'attachment; filename="ranking-affiliate-2026-01-01-2026-01-02.csv"'
    )
    rows = rows_of(answer)
    assert [row["Affiliate"] for row in rows] == [affiliate.code, rival.code]
    first = rows[0]
    assert len(first) == 3 + len(METRICS) + len(CLIENT_METRICS)
    assert first["Currency"] == "EUR"
    assert first["Net revenue"] == "300.00"
    assert first["Conversion rate"] == "50.00"
    assert first["Last sale"] == "2026-01-01"
    assert first["Lifetime value"] == "300.00"


def test_pages_go_on_where_the_one_before_ended(world, admin_client, monkeypatch):
    monkeypatch.setattr(ranking, "ROWS_ON_A_PAGE", 1)
    affiliate, rival = world.affiliates

    first = open_page(admin_client, world)
    second = open_page(admin_client, world, p="2")

    assert [row[0] for row in shown(first)] == [affiliate.code]
    assert [row[0] for row in shown(second)] == [rival.code]
    assert second.context["rows"][0]["number"] == 2
    assert "Next page" in first.content.decode()
    assert "1 to 1 of 2" in first.content.decode()


def test_what_an_address_names_wrongly_is_the_default(world, admin_client):
    wrong = {"by": "moon", "columns": "x", "sort": "y", "order": "z", "p": "-"}

    answer = open_page(admin_client, world, **wrong)

    assert shown(answer) == shown(open_page(admin_client, world))


def test_a_span_of_nothing_says_so(world, admin_client):
    later = {"first_day": "2026-01-03", "last_day": "2026-01-03"}

    text = open_page(admin_client, world, **later).content.decode()

    assert "Nothing to rank: no affiliate has a number on 3 Jan 2026." in text


def test_queries_do_not_grow_with_the_rows(
    world, admin_client, django_assert_max_num_queries
):
    open_page(admin_client, world)
    for columns in ("performance", "clients"):
        with django_assert_max_num_queries(30):
            open_page(admin_client, world, columns=columns)


@pytest.mark.parametrize("page", [PAGE, "admin:affiliates_brand_cohorts"])
def test_needs_all_that_it_shows(world, admin_user, admin_client, page):
    asked = {"brand": world.brand.pk}
    admin_user.is_superuser = False
    admin_user.save()
    names = ["view_brand", "view_click", "view_orderreferral", "view_sale"]
    admin_user.user_permissions.set(Permission.objects.filter(codename__in=names))
    assert admin_client.get(reverse(page), asked).status_code == 403

    commission = Permission.objects.get(codename="view_commission")
    admin_user.user_permissions.add(commission)

    assert admin_client.get(reverse(page), asked).status_code == 200


def test_affiliates_that_went_quiet_with_their_numbers_of_before(world, admin_client):
    affiliate, rival = world.affiliates
    world.pass_by(days=2)
    world.visit(world.arrive(), rival)
    later = {"first_day": "2026-01-02", "last_day": "2026-01-03"}
    now = datetime(2026, 1, 4, tzinfo=UTC)
    count_changes(now=lambda: now)

    answer = open_page(admin_client, world, **later, only="quiet")
    back = open_page(admin_client, world, only="quiet")

    [row] = shown(answer)
    assert row[:5] == [affiliate.code, "€300.00", "€30.00", "1", "1"]
    text = answer.content.decode()
    assert "on 31 Dec 2025 – 1 Jan 2026, and neither on 2 Jan 2026 – 3 Jan 2026" in text
    assert "The whole brand" not in text
    assert "None. A human click or an order" in back.content.decode()


def test_active_affiliates_that_never_started(world, host, admin_client):
    brand = world.brand

    def add(status):
        user = host.client(brand, email=f"{status}@example.com")
        return AffiliateFactory(brand=brand, user=user, code=status, status=status)

    idle, _ = add("active"), add("pending")
    robot_only = AffiliateFactory(
        brand=brand, user=host.client(brand, email="r@example.com"), code="robots"
    )
    at = datetime(2026, 1, 2, tzinfo=UTC)
    ClickFactory(
        affiliate=robot_only,
        created_at=at,
        visitor_id=uuid4(),
        bot_signs="user_agent",
    )
    count_changes(now=lambda: datetime(2026, 1, 5, tzinfo=UTC))

    answer = open_page(admin_client, world, only="never")

    assert [row[0] for row in shown(answer)] == [robot_only.code, idle.code]
    assert "Active affiliates without a single human click or order" in (
        answer.content.decode()
    )
    links = open_page(admin_client, world, by="link", only="never")
    assert links.context["asked"].only == ""
