"""Tiers as they are typed, what a line earns by them, and the words for both."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

import pytest

from affiliates.plans.rules.computation import (
    compute_commission,
    is_sound,
    recompute_line,
)
from affiliates.plans.rules.explanations import explain_receipt
from affiliates.plans.rules.matching import (
    Counted,
    LineFacts,
    SaleFacts,
    tier_period_start,
)
from affiliates.plans.rules.messages import describe_progress, describe_rule
from affiliates.plans.rules.terms import (
    CouponTerms,
    PlanTerms,
    RateKind,
    RuleTerms,
    TierPeriod,
)
from affiliates.plans.rules.tiers import (
    TierProgress,
    check_tiers,
    parse_tiers,
    progress_of,
    tiers_of,
    tiers_text,
)
from tests.cases import each

PAID_AT = datetime(2026, 3, 1, 12, tzinfo=UTC)


def rule(typed: str, period: TierPeriod = TierPeriod.MONTH) -> RuleTerms:
    tiers = tiers_of(parse_tiers(typed))
    return RuleTerms(percent=Decimal(10), tiers=tiers, tier_period=period)


def compute(rule: RuleTerms, seen: int, currency: str = "EUR", **sale):
    basis = rule.tier_basis
    facts = SaleFacts(
        currency=currency,
        renewal_number=0,
        position=0,
        ordered_at=PAID_AT,
        paid_at=PAID_AT,
        affiliate_id=1,
        counted={} if basis is None else {basis: Counted(PAID_AT, seen)},
        lines=(LineFacts(position=1, net=10000),),
        **sale,
    )
    made = compute_commission(
        facts, terms=PlanTerms(rules=(rule,)), plan_name="Standard", version_number=1
    )
    return made.lines[0].receipt


@each(
    ("typed", "shown"),
    [
        ("", ""),
        ("sales 10 12.5", "sales 10 12.5"),
        (" SALES 50 15 , sales 010 12.500 ,", "sales 10 12.5, sales 50 15"),
        (
            "usd 900 11, EUR 5000 15, eur 1000 12",
            "EUR 1000.00 12, EUR 5000.00 15, USD 900.00 11",
        ),
        ("jpy 9000 11", "JPY 9000 11"),
    ],
)
def test_tiers_are_read_in_any_order_and_shown_in_one(typed, shown):
    assert tiers_text(parse_tiers(typed)) == shown
    assert parse_tiers(shown) == parse_tiers(typed)


@each(
    ("typed", "fault"),
    [
        (
            "10 12.5",
            "10 12.5: write tiers as sales 10 12.5, sales 50 15, or EUR 1000 12.5.",
        ),
        ("sales ten 12.5", "ten is no number of sales: write 1 to 10000."),
        ("sales 0 12.5", "0 is no number of sales: write 1 to 10000."),
        ("sales 10001 12.5", "10001 is no number of sales: write 1 to 10000."),
        ("sales 10 much", "much is no rate in percent."),
        ("sales 10 NaN", "NaN is no rate in percent."),
        ("sales 10 101", "A rate is from 0 to 100 percent."),
        ("sales 10 1.2345", "A rate has at most three decimals."),
        ("ZZZ 10 12", "ZZZ is no currency: write its three letters, EUR."),
        ("EUR 0 12", "0 is no amount: it must be above zero."),
        ("sales 10 12, EUR 10 12", "Tiers go by sales or by revenue, not by both."),
        (
            "sales 10 12, sales 10 13",
            "Two tiers begin at the same number: keep one of the two.",
        ),
    ],
)
def test_what_is_no_tier_says_what_to_write(typed, fault):
    with pytest.raises(ValueError) as refusal:  # noqa: PT011 - its words are compared
        parse_tiers(typed)

    assert str(refusal.value) == fault


def test_stored_tiers_are_read_in_any_order_of_their_names():
    """PostgreSQL does not keep the order in which a JSON object was written."""
    (tier,) = parse_tiers("sales 3 20")

    assert check_tiers([dict(sorted(tier.items()))]) == [tier]


def test_only_a_rate_in_percent_has_tiers():
    with pytest.raises(ValueError, match="Only a rate in percent has tiers"):
        RuleTerms(rate_kind=RateKind.NONE, tiers=tiers_of(parse_tiers("sales 1 2")))


@each(
    ("typed", "currency", "seen", "amount"),
    [
        ("sales 10 12.5, sales 50 15", "EUR", 0, 1000),
        ("sales 10 12.5, sales 50 15", "EUR", 9, 1000),
        ("sales 10 12.5, sales 50 15", "EUR", 10, 1250),
        ("sales 10 12.5, sales 50 15", "EUR", 49, 1250),
        ("sales 10 12.5, sales 50 15", "JPY", 50, 1500),
        ("sales 10 5", "EUR", 10, 500),
        ("EUR 1000 12, USD 900 20", "EUR", 99_999, 1000),
        ("EUR 1000 12, USD 900 20", "EUR", 100_000, 1200),
        ("EUR 1000 12, USD 900 20", "USD", 100_000, 2000),
        ("EUR 1000 12", "JPY", 10**9, 1000),
    ],
)
def test_highest_tier_reached_is_the_rate(typed, currency, seen, amount):
    receipt = compute(rule(typed), seen, currency)

    assert receipt["amount"] == amount == recompute_line(receipt)
    assert is_sound(receipt)


def test_receipt_says_what_was_counted_since_when_and_what_it_reached():
    receipt = compute(rule("sales 10 12.5"), 12)

    assert receipt["inputs"]["tier"] == {
        "unit": "sales",
        "since": "2026-03-01T12:00:00+00:00",
        "seen": 12,
    }
    assert explain_receipt(receipt) == (
        "Plan Standard, version 1, rule 1: 10 % of everything, 12.5 % from 10 sales in "
        "the calendar month.",
        "Base: €100.00 net.",
        "12 sales in the calendar month before this sale: 12.5 %, as from 10 sales on.",
        "12.5 % of €100.00 = €12.50.",
        "Rounded to the nearest minor unit, half up = €12.50.",
        "Commission: €12.50.",
    )


def test_receipt_below_the_first_tier_says_so():
    receipt = compute(rule("EUR 1000 12", TierPeriod.ALWAYS), 99_999)

    assert explain_receipt(receipt)[2] == (
        "€999.99 of revenue for all time before this sale: the rule's 10 %."
    )


def test_receipt_that_counted_otherwise_is_not_sound():
    receipt = compute(rule("sales 10 12.5"), 12)
    inputs = receipt["inputs"] | {"tier": receipt["inputs"]["tier"] | {"seen": 9}}

    assert not is_sound(receipt | {"inputs": inputs})


def test_rate_of_a_coupon_takes_the_place_of_the_tiers():
    coupon = CouponTerms(code="SPRING", percent=Decimal(3))

    receipt = compute(rule("sales 10 12.5"), 12, coupon=coupon)

    assert receipt["amount"] == 300
    assert not any("before this sale" in one for one in explain_receipt(receipt))


def test_rule_without_tiers_keeps_its_form_and_its_receipts_name_none():
    plain = RuleTerms(percent=Decimal(10), tier_period=TierPeriod.ALWAYS)

    assert "tiers" not in plain.to_json()
    assert "tier_period" not in plain.to_json()
    assert "tier" not in compute(plain, 0)["inputs"]


@each(
    ("typed", "period", "words"),
    [
        (
            "sales 10 12.5, sales 50 15",
            TierPeriod.MONTH,
            "10 % of everything, 12.5 % from 10 sales, 15 % from 50 sales in the "
            "calendar month",
        ),
        (
            "EUR 1000 12",
            TierPeriod.ALWAYS,
            "10 % of everything, 12 % from €1,000.00 of revenue for all time",
        ),
    ],
)
def test_rule_says_its_tiers(typed, period, words):
    assert describe_rule(rule(typed, period)) == words


@each(
    ("period", "at", "zone", "start"),
    [
        (
            "month",
            "2026-03-31T21:59:59+00:00",
            "Europe/Berlin",
            "2026-02-28T23:00:00+00:00",
        ),
        (
            "month",
            "2026-03-31T22:00:00+00:00",
            "Europe/Berlin",
            "2026-03-31T22:00:00+00:00",
        ),
        (
            "month",
            "2026-03-01T00:00:00+00:00",
            "America/New_York",
            "2026-02-01T05:00:00+00:00",
        ),
        (
            "always",
            "2026-03-01T00:00:00+00:00",
            "Asia/Tokyo",
            "1970-01-01T00:00:00+00:00",
        ),
    ],
)
def test_month_is_that_of_the_time_zone(period, at, zone, start):
    found = tier_period_start(
        TierPeriod(period), at=datetime.fromisoformat(at), zone=ZoneInfo(zone)
    )

    assert found.isoformat() == start


SALES = "sales 3 20, sales 6 25"
REVENUE = "EUR 1000 12.5, USD 500 15"
MONTH, ALWAYS = TierPeriod.MONTH, TierPeriod.ALWAYS


@each(
    ("typed", "period", "unit", "counted", "progress", "sentences"),
    [
        (SALES, MONTH, "sales", 0, (10, 20, 3),
         ("10 % of everything: 0 sales in the calendar month so far.",
          "3 sales to go to 20 %.")),
        (SALES, MONTH, "sales", 2, (10, 20, 1),
         ("10 % of everything: 2 sales in the calendar month so far.",
          "1 sale to go to 20 %.")),
        (SALES, MONTH, "sales", 3, (20, 25, 3),
         ("20 % of everything: 3 sales in the calendar month so far.",
          "3 sales to go to 25 %.")),
        (SALES, ALWAYS, "sales", 6, (25, None, 0),
         ("25 % of everything: 6 sales for all time so far.",
          "This is the highest rate.")),
        (REVENUE, MONTH, "EUR", 999_99, (10, "12.5", 1),
         ("10 % of everything: €999.99 of revenue in the calendar month so far.",
          "€0.01 of revenue to go to 12.5 %.")),
        (REVENUE, MONTH, "USD", 500_00, (15, None, 0),
         ("15 % of everything: $500.00 of revenue in the calendar month so far.",
          "This is the highest rate.")),
    ],
)  # fmt: skip
def test_the_way_to_the_next_tier(typed, period, unit, counted, progress, sentences):
    percent, next_percent, missing = progress
    tiered = rule(typed, period)

    found = progress_of(tiered, unit=unit, counted=counted)

    assert found == TierProgress(
        unit=unit,
        counted=counted,
        percent=Decimal(percent),
        next_percent=None if next_percent is None else Decimal(next_percent),
        missing=missing,
    )
    assert describe_progress(tiered, found) == sentences
