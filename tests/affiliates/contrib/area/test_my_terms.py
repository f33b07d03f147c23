"""What an affiliate reads of its terms, as the API answers them and the page shows them."""

from __future__ import annotations

from html import unescape

import pytest
import time_machine
from django.test import Client
from django.utils.html import strip_tags
from rest_framework.test import APIClient

from affiliates.program.rules import AffiliateStatus
from tests.affiliates.till import PAID_AT
from tests.database import queries_of
from tests.factories.affiliates import AffiliateFactory, BrandFactory
from tests.factories.payouts import PayoutTermsFactory
from tests.factories.plans import CommissionPlanFactory
from tests.factories.recruitment import ProgramTermsFactory, TermsAcceptanceFactory

pytestmark = pytest.mark.django_db

PAGE = "/affiliate/my-terms"
ACCEPTED = "/affiliate/terms"
TERMS = "/api/affiliate/terms"
TIERS = [{"unit": "sales", "from": "3", "percent": "20"}]
NO_PLAN = "No commission plan applies to you yet, so orders earn you nothing."


@pytest.fixture(autouse=True)
def _clock():
    with time_machine.travel(PAID_AT, tick=False):
        yield


@pytest.fixture
def partner(affiliate) -> APIClient:
    client = APIClient()
    client.force_authenticate(affiliate.user)
    return client


@pytest.fixture
def capped(brand, catalogue):
    """The brand's default plan, with tiers and a cap, and its two products."""
    catalogue("Agency 240 annually", "Moving 49 one_time")
    PayoutTermsFactory(brand=brand, minimums={"EUR": 50_00})
    return CommissionPlanFactory(
        brand=brand,
        is_default=True,
        rules=[
            {"percent": 15, "tiers": TIERS, "position_to": 0},
        ],
        cap_period="month",
        cap_amounts={"EUR": "60.00"},
        hold_days_by_cycle={"annually": 0},
        allows_paid_ads=False,
        recruiter_percent=10,
    )


def text_of(page) -> str:
    """The page's words in their order."""
    return " ".join(unescape(strip_tags(page.text)).split())


def test_the_api_answers_all_terms(partner, affiliate, capped, brand):
    accepted = ProgramTermsFactory(brand=brand, text="Be fair.")
    TermsAcceptanceFactory(affiliate=affiliate, version=accepted)

    data = partner.get(TERMS).json()["data"]

    assert data == {
        "rates": ["15 % of everything, 20 % from 3 sales in the calendar month, new orders "
                  "only."],
        "conditions": [
            "Approved after 30 days (billed yearly: at once).",
            "At most €60.00 for an affiliate in a calendar month.",
        ],
        "examples": [
            {
                "product": name,
                "billing_cycle": billing_cycle,
                "cycle": cycle,
                "currency": "EUR",
                "price": price,
                "commission": commission,
                "stages": [{"commission": commission, "payments": 1}],
                "payments": payments,
                "text": f"{name}, {cycle} €{price}: you earn €{commission}{said}.",
            }
            for name, billing_cycle, cycle, price, commission, payments, said in (
                ("Agency", "annually", "yearly", "240.00", "36.00",
                 "for the first payment only", " for the first payment only"),
                ("Moving", "one_time", "one time", "49.00", "7.35", "", ""),
            )
        ],
        "tiers": [
            {
                "unit": "sales",
                "counted": "0",
                "percent": "15",
                "next_percent": "20",
                "missing": "3",
                "sentences": [
                    "15 % of everything: 0 sales in the calendar month so far.",
                    "3 sales to go to 20 %.",
                ],
            }
        ],
        "caps": [
            {
                "currency": "EUR",
                "cap": "60.00",
                "used": "0.00",
                "left": "60.00",
                "ends_at": "2026-04-01T00:00:00+00:00",
            }
        ],
        "hold_days": 30,
        "hold_days_by_cycle": {"annually": 0},
        "allows_paid_ads": False,
        "recruiter_percent": "10",
        "window_days": 90,
        "minimums": [{"currency": "EUR", "amount": "50.00"}],
        "other_minimum": 50,
        "recruiting": {
            "percent": "10",
            "count": 0,
            "address": "https://shop.example.com/affiliate/program?by=partner",
        },
        "accepted": {
            "number": 1,
            "text": "Be fair.",
            "accepted_at": "2026-03-01T12:00:00+00:00",
        },
    }  # fmt: skip


def test_without_a_plan_and_terms_the_api_answers_null(partner):
    data = partner.get(TERMS).json()["data"]

    assert {name for name, value in data.items() if value is None} == {
        "hold_days",
        "hold_days_by_cycle",
        "allows_paid_ads",
        "recruiter_percent",
        "recruiting",
        "accepted",
    }
    assert (data["rates"], data["window_days"]) == ([], 90)


def test_the_page_says_what_is_earned(browser, affiliate, rival, capped, order, till):
    affiliate.recruiter = rival
    affiliate.save()
    till.pay("100.00")

    shown = text_of(browser.get(PAGE))

    for sentence in (
        "15 % of everything, 20 % from 3 sales in the calendar month, new orders only.",
        "15 % of everything: 1 sale in the calendar month so far. 2 sales to go to 20 %.",
        "Of your cap of €60.00 you have earned €15.00; €45.00 are left.",
        "It starts again on 1 Apr 2026, 00:00.",
        "Approved after 30 days (billed yearly: at once).",
        "A click counts for orders within 90 days.",
        "At least €50.00, 50 in every other currency.",
        "Paid advertising is forbidden.",
        "Gets 10 % of what you earn, in addition to your commission.",
        "There is nothing for you to accept.",
    ):
        assert sentence in shown
    for cell in ("Agency", "€240.00 yearly", "€36.00", "for the first payment only"):
        assert cell in shown


