"""Which rule decides about a line, how long it earns, and the cap's periods."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from affiliates.plans.rules.matching import (
    FIRST_MOMENT,
    LAST_MOMENT,
    LineFacts,
    cap_period_end,
    cap_period_start,
    choose_rule,
    months_after,
    still_earns,
)
from affiliates.plans.rules.terms import AppliesTo, CapPeriod, Recurrence, RuleTerms
from tests.cases import each

ME, SOMEBODY = 1, 2
DOMAIN = LineFacts(
    position=1,
    product_ref="domain-com",
    kind="domain",
    tld="com",
    operation="register",
    billing_cycle="annually",
    net=1000,
)
DEFAULT = RuleTerms()
NEW_ONLY = RuleTerms(applies_to=AppliesTo.NEW)
KIND = RuleTerms(kind="domain")
KIND_CYCLE = RuleTerms(kind="domain", billing_cycle="annually")
KIND_TLD = RuleTerms(kind="domain", tld="com")
KIND_TLD_OPERATION = RuleTerms(kind="domain", tld="com", operation="register")
EVERY_CONDITION = RuleTerms(
    kind="domain",
    tld="com",
    operation="register",
    billing_cycle="annually",
    applies_to=AppliesTo.NEW,
)
PRODUCT = RuleTerms(product_ref="domain-com")
PRODUCT_NEW = RuleTerms(product_ref="domain-com", applies_to=AppliesTo.NEW)
MINE = RuleTerms(affiliate_id=ME)
MY_KIND = RuleTerms(affiliate_id=ME, kind="domain")
MY_PRODUCT = RuleTerms(affiliate_id=ME, product_ref="domain-com")
FROM_WIDE_TO_NARROW = [
    DEFAULT,
    NEW_ONLY,
    KIND_TLD,
    KIND_TLD_OPERATION,
    EVERY_CONDITION,
    PRODUCT,
    PRODUCT_NEW,
    MINE,
    MY_KIND,
    MY_PRODUCT,
]


def chosen(*rules: RuleTerms, line: LineFacts = DOMAIN, position: int = 0):
    place = choose_rule(rules, line, affiliate_id=ME, position=position)
    return None if place is None else rules[place]


@pytest.mark.parametrize(
    ("wider", "narrower"),
    list(zip(FROM_WIDE_TO_NARROW, FROM_WIDE_TO_NARROW[1:], strict=False)),
)
def test_narrower_rule_wins_wherever_it_stands(wider, narrower):
    assert chosen(wider, narrower) is narrower
    assert chosen(narrower, wider) is narrower


@pytest.mark.parametrize(
    ("one", "other"),
    [(KIND, NEW_ONLY), (KIND_TLD, KIND_CYCLE), (DEFAULT, RuleTerms())],
)
def test_first_of_two_equally_narrow_rules_wins(one, other):
    assert chosen(one, other) is one
    assert chosen(other, one) is other


@each(
    ("_case", "rule", "fits"),
    [
        ("no condition", DEFAULT, True),
        ("product", PRODUCT, True),
        ("another product", RuleTerms(product_ref="domain-net"), False),
        ("product in another case", RuleTerms(product_ref="Domain-com"), False),
        ("kind", KIND, True),
        ("another kind", RuleTerms(kind="hosting"), False),
        ("tld with a dot, in another case", RuleTerms(tld=".COM"), True),
        ("another tld", RuleTerms(tld="co.uk"), False),
        ("operation", RuleTerms(operation="register"), True),
        ("another operation", RuleTerms(operation="renew"), False),
        ("cycle", RuleTerms(billing_cycle="annually"), True),
        ("another cycle", RuleTerms(billing_cycle="monthly"), False),
        ("one of two conditions", RuleTerms(kind="domain", tld="net"), False),
        ("this affiliate", MINE, True),
        ("another affiliate", RuleTerms(affiliate_id=SOMEBODY), False),
    ],
)
def test_rule_fits_when_every_condition_does(rule, fits):
    assert (chosen(rule) is rule) is fits


def test_host_may_write_its_words_in_any_case():
    line = LineFacts(
        position=1, kind="Domain", tld=".Com", operation="Register", net=1000
    )

    assert chosen(KIND_TLD_OPERATION, line=line) is KIND_TLD_OPERATION


@pytest.mark.parametrize(
    ("applies_to", "position", "fits"),
    [
        (AppliesTo.ALL, 0, True),
        (AppliesTo.ALL, 1, True),
        (AppliesTo.NEW, 0, True),
        (AppliesTo.NEW, 1, False),
        (AppliesTo.RENEWAL, 0, False),
        (AppliesTo.RENEWAL, 7, True),
    ],
)
def test_rule_for_new_orders_or_renewals(applies_to, position, fits):
    rule = RuleTerms(applies_to=applies_to)

    assert (chosen(rule, position=position) is rule) is fits


def test_a_rule_whose_recurrence_is_over_still_decides():
    rule = RuleTerms(kind="domain", recurrence=Recurrence.ONCE)

    assert chosen(DEFAULT, rule, position=5) is rule


def test_no_rule_at_all():
    assert chosen() is None


@pytest.mark.parametrize(
    ("recurrence", "limit", "position", "earns"),
    [
        (Recurrence.ONCE, None, 0, True),
        (Recurrence.ONCE, None, 1, False),
        (Recurrence.RENEWALS, 3, 0, True),
        (Recurrence.RENEWALS, 3, 3, True),
        (Recurrence.RENEWALS, 3, 4, False),
        (Recurrence.ALWAYS, None, 0, True),
        (Recurrence.ALWAYS, None, 10**6, True),
    ],
)
def test_recurrence_by_number(recurrence, limit, position, earns):
    rule = RuleTerms(recurrence=recurrence, recurrence_limit=limit)
    ordered_at = datetime(2026, 1, 1, tzinfo=UTC)

    assert earns is still_earns(
        rule,
        position=position,
        ordered_at=ordered_at,
        paid_at=ordered_at + timedelta(days=999),
    )


def at(text: str) -> datetime:
    return datetime.fromisoformat(f"{text}:00+00:00")


@each(
    ("ordered", "months", "last"),
    [
        ("2026-01-15T10:30", 1, "2026-02-15T10:30"),
        ("2026-01-31T10:30", 1, "2026-02-28T10:30"),
        ("2028-01-31T10:30", 1, "2028-02-29T10:30"),
        ("2026-01-31T10:30", 2, "2026-03-31T10:30"),
        ("2026-03-31T23:59", 1, "2026-04-30T23:59"),
        ("2026-12-31T00:00", 2, "2027-02-28T00:00"),
        ("2028-02-29T12:00", 12, "2029-02-28T12:00"),
        ("2028-02-29T12:00", 48, "2032-02-29T12:00"),
        ("2026-11-30T12:00", 1, "2026-12-30T12:00"),
        ("2026-06-15T12:00", 24, "2028-06-15T12:00"),
    ],
)
def test_recurrence_by_months_ends_on_the_day_or_the_months_last(ordered, months, last):
    rule = RuleTerms(recurrence=Recurrence.MONTHS, recurrence_limit=months)

    def earns(paid_at: datetime) -> bool:
        return still_earns(rule, position=1, ordered_at=at(ordered), paid_at=paid_at)

    assert months_after(at(ordered), months) == at(last)
    assert earns(at(last) - timedelta(microseconds=1))
    assert earns(at(last))
    assert not earns(at(last) + timedelta(microseconds=1))


def test_order_earns_however_late_it_is_paid():
    rule = RuleTerms(recurrence=Recurrence.MONTHS, recurrence_limit=1)

    assert still_earns(
        rule,
        position=0,
        ordered_at=at("2026-01-01T00:00"),
        paid_at=at("2027-01-01T00:00"),
    )


def test_months_count_in_utc_whatever_zone_a_time_is_told_in():
    told = datetime(2026, 2, 1, 0, 30, tzinfo=timezone(timedelta(hours=2)))

    assert months_after(told, 1) == datetime(2026, 2, 28, 22, 30, tzinfo=UTC)


def test_cap_counts_in_utc_whatever_zone_a_time_is_told_in():
    told = datetime(2026, 3, 1, 0, 30, tzinfo=timezone(timedelta(hours=2)))

    assert cap_period_start(CapPeriod.MONTH, at=told) == at("2026-02-01T00:00")
    assert cap_period_end(CapPeriod.MONTH, at=told) == at("2026-03-01T00:00")


def test_months_beyond_the_calendar_never_end():
    assert months_after(at("2026-01-01T00:00"), 65535 * 2) == LAST_MOMENT


@pytest.mark.parametrize(
    ("period", "moment", "start", "end"),
    [
        (CapPeriod.MONTH, "2026-02-28T23:59", "2026-02-01T00:00", "2026-03-01T00:00"),
        (CapPeriod.MONTH, "2026-03-01T00:00", "2026-03-01T00:00", "2026-04-01T00:00"),
        (CapPeriod.MONTH, "2026-12-31T12:00", "2026-12-01T00:00", "2027-01-01T00:00"),
        (CapPeriod.YEAR, "2026-12-31T23:59", "2026-01-01T00:00", "2027-01-01T00:00"),
        (CapPeriod.YEAR, "2027-01-01T00:00", "2027-01-01T00:00", "2028-01-01T00:00"),
    ],
)
def test_cap_counts_calendar_periods_in_utc(period, moment, start, end):
    assert cap_period_start(period, at=at(moment)) == at(start)
    assert cap_period_end(period, at=at(moment)) == at(end)


@pytest.mark.parametrize("period", [CapPeriod.LIFETIME, CapPeriod.NONE])
def test_a_cap_for_ever_has_neither_start_nor_end(period):
    moment = at("2026-02-28T23:59")

    assert cap_period_start(period, at=moment) == FIRST_MOMENT
    assert cap_period_end(period, at=moment) == LAST_MOMENT
