"""Registered clients, late clicks, coupons and staff: who wins, case by case."""

from __future__ import annotations

from datetime import timedelta

import pytest

from affiliates.brands.rules import AttributionPolicy, BindingPolicy, ClaimPolicy
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.rules.choices import (
    Carrier,
    ExternalVerdict,
    Outcome,
    Reason,
    Rule,
    Verdict,
)
from affiliates.referrals.rules.decision import decide
from affiliates.referrals.rules.types import Binding, Decision
from tests.factories.decisions import (
    NOW,
    make_assignment,
    make_coupon,
    make_external,
    make_inputs,
    make_touch,
)

DAY, MINUTE, MOMENT = timedelta(days=1), timedelta(minutes=1), timedelta(microseconds=1)
FIRST = AttributionPolicy.FIRST_CLICK
WON, LATER = Verdict.WON, Verdict.LATER_CLICK_WON
BOUND, LATE = Verdict.BOUND_CLIENT, Verdict.LATE_TOUCH_STOOD_DOWN


def verdicts(decision: Decision) -> list[Verdict]:
    return [one.verdict for one in decision.candidates]


def bound_by(ago: timedelta, *, since: timedelta, **changes: object):
    """Affiliate 1's click and the binding it made."""
    click = make_touch(ago, 1, **changes)
    bound_at = NOW - since
    return click, Binding(click_id=click.click_id, affiliate_id=1, bound_at=bound_at)


@pytest.mark.parametrize(
    ("_case", "rival", "expected"),
    [
        ("after the registration", 5 * DAY - MOMENT, [WON, BOUND]),
        ("at the registration", 5 * DAY, [LATER, WON]),
        ("before the registration", 5 * DAY + MOMENT, [LATER, WON]),
    ],
)
def test_registered_client_is_kept_from_its_registration_on(_case, rival, expected):
    click, binding = bound_by(6 * DAY, since=5 * DAY)

    decision = decide(make_inputs(click, make_touch(rival, 2), binding=binding))

    assert verdicts(decision) == expected


def test_registered_client_may_be_won_where_the_brand_says_so():
    click, binding = bound_by(6 * DAY, since=5 * DAY)

    decision = decide(
        make_inputs(
            click,
            make_touch(DAY, 2),
            binding=binding,
            bound_clients=BindingPolicy.LATEST,
        )
    )

    assert verdicts(decision) == [LATER, WON]


def test_registered_client_is_told_apart_also_where_the_first_click_wins():
    click, binding = bound_by(6 * DAY, since=5 * DAY)

    decision = decide(
        make_inputs(click, make_touch(DAY, 2), binding=binding, policy=FIRST)
    )

    assert verdicts(decision) == [WON, BOUND]


def test_own_later_click_of_the_registered_clients_affiliate_counts():
    click, binding = bound_by(6 * DAY, since=5 * DAY)

    decision = decide(make_inputs(click, make_touch(DAY, 1), binding=binding))

    assert verdicts(decision) == [LATER, WON]


@pytest.mark.parametrize(
    ("_case", "ago", "changes", "expected"),
    [
        ("to the second inside", 90 * DAY, {}, [WON, BOUND]),
        ("outside", 90 * DAY + MOMENT, {}, [Verdict.OUTSIDE_WINDOW, WON]),
        (
            "suspended since",
            20 * DAY,
            {"status_at_order": AffiliateStatus.SUSPENDED},
            [Verdict.NOT_ACTIVE_AT_ORDER, WON],
        ),
    ],
)
def test_registration_holds_while_its_click_may_be_credited(
    _case, ago, changes, expected
):
    click, binding = bound_by(ago, since=10 * DAY, **changes)

    decision = decide(make_inputs(click, make_touch(DAY, 2), binding=binding))

    assert verdicts(decision) == expected


def test_registration_stands_alone_on_another_device():
    click, binding = bound_by(6 * DAY, since=5 * DAY, carrier=Carrier.BINDING)

    decision = decide(make_inputs(click, binding=binding))

    assert decision.winner == click


