"""What an affiliate reads of a decision, and what staff read of it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.rules.choices import Verdict
from affiliates.referrals.rules.decision import decide
from affiliates.referrals.rules.redaction import redact
from affiliates.referrals.rules.stored import to_json
from affiliates.referrals.rules.trace import explain
from affiliates.referrals.rules.types import Binding
from tests.affiliates.referrals.test_attribution_guide import VERDICTS
from tests.cases import each
from tests.factories.decisions import (
    NOW,
    make_assignment,
    make_coupon,
    make_external,
    make_inputs,
    make_touch,
    make_typed,
)

DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)
# NOW is 1 June 2026, 12:00 UTC.
CLICK = make_touch(29 * DAY, 1)
BINDING = Binding(click_id=CLICK.click_id, affiliate_id=1, bound_at=NOW - 20 * DAY)
NAMES = ("affiliate-2", "affiliate-4", "affiliate-5", "SUMMER", "phone", "testaff")


def read(affiliate: int, *touches, **facts) -> list[str]:
    stored = to_json(decide(make_inputs(*touches, **facts)))
    reading = redact(stored, affiliate_id=affiliate)
    return [reading.summary, *(one.sentence for one in reading.clicks)]


NOT_YOURS = "This order is not credited to you."
NOT_FIRST = (
    "This order is credited to nobody: it was not a first order, and only those earn."
)
YOURS = "This order is credited to you."


@each(
    ("touches", "facts", "summary", "sentence"),
    [
        ([CLICK], {}, YOURS, "Your click of 3 May 2026 won."),
        (
            [make_touch(29 * DAY, is_self=True)],
            {},
            "This order is credited to you and held for review: it may be your own.",
            "Your click of 3 May 2026 won.",
        ),
        (
            [make_touch(92 * DAY + 5 * MINUTE)],
            {},
            NOT_YOURS,
            "Your click of 1 Mar 2026 was 2 days outside the 90-day window.",
        ),
        (
            [make_touch(90 * DAY + 61 * MINUTE)],
            {},
            NOT_YOURS,
            "Your click of 3 Mar 2026 was 1 hour outside the 90-day window.",
        ),
        (
            [CLICK, make_touch(DAY, 2)],
            {},
            NOT_YOURS,
            "Another affiliate's later click won over your click of 3 May 2026.",
        ),
        (
            [make_touch(3 * DAY, 2), make_touch(12 * MINUTE, 1)],
            {},
            NOT_YOURS,
            "Your click of 1 Jun 2026 was made 12 minutes before the order, inside the "
            "last 30 minutes and too late to displace another affiliate's earlier one.",
        ),
        (
            [make_touch(3 * DAY, 2), make_touch(DAY, 1)],
            {"basket_ago": 2 * DAY},
            NOT_YOURS,
            "Your click of 31 May 2026 was made at the checkout, too late to displace "
            "another affiliate's earlier one.",
        ),
        (
            [CLICK],
            {"coupon": make_coupon(4)},
            NOT_YOURS,
            "Another affiliate's code won over your click of 3 May 2026.",
        ),
        (
            [CLICK],
            {"assignment": make_assignment(5)},
            NOT_YOURS,
            "Your click of 3 May 2026 did not decide: this order was decided by staff.",
        ),
        (
            [CLICK],
            {"external": [make_external(DAY)]},
            NOT_YOURS,
            "Your click of 3 May 2026 was good, but another source was credited.",
        ),
        (
            [CLICK],
            {"paid_before": True},
            NOT_FIRST,
            "Your click of 3 May 2026 was good, but only first orders earn.",
        ),
    ],
)
def test_affiliate_reads_what_became_of_its_click(touches, facts, summary, sentence):
    assert read(1, *touches, **facts) == [summary, sentence]


@each(
    ("touches", "facts", "reason"),
    [
        ([CLICK], {}, None),
        ([make_touch(92 * DAY)], {}, "outside_window"),
        ([make_touch(92 * DAY), CLICK, make_touch(DAY, 2)], {}, "later_click_won"),
        (
            [CLICK, make_touch(DAY, is_bot=True), make_touch(DAY, 2)],
            {},
            "later_click_won",
        ),
        ([CLICK, make_touch(DAY)], {"paid_before": True}, "not_eligible_order"),
        ([CLICK], {"coupon": make_coupon(4)}, "coupon_won"),
        (
            [CLICK, make_touch(92 * DAY)],
            {"assignment": make_assignment(5)},
            "staff_assigned",
        ),
        ([make_touch(DAY, 2)], {}, None),
        ([make_touch(DAY, 2)], {"assignment": make_assignment(5)}, "staff_assigned"),
    ],
)
def test_reason_is_what_became_of_the_click_that_came_nearest(touches, facts, reason):
    stored = to_json(decide(make_inputs(*touches, **facts)))

    assert redact(stored, affiliate_id=1).reason == reason


def test_own_clicks_are_told_apart_from_others():
    sentences = read(1, CLICK, make_touch(5 * DAY, 2), make_touch(DAY, 1))

    assert sentences == [
        YOURS,
        "Your click of 3 May 2026 was followed by a later click of yours.",
        "Your click of 31 May 2026 won.",
    ]


def test_own_coupon_is_told_apart_from_others():
    assert read(4, make_touch(DAY, 4), coupon=make_coupon(4)) == [
        YOURS,
        "Your own code won over your click of 31 May 2026.",
        "Your coupon code won.",
    ]


def test_a_code_typed_by_hand_is_told_apart_from_a_coupon():
    assert read(4, make_touch(DAY, 4), typed=make_typed(4)) == [
        YOURS,
        "Your own code won over your click of 31 May 2026.",
        "Your code won.",
    ]


def test_staffs_gift_is_told():
    assert read(5, CLICK, assignment=make_assignment(5)) == [
        YOURS,
        "Staff's decision for you won.",
    ]


def test_date_is_the_readers():
    late = datetime(2026, 5, 2, 23, tzinfo=UTC)
    stored = to_json(decide(make_inputs(make_touch(DAY, touched_at=late))))

    reading = redact(stored, affiliate_id=1, zone=ZoneInfo("Europe/Madrid"))

    assert reading.clicks[0].sentence == "Your click of 3 May 2026 won."


def test_affiliate_without_a_part_in_it_reads_nothing():
    stored = to_json(decide(make_inputs(CLICK, make_touch(DAY, 2))))

    reading = redact(stored, affiliate_id=9)

    assert not reading.is_credited
    assert reading.clicks == ()
    assert reading.summary == "No click of yours is known for this order."


@each("verdict", list(Verdict))
def test_no_verdict_names_anybody_else_or_anything_of_the_client(verdict):
    stored = to_json(decide(VERDICTS[verdict]))
    everybody = {one["affiliate_id"] for one in stored["candidates"]}

    for affiliate in everybody:
        reading = redact(stored, affiliate_id=affiliate)
        own = {one.verdict for one in reading.clicks}
        assert (reading.reason is None) == (Verdict.WON in own)
        assert reading.reason is None or reading.reason in own
        text = " ".join([reading.summary, *(one.sentence for one in reading.clicks)])
        assert not any(name in text for name in NAMES)
        assert "client" not in text


@pytest.mark.parametrize(
    ("touches", "facts", "position", "evidence"),
    [
        ([make_touch(92 * DAY)], {}, 0, "2 days outside the window"),
        ([make_touch(-MINUTE)], {}, 0, "1 minute after the order"),
        (
            [make_touch(DAY, status_at_order=AffiliateStatus.SUSPENDED)],
            {},
            0,
            "Was suspended",
        ),
        (
            [CLICK, make_touch(DAY, 2)],
            {"binding": BINDING},
            1,
            "Registered 12 May 2026, 12:00 UTC; registered clients stay with the "
            "affiliate who sent them to register",
        ),
        (
            [CLICK, make_touch(5 * MINUTE, 2)],
            {"basket_ago": 60 * MINUTE},
            1,
            "5 minutes before the order; the basket began 1 Jun 2026, 11:00 UTC",
        ),
        ([], {"coupon": make_coupon(4)}, 0, "Code SUMMER"),
    ],
)
def test_staff_read_the_facts_of_the_rule(touches, facts, position, evidence):
    stored = to_json(decide(make_inputs(*touches, **facts)))

    assert explain(stored).candidates[position].evidence == evidence


def test_staff_read_the_version_and_who_decided():
    stored = to_json(decide(make_inputs(assignment=make_assignment(5))))

    explanation = explain(stored)

    assert explanation.policy == "Last click wins, within 90 days, version 2"
    assert explanation.assignment == "Agreed by phone"
    assert explanation.candidates[0].rule == "Staff's assignment"


def test_an_order_that_earns_nobody_anything_names_no_winner():
    later = make_touch(DAY, 2)

    assert read(1, CLICK, later, paid_before=True) == [
        NOT_FIRST,
        "Your click of 3 May 2026 stood behind another affiliate's later one, and this "
        "order earns nobody anything.",
    ]
