"""Who is credited for an order, case by case."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from affiliates.brands.rules import AttributionPolicy
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.rules import (
    Carrier,
    CookieState,
    Outcome,
    Reason,
    Terms,
    Touch,
    Verdict,
    decide_client,
    decide_order,
    is_same_person,
    merge_touches,
    normalise_email,
)

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
WINDOW = timedelta(days=90)


def touch(days_ago: float, affiliate: int = 1, **changes: object) -> Touch:
    facts = {
        "carrier": Carrier.COOKIE,
        "click_id": UUID(int=int(days_ago * 1_000_000)),
        "touched_at": NOW - timedelta(days=days_ago),
        "affiliate_id": affiliate,
        "affiliate_code": f"affiliate-{affiliate}",
        "status_at_visit": AffiliateStatus.ACTIVE,
        "status_now": AffiliateStatus.ACTIVE,
        "program_on_at_visit": True,
        "is_bot": False,
        "is_repeat": False,
        "is_self": False,
        **changes,
    }
    return Touch(**facts)  # type: ignore[arg-type]  # a table of test facts


def terms(
    policy: AttributionPolicy = AttributionPolicy.LAST_CLICK, **changes: object
) -> Terms:
    facts = {
        "policy": policy,
        "window": WINDOW,
        "own_program": True,
        "existing_clients_earn": False,
        **changes,
    }
    return Terms(**facts)  # type: ignore[arg-type]  # a table of test facts


def decide(*touches: Touch, paid_before: bool = False, **changes: object):
    return decide_order(
        touches,
        cookie=CookieState.VALID,
        client_paid_before=paid_before,
        terms=terms(**changes),  # type: ignore[arg-type]  # a table of test facts
        now=NOW,
    )


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
            {"status_now": AffiliateStatus.SUSPENDED},
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
    assert verdicts(decision) == [Verdict.NOT_ELIGIBLE_ORDER]


def test_registration_binds_also_an_affiliate_who_is_the_client():
    decision = decide_client(
        [touch(1, is_self=True)], cookie=CookieState.VALID, terms=terms(), now=NOW
    )

    assert decision.outcome is Outcome.CREDITED


def test_binding_stands_in_for_a_missing_cookie():
    binding = touch(3, carrier=Carrier.BINDING)

    assert merge_touches([], binding) == [binding]


def test_binding_of_a_click_at_hand_is_no_second_candidate():
    click = touch(3)
    binding = click._replace(carrier=Carrier.BINDING)

    assert merge_touches([click], binding) == [click]


@pytest.mark.parametrize(
    ("_case", "affiliate", "client", "same"),
    [
        ("same user", ("7", "a@x.com"), ("7", "b@x.com"), True),
        ("same mailbox", ("7", "Ann@X.com"), ("8", "ann@x.com"), True),
        ("tagged mailbox", ("7", "ann@x.com"), ("8", "ann+shop@x.com"), True),
        ("other mailbox", ("7", "ann@x.com"), ("8", "ben@x.com"), False),
        ("guest without e-mail", ("7", ""), ("8", ""), False),
    ],
)
def test_same_person(_case, affiliate, client, same):
    assert (
        is_same_person(
            affiliate_user_id=affiliate[0],
            affiliate_email=affiliate[1],
            client_id=client[0],
            client_email=client[1],
        )
        is same
    )


@pytest.mark.parametrize(
    ("email", "mailbox"),
    [
        ("ann@example.com", "ann@example.com"),
        (" Ann+news@Example.COM ", "ann@example.com"),
        ("", ""),
    ],
)
def test_normalise_email(email, mailbox):
    assert normalise_email(email) == mailbox
