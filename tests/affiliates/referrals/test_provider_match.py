"""Own affiliate or tracking integration, case by case."""

from __future__ import annotations

from datetime import timedelta
from itertools import product
from uuid import UUID

import pytest

from affiliates.brands.rules import AttributionPolicy, ClaimPolicy
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.rules.choices import (
    Carrier,
    ExternalVerdict,
    Outcome,
    Reason,
    Verdict,
)
from affiliates.referrals.rules.decision import decide
from affiliates.referrals.rules.provider_match import judge_external
from affiliates.referrals.rules.types import Decision, ExternalTouch, Touch
from tests.cases import each
from tests.factories.decisions import (
    NOW,
    WINDOW,
    make_coupon,
    make_external,
    make_inputs,
    make_terms,
    make_touch,
)

OWN_DAYS_AGO = 5
MOMENT = timedelta(microseconds=1)
EXTERNAL_DAYS_AGO = {"earlier": 9, "same": OWN_DAYS_AGO, "later": 2, "outside": 91}


def touch(days_ago: float, affiliate: int = 1, **changes: object) -> Touch:
    return make_touch(timedelta(days=days_ago), affiliate, **changes)


def external(days_ago: float, **changes: object) -> ExternalTouch:
    return make_external(timedelta(days=days_ago), **changes)


def settle(
    own: str | None, *externals: ExternalTouch, paid_before: bool = False, **changes
) -> Decision:
    touches = []
    if own is not None:
        touches = [touch(OWN_DAYS_AGO, is_self=own == "held")]
    return decide(
        make_inputs(*touches, external=externals, paid_before=paid_before, **changes)
    )


def told(decision: Decision) -> tuple[Outcome, Reason, ExternalVerdict | None]:
    verdict = None if decision.external is None else decision.external.verdict
    return decision.outcome, decision.reason, verdict


OWN = ClaimPolicy.OWN
THIRD = ClaimPolicy.THIRD_PARTY
LATEST = ClaimPolicy.LATEST
BOTH = ClaimPolicy.BOTH

# The answer where both claim the client: who gets it, and what is said of the other.
BOTH_CLAIM = {
    (OWN, "earlier"): ExternalVerdict.OWN_PREFERRED,
    (OWN, "same"): ExternalVerdict.OWN_PREFERRED,
    (OWN, "later"): ExternalVerdict.OWN_PREFERRED,
    (THIRD, "earlier"): Reason.THIRD_PARTY_POLICY,
    (THIRD, "same"): Reason.THIRD_PARTY_POLICY,
    (THIRD, "later"): Reason.THIRD_PARTY_POLICY,
    (LATEST, "earlier"): ExternalVerdict.OWN_LATER,
    (LATEST, "same"): ExternalVerdict.OWN_SAME_TIME,
    (LATEST, "later"): Reason.THIRD_PARTY_LATER,
    (BOTH, "earlier"): ExternalVerdict.WON_TOO,
    (BOTH, "same"): ExternalVerdict.WON_TOO,
    (BOTH, "later"): ExternalVerdict.WON_TOO,
}
OWN_ALONE = {
    None: (Outcome.NOBODY, Reason.NO_TOUCH),
    "credited": (Outcome.CREDITED, Reason.LAST_CLICK),
    "held": (Outcome.HELD, Reason.SELF_REFERRAL),
}


@each(("policy", "when"), list(BOTH_CLAIM))
@each("own", ["credited", "held"])
def test_policy_decides_where_both_claim_the_client(own, policy, when):
    decision = settle(own, external(EXTERNAL_DAYS_AGO[when]), claim_policy=policy)

    answer = BOTH_CLAIM[policy, when]
    if isinstance(answer, Reason):
        assert told(decision) == (Outcome.THIRD_PARTY, answer, ExternalVerdict.WON)
        assert decision.winner is None
        assert [one.verdict for one in decision.candidates] == [Verdict.THIRD_PARTY_WON]
        assert decision.notified == external(EXTERNAL_DAYS_AGO[when])
    else:
        assert told(decision) == (*OWN_ALONE[own], answer)
        assert decision.winner == touch(OWN_DAYS_AGO, is_self=own == "held")
        assert [one.verdict for one in decision.candidates] == [Verdict.WON]
        is_told = answer is ExternalVerdict.WON_TOO
        assert (decision.notified is not None) is is_told


