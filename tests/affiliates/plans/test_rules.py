"""Which rule decides about a line, how long it earns, and the cap's periods."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from affiliates.plans.rules.matching import (
    FIRST_MOMENT,
    LAST_MOMENT,
    LineFacts,
    SaleFacts,
    cap_period_end,
    cap_period_start,
    choose_rule,
    months_after,
    reaches,
)
from affiliates.plans.rules.terms import CapPeriod, RuleTerms
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
NEW_ONLY = RuleTerms(position_to=0)
KIND = RuleTerms(kind="domain")
NEW_KIND = RuleTerms(kind="domain", position_to=0)
KIND_CYCLE = RuleTerms(kind="domain", billing_cycle="annually")
KIND_TLD = RuleTerms(kind="domain", tld="com")
KIND_TLD_OPERATION = RuleTerms(kind="domain", tld="com", operation="register")
EVERY_CONDITION = RuleTerms(
    kind="domain",
    tld="com",
    operation="register",
    billing_cycle="annually",
    position_to=0,
)
PRODUCT = RuleTerms(product_ref="domain-com")
PRODUCT_NEW = RuleTerms(product_ref="domain-com", position_to=0)
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
    """The rule of a payment so many months after the order."""
    ordered_at = datetime(2026, 1, 1, tzinfo=UTC)
    sale = SaleFacts(
        currency="EUR",
        renewal_number=position,
        position=position,
        ordered_at=ordered_at,
        paid_at=months_after(ordered_at, position),
        affiliate_id=ME,
        lines=(line,),
    )
    place = choose_rule(rules, line, sale=sale)
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


FIRST_THREE = RuleTerms(kind="domain", position_to=2)
THEN = RuleTerms(kind="domain", position_from=3)
UNTIL_TWELVE = RuleTerms(kind="domain", position_from=3, position_to=11)
FOR_A_YEAR = RuleTerms(kind="domain", months=12)


@each(
    ("_case", "rules", "position", "rule"),
    [
        ("first stage", [FIRST_THREE, THEN], 2, FIRST_THREE),
        ("second stage", [FIRST_THREE, THEN], 3, THEN),
        ("stages of any order", [THEN, FIRST_THREE], 0, FIRST_THREE),
        ("the rest is another rule's", [FIRST_THREE, KIND], 3, KIND),
        ("which loses before", [KIND, FIRST_THREE], 2, FIRST_THREE),
        ("the rest is the default's", [FIRST_THREE, DEFAULT], 3, DEFAULT),
        ("of two that overlap the first", [FIRST_THREE, NEW_KIND], 0, FIRST_THREE),
        ("within its months", [DEFAULT, FOR_A_YEAR], 12, FOR_A_YEAR),
        ("after its months", [DEFAULT, FOR_A_YEAR], 13, DEFAULT),
        ("months are a condition", [KIND, FOR_A_YEAR], 1, FOR_A_YEAR),
        ("over: the last stage", [FIRST_THREE, UNTIL_TWELVE], 12, UNTIL_TWELVE),
        ("over: the narrower", [NEW_ONLY, FIRST_THREE], 3, FIRST_THREE),
        ("not begun", [THEN, RuleTerms(kind="hosting")], 0, THEN),
        ("over, and no rule of the line", [RuleTerms(kind="hosting")], 3, None),
    ],
)
def test_a_rule_that_does_not_reach_the_payment_leaves_it_to_the_next(
    rules, position, rule
):
    assert chosen(*rules, position=position) is rule


def test_no_rule_at_all():
    assert chosen() is None


@each(
    ("limits", "reached", "beyond"),
    [
        ({}, [0, 1, 10**6], []),
        ({"position_to": 0}, [0], [1, 2]),
        ({"position_to": 3}, [0, 1, 3], [4]),
        ({"position_from": 1}, [1, 7, 10**6], [0]),
        ({"position_from": 3, "position_to": 5}, [3, 4, 5], [0, 2, 6]),
        ({"position_from": 2, "position_to": 2}, [2], [1, 3]),
        ({"months": 1}, [0], [1]),
        ({"position_from": 1, "months": 1}, [], [0, 1]),
    ],
)
def test_a_rule_reaches_payments_by_their_position(limits, reached, beyond):
    """Each is paid 999 days after the order."""
    rule = RuleTerms(**limits)
    ordered_at = datetime(2026, 1, 1, tzinfo=UTC)

    for position in (*reached, *beyond):
        assert (position in reached) is reaches(
            rule,
            position=position,
            ordered_at=ordered_at,
            paid_at=ordered_at + timedelta(days=999),
        )


@each(
    "limits",
    [{"position_from": -1}, {"position_from": 1, "position_to": 0}, {"months": 0}],
)
def test_positions_and_months_that_nothing_is_within_are_no_terms(limits):
    with pytest.raises(ValueError, match=r"[Pp]osition"):
        RuleTerms(**limits)


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
def test_months_end_on_the_day_or_the_months_last(ordered, months, last):
    rule = RuleTerms(months=months)

    def earns(paid_at: datetime) -> bool:
        return reaches(rule, position=1, ordered_at=at(ordered), paid_at=paid_at)

    assert months_after(at(ordered), months) == at(last)
    assert earns(at(last) - timedelta(microseconds=1))
    assert earns(at(last))
    assert not earns(at(last) + timedelta(microseconds=1))


def test_order_earns_however_late_it_is_paid():
    rule = RuleTerms(months=1)

    assert reaches(
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
