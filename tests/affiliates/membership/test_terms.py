"""The terms by which one affiliate earns and is paid."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest

from affiliates.membership.terms import CapUse, affiliate_terms
from affiliates.program.rules import AffiliateStatus
from tests.affiliates.till import PAID_AT
from tests.cases import each
from tests.database import queries_of
from tests.factories.affiliates import AffiliateFactory, BrandFactory
from tests.factories.payouts import PayoutTermsFactory
from tests.factories.plans import AffiliateGroupFactory, CommissionPlanFactory

pytestmark = pytest.mark.django_db

TIERS = [
    {"unit": "sales", "from": "3", "percent": "20"},
    {"unit": "sales", "from": "6", "percent": "25"},
]
REVENUE = [
    {"unit": "EUR", "from": "150.00", "percent": "12"},
    {"unit": "USD", "from": "500.00", "percent": "15"},
]
CAP = {"cap_period": "month", "cap_amounts": {"EUR": "60.00", "USD": "66.00"}}
NOW = PAID_AT + timedelta(days=3)
APRIL = datetime(2026, 4, 1, tzinfo=UTC)


@pytest.fixture
def give(brand, affiliate):
    """A plan of the affiliate's own with these rules."""

    def give(*rules, **fields):
        affiliate.plan = CommissionPlanFactory(brand=brand, rules=[*rules], **fields)
        affiliate.save()
        return affiliate

    return give


@pytest.fixture
def sell(order, till):
    """The affiliate's sales of 100.00 EUR: an order and its renewals."""

    def sell(count, *, at=PAID_AT):
        for number in range(count):
            till.pay(
                invoice="invoice-1" if not number else f"invoice-{number + 1}",
                renewal=number,
                at=at + timedelta(minutes=number),
            )

    return sell


def test_an_affiliate_reads_rates_conditions_and_examples(give, catalogue, brand):
    catalogue("Agency 240 annually", "Starter 5 monthly")
    PayoutTermsFactory(brand=brand, minimums={"EUR": 25_00})
    affiliate = give(
        {"percent": 20, "kind": "hosting", "position_to": 12},
        {"percent": 30, "product_ref": "starter"},
        hold_days_by_cycle={"annually": 0},
        joining_bonus={"EUR": "10.00"},
    )  # fmt: skip

    terms = affiliate_terms(affiliate, now=NOW)

    assert terms.rates == (
        "20 % of hosting, the first payment and 12 renewals.",
        "30 % of product Starter.",
    )
    assert terms.conditions == (
        "Approved after 30 days (billed yearly: at once).",
        "A joining bonus of €10.00 with the first commission that is approved.",
    )
    assert [example.text for example in terms.examples] == [
        "Agency, yearly €240.00: you earn €48.00 for each of the first 13 payments.",
        "Starter, monthly €5.00: you earn €1.50 each time.",
    ]
    assert (terms.tiers, terms.caps) == ((), ())
    assert terms.payout.minimums == {"EUR": 25_00}
    assert terms.window_days == brand.attribution_window_days == 90


def test_the_own_plan_is_before_the_group_s_and_the_default_one(
    brand, affiliate, plan, give
):
    by_default = affiliate_terms(affiliate, now=NOW).rates
    of_group = CommissionPlanFactory(brand=brand, rules=[{"percent": 15}])
    affiliate.group = AffiliateGroupFactory(brand=brand, plan=of_group)
    by_group = affiliate_terms(affiliate, now=NOW).rates
    by_own = affiliate_terms(give({"percent": 25}), now=NOW).rates

    assert by_default == ("10 % of everything.",)
    assert by_group == ("15 % of everything.",)
    assert by_own == ("25 % of everything.",)


def test_the_rates_of_other_affiliates_and_brands_are_not_shown(
    brand, affiliate, rival, host, catalogue
):
    catalogue("Agency 240 annually")
    rules = [{"percent": 50, "affiliate": rival}, {"percent": 10}]
    CommissionPlanFactory(brand=brand, is_default=True, rules=rules)
    other = BrandFactory(client_area="other.example.com")
    CommissionPlanFactory(brand=other, is_default=True, rules=[{"percent": 40}])
    abroad = AffiliateFactory(brand=other, user=host.client(other, email="a@b.example"))

    own, of_rival, of_abroad = (
        affiliate_terms(each_affiliate, now=NOW)
        for each_affiliate in (affiliate, rival, abroad)
    )

    assert own.rates == ("10 % of everything.",)
    assert own.examples[0].commission == 24_00
    assert of_rival.rates == (
        "50 % of everything, for affiliate rival only.",
        "10 % of everything.",
    )
    assert of_rival.examples[0].commission == 120_00
    assert of_abroad.rates == ("40 % of everything.",)