@each(("policy", "when"), list(product(ClaimPolicy, ["earlier", "same", "later"])))
def test_integration_is_credited_where_it_alone_claims_the_client(policy, when):
    decision = settle(None, external(EXTERNAL_DAYS_AGO[when]), claim_policy=policy)

    assert told(decision) == (
        Outcome.THIRD_PARTY,
        Reason.THIRD_PARTY_ONLY,
        ExternalVerdict.WON,
    )
    assert decision.notified == external(EXTERNAL_DAYS_AGO[when])


@each("policy", list(ClaimPolicy))
@each("own", list(OWN_ALONE))
def test_claim_outside_the_window_changes_nothing(own, policy):
    decision = settle(own, external(91), claim_policy=policy)

    assert told(decision) == (*OWN_ALONE[own], ExternalVerdict.OUTSIDE_WINDOW)
    assert decision.notified is None


@each("policy", list(ClaimPolicy))
@each("own", list(OWN_ALONE))
def test_without_a_claim_the_own_decision_stands(own, policy):
    decision = settle(own, claim_policy=policy)

    assert told(decision) == (*OWN_ALONE[own], None)
    assert decision.notified is None


@pytest.mark.parametrize(
    ("_case", "changes", "verdict"),
    [
        ("robot", {"is_bot": True}, ExternalVerdict.BOT),
        (
            "clock behind",
            {"touched_at": NOW + timedelta(seconds=1)},
            ExternalVerdict.AFTER_ORDER,
        ),
        (
            "to the second inside",
            {"touched_at": NOW - WINDOW},
            ExternalVerdict.WON,
        ),
        (
            "a second outside",
            {"touched_at": NOW - WINDOW - timedelta(seconds=1)},
            ExternalVerdict.OUTSIDE_WINDOW,
        ),
        ("no identifier", {"visitor_id": ""}, ExternalVerdict.NO_IDENTIFIER),
        ("click purged", {"click_id": None}, ExternalVerdict.WON),
    ],
)
def test_claim_is_judged_like_a_click(_case, changes, verdict):
    judged = judge_external([external(1, **changes)], terms=make_terms(), now=NOW)

    assert judged.verdict is verdict


def test_latest_visit_that_counts_is_the_claim():
    judged = judge_external(
        [external(1, is_bot=True), external(2), external(3)],
        terms=make_terms(),
        now=NOW,
    )

    assert judged.touch == external(2)


def test_latest_visit_is_shown_where_none_counts():
    judged = judge_external(
        [external(1, is_bot=True), external(100)], terms=make_terms(), now=NOW
    )

    assert judged.touch == external(1, is_bot=True)
    assert judged.verdict is ExternalVerdict.BOT


def test_cookie_speaks_before_the_binding_about_one_visit():
    bound = external(1, carrier=Carrier.BINDING)

    judged = judge_external([bound, external(1)], terms=make_terms(), now=NOW)

    assert judged.touch.carrier is Carrier.COOKIE


@pytest.mark.parametrize("policy", list(ClaimPolicy))
@pytest.mark.parametrize("own", [None, "credited"])
def test_existing_client_earns_nobody_anything(own, policy):
    decision = settle(own, external(1), paid_before=True, claim_policy=policy)

    assert told(decision) == (
        Outcome.NOBODY,
        Reason.EXISTING_CLIENT,
        ExternalVerdict.NOT_ELIGIBLE_ORDER,
    )
    assert decision.notified is None


def test_existing_client_earns_the_integration_where_the_brand_says_so():
    decision = settle(None, external(1), paid_before=True, existing_clients_earn=True)

    assert decision.outcome is Outcome.THIRD_PARTY


@pytest.mark.parametrize("policy", list(ClaimPolicy))
def test_program_off_excludes_the_own_affiliate_only(policy):
    decision = settle("credited", external(9), own_program=False, claim_policy=policy)

    assert told(decision) == (
        Outcome.THIRD_PARTY,
        Reason.THIRD_PARTY_ONLY,
        ExternalVerdict.WON,
    )
    assert [one.verdict for one in decision.candidates] == [
        Verdict.PROGRAM_OFF_AT_ORDER
    ]


