"""What every list of the admin does: days, sums, brands, numbers, searches."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from uuid import UUID

import pytest
from django.contrib import admin
from django.db import connection
from django.db.models import DateTimeField
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from djmoney.money import Money

from affiliates.adapter import get_adapter
from affiliates.admin_tools.base import ModelAdmin
from affiliates.admin_tools.lists import changelist
from affiliates.admin_tools.lists.filters import DaysFilter
from affiliates.core.ids import first_id_of, new_id
from tests.factories.affiliates import (
    AffiliateFactory,
    AffiliateLinkFactory,
    BrandFactory,
    ClickFactory,
)
from tests.factories.ledger import (
    OrderReferralFactory,
    SaleFactory,
    SaleReversalFactory,
    decision_of,
    touch_of,
)

SALES = "admin:affiliates_sale_changelist"
CLICKED_WITH = '"affiliates_click"."user_agent"'
CLICKS = "admin:affiliates_click_changelist"
MONTH = {"from": "2026-03-01", "until": "2026-03-31"}


@pytest.fixture
def sale_at(brand, affiliate, host):
    client = host.client(brand, email="ada@example.com")
    made = decision_of(
        touch_of(ClickFactory(affiliate=affiliate, visitor_id=UUID(int=7)))
    )

    def make(paid_at, name="a", **fields):
        referral = OrderReferralFactory(
            brand=brand,
            client=client,
            made=made,
            order_ref=f"order-{name}",
            invoice_ref=f"invoice-{name}",
        )
        return SaleFactory(
            order_referral=referral,
            payment__payment_ref=f"payment-{name}",
            paid_at=paid_at,
            **fields,
        )

    return make


@pytest.fixture
def numbered(monkeypatch):
    """The host knows every invoice by a number; what it was asked for."""
    asked = []

    def numbers(refs, *, brand_id):
        asked.append((brand_id, sorted(refs)))
        return {ref: f"INV-{ref[-1]}" for ref in refs}

    def refs(number, *, brand_id=None):
        return [f"invoice-{number[-1]}"]

    # Of the class: an instance keeps what is put back, whatever its class has then.
    adapter = type(get_adapter())
    monkeypatch.setattr(adapter, "invoice_numbers", staticmethod(numbers))
    monkeypatch.setattr(adapter, "invoice_refs", staticmethod(refs))
    return asked


def rows_of(page):
    return list(page.context["cl"].result_list)


def headings(page):
    return list(page.context["cl"].list_display)


@pytest.mark.parametrize(
    ("_case", "chosen", "found"),
    [
        ("both days count whole", MONTH, ["b", "c"]),
        ("from a day on", {"from": "2026-03-31"}, ["c", "d"]),
        ("until a day", {"until": "2026-03-01"}, ["a", "b"]),
        ("any day", {}, ["a", "b", "c", "d"]),
    ],
)
def test_days_are_those_of_the_site(
    admin_client, sale_at, settings, _case, chosen, found
):
    settings.TIME_ZONE = "Europe/Madrid"
    for name, paid_at in {
        "a": datetime(2026, 2, 28, 22, 59, tzinfo=UTC),
        "b": datetime(2026, 2, 28, 23, 0, tzinfo=UTC),
        "c": datetime(2026, 3, 31, 21, 59, tzinfo=UTC),
        "d": datetime(2026, 3, 31, 22, 0, tzinfo=UTC),
    }.items():
        sale_at(paid_at, name)

    page = admin_client.get(reverse(SALES), chosen)

    assert [row.invoice_ref[-1] for row in rows_of(page)][::-1] == found


@pytest.mark.parametrize("day", ["yesterday", "2026-02-30", "0001-01-01", "9999-12-31"])
def test_a_day_that_is_none_leads_back_to_the_list(admin_client, db, day):
    page = admin_client.get(reverse(SALES), {"from": day})

    assert page.status_code == 302
    assert page["Location"].endswith("/sale/?e=1")


def test_other_filters_stay_when_days_are_chosen(admin_client, sale_at, now):
    sale_at(now)

    page = admin_client.get(reverse(SALES), {"status__exact": "recorded", **MONTH})

    text = page.content.decode()
    assert '<input type="hidden" name="status__exact" value="recorded">' in text
    assert 'name="from" value="2026-03-01"' in text
    assert 'name="until" value="2026-03-31"' in text
    today = next(
        one
        for spec in page.context["cl"].filter_specs
        if isinstance(spec, DaysFilter)
        for one in spec.choices(page.context["cl"])
        if one["display"] == "Any day"
    )
    assert today["query_string"] == "?status__exact=recorded"


def test_clicks_of_days_are_read_by_their_ids(admin_client, affiliate):
    noon = datetime(2026, 3, 10, 12, tzinfo=UTC)
    clicks = [
        ClickFactory(
            id=UUID(int=first_id_of(noon + timedelta(days=day)).int + 1),
            affiliate=affiliate,
            visitor_id=UUID(int=day + 9),
            created_at=noon + timedelta(days=day),
        )
        for day in (-1, 0, 1)
    ]

    with CaptureQueriesContext(connection) as asked:
        page = admin_client.get(
            reverse(CLICKS), {"from": "2026-03-10", "until": "2026-03-10"}
        )

    assert rows_of(page) == [clicks[1]]
    listing = next(
        one["sql"]
        for one in asked
        if 'ORDER BY "affiliates_click"."id" DESC' in one["sql"]
    )
    assert '"affiliates_click"."id" >= ' in listing
    assert '"affiliates_click"."id" < ' in listing


def test_what_is_told_late_is_listed_by_its_moment(admin_client, sale_at, now):
    sale_at(now, "a")
    sale_at(now - timedelta(days=400), "b")

    page = admin_client.get(reverse(SALES))

    assert [row.invoice_ref[-1] for row in rows_of(page)] == ["a", "b"]


def test_an_address_sorts_by_no_column_that_cannot_be_chosen(
    admin_client, sale_at, now
):
    sale_at(now, "a", net=Money(1, "EUR"))
    sale_at(now - timedelta(days=1), "b", net=Money(2, "EUR"))
    net = headings(admin_client.get(reverse(SALES))).index("net")

    page = admin_client.get(reverse(SALES), {"o": f"-{net}"})

    assert [row.invoice_ref[-1] for row in rows_of(page)] == ["a", "b"]


@pytest.mark.parametrize("sort", [{}, {"o": "0"}])
def test_clicks_of_one_brand_or_affiliate_are_sorted_by_an_index_of_theirs(
    admin_client, affiliate, sort
):
    ClickFactory(affiliate=affiliate, visitor_id=UUID(int=1))
    for chosen, column in (
        ({}, "id"),
        ({"brand__id__exact": affiliate.brand_id}, "created_at"),
        ({"affiliate__id__exact": affiliate.pk}, "created_at"),
    ):
        with CaptureQueriesContext(connection) as asked:
            page = admin_client.get(reverse(CLICKS), {**chosen, **sort})

        [listing] = [one["sql"] for one in asked if CLICKED_WITH in one["sql"]]
        assert f'ORDER BY "affiliates_click"."{column}" ' in listing
        assert len(rows_of(page)) == 1


def test_no_id_is_below_the_first_of_its_moment():
    before = datetime.now(UTC)

    made = new_id()

    assert first_id_of(before) <= made < first_id_of(before + timedelta(minutes=1))


def test_sums_are_of_all_rows_that_match(admin_client, sale_at, now, monkeypatch):
    sale_at(now, "a", net=Money("12.50", "EUR"))
    sale_at(now, "b", net=Money(Decimal("0.25"), "EUR"))
    sale_at(now - timedelta(days=400), "c", net=Money(5, "EUR"))
    monkeypatch.setattr(
        admin.site.get_model_admin(type(sale_at(now, "d"))), "list_per_page", 1
    )

    page = admin_client.get(
        reverse(SALES), {"from": (now - timedelta(days=1)).date().isoformat()}
    )

    assert len(rows_of(page)) == 1
    assert page.context["cl"].totals == {
        "Net": [Money("112.75", "EUR")],
        "Net after refunds": [Money("112.75", "EUR")],
    }
    assert "Net in all: <strong>€112.75</strong>" in page.content.decode()


def test_rows_are_added_without_looking_them_up_again(admin_client, sale_at, now):
    sale = sale_at(now)
    SaleReversalFactory(sale=sale, net=Money("-12.50", "EUR"))

    with CaptureQueriesContext(
        connection,
    ) as asked:
        page = admin_client.get(reverse(SALES), {"status__exact": sale.status})

    assert page.context["cl"].totals == {
        "Net": [Money("100.00", "EUR")],
        "Net after refunds": [Money("87.50", "EUR")],
    }
    [adding] = [one["sql"] for one in asked if "SUM(" in one["sql"]]
    assert "IN (SELECT" not in adding


def test_a_row_that_a_filter_finds_twice_is_added_once(
    admin_client, sale_at, now, monkeypatch
):
    sale = sale_at(now)
    SaleReversalFactory(sale=sale, net=Money("-12.50", "EUR"))
    SaleReversalFactory(sale=sale, net=Money("-2.50", "EUR"))
    site_page = admin.site.get_model_admin(type(sale))
    twice = type(sale).objects.filter(reversals__net__lt=-1)
    monkeypatch.setattr(site_page, "get_queryset", lambda request: twice)

    page = admin_client.get(reverse(SALES))

    assert page.context["cl"].totals == {
        "Net": [Money("100.00", "EUR")],
        "Net after refunds": [Money("85.00", "EUR")],
    }


@pytest.mark.parametrize(
    ("_case", "most", "totals", "said"),
    [
        (
            "as many as can be added",
            2,
            {
                "Net": [Money(200, "EUR")],
                "Net after refunds": [Money(200, "EUR")],
            },
            "Net in all: <strong>€200.00</strong>",
        ),
        (
            "one more",
            1,
            None,
            "More than 1 rows match, too many to add up: choose days, a filter or a "
            "search to see “Net in all” and “Net after refunds in all”.",
        ),
    ],
)
def test_sums_of_a_cut_list(
    admin_client, sale_at, now, monkeypatch, _case, most, totals, said
):
    monkeypatch.setattr(changelist, "MAX_COUNTED_ROWS", 1)
    monkeypatch.setattr(changelist, "MAX_ADDED_ROWS", most)
    sale_at(now, "a")
    sale_at(now, "b")

    page = admin_client.get(reverse(SALES))

    assert page.context["cl"].totals == totals
    assert said in page.content.decode()


def test_brand_is_shown_where_there_are_several(admin_client, sale_at, now):
    sale_at(now)
    alone = admin_client.get(reverse(SALES))

    BrandFactory(client_area="other.example.com")
    beside = admin_client.get(reverse(SALES))

    assert "brand" not in headings(alone)
    assert "By brand" not in alone.content.decode()
    assert "brand" in headings(beside)
    assert "By brand" in beside.content.decode()


def test_numbers_are_asked_for_once_a_page(admin_client, sale_at, now, numbered, brand):
    sale_at(now, "a")
    sale_at(now, "b")

    page = admin_client.get(reverse(SALES))

    assert numbered == [(brand.pk, ["invoice-a", "invoice-b"])]
    assert [row.invoice_number for row in rows_of(page)] == ["INV-b", "INV-a"]
    assert "invoice-a" not in page.content.decode()


@pytest.mark.parametrize(
    "name", ["orderreferral", "sale", "invoicepayment", "invoicerefund"]
)
def test_rows_are_found_by_the_number_of_their_invoice(
    admin_client, sale_at, now, numbered, name
):
    for one in "ab":
        sale = sale_at(now, one)
        SaleReversalFactory(sale=sale, refund__refund_ref=f"refund-{one}")

    page = admin_client.get(
        reverse(f"admin:affiliates_{name}_changelist"), {"q": "inv-a"}
    )

    assert [row.invoice_ref for row in rows_of(page)] == ["invoice-a"]


def test_story_is_told_with_numbers(admin_client, sale_at, now, numbered):
    sale = sale_at(now)
    row = sale.order_referral_id

    text = admin_client.get(
        reverse("admin:affiliates_orderreferral_change", args=[row])
    ).content.decode()

    assert "Order converted to invoice INV-a." in text
    assert "converted to invoice invoice-a" not in text


@pytest.mark.parametrize(
    ("_case", "typed", "found"),
    [
        ("a whole code, not what it begins", "shop", ["shop"]),
        ("in large letters", " SHOP ", ["shop"]),
        ("a part, where no code is so", "hop-", ["shop-two"]),
        (
            "its address",
            "https://shop.example.com/plans?ref=shop-two&x=1",
            ["shop-two"],
        ),
        ("the client's e-mail", "shop@example.com", ["shop"]),
        ("nothing", "nobody", []),
    ],
)
def test_affiliate_is_found_by(admin_client, brand, host, _case, typed, found):
    for code in ("shop", "shop-two"):
        user = host.client(brand, email=f"{code}@example.com")
        AffiliateFactory(brand=brand, user=user, code=code)

    page = admin_client.get(
        reverse("admin:affiliates_affiliate_changelist"), {"q": typed}
    )

    assert sorted(row.code for row in rows_of(page)) == found


@pytest.mark.parametrize("spelling", ["{}", "{:.12}", "https://a.example/aff/{}?x=1"])
def test_link_is_found_by_its_hash_and_address(admin_client, affiliate, spelling):
    link = AffiliateLinkFactory(affiliate=affiliate, name="Footer")
    AffiliateLinkFactory(affiliate=affiliate, name="Header")

    page = admin_client.get(
        reverse("admin:affiliates_affiliatelink_changelist"),
        {"q": spelling.format(link.hash)},
    )

    assert rows_of(page) == [link]


def test_affiliates_of_two_brands_are_told_apart_where_one_is_chosen(
    admin_client, affiliate, host
):
    other = BrandFactory(client_area="other.example.com", name="Other")
    user = host.client(other, email="b@example.com")
    AffiliateFactory(brand=other, user=user, code=affiliate.code)

    offered = admin_client.get(
        reverse("admin:autocomplete"),
        {
            "term": affiliate.code,
            "app_label": "affiliates",
            "model_name": "affiliatelink",
            "field_name": "affiliate",
        },
    ).json()["results"]

    assert [one["text"] for one in offered] == [
        f"{affiliate.code} (Other)",
        f"{affiliate.code} ({affiliate.brand.name})",
    ]


def test_whole_values_are_looked_up_before_the_table_is_joined(
    admin_client, sale_at, now
):
    sale_at(now)

    with CaptureQueriesContext(connection) as asked:
        admin_client.get(reverse(SALES), {"q": "payment-a"})

    searched = [one["sql"] for one in asked if "affiliates_sale" in one["sql"]]
    assert searched != []
    assert [sql for sql in searched if "UPPER(" in sql or " LIKE " in sql] == []


def dated_lists():
    """Each of our lists of a model with a time, and the name of the first."""
    for model, page in admin.site._registry.items():
        if not isinstance(page, ModelAdmin):
            continue
        times = [row for row in model._meta.fields if isinstance(row, DateTimeField)]
        if times:
            name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
            yield reverse(f"{name}_changelist"), times[0].name


def test_a_date_that_does_not_exist_leads_to_the_list_without_it(admin_client):
    lists = list(dated_lists())

    statuses = {
        path: admin_client.get(path, {f"{column}__year": "99999"}).status_code
        for path, column in lists
    }

    assert {path: code for path, code in statuses.items() if code != 302} == {}
    assert len(lists) > 20


@pytest.mark.parametrize(
    "wrong", [("year", "0"), ("year__gt", "99999"), ("month", "x")]
)
def test_a_file_of_a_date_that_does_not_exist_leads_to_the_list(admin_client, wrong):
    lookup, value = wrong
    path = reverse("admin:affiliates_sale_export", args=["csv"])

    answer = admin_client.get(path, {f"recorded_at__{lookup}": value})

    assert (answer.status_code, answer["Location"]) == (302, "../../")
