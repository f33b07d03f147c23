"""The statistics of one affiliate are by the same metrics as the first page."""

from __future__ import annotations

from copy import deepcopy
from datetime import timedelta

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format

from affiliates.contracts import RefundKind
from affiliates.contrib.statistics import metrics, selectors
from affiliates.contrib.statistics.types import Span
from affiliates.referrals.models import OrderReferral
from affiliates.settlement.services import override_attribution
from tests.factories.affiliates import AffiliateFactory
from tests.factories.programs import make_partners

LINES = [("hosting", "annually", 10_000)]
# Of few days alone: all since the first row are counted.
FIRST_DAY = timezone.now().replace(hour=12) - timedelta(days=3)
DAY = (FIRST_DAY + timedelta(days=1)).date()
SECOND_DAY = {"span": "custom", "first_day": str(DAY), "last_day": str(DAY)}


@pytest.fixture(scope="module")
def kept_world(keep_rows):
    return keep_rows(sell_on_two_days)


@pytest.fixture
def world(db, kept_world):
    """A sale of 100.00 on the first day; of the second day two, of which one half back."""
    return deepcopy(kept_world)


@pytest.fixture
def brand(world):
    return world.brand


@pytest.fixture
def affiliate(world):
    return world.affiliates[0]


def sell_on_two_days():
    world = make_partners("partner", now=FIRST_DAY)
    buy(world)
    world.pass_by(days=1)
    world.visit(world.arrive(), world.affiliates[0])
    orders = [buy(world) for _ in range(2)]
    world.refund(orders[0].invoices[0], 5_950, kind=RefundKind.REFUND)
    return world


def buy(world, affiliate=None):
    visitor = world.arrive()
    world.visit(visitor, affiliate or world.affiliates[0])
    world.register(visitor)
    order = world.convert(visitor, currency="EUR", lines=LINES)
    world.pay(order.invoices[0])
    return order


def somebody(world):
    user = world.host.client(world.brand, email="somebody@example.com")
    return AffiliateFactory(brand=world.brand, user=user, code="somebody")


def page_of(client, affiliate, asked=SECOND_DAY):
    call_command("rebuild_statistics")
    page = reverse("admin:affiliates_affiliate_change", args=[affiliate.pk])
    return client.get(page, {"section": "statistics", **asked})


def tiles_of(numbers):
    return {
        one["label"]: (one["text"], one["before"], one["change"])
        for one in numbers["tiles"]
    }


def test_span_against_the_one_before(world, affiliate, admin_client):
    numbers = page_of(admin_client, affiliate).context["numbers"]

    assert tiles_of(numbers) == {
        "Clicks": ("3", "1", "+200 %"),
        "Human clicks": ("3", "1", "+200 %"),
        "Unique clicks": ("3", "1", "+200 %"),
        "Signups": ("2", "1", "+100 %"),
        "Orders": ("2", "1", "+100 %"),
        "Sales": ("2", "1", "+100 %"),
        "Net revenue": ("€150.00", "€100.00", "+50 %"),
        "Commission": ("€15.00", "€10.00", "+50 %"),
        "Conversion rate": ("66.7 %", "100.0 %", "−33.3 points"),
        "Earnings per click": ("€5.00", "€10.00", "−50 %"),
        "Cost of the program": ("10.0 %", "10.0 %", "+0.0 points"),
        "Reversals": ("1", "0", ""),
    }
    assert {one["label"]: one["text"] for one in numbers["states"]} == {
        "Commission pending": "€15.00",
        "Commission waiting for approval": "€0.00",
        "Commission held": "€0.00",
        "Commission due": "€0.00",
        "Commission paid": "€0.00",
        "Commission rejected": "€0.00",
        "Commission taken back": "€5.00",
    }