@pytest.mark.parametrize(
    ("_case", "ahead", "verdict"),
    [
        ("a moment earlier", -MOMENT, ExternalVerdict.OWN_LATER),
        ("at the same moment", 0 * MOMENT, ExternalVerdict.OWN_SAME_TIME),
        ("a moment later", MOMENT, ExternalVerdict.WON),
    ],
)
def test_latest_is_told_to_the_microsecond(_case, ahead, verdict):
    """Two clicks of their own: one visit that is both is the brand's anyway."""
    visit = make_external(timedelta(days=OWN_DAYS_AGO) - ahead, click_id=UUID(int=1))

    settled = decide(make_inputs(touch(OWN_DAYS_AGO), external=[visit]))

    assert settled.external.verdict is verdict
    assert (settled.winner is None) is (verdict is ExternalVerdict.WON)


def test_latest_compares_with_the_own_click_that_is_credited():
    settled = decide(
        make_inputs(
            touch(9, affiliate=1),
            touch(2, affiliate=2),
            external=[external(5)],
            policy=AttributionPolicy.FIRST_CLICK,
        )
    )

    assert settled.reason is Reason.THIRD_PARTY_LATER
    assert [one.verdict for one in settled.candidates] == [
        Verdict.THIRD_PARTY_WON,
        Verdict.EARLIER_CLICK_WON,
    ]


@pytest.mark.parametrize(
    ("_case", "policy", "second", "verdicts"),
    [
        (
            "the same page loaded again",
            AttributionPolicy.LAST_CLICK,
            touch(5, is_repeat=True),
            [Verdict.WON, Verdict.REPEAT],
        ),
        (
            "the same links followed again",
            AttributionPolicy.FIRST_CLICK,
            touch(5),
            [Verdict.WON, Verdict.EARLIER_CLICK_WON],
        ),
    ],
)
def test_latest_visit_that_is_both_counts_as_the_brands_own(
    _case, policy, second, verdicts
):
    settled = decide(
        make_inputs(touch(9), second, external=[external(5)], policy=policy)
    )

    assert settled.winner == touch(9)
    assert settled.external.verdict is ExternalVerdict.OWN_SAME_TIME
    assert settled.notified is None
    assert [one.verdict for one in settled.candidates] == verdicts


def test_visit_that_no_own_affiliate_may_earn_from_is_the_integrations_alone():
    suspended = touch(5, status_at_order=AffiliateStatus.SUSPENDED)

    settled = decide(make_inputs(touch(9), suspended, external=[external(5)]))

    assert settled.reason is Reason.THIRD_PARTY_LATER


def test_late_visit_that_is_both_is_not_the_integrations_either():
    late = timedelta(minutes=5)
    settled = decide(
        make_inputs(touch(9), make_touch(late, 2), external=[make_external(late)])
    )

    assert settled.winner == touch(9)
    assert settled.external.verdict is ExternalVerdict.OWN_SAME_TIME
    assert [one.verdict for one in settled.candidates] == [
        Verdict.WON,
        Verdict.LATE_TOUCH_STOOD_DOWN,
    ]


@pytest.mark.parametrize(
    ("policy", "verdict"),
    [
        (OWN, ExternalVerdict.COUPON_WON),
        (THIRD, ExternalVerdict.COUPON_WON),
        (LATEST, ExternalVerdict.COUPON_WON),
        (BOTH, ExternalVerdict.WON_TOO),
    ],
)
def test_coupon_wins_over_the_integrations_click_too(policy, verdict):
    settled = settle(None, external(1), coupon=make_coupon(4), claim_policy=policy)

    assert told(settled) == (Outcome.CREDITED, Reason.COUPON, verdict)
    assert settled.winner.affiliate_id == 4


@pytest.mark.parametrize("policy", list(ClaimPolicy))
def test_coupon_that_stands_behind_links_stands_behind_the_integrations(policy):
    settled = settle(
        None,
        external(1),
        coupon=make_coupon(4),
        claim_policy=policy,
        coupon_over_link=False,
    )

    assert told(settled) == (
        Outcome.THIRD_PARTY,
        Reason.THIRD_PARTY_ONLY,
        ExternalVerdict.WON,
    )
    assert [one.verdict for one in settled.candidates] == [Verdict.LINK_WON]


def test_claim_without_a_click_is_no_visit_of_a_coupon():
    settled = settle(None, external(1, click_id=None), coupon=make_coupon(4))

    assert settled.external.verdict is ExternalVerdict.COUPON_WON