@pytest.mark.parametrize(
    ("_case", "rival", "basket", "minutes", "expected"),
    [
        ("29 minutes before", 29 * MINUTE, None, 30, LATE),
        ("a moment less than 30", 30 * MINUTE - MOMENT, None, 30, LATE),
        ("exactly 30 minutes before", 30 * MINUTE, None, 30, WON),
        ("before the basket", 2 * DAY + MOMENT, 2 * DAY, 30, WON),
        ("at the very beginning of it", 2 * DAY, 2 * DAY, 30, WON),
        ("after it began", 2 * DAY - MOMENT, 2 * DAY, 30, LATE),
        ("before a basket of a minute, late", 2 * MINUTE, MINUTE, 30, LATE),
        ("as the order is made", 0 * MINUTE, None, 30, LATE),
        ("late, the rule is off", MINUTE, DAY, 0, WON),
    ],
)
def test_late_click_stands_down_to_the_moment(_case, rival, basket, minutes, expected):
    decision = decide(
        make_inputs(
            make_touch(10 * DAY, 1),
            make_touch(rival, 2),
            basket_ago=basket,
            stand_down=minutes * MINUTE,
        )
    )

    earlier = LATER if expected is WON else WON
    assert verdicts(decision) == [earlier, expected]


@pytest.mark.parametrize(
    ("_case", "touches", "expected"),
    [
        ("alone", [(MINUTE, 1)], [WON]),
        ("own earlier one", [(DAY, 1), (MINUTE, 1)], [LATER, WON]),
        ("both late", [(5 * MINUTE, 1), (MINUTE, 2)], [WON, LATE]),
        (
            "own again after the rival's",
            [(DAY, 1), (5 * MINUTE, 2), (MINUTE, 1)],
            [LATER, LATE, WON],
        ),
        (
            "the one displaced in time comes back late",
            [(2 * DAY, 1), (DAY, 2), (MINUTE, 1)],
            [LATER, WON, LATE],
        ),
        (
            "two rivals",
            [(DAY, 1), (5 * MINUTE, 2), (MINUTE, 3)],
            [WON, LATE, LATE],
        ),
    ],
)
def test_late_click_displaces_nobody_elses(_case, touches, expected):
    decision = decide(make_inputs(*(make_touch(*one) for one in touches)))

    assert verdicts(decision) == expected


def test_late_click_displaces_one_that_may_not_be_credited():
    bot = make_touch(DAY, 1, is_bot=True)

    decision = decide(make_inputs(bot, make_touch(MINUTE, 2)))

    assert verdicts(decision) == [Verdict.BOT, WON]


def test_late_click_is_only_the_later_one_where_the_first_wins():
    decision = decide(
        make_inputs(make_touch(DAY, 1), make_touch(MINUTE, 2), policy=FIRST)
    )

    assert verdicts(decision) == [WON, Verdict.EARLIER_CLICK_WON]


def test_coupon_wins_over_every_click():
    decision = decide(
        make_inputs(
            make_touch(DAY, 1),
            make_touch(3 * DAY, 2, is_bot=True),
            coupon=make_coupon(4),
        )
    )

    assert (decision.outcome, decision.reason) == (Outcome.CREDITED, Reason.COUPON)
    assert decision.winner.affiliate_id == 4
    assert decision.winner.carrier is Carrier.COUPON
    assert verdicts(decision) == [Verdict.BOT, Verdict.COUPON_WON, WON]
    assert decision.candidates[-1].rule is Rule.COUPONS


@pytest.mark.parametrize(
    ("_case", "touches", "winner", "expected"),
    [
        ("a click", [make_touch(DAY, 1)], 1, [WON, Verdict.LINK_WON]),
        ("none", [], 4, [WON]),
        (
            "none that counts",
            [make_touch(DAY, 1, is_bot=True)],
            4,
            [Verdict.BOT, WON],
        ),
    ],
)
def test_coupon_counts_without_a_click_where_links_win(
    _case, touches, winner, expected
):
    decision = decide(
        make_inputs(*touches, coupon=make_coupon(4), coupon_over_link=False)
    )

    assert decision.winner.affiliate_id == winner
    assert verdicts(decision) == expected


