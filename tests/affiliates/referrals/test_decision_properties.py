"""What holds for every decision, over visits of several affiliates in any order."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from affiliates.brands.rules import AttributionPolicy, BindingPolicy, ClaimPolicy
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.rules.choices import (
    Carrier,
    CookieState,
    Outcome,
    Rule,
    Verdict,
)
from affiliates.referrals.rules.decision import decide
from affiliates.referrals.rules.replay import ReplayResult, replay
from affiliates.referrals.rules.stored import inputs_of, to_json
from affiliates.referrals.rules.types import Binding, Decision, Inputs
from tests.factories.decisions import (
    NOW,
    make_assignment,
    make_coupon,
    make_external,
    make_inputs,
    make_touch,
    make_typed,
)
from tests.lengths import times

# Around the edges of the rules: the window, the stand-down, the order itself.
AGES = st.one_of(
    st.integers(-60, 100 * 24 * 3600).map(lambda seconds: timedelta(seconds=seconds)),
    st.integers(-2, 40).map(lambda minutes: timedelta(minutes=minutes)),
    st.integers(88, 92).map(lambda days: timedelta(days=days)),
)
STATUSES = st.sampled_from(
    [AffiliateStatus.ACTIVE] * 5 + [AffiliateStatus.PENDING, AffiliateStatus.SUSPENDED]
)
# A busy machine is no fault of a rule.
many = settings(
    max_examples=times(100, long=2_000),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
pytestmark = pytest.mark.long
RARELY = st.sampled_from([False] * 6 + [True])
AFFILIATES = st.integers(1, 4)


@st.composite
def touches(draw):
    now_status = draw(st.fixed_dictionaries(dict.fromkeys(range(1, 5), STATUSES)))
    ages = draw(st.lists(AGES, max_size=8, unique=True))
    made = []
    for age in ages:
        affiliate = draw(AFFILIATES)
        made.append(
            make_touch(
                age,
                affiliate,
                click_id=make_touch(age + timedelta(days=1)).click_id,
                status_at_order=now_status[affiliate],
                status_at_visit=draw(STATUSES),
                program_on_at_visit=not draw(RARELY),
                is_bot=draw(RARELY),
                is_repeat=draw(RARELY),
                is_self=affiliate == 4,
            )
        )
    return made


@st.composite
def decision_inputs(draw, *, clicks_only: bool = False) -> Inputs:
    made = draw(touches())
    binding = None
    if made and draw(st.booleans()):
        bound = made[0]
        bound_at = bound.touched_at + draw(st.integers(0, 9)) * timedelta(hours=9)
        binding = Binding(bound.click_id, bound.affiliate_id, bound_at)
        made[0] = bound._replace(carrier=Carrier.BINDING)
    facts = {}
    if not clicks_only:
        facts = {
            "external": [
                make_external(age, is_bot=draw(RARELY), visitor_id=draw(st.text("a")))
                for age in draw(st.lists(AGES, max_size=2))
            ],
            "coupon": draw(st.none() | st.builds(make_coupon, AFFILIATES)),
            "typed": draw(st.none() | st.builds(make_typed, AFFILIATES)),
            "assignment": draw(
                st.none() | st.builds(make_assignment, st.none() | AFFILIATES)
            ),
            "claim_policy": draw(st.sampled_from(ClaimPolicy)),
            "coupon_over_link": draw(st.booleans()),
            "paid_before": draw(RARELY),
            "own_program": not draw(RARELY),
        }
    return make_inputs(
        *draw(st.permutations(made)),
        binding=binding,
        basket_ago=draw(st.none() | AGES),
        cookie=draw(st.sampled_from(CookieState)),
        policy=draw(st.sampled_from(AttributionPolicy)),
        bound_clients=draw(st.sampled_from(BindingPolicy)),
        stand_down=timedelta(minutes=draw(st.sampled_from([0, 1, 30, 1440]))),
        existing_clients_earn=draw(st.booleans()),
        **facts,
    )


def without(inputs: Inputs, click_id: object) -> Inputs:
    left = tuple(one for one in inputs.touches if one.click_id != click_id)
    return replace(inputs, touches=left)


def sender(decision: Decision) -> int | None:
    return None if decision.winner is None else decision.winner.affiliate_id


@given(decision_inputs())
@many
def test_winner_is_one_of_the_candidates_and_might_be(inputs):
    decision = decide(inputs)

    won = [one.touch for one in decision.candidates if one.verdict is Verdict.WON]
    assert won == ([] if decision.winner is None else [decision.winner])
    is_credited = decision.outcome in (Outcome.CREDITED, Outcome.HELD)
    assert is_credited == (decision.winner is not None)
    for touch in won:
        assert touch.status_at_order is AffiliateStatus.ACTIVE
        assert touch.status_at_visit is AffiliateStatus.ACTIVE
        assert not touch.is_bot
        assert not touch.is_repeat
        assert timedelta(0) <= NOW - touch.touched_at <= inputs.policy.terms.window


@given(decision_inputs())
@many
def test_every_click_is_a_candidate_once(inputs):
    decision = decide(inputs)

    clicks = [one.touch for one in decision.candidates if one.touch.click_id]
    assert sorted(clicks) == sorted(inputs.touches)


@given(decision_inputs())
@many
def test_integration_is_told_only_of_orders_of_somebody(inputs):
    decision = decide(inputs)

    if decision.notified is not None:
        assert decision.outcome is not Outcome.NOBODY
        assert decision.notified.visitor_id
    if decision.outcome is Outcome.THIRD_PARTY:
        assert decision.notified is not None


@given(decision_inputs(clicks_only=True))
@many
def test_other_affiliates_clicks_that_lost_could_as_well_not_have_been(inputs):
    decision = decide(inputs)
    if decision.winner is None:
        return

    bound = None if inputs.binding is None else inputs.binding.click_id
    for one in decision.candidates:
        is_rival = one.touch.affiliate_id != decision.winner.affiliate_id
        # The binding is what the clicks after it were set aside for.
        if is_rival and one.touch.click_id != bound:
            again = decide(without(inputs, one.touch.click_id))
            assert sender(again) == sender(decision)


@given(decision_inputs(clicks_only=True), st.randoms())
@many
def test_order_in_which_clicks_are_told_does_not_matter(inputs, random):
    shuffled = list(inputs.touches)
    random.shuffle(shuffled)

    again = decide(replace(inputs, touches=tuple(shuffled)))

    assert again.candidates == decide(inputs).candidates


@given(decision_inputs(clicks_only=True))
@many
def test_late_click_of_another_never_takes_the_order(inputs):
    stand_down = inputs.policy.terms.stand_down
    decision = decide(inputs)
    if decision.winner is None or not stand_down:
        return

    in_time = NOW - stand_down
    if inputs.order.basket_at is not None:
        in_time = min(in_time, inputs.order.basket_at)
    before = tuple(one for one in inputs.touches if one.touched_at <= in_time)
    earlier = decide(replace(inputs, touches=before))
    if earlier.winner is not None:
        assert sender(decision) == sender(earlier)


@given(decision_inputs())
@many
def test_stored_decision_is_made_again_from_what_is_stored(inputs):
    stored = json.loads(json.dumps(to_json(decide(inputs))))

    assert replay(stored).result is ReplayResult.SAME
    assert to_json(decide(inputs_of(stored))) == stored


@given(decision_inputs())
@many
def test_codes_win_by_the_brands_policy_and_each_loser_has_a_rule(inputs):
    inputs = replace(inputs, order=inputs.order._replace(assignment=None), external=())
    codes = [code.sender.affiliate_id for _, code in inputs.order.codes]
    by_clicks = decide(
        replace(inputs, order=inputs.order._replace(coupon=None, typed=None))
    )

    decision = decide(inputs)

    may_win = codes and decision.outcome in (Outcome.CREDITED, Outcome.HELD)
    if may_win and (inputs.policy.terms.coupon_over_link or by_clicks.winner is None):
        assert sender(decision) == codes[0]
    else:
        assert sender(decision) == sender(by_clicks)
    carriers = [judged.touch.carrier for judged in decision.candidates]
    assert [carrier for carrier, _ in inputs.order.codes] == sorted(
        one for one in carriers if one in (Carrier.COUPON, Carrier.TYPED)
    )
    for judged in decision.candidates:
        is_code = judged.touch.carrier in (Carrier.COUPON, Carrier.TYPED)
        if is_code and judged.verdict in (Verdict.WON, Verdict.COUPON_WON):
            assert judged.rule is Rule.COUPONS
