"""Who is credited for an order, case by case."""

from __future__ import annotations

from datetime import timedelta

import pytest

from affiliates.brands.rules import AttributionPolicy
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.rules import decision as rules
from affiliates.referrals.rules.choices import Carrier, Outcome, Reason, Verdict
from affiliates.referrals.rules.click_attribution import merge_touches, sender_of_client
from affiliates.referrals.rules.types import Decision, Touch
from tests.factories.decisions import NOW, WINDOW, make_inputs, make_terms, make_touch


def touch(days_ago: float, affiliate: int = 1, **changes: object) -> Touch:
    return make_touch(timedelta(days=days_ago), affiliate, **changes)


def decide(*touches: Touch, **facts: object) -> Decision:
    return rules.decide(make_inputs(*touches, **facts))


def verdicts(decision) -> list[Verdict]:
    return [one.verdict for one in decision.candidates]


def test_last_click_wins_by_default():
    decision = decide(touch(2, affiliate=2), touch(5, affiliate=1))

    assert decision.outcome is Outcome.CREDITED
    assert decision.reason is Reason.LAST_CLICK
    assert decision.winner.affiliate_id == 2
    assert verdicts(decision) == [Verdict.LATER_CLICK_WON, Verdict.WON]


def test_first_click_wins_where_the_brand_says_so():
    decision = decide(
        touch(2, affiliate=2),
        touch(5, affiliate=1),
        policy=AttributionPolicy.FIRST_CLICK,
    )

    assert decision.reason is Reason.FIRST_CLICK
    assert decision.winner.affiliate_id == 1
    assert verdicts(decision) == [Verdict.WON, Verdict.EARLIER_CLICK_WON]


@pytest.mark.parametrize(
    ("_case", "changes", "verdict"),
    [
        ("robot", {"is_bot": True}, Verdict.BOT),
        ("repeat", {"is_repeat": True}, Verdict.REPEAT),
        (
            "pending at visit",
            {"status_at_visit": AffiliateStatus.PENDING},
            Verdict.NOT_ACTIVE_AT_VISIT,
        ),
        (
            "suspended at visit, active now",
            {"status_at_visit": AffiliateStatus.SUSPENDED},
            Verdict.NOT_ACTIVE_AT_VISIT,
        ),
        (
            "suspended since",
            {"status_at_order": AffiliateStatus.SUSPENDED},
            Verdict.NOT_ACTIVE_AT_ORDER,
        ),
        (
            "program off at visit",
            {"program_on_at_visit": False},
            Verdict.PROGRAM_OFF_AT_VISIT,
        ),
        (
            "clock behind",
            {"touched_at": NOW + timedelta(seconds=1)},
            Verdict.AFTER_ORDER,
        ),
    ],
)
def test_excluded_touch_credits_nobody(_case, changes, verdict):
    decision = decide(touch(1, **changes))

    assert decision.outcome is Outcome.NOBODY
    assert decision.reason is Reason.NO_ELIGIBLE_TOUCH
    assert decision.winner is None
    assert verdicts(decision) == [verdict]


def test_excluded_later_click_leaves_the_earlier_one_credited():
    decision = decide(touch(5, affiliate=1), touch(1, affiliate=2, is_bot=True))

    assert decision.winner.affiliate_id == 1
    assert verdicts(decision) == [Verdict.WON, Verdict.BOT]


@pytest.mark.parametrize(
    ("_case", "age", "verdict"),
    [
        ("to the second inside", WINDOW, Verdict.WON),
        ("a second outside", WINDOW + timedelta(seconds=1), Verdict.OUTSIDE_WINDOW),
    ],
)
def test_window_ends_to_the_second(_case, age, verdict):
    decision = decide(touch(1, touched_at=NOW - age))

    assert verdicts(decision) == [verdict]


def test_order_without_touch_says_so():
    decision = decide()

    assert decision.outcome is Outcome.NOBODY
    assert decision.reason is Reason.NO_TOUCH
    assert decision.candidates == ()


def test_self_referral_is_held_not_dropped():
    decision = decide(touch(1, is_self=True))

    assert decision.outcome is Outcome.HELD
    assert decision.reason is Reason.SELF_REFERRAL
    assert decision.winner.affiliate_id == 1


def test_existing_client_earns_nothing_by_default():
    decision = decide(touch(1), paid_before=True)

    assert decision.outcome is Outcome.NOBODY
    assert decision.reason is Reason.EXISTING_CLIENT
    assert verdicts(decision) == [Verdict.NOT_ELIGIBLE_ORDER]


def test_existing_client_earns_where_the_brand_says_so():
    decision = decide(touch(1), paid_before=True, existing_clients_earn=True)

    assert decision.outcome is Outcome.CREDITED


def test_existing_client_without_touch_is_explained_by_the_missing_touch():
    assert decide(paid_before=True).reason is Reason.NO_TOUCH


def test_program_off_credits_nobody():
    decision = decide(touch(1), own_program=False)

    assert decision.outcome is Outcome.NOBODY
    assert decision.reason is Reason.PROGRAM_OFF
    assert verdicts(decision) == [Verdict.PROGRAM_OFF_AT_ORDER]


def test_registration_binds_also_an_affiliate_who_is_the_client():
    mine = touch(1, is_self=True)

    assert sender_of_client([mine], terms=make_terms(), now=NOW) == mine


def test_registration_binds_nobody_while_the_program_is_off():
    terms = make_terms(own_program=False)

    assert sender_of_client([touch(1)], terms=terms, now=NOW) is None


def test_binding_stands_in_for_a_missing_cookie():
    binding = touch(3, carrier=Carrier.BINDING)

    assert merge_touches([], [binding]) == (binding,)


def test_binding_of_a_click_at_hand_is_no_second_candidate():
    click = touch(3)
    binding = click._replace(carrier=Carrier.BINDING)

    assert merge_touches([click], [binding]) == (click,)


def test_click_of_a_client_given_to_another_is_the_others():
    other, click = touch(5), touch(3)
    binding = click._replace(carrier=Carrier.BINDING, affiliate_id=2)

    assert merge_touches([other, click], [binding]) == (other, binding)
