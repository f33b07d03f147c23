"""Which touch the browser carries on, and which click is a repeat."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from affiliates.brands.rules import AttributionPolicy
from affiliates.program.rules import AffiliateStatus
from affiliates.visits.cookie import ReferralCookie
from affiliates.visits.rules import BotSign, choose_touch, is_creditable, is_repeat

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
LAST, FIRST = AttributionPolicy.LAST_CLICK, AttributionPolicy.FIRST_CLICK
ACTIVE = AffiliateStatus.ACTIVE
HELD = ReferralCookie(
    visitor_id=UUID(int=1),
    click_id=UUID(int=2),
    affiliate_id=1,
    issued_at=NOW - timedelta(days=80),
    expires_at=NOW + timedelta(days=10),
)
CLICK = ReferralCookie(
    visitor_id=UUID(int=1),
    click_id=UUID(int=3),
    affiliate_id=2,
    issued_at=NOW,
    expires_at=NOW + timedelta(days=90),
)


@pytest.mark.parametrize(
    ("_case", "held", "creditable", "repeat", "policy", "carried"),
    [
        ("first visit", None, True, False, LAST, CLICK),
        ("last click wins", HELD, True, False, LAST, CLICK),
        ("repeat", HELD, True, True, LAST, HELD),
        ("no credit, nothing held", None, False, False, LAST, None),
        ("no credit keeps what is held", HELD, False, False, LAST, HELD),
        ("first click, first visit", None, True, False, FIRST, CLICK),
        (
            "first click stands and lives as long as the new one",
            HELD,
            True,
            False,
            FIRST,
            replace(HELD, expires_at=CLICK.expires_at),
        ),
        ("first click, repeat", HELD, True, True, FIRST, HELD),
    ],
)
def test_carried_touch(_case, held, creditable, repeat, policy, carried):
    chosen = choose_touch(
        held, CLICK, is_creditable=creditable, is_repeat=repeat, policy=policy
    )

    assert chosen == carried


@pytest.mark.parametrize(
    ("_case", "creditable", "repeat", "policy", "carried"),
    [
        ("last click", True, False, LAST, replace(CLICK, external_visitor_id="new")),
        (
            "first click",
            True,
            False,
            FIRST,
            replace(HELD, expires_at=CLICK.expires_at, external_visitor_id="new"),
        ),
        ("repeat", True, True, LAST, replace(HELD, external_visitor_id="new")),
        ("robot", False, False, LAST, replace(HELD, external_visitor_id="old")),
    ],
)
def test_the_integrations_identifier_goes_along(
    _case, creditable, repeat, policy, carried
):
    chosen = choose_touch(
        replace(HELD, external_visitor_id="old"),
        replace(CLICK, external_visitor_id="new"),
        is_creditable=creditable,
        is_repeat=repeat,
        policy=policy,
    )

    assert chosen == carried


@pytest.mark.parametrize(
    ("_case", "held", "affiliate_id", "repeat"),
    [
        ("nothing held", None, 1, False),
        ("just now", replace(HELD, issued_at=NOW), 1, True),
        ("29:59 ago", replace(HELD, issued_at=NOW - timedelta(seconds=1799)), 1, True),
        ("30:00 ago", replace(HELD, issued_at=NOW - timedelta(minutes=30)), 1, False),
        ("another affiliate", replace(HELD, issued_at=NOW), 2, False),
    ],
)
def test_repeat(_case, held, affiliate_id, repeat):
    assert is_repeat(held, affiliate_id=affiliate_id, now=NOW) is repeat


@pytest.mark.parametrize(
    ("status", "own_program", "by_integration", "bot_signs", "creditable"),
    [
        (ACTIVE, True, False, (), True),
        (AffiliateStatus.PENDING, True, False, (), False),
        (AffiliateStatus.SUSPENDED, True, False, (), False),
        (ACTIVE, False, False, (), False),
        (ACTIVE, True, False, (BotSign.PREFETCH,), False),
        (None, True, False, (), False),
        (None, True, True, (), True),
        (None, False, True, (), True),
        (AffiliateStatus.SUSPENDED, True, True, (), True),
        (ACTIVE, True, True, (BotSign.USER_AGENT,), False),
    ],
)
def test_creditable(status, own_program, by_integration, bot_signs, creditable):
    assert (
        is_creditable(
            status=status,
            own_program=own_program,
            by_integration=by_integration,
            bot_signs=bot_signs,
        )
        is creditable
    )