def test_without_a_plan_nothing_is_earned(affiliate, brand, catalogue):
    catalogue("Agency 240 annually")
    PayoutTermsFactory(brand=brand, minimums={"EUR": 25_00})

    terms = affiliate_terms(affiliate, now=NOW)

    assert terms.plan is None
    assert (terms.rates, terms.examples, terms.conditions) == ((), (), ())
    assert (terms.payout.minimums, terms.window_days) == ({"EUR": 25_00}, 90)


@each("status", list(AffiliateStatus))
def test_terms_are_the_same_in_every_status(status, affiliate, plan, catalogue):
    catalogue("Agency 240 annually")
    affiliate.status = status

    terms = affiliate_terms(affiliate, now=NOW)

    assert terms.rates == ("10 % of everything.",)
    assert terms.examples[0].commission == 24_00


@pytest.mark.parametrize(
    ("sales", "days", "percent", "commission", "ahead"),
    [
        (0, 3, 15, 36_00, "3 sales to go to 20 %."),
        (2, 3, 15, 36_00, "1 sale to go to 20 %."),
        (3, 3, 20, 48_00, "3 sales to go to 25 %."),
        (6, 3, 25, 60_00, "This is the highest rate."),
        # The month after.
        (6, 35, 15, 36_00, "3 sales to go to 20 %."),
    ],
)
def test_the_tier_reached_is_that_of_the_month(
    give, sell, catalogue, sales, days, percent, commission, ahead
):
    catalogue("Agency 240 annually")
    affiliate = give({"percent": 15, "tiers": TIERS})
    sell(sales)

    terms = affiliate_terms(affiliate, now=PAID_AT + timedelta(days=days))

    [standing] = terms.tiers
    assert standing.progress.percent == percent
    assert standing.sentences[1] == ahead
    assert terms.examples[0].commission == commission


def test_tiers_of_revenue_are_of_each_currency(give, sell, catalogue):
    catalogue("Agency 240 annually")
    affiliate = give({"percent": 10, "tiers": REVENUE, "tier_period": "always"})
    sell(2)

    terms = affiliate_terms(affiliate, now=NOW)

    assert [standing.sentences for standing in terms.tiers] == [
        (
            "12 % of everything: €200.00 of revenue for all time so far.",
            "This is the highest rate.",
        ),
        (
            "10 % of everything: $0.00 of revenue for all time so far.",
            "$500.00 of revenue to go to 15 %.",
        ),
    ]
    assert terms.examples[0].commission == 28_80


def test_the_cap_s_use_is_of_the_period_and_less_refunds(give, sell, till):
    affiliate = give({"percent": 10}, **CAP)
    sell(2)
    till.refund("100.00", at=PAID_AT + timedelta(days=1))

    euros, dollars = affiliate_terms(affiliate, now=NOW).caps
    later = affiliate_terms(affiliate, now=APRIL).caps[0]

    assert euros == CapUse(currency="EUR", cap=60_00, used=10_00, ends_at=APRIL)
    assert (euros.left, dollars.used, dollars.left) == (50_00, 0, 66_00)
    assert (later.used, later.left) == (0, 60_00)


@each(
    ("used", "left"), [(0, 60_00), (59_99, 1), (60_00, 0), (70_00, 0), (-5_00, 65_00)]
)
def test_what_is_left_of_a_cap_is_never_below_zero(used, left):
    use = CapUse(currency="EUR", cap=60_00, used=used, ends_at=None)

    assert use.left == left


def test_a_cap_for_life_never_starts_again(give):
    affiliate = give({"percent": 10}, **{**CAP, "cap_period": "lifetime"})

    assert [use.ends_at for use in affiliate_terms(affiliate, now=NOW).caps] == [
        None,
        None,
    ]


def test_a_plan_s_next_version_is_read_from_its_day(brand, affiliate):
    plan = CommissionPlanFactory(brand=brand, is_default=True)
    first = plan.versions.get()
    terms = first.terms | {"rules": [first.terms["rules"][0] | {"percent": "30"}]}
    plan.versions.create(
        number=2, terms=terms, digest="changed", effective_from=NOW + timedelta(days=1)
    )

    before, after = (
        affiliate_terms(affiliate, now=NOW + timedelta(days=days)).rates
        for days in (0, 1)
    )

    assert (before, after) == (("10 % of everything.",), ("30 % of everything.",))


def test_queries_do_not_grow_with_products_and_sales(give, sell, catalogue):
    """The plan, the minimums, the sales of tiers, and one for each currency's cap."""
    affiliate = give({"percent": Decimal(15), "tiers": TIERS}, **CAP)
    catalogue(*(f"Plan{number} 240 annually" for number in range(40)))
    sell(6)

    counted = queries_of(lambda: affiliate_terms(affiliate, now=NOW))

    assert counted == 5
