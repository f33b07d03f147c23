"""What came of each thing that an affiliate shares: rows that add up to the total."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from uuid import uuid4

import pytest
import time_machine

from affiliates.contrib.area.earnings.results import COLUMNS
from tests.affiliates.till import order_of
from tests.factories.affiliates import ClickFactory
from tests.factories.ledger import OrderReferralFactory, decision_of, touch_of
from tests.factories.plans import CommissionPlanFactory, CouponCodeFactory

pytestmark = pytest.mark.django_db
STATISTICS = "/affiliate/statistics"
OF_COUPON = (0, 0, 1, 1, None, None, "5.00")


@pytest.fixture(autouse=True)
def _clock(now):
    with time_machine.travel(now + timedelta(hours=1), tick=False):
        yield


@pytest.fixture
def sold(affiliate, link, plan, buyer, till, now):
    """Sales by the own address, a link, a coupon and staff, and a click without any."""
    link.name = "Blog"
    link.save()
    CouponCodeFactory(affiliate=affiliate, code="AUTUMN")

    def click(**fields):
        fields = {"referrer_url": "", "country": "", **fields}
        return ClickFactory(
            affiliate=affiliate, visitor_id=uuid4(), created_at=now, **fields
        )

    def sell(name, net, of, **fields):
        OrderReferralFactory(
            brand=affiliate.brand,
            client=buyer,
            made=decision_of(touch_of(of)),
            order_ref=f"order-{name}",
            invoice_ref=f"invoice-{name}",
            **fields,
        )
        till.pay(net, invoice=f"invoice-{name}", order=f"order-{name}")

    click()
    direct = click(sub_id="mail", country="DE")
    sell("address", "100.00", direct)
    sell("link", "200.00", click(link=link, referrer_url="https://blog.example/a"))
    sell("coupon", "50.00", direct, click_id=None, coupon_code="AUTUMN")
    sell("staff", "30.00", direct, click_id=None)


def cells(figures):
    counts = figures["counts"]
    amounts = figures["amounts"]["EUR"]
    return tuple({**counts, **amounts}[column.name] for column in COLUMNS)


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        (
            "link",
            {
                "Your short address": (2, 2, 1, 1, "50.0", "5.00", "10.00"),
                "Blog": (1, 1, 1, 1, "100.0", "20.00", "20.00"),
                "Coupon AUTUMN": OF_COUPON,
                "Without a link": (0, 0, 1, 1, None, None, "3.00"),
            },
        ),
        (
            "coupon",
            {
                "Coupon AUTUMN": OF_COUPON,
                "Without a coupon": (3, 3, 3, 3, "100.0", "11.00", "33.00"),
            },
        ),
        (
            "sub_id",
            {
                "mail": (1, 1, 1, 1, "100.0", "10.00", "10.00"),
                "Without a sub-id": (2, 2, 3, 3, "150.0", "14.00", "28.00"),
            },
        ),
        (
            "referrer",
            {
                "blog.example": (1, 1, 1, 1, "100.0", "20.00", "20.00"),
                "Direct or unknown": (2, 2, 3, 3, "150.0", "9.00", "18.00"),
            },
        ),
        (
            "country",
            {
                "DE": (1, 1, 1, 1, "100.0", "10.00", "10.00"),
                "Unknown": (2, 2, 3, 3, "150.0", "14.00", "28.00"),
            },
        ),
    ],
)
def test_the_rows_of_each_partition_add_up_to_the_total(browser, sold, by, expected):
    answer = browser.get(f"{STATISTICS}?by={by}")

    total = cells(answer.context["total"])
    rows = {row["label"]: cells(row["figures"]) for row in answer.context["rows"]}
    assert {label.partition(" (")[0]: row for label, row in rows.items()} == expected
    assert total == (3, 3, 4, 4, "133.3", "12.67", "38.00")
    for place in (0, 1, 2, 3):
        assert sum(row[place] for row in rows.values()) == total[place]
    assert sum(Decimal(row[-1]) for row in rows.values()) == Decimal(total[-1])


def test_results_are_written_in_the_reader_s_language(browser, sold, link):
    english = browser.get(f"{STATISTICS}?by=link").text
    german = browser.get(
        f"{STATISTICS}?by=link", headers={"accept-language": "de"}
    ).text

    assert f'<a href="/affiliate/links/{link.pk}">Blog ' in english
    assert '<td class="number">133.3 %</td>' in english
    assert '<td class="number">–</td>' in english
    assert "<div>€20.00</div>" in english
    assert ">Total</th>" in english
    assert ">133,3 %</td>" in german
    assert "<div>20,00\xa0€</div>" in german
    assert ">Ohne Link</th>" in german


def test_links_begin_with_the_own_address_and_what_came_by_it(browser, sold, link):
    answer = browser.get("/affiliate/links")
    filtered = browser.get("/affiliate/links?is_active=true")

    [blog] = answer.context["found"]["links"]
    assert cells(answer.context["own"]) == (2, 2, 1, 1, "50.0", "5.00", "10.00")
    assert cells(blog["figures"]) == (1, 1, 1, 1, "100.0", "20.00", "20.00")
    assert answer.text.index(">Your short address") < answer.text.index(">Blog</a>")
    assert 'href="/affiliate/statistics?by=link"' in answer.text
    assert filtered.context["own"] is None
    assert ">Your short address" not in filtered.text
    assert ">Your short address" in browser.get("/affiliate/links?page=1").text


def test_coupons_show_what_came_of_each(browser, affiliate, sold):
    CouponCodeFactory(affiliate=affiliate, code="WINTER")

    answer = browser.get("/affiliate/coupons")

    autumn, winter = answer.context["found"]["coupons"]
    assert (autumn["code"], cells(autumn["figures"])) == ("AUTUMN", OF_COUPON)
    assert cells(winter["figures"]) == (0, 0, 0, 0, None, None, "0.00")
    assert '"Commission"><div>€5.00</div></td>' in answer.text
    assert '"Commission">–</td>' in answer.text
    assert 'href="/affiliate/statistics?by=coupon"' in answer.text


def test_parts_that_are_not_shown_are_in_the_rest(browser, affiliate, now):
    for number in range(51):
        ClickFactory(
            affiliate=affiliate,
            visitor_id=uuid4(),
            created_at=now,
            sub_id=f"id-{number}",
        )

    rows = browser.get(f"{STATISTICS}?by=sub_id").context["rows"]

    assert len(rows) == 51
    assert rows[-1]["label"] == "Others / without a sub-id"
    assert rows[-1]["figures"]["counts"]["human_clicks"] == 1


def test_a_share_counts_under_no_coupon(browser, brand, affiliate, rival, buyer, till):
    CommissionPlanFactory(brand=brand, is_default=True, recruiter_percent=Decimal(20))
    CouponCodeFactory(affiliate=rival, code="THEIRS")
    rival.recruiter = affiliate
    rival.save()
    order_of(
        rival,
        buyer,
        order_ref="order-9",
        invoice_ref="invoice-9",
        click_id=None,
        coupon_code="THEIRS",
    )
    till.pay(order="order-9", invoice="invoice-9")

    for by in ("link", "coupon"):
        answer = browser.get(f"{STATISTICS}?by={by}")
        [row] = answer.context["rows"]
        assert (row["label"], cells(row["figures"])[-1]) == (f"Without a {by}", "2.00")
        assert "THEIRS" not in answer.text