def test_every_number_leads_to_as_many_rows(world, affiliate, admin_client, undrawn):
    other = somebody(world)
    buy(world, other)
    numbers = page_of(admin_client, affiliate).context["numbers"]

    rows = {
        one["label"]: admin_client.get(one["path"]).context["cl"].result_count
        for one in (*numbers["tiles"], *numbers["states"])
        if one["path"]
    }

    assert rows == {
        "Clicks": 3,
        "Human clicks": 3,
        "Signups": 2,
        "Orders": 2,
        "Sales": 2,
        "Net revenue": 2,
        "Commission": 2,
        "Commission pending": 2,
        "Commission waiting for approval": 0,
        "Commission held": 0,
        "Commission due": 0,
        "Commission paid": 0,
        "Commission rejected": 0,
    }


def test_no_two_screens_differ(world, affiliate, brand, admin_client):
    shown = page_of(admin_client, affiliate).context["numbers"]
    first_page = reverse("admin:affiliates_brand_overview")
    whole = admin_client.get(first_page, {"brand": brand.pk, **SECOND_DAY})

    mine, of_brand = tiles_of(shown), tiles_of(whole.context["numbers"])
    assert {label: mine[label] for label in of_brand} == of_brand
    drawn = [
        [one.points for one in each["charts"]]
        for each in (shown, whole.context["numbers"])
    ]
    assert drawn[0] == drawn[1]
    day = shown["charts"][0].points[0]
    span = Span(*[world.now.date()] * 2)
    listed = selectors.by_affiliate([affiliate.pk], now=world.now, span=span)
    in_list = listed[affiliate.pk].in_currency("EUR")
    assert day.text == metrics.NET_REVENUE.text(in_list, "EUR") == "€150.00"


def test_sales_of_an_assigned_order_are_found_with_who_has_it(
    world, affiliate, admin_user, admin_client
):
    other = somebody(world)
    order = buy(world)
    override_attribution(
        referral_id=OrderReferral.objects.get(order_ref=order.ref).pk,
        affiliate_id=other.pk,
        reason="Brought by phone",
        actor_id=admin_user.pk,
        now=world.now,
    )

    tiles = page_of(admin_client, other).context["numbers"]["tiles"]

    [sales] = [one for one in tiles if one["label"] == "Sales"]
    listed = admin_client.get(sales["path"]).context["cl"].result_count
    assert (sales["text"], listed) == ("1", 1)


def test_best_links_and_sub_ids_are_its_own(world, affiliate, link, admin_client):
    other = somebody(world)
    for code in (
        link.hash,
        "partner&sub=letter",
        "partner&sub=letter",
        "partner&sub=blog",
    ):
        affiliate.code = code
        world.visit(world.arrive(), affiliate)
    other.code = "somebody&sub=theirs"
    world.visit(world.arrive(), other)

    tops = page_of(admin_client, affiliate).context["numbers"]["tops"]

    rows = {str(one["title"]): one["rows"] for one in tops}
    assert [(name, values) for name, _, values in rows["Top links"]] == [
        (str(link), ["0", "1"])
    ]
    assert rows["Sub-ids"] == [("letter", "", ["0", "2"]), ("blog", "", ["0", "1"])]
    assert rows["Top products"] == [("hosting-1", "", ["2", "€150.00"])]


def test_page_names_the_days_and_keeps_its_section(
    world, affiliate, brand, admin_client
):
    answer = page_of(admin_client, affiliate)

    text = answer.content.decode()
    assert f"Days of {brand.zone()}." in text
    assert date_format(DAY, "j M Y") in text
    assert 'href="?section=statistics&amp;span=90"' in text
    assert '<input type="hidden" name="section" value="statistics">' in text


def test_page_asks_little(
    world, affiliate, admin_client, django_assert_max_num_queries
):
    page_of(admin_client, affiliate)

    with django_assert_max_num_queries(25):
        page = reverse("admin:affiliates_affiliate_change", args=[affiliate.pk])
        admin_client.get(page, {"section": "statistics", "span": "90"})