@pytest.mark.parametrize(
    ("_case", "facts", "outcome", "reason", "verdict"),
    [
        (
            "existing client",
            {"coupon": make_coupon(4), "paid_before": True},
            Outcome.NOBODY,
            Reason.EXISTING_CLIENT,
            Verdict.NOT_ELIGIBLE_ORDER,
        ),
        (
            "program off",
            {"coupon": make_coupon(4), "own_program": False},
            Outcome.NOBODY,
            Reason.PROGRAM_OFF,
            Verdict.PROGRAM_OFF_AT_ORDER,
        ),
        (
            "own coupon",
            {"coupon": make_coupon(4, is_self=True)},
            Outcome.HELD,
            Reason.SELF_REFERRAL,
            WON,
        ),
        (
            "suspended",
            {"coupon": make_coupon(4, status=AffiliateStatus.SUSPENDED)},
            Outcome.NOBODY,
            Reason.NO_ELIGIBLE_TOUCH,
            Verdict.NOT_ACTIVE_AT_ORDER,
        ),
    ],
)
def test_coupon_obeys_the_rules_about_orders(_case, facts, outcome, reason, verdict):
    decision = decide(make_inputs(**facts))

    assert (decision.outcome, decision.reason) == (outcome, reason)
    assert verdicts(decision) == [verdict]


@pytest.mark.parametrize(
    ("_case", "facts"),
    [
        ("another's click", {}),
        ("existing client", {"paid_before": True}),
        ("program off", {"own_program": False}),
        ("a coupon", {"coupon": make_coupon(4)}),
        ("self-referral", {"assignment": make_assignment(5, is_self=True)}),
        ("the integration's click", {"external": [make_external(MINUTE)]}),
    ],
)
def test_staff_stand_above_every_rule(_case, facts):
    facts = {"assignment": make_assignment(5), **facts}

    decision = decide(make_inputs(make_touch(DAY, 1), **facts))

    assert (decision.outcome, decision.reason) == (Outcome.CREDITED, Reason.STAFF)
    assert decision.winner.affiliate_id == 5
    assert decision.candidates[0].verdict is Verdict.STAFF_ASSIGNED
    assert decision.candidates[-1].rule is Rule.STAFF


def test_staff_may_give_the_order_to_nobody():
    decision = decide(
        make_inputs(
            make_touch(DAY, 1),
            external=[make_external(MINUTE)],
            assignment=make_assignment(None),
            claim_policy=ClaimPolicy.BOTH,
        )
    )

    assert (decision.outcome, decision.reason) == (Outcome.NOBODY, Reason.STAFF)
    assert decision.winner is None
    assert decision.notified is None
    assert verdicts(decision) == [Verdict.STAFF_ASSIGNED]


def test_staff_cannot_credit_who_is_not_active():
    suspended = make_assignment(5, status=AffiliateStatus.SUSPENDED)

    decision = decide(make_inputs(make_touch(DAY, 1), assignment=suspended))

    assert (decision.outcome, decision.reason) == (
        Outcome.NOBODY,
        Reason.NO_ELIGIBLE_TOUCH,
    )
    assert verdicts(decision) == [Verdict.STAFF_ASSIGNED, Verdict.NOT_ACTIVE_AT_ORDER]


@pytest.mark.parametrize(
    ("policy", "paid_before", "verdict"),
    [
        (ClaimPolicy.LATEST, False, ExternalVerdict.STAFF_ASSIGNED),
        (ClaimPolicy.THIRD_PARTY, False, ExternalVerdict.STAFF_ASSIGNED),
        (ClaimPolicy.BOTH, False, ExternalVerdict.WON_TOO),
        (ClaimPolicy.BOTH, True, ExternalVerdict.NOT_ELIGIBLE_ORDER),
    ],
)
def test_integration_is_told_of_staffs_order_where_both_are_credited(
    policy, paid_before, verdict
):
    decision = decide(
        make_inputs(
            external=[make_external(MINUTE)],
            assignment=make_assignment(5),
            claim_policy=policy,
            paid_before=paid_before,
        )
    )

    assert decision.external.verdict is verdict
