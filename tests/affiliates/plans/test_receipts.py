"""What lines earn to the minor unit, and the receipts that say how."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import pytest
from django.utils import translation

from affiliates.plans.rules.computation import (
    compute_commission,
    is_sound,
    recompute_line,
    spread_follows,
)
from affiliates.plans.rules.explanations import explain_receipt
from affiliates.plans.rules.matching import LineFacts, SaleFacts
from affiliates.plans.rules.messages import describe_coupon, describe_rule
from affiliates.plans.rules.rounding import Rounding
from affiliates.plans.rules.terms import (
    CapPeriod,
    CouponTerms,
    PlanTerms,
    RateKind,
    RuleTerms,
    TierTerms,
)
from tests.affiliates.plans.receipts import (
    LINE,
    ORDERED_AT,
    TEN_PERCENT,
    compute,
    earned,
)
from tests.cases import each

FIVE_EUROS = RuleTerms(rate_kind=RateKind.FIXED, fixed_amounts={"EUR": 500})
FROM_1000_EUR = TierTerms(unit="EUR", at_least=100_000, percent=Decimal("17.125"))
HUGE = 10**15


def percent_of(rate: str, **terms) -> PlanTerms:
    return PlanTerms(rules=(RuleTerms(percent=Decimal(rate)),), **terms)


@each(
    ("rate", "net", "half_up", "half_even", "down"),
    [
        ("10", 10000, 1000, 1000, 1000),
        ("10", 5, 1, 0, 0),
        ("10", 15, 2, 2, 1),
        ("10", 25, 3, 2, 2),
        ("10", 4, 0, 0, 0),
        ("10", 6, 1, 1, 0),
        ("33.333", 100, 33, 33, 33),
        ("12.5", 1, 0, 0, 0),
        ("50", 1, 1, 0, 0),
        ("99.999", 1, 1, 1, 0),
        ("100", 1, 1, 1, 1),
        ("100", HUGE, HUGE, HUGE, HUGE),
        ("0.001", HUGE, HUGE // 100_000, HUGE // 100_000, HUGE // 100_000),
        ("0.001", 49_999, 0, 0, 0),
        ("0.001", 50_000, 1, 0, 0),
        ("0.001", 150_000, 2, 2, 1),
        ("66.667", HUGE + 1, 666670000000001, 666670000000001, 666670000000000),
        ("0", 10000, 0, 0, 0),
    ],
)
def test_percent_is_rounded_once_by_the_versions_mode(
    rate, net, half_up, half_even, down
):
    line = replace(LINE, net=net)

    amounts = [
        earned(line, terms=percent_of(rate, rounding=rounding))
        for rounding in (Rounding.HALF_UP, Rounding.HALF_EVEN, Rounding.DOWN)
    ]

    assert amounts == [[half_up], [half_even], [down]]


@pytest.mark.parametrize(
    ("currency", "net", "amount", "explained"),
    [
        ("EUR", 1005, 101, "10 % of €10.05 = €1.005."),
        ("JPY", 1005, 101, "10 % of ¥1,005 = ¥100.5."),
        (
            "KWD",
            1005,
            101,
            "10 % of KWD\N{NO-BREAK SPACE}1.005 = KWD\N{NO-BREAK SPACE}0.1005.",
        ),
    ],
)
def test_minor_unit_is_the_currencys(currency, net, amount, explained):
    commission = compute(replace(LINE, net=net), currency=currency)

    assert commission.amount == amount
    assert explained in explain_receipt(commission.lines[0].receipt)


@pytest.mark.parametrize(
    ("quantity", "net", "amount"),
    [(1, 10000, 500), (3, 10000, 1500), (3, 100, 1500), (0, 100, 0), (-2, 100, 0)],
)
def test_fixed_is_for_each_unit_and_may_be_above_the_base(quantity, net, amount):
    line = replace(LINE, quantity=quantity, net=net)

    assert earned(line, rules=[FIVE_EUROS]) == [amount]


@pytest.mark.parametrize(
    ("counts_discount", "counts_credit", "base"),
    [
        (False, False, 7000),
        (True, False, 9000),
        (False, True, 10000),
        (True, True, 12000),
    ],
)
def test_base_is_net_of_discount_and_credit_unless_they_count(
    counts_discount, counts_credit, base
):
    line = replace(LINE, net=10000, discount=2000, credit=3000)
    terms = percent_of(
        "100", counts_discount=counts_discount, counts_credit=counts_credit
    )

    assert earned(line, terms=terms) == [base]


@each(
    ("_case", "line", "rules", "sale", "outcome", "sentence"),
    [
        (
            "no rule fits",
            LINE,
            [RuleTerms(kind="domain", percent=Decimal(10))],
            {},
            "no_rule",
            "No rule of the plan fits this line.",
        ),
        ("no rules", LINE, [], {}, "no_rule", "No rule of the plan fits this line."),
        (
            "excluded",
            LINE,
            [RuleTerms(rate_kind=RateKind.NONE)],
            {},
            "excluded",
            "The rule says that this line earns nothing.",
        ),
        (
            "no amount in the currency",
            LINE,
            [FIVE_EUROS],
            {"currency": "USD"},
            "no_fixed_amount",
            "The rule has no amount in this currency.",
        ),
        (
            "order only",
            LINE,
            [replace(TEN_PERCENT, position_to=0)],
            {"renewal_number": 1},
            "out_of_reach",
            "The rule's payments are over: this is renewal 1.",
        ),
        (
            "months are over",
            LINE,
            [replace(TEN_PERCENT, months=1)],
            {"renewal_number": 1, "paid_at": ORDERED_AT.replace(month=5)},
            "out_of_reach",
            "The rule's payments are over: this is renewal 1, paid on "
            "1 May 2026, 12:00 UTC; renewals earned until 1 Apr 2026, 12:00 UTC.",
        ),
        (
            "nothing paid",
            replace(LINE, net=0),
            [TEN_PERCENT],
            {},
            "no_base",
            "The base is not above zero.",
        ),
        (
            "nothing paid, fixed",
            replace(LINE, net=0),
            [FIVE_EUROS],
            {},
            "no_base",
            "The base is not above zero.",
        ),
        (
            "negative line",
            replace(LINE, net=-HUGE),
            [TEN_PERCENT],
            {},
            "no_base",
            "The base is not above zero.",
        ),
        (
            "paid by credit",
            replace(LINE, credit=10000),
            [TEN_PERCENT],
            {},
            "no_base",
            "The base is not above zero.",
        ),
    ],
)
def test_line_that_earns_nothing_says_why(line, rules, sale, outcome, sentence):
    commission = compute(line, rules=rules, **sale)
    receipt = commission.lines[0].receipt

    assert earned(line, rules=rules, **sale) == [0]
    assert commission.hold_days == 0
    assert receipt["outcome"] == outcome
    assert sentence in explain_receipt(receipt)


@each(
    ("_case", "rule", "coupon", "discount", "amount"),
    [
        ("the plan's rate", TEN_PERCENT, {}, 2000, 1000),
        ("own rate", TEN_PERCENT, {"percent": Decimal(25)}, 2000, 2500),
        ("own rate of nothing", TEN_PERCENT, {"percent": Decimal(0)}, 0, 0),
        ("own rate instead of fixed", FIVE_EUROS, {"percent": Decimal(25)}, 0, 2500),
        (
            "own rate and nothing in this currency",
            replace(FIVE_EUROS, fixed_amounts={"USD": 500}),
            {"percent": Decimal(25)},
            0,
            2500,
        ),
        (
            "excluded line stays excluded",
            RuleTerms(rate_kind=RateKind.NONE),
            {"percent": Decimal(25)},
            0,
            0,
        ),
        ("pays half", TEN_PERCENT, {"affiliate_funds_percent": Decimal(50)}, 500, 750),
        ("pays all", TEN_PERCENT, {"affiliate_funds_percent": Decimal(100)}, 500, 500),
        (
            "never below zero",
            TEN_PERCENT,
            {"affiliate_funds_percent": Decimal(100)},
            2000,
            0,
        ),
        (
            "of a fixed rate",
            FIVE_EUROS,
            {"affiliate_funds_percent": Decimal(10)},
            2000,
            300,
        ),
        (
            "both",
            TEN_PERCENT,
            {"percent": Decimal(20), "affiliate_funds_percent": Decimal("33.333")},
            1000,
            1667,
        ),
        (
            "a negative discount adds nothing",
            TEN_PERCENT,
            {"affiliate_funds_percent": Decimal(100)},
            -5000,
            1000,
        ),
    ],
)
def test_coupon_changes_the_rate_and_who_pays_the_discount(
    rule, coupon, discount, amount
):
    line = replace(LINE, discount=discount)
    terms = CouponTerms(code="SPRING", **coupon)

    assert earned(line, rules=[rule], coupon=terms) == [amount]


def test_rate_and_funding_are_rounded_together():
    line = replace(LINE, net=15, discount=1)
    coupon = CouponTerms(code="SPRING", affiliate_funds_percent=Decimal(10))

    assert earned(line, coupon=coupon) == [1]
    assert earned(line) == [2]


CAPPED = percent_of(
    "10", cap_period=CapPeriod.MONTH, cap_amounts={"EUR": 1500, "USD": 10}
)


@pytest.mark.parametrize(
    ("_case", "earned_before", "currency", "amounts"),
    [
        ("nothing earned yet", 0, "EUR", [1000, 500, 0]),
        ("some left", 1200, "EUR", [300, 0, 0]),
        ("exactly reached", 1500, "EUR", [0, 0, 0]),
        ("above it already", 9999, "EUR", [0, 0, 0]),
        ("negative by reversals", -1000, "EUR", [1000, 1000, 500]),
        ("another currency's", 0, "USD", [10, 0, 0]),
        ("a currency without a cap", 0, "GBP", [1000, 1000, 1000]),
    ],
)
def test_cap_cuts_the_lines_in_their_order(_case, earned_before, currency, amounts):
    lines = [replace(LINE, position=position) for position in (1, 2, 3)]

    found = earned(
        *lines, terms=CAPPED, currency=currency, earned_in_period=earned_before
    )

    assert found == amounts


@pytest.mark.parametrize(
    ("_case", "lines", "hold_days"),
    [
        ("the plan's", [replace(LINE, billing_cycle="biennially")], 30),
        ("the cycle's", [replace(LINE, billing_cycle="monthly")], 90),
        ("at once", [replace(LINE, billing_cycle="annually")], 0),
        (
            "the longest",
            [
                replace(LINE, billing_cycle="annually"),
                replace(LINE, billing_cycle="monthly"),
            ],
            90,
        ),
        (
            "the longest that earns",
            [
                replace(LINE, billing_cycle="biennially"),
                replace(LINE, billing_cycle="monthly", net=0),
            ],
            30,
        ),
    ],
)
def test_commission_is_held_as_long_as_its_slowest_line(_case, lines, hold_days):
    terms = percent_of(
        "10", hold_days=30, hold_days_by_cycle={"monthly": 90, "annually": 0}
    )

    assert compute(*lines, terms=terms).hold_days == hold_days


@pytest.mark.parametrize("cycle", ["monthly", " Monthly", "MONTHLY"])
def test_hold_of_a_cycle_is_found_however_the_host_writes_it(cycle):
    terms = percent_of("10", hold_days=0, hold_days_by_cycle={"monthly": 90})

    commission = compute(replace(LINE, billing_cycle=cycle), terms=terms)

    assert commission.hold_days == 90


def test_receipt_holds_all_that_it_takes_to_compute_it_again():
    coupon = CouponTerms(
        code="SPRING",
        percent=Decimal("12.5"),
        affiliate_funds_percent=Decimal(50),
    )
    line = LineFacts(
        position=2,
        description="Business hosting",
        product_ref="product-1",
        kind="hosting",
        billing_cycle="monthly",
        quantity=2,
        net=10001,
        discount=999,
        credit=1,
    )

    commission = compute(line, terms=CAPPED, coupon=coupon, earned_in_period=1000)
    receipt = commission.lines[0].receipt

    assert receipt == {
        "format": 5,
        "plan": {"name": "Standard", "version": 3},
        "rule_number": 1,
        "rule": TEN_PERCENT.to_json(),
        "line": {
            "position": 2,
            "description": "Business hosting",
            "product_ref": "product-1",
            "kind": "hosting",
            "tld": "",
            "operation": "",
            "billing_cycle": "monthly",
        },
        "inputs": {
            "currency": "EUR",
            "renewal_number": 0,
            "position": 0,
            "ordered_at": "2026-03-01T12:00:00+00:00",
            "paid_at": "2026-03-01T12:00:00+00:00",
            "affiliate_id": 1,
            "quantity": 2,
            "net": 10001,
            "discount": 999,
            "credit": 1,
            "counts_discount": False,
            "counts_credit": False,
            "set_off": [],
            "coupon": {
                "code": "SPRING",
                "percent": "12.5",
                "affiliate_funds_percent": "50",
            },
            "cap": {"period": "month", "amount": 1500, "earned_before": 1000},
        },
        "rounding": "half_up",
        "outcome": "earned",
        "steps": [
            {
                "step": "base",
                "net": 10001,
                "discount": 0,
                "credit": 1,
                "set_off": 0,
                "amount": 10000,
            },
            {"step": "rate", "percent": "12.5", "of": 10000, "amount": "1250"},
            {"step": "funding", "percent": "50", "of": 999, "amount": "750.5"},
            {"step": "round", "mode": "half_up", "amount": 751},
            {"step": "cap", "left": 500, "amount": 500},
        ],
        "amount": 500,
    }
    assert explain_receipt(receipt) == (
        "Plan Standard, version 3, rule 1: 10 % of everything.",
        "Base: €100.01 net - €0.01 paid by account credit = €100.00.",
        "12.5 %, the own rate of coupon SPRING, of €100.00 = €12.50.",
        "Less 50 % of the discount of €9.99, which the affiliate pays for coupon "
        "SPRING = €7.505.",
        "Rounded to the nearest minor unit, half up = €7.51.",
        "At most €15.00 in a calendar month, of which €5.00 were left = €5.00.",
        "Commission: €5.00.",
    )


def test_receipt_is_explained_with_the_numbers_of_the_reader_s_language():
    coupon = CouponTerms(
        code="SPRING", percent=Decimal("12.5"), affiliate_funds_percent=Decimal("2.5")
    )
    line = LineFacts(
        position=1, kind="hosting", billing_cycle="annually", net=123_456, discount=999
    )
    receipt = compute(line, coupon=coupon).lines[0].receipt

    with translation.override("de"):
        explained = explain_receipt(receipt)

    assert explained == (
        "Plan Standard, Version 3, Regel 1: 10 % auf alles.",
        "Grundlage: 1.234,56\xa0€ netto.",
        "12,5 %, der eigene Satz des Gutscheins SPRING, von 1.234,56\xa0€ = 154,32\xa0€.",
        "Weniger 2,5 % des Rabatts von 9,99\xa0€, die der Partner für den Gutschein "
        "SPRING trägt = 154,07025\xa0€.",
        "Rundung (kaufmännisch) = 154,07\xa0€.",
        "Provision: 154,07\xa0€.",
    )


@each(
    ("rule", "english", "german"),
    [
        (
            RuleTerms(percent=Decimal("12.5"), tiers=(FROM_1000_EUR,)),
            "12.5 % of everything, 17.125 % from €1,000.00 of revenue in the "
            "calendar month",
            "12,5 % auf alles, 17,125 % ab 1.000,00\xa0€ Umsatz im Kalendermonat",
        ),
        (
            replace(FIVE_EUROS, fixed_amounts={"EUR": 123_450, "JPY": 1250}),
            "€1,234.50 or ¥1,250 for each unit of everything",
            "1.234,50\xa0€ oder 1.250\xa0¥ je Einheit (alles)",
        ),
        (
            replace(FIVE_EUROS, tld="com", operation="register"),
            "€5.00 for each registered .com domain",
            "5,00\xa0€ je registrierter .com-Domain",
        ),
        (
            RuleTerms(percent=Decimal(10), tld="de", billing_cycle="annually"),
            "10 % of .de domains, billed yearly",
            "10 % auf .de-Domains, bei jährlicher Abrechnung",
        ),
    ],
)
def test_rates_are_described_with_the_numbers_of_the_reader_s_language(
    rule, english, german
):
    with translation.override("fr"):
        assert describe_rule(rule) == english
    with translation.override("de-at"):
        assert describe_rule(rule) == german


def test_coupons_are_described_with_the_numbers_of_the_reader_s_language():
    coupon = CouponTerms(
        code="SPRING", percent=Decimal("12.5"), affiliate_funds_percent=Decimal("2.5")
    )

    with translation.override("de"):
        assert describe_coupon(coupon) == (
            "12,5 % statt des Satzes des Plans.",
            "Der Partner trägt 2,5 % des Rabatts.",
        )


def test_receipt_that_was_tampered_with_is_not_sound():
    receipt = compute().lines[0].receipt

    assert not is_sound(receipt | {"amount": 999})
    assert not is_sound(receipt | {"inputs": receipt["inputs"] | {"net": 1}})
    assert not is_sound(receipt | {"outcome": "no_rule"})


def test_receipt_of_an_unknown_format_is_refused():
    receipt = compute().lines[0].receipt

    with pytest.raises(ValueError, match="No receipt of format 6 is known"):
        recompute_line(receipt | {"format": 6})


def test_sale_without_lines_earns_nothing():
    commission = compute_commission(
        SaleFacts(
            currency="EUR",
            renewal_number=0,
            position=0,
            ordered_at=ORDERED_AT,
            paid_at=ORDERED_AT,
            affiliate_id=1,
            lines=(),
        ),
        terms=PlanTerms(),
        plan_name="Standard",
        version_number=1,
    )

    assert (commission.amount, commission.lines, commission.hold_days) == (0, (), 0)


@pytest.mark.parametrize("rate", ["-0.001", "100.001", "10.0001"])
def test_rate_out_of_bounds_is_no_rule(rate):
    with pytest.raises(ValueError, match="A rate"):
        RuleTerms(percent=Decimal(rate))
    with pytest.raises(ValueError, match="A rate"):
        CouponTerms(code="A", percent=Decimal(rate))


def of_kind(*nets: int, **fields) -> list[LineFacts]:
    return [
        LineFacts(position=position, kind="hosting", net=net, **fields)
        for position, net in enumerate(nets, start=1)
    ]


@each(
    ("_case", "nets", "rounding", "amounts"),
    [
        ("usage", [2] * 100, Rounding.HALF_UP, [1] * 40 + [0] * 60),
        ("down", [2] * 4, Rounding.DOWN, [1, 0, 0, 0]),
        ("half even", [5, 5, 5], Rounding.HALF_EVEN, [1, 1, 1]),
        ("a half up", [2, 5, 0, 6], Rounding.HALF_UP, [1, 1, 0, 1]),
        ("largest first", [1, 4, 2], Rounding.HALF_UP, [0, 1, 0]),
        ("one line", [8], Rounding.HALF_UP, [2]),
    ],
)
def test_lines_of_a_rule_are_rounded_together(nets, rounding, amounts):
    rule = RuleTerms(kind="hosting", percent=Decimal(20))
    terms = PlanTerms(rules=(rule,), rounding=rounding)

    commission = compute(*of_kind(*nets), terms=terms)

    receipts = [line.receipt for line in commission.lines]
    assert [line.amount for line in commission.lines] == amounts
    assert spread_follows(receipts)
    assert all(map(is_sound, receipts))
    assert [recompute_line(receipt) for receipt in receipts] == amounts


def test_each_rule_rounds_for_itself_and_a_cap_cuts_in_the_order_of_lines():
    lines = [*of_kind(2, 2, 2), LineFacts(position=4, kind="domain", net=2)]
    rules = (
        RuleTerms(kind="hosting", percent=Decimal(20)),
        RuleTerms(kind="domain", percent=Decimal(20)),
    )
    capped = {"cap_period": "month", "cap_amounts": {"EUR": 0}}

    free = compute(*lines, terms=PlanTerms(rules=rules))
    cut = compute(*lines, terms=PlanTerms(rules=rules, **capped))

    assert [line.amount for line in free.lines] == [1, 0, 0, 0]
    assert [line.amount for line in cut.lines] == [0, 0, 0, 0]


def test_a_line_whose_rounding_was_changed_is_found():
    receipts = [line.receipt for line in compute(*of_kind(2, 2, 2)).lines]
    first = receipts[0]
    spread = first["inputs"]["spread"] | {"rank": 2}
    changed = first | {"inputs": first["inputs"] | {"spread": spread}}

    assert spread_follows(receipts)
    assert not spread_follows([changed, *receipts[1:]])
    # Receipts from before were rounded one by one.
    assert spread_follows([{**receipt, "format": 4} for receipt in receipts])