def test_the_page_is_in_german(browser, capped):
    page = browser.get(PAGE, headers={"accept-language": "de"})

    shown = text_of(page).replace("\xa0", " ")

    for sentence in (
        "Meine Konditionen",
        "15 % auf alles: bisher 0 Verkäufe im Kalendermonat.",
        "Noch 3 Verkäufe bis 20 %.",
        "Von Ihrer Obergrenze von 60,00 € haben Sie 0,00 € verdient",
        "240,00 € jährlich",
        "nur für die erste Zahlung",
        "Ein Klick zählt für Bestellungen innerhalb von 90 Tagen.",
        "Bezahlte Werbung ist verboten.",
    ):
        assert sentence in shown


@pytest.mark.parametrize(("cookie_days", "is_said"), [(30, True), (90, False)])
def test_a_shorter_cookie_is_said_beside_the_window(
    browser, brand, plan, cookie_days, is_said
):
    brand.cookie_lifetime_days = cookie_days
    brand.save()

    shown = text_of(browser.get(PAGE))

    assert "A click counts for orders within 90 days." in shown
    kept = "A browser without a registered client keeps it for 30 days."
    assert (kept in shown) is is_said


@pytest.mark.parametrize("status", list(AffiliateStatus))
def test_rates_are_read_in_every_status(browser, partner, affiliate, plan, status):
    affiliate.status = status
    affiliate.save()

    page = browser.get(PAGE)

    assert page.status_code == 200
    assert "10 % of everything." in page.text
    assert partner.get(TERMS).json()["data"]["rates"] == ["10 % of everything."]


def test_without_a_plan_the_page_says_what_to_do(browser, brand):
    shown = text_of(browser.get(PAGE))

    assert f"{NO_PLAN} Ask {brand.name} which rates you get." in shown


def test_an_affiliate_of_another_brand_reads_its_own(brand, plan, host):
    other = BrandFactory(client_area="other.example.com")
    CommissionPlanFactory(brand=other, is_default=True, rules=[{"percent": 40}])
    abroad = AffiliateFactory(brand=other, user=host.client(other, email="a@b.example"))
    api = APIClient()
    api.force_authenticate(abroad.user)
    here, there = (
        Client(headers={"host": site})
        for site in ("shop.example.com", "other.example.com")
    )
    for browser in (here, there):
        browser.force_login(abroad.user)

    assert api.get(TERMS).json()["data"]["rates"] == ["40 % of everything."]
    assert "40 % of everything." in there.get(PAGE).text
    assert here.get(PAGE)["Location"] == "/affiliate/welcome"


@pytest.mark.parametrize(
    ("percent", "count", "said"),
    [
        (10, 0, "you get 10 % of what they earn. You have recruited 0 affiliates."),
        (10, 1, "you get 10 % of what they earn. You have recruited 1 affiliate."),
        (0, 1, "you get what that plan says. You have recruited 1 affiliate."),
        (0, 0, ""),
    ],
)
def test_recruiting_is_shown_with_a_share_or_recruits(
    browser, brand, affiliate, rival, percent, count, said
):
    CommissionPlanFactory(brand=brand, is_default=True, recruiter_percent=percent)
    if count:
        rival.recruiter = affiliate
        rival.save()

    for page in (PAGE, "/affiliate/links"):
        text = browser.get(page).text

        assert said in text
        assert ("/affiliate/program?by=partner" in text) is bool(said)


@pytest.mark.parametrize("_case", ["suspended", "program off"])
def test_who_cannot_recruit_has_no_address(_case, browser, affiliate, capped, brand):
    if _case == "suspended":
        affiliate.status = AffiliateStatus.SUSPENDED
        affiliate.save()
    else:
        brand.own_program = False
        brand.save()

    assert "?by=partner" not in browser.get(PAGE).text


def test_the_accepted_terms_are_read_with_version_and_day(browser, affiliate, brand):
    for number, text in enumerate(["Be fair.", "Be fair and kind."], start=1):
        version = ProgramTermsFactory(brand=brand, number=number, text=text)
        TermsAcceptanceFactory(affiliate=affiliate, version=version)

    mine, shown = text_of(browser.get(PAGE)), text_of(browser.get(ACCEPTED))

    assert "You accepted version 2 on 1 Mar 2026." in mine
    assert f'href="{ACCEPTED}"' in browser.get(PAGE).text
    assert "Version 2, accepted on 1 Mar 2026 Be fair and kind." in shown
    assert "nothing for you to accept" not in shown


def test_new_terms_stand_beside_those_accepted(browser, affiliate, brand):
    old, _new = (
        ProgramTermsFactory(brand=brand, number=number, text=text)
        for number, text in ((1, "Be fair."), (2, "Be kind."))
    )
    TermsAcceptanceFactory(affiliate=affiliate, version=old)

    shown = text_of(browser.get(ACCEPTED))

    assert shown.index("Be kind.") < shown.index("Version 1, accepted on 1 Mar 2026")
    assert "Be fair." in shown


def test_queries_do_not_grow_with_products(browser, partner, capped, catalogue):
    few = [
        queries_of(lambda: browser.get(PAGE)),
        queries_of(lambda: partner.get(TERMS)),
    ]
    catalogue(*(f"Plan{number} 5 monthly" for number in range(30)))

    many = [
        queries_of(lambda: browser.get(PAGE)),
        queries_of(lambda: partner.get(TERMS)),
    ]

    assert many == few
    assert max(many) <= 25
