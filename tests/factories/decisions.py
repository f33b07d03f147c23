"""What a decision is made from, as plain values. Unless told otherwise, all is well."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

from affiliates.brands.rules import (
    AttributionPolicy,
    AttributionTerms,
    BindingPolicy,
    ClaimPolicy,
)
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.rules.choices import Carrier, CookieState
from affiliates.referrals.rules.types import (
    Assignment,
    Binding,
    Coupon,
    ExternalTouch,
    Inputs,
    OrderInputs,
    Policy,
    Sender,
    Touch,
)

NOW = datetime(2026, 6, 1, 12, tzinfo=UTC)
WINDOW = timedelta(days=90)


def make_touch(
    ago: timedelta, affiliate: int = 1, *, now: datetime = NOW, **changes: object
) -> Touch:
    """A good click of the affiliate so long before the order."""
    facts = {
        "carrier": Carrier.COOKIE,
        "click_id": UUID(int=abs(int(ago.total_seconds() * 1_000_000))),
        "touched_at": now - ago,
        "affiliate_id": affiliate,
        "affiliate_code": f"affiliate-{affiliate}",
        "status_at_visit": AffiliateStatus.ACTIVE,
        "status_at_order": AffiliateStatus.ACTIVE,
        "program_on_at_visit": True,
        "is_bot": False,
        "is_repeat": False,
        "is_self": False,
        **changes,
    }
    return Touch(**facts)  # type: ignore[arg-type]  # a table of test facts


def make_external(
    ago: timedelta, *, now: datetime = NOW, **changes: object
) -> ExternalTouch:
    """A good visit by the integration's link so long before the order."""
    facts = {
        "carrier": Carrier.COOKIE,
        "integration_id": 3,
        "visitor_id": "0f3c9a7be2d14c55a1b2c3d4e5f60718",
        "click_id": UUID(int=abs(int(ago.total_seconds() * 1_000_000))),
        "touched_at": now - ago,
        "affiliate": "testaff",
        "is_bot": False,
        "ip": "203.0.113.0",
        "user_agent": "Mozilla/5.0",
        **changes,
    }
    return ExternalTouch(**facts)  # type: ignore[arg-type]  # a table of test facts


def make_terms(**changes: object) -> AttributionTerms:
    """What a new brand has."""
    facts = {
        "policy": AttributionPolicy.LAST_CLICK,
        "claim_policy": ClaimPolicy.LATEST,
        "window": WINDOW,
        "own_program": True,
        "existing_clients_earn": False,
        "bound_clients": BindingPolicy.KEEP,
        "stand_down": timedelta(minutes=30),
        "coupon_over_link": True,
        **changes,
    }
    return AttributionTerms(**facts)  # type: ignore[arg-type]  # a table of test facts


def make_sender(affiliate: int, **changes: object) -> Sender:
    facts = {
        "affiliate_id": affiliate,
        "affiliate_code": f"affiliate-{affiliate}",
        "status": AffiliateStatus.ACTIVE,
        "is_self": False,
        **changes,
    }
    return Sender(**facts)  # type: ignore[arg-type]  # a table of test facts


def make_coupon(affiliate: int, **changes: object) -> Coupon:
    return Coupon(code="SUMMER", sender=make_sender(affiliate, **changes))


def make_typed(affiliate: int, **changes: object) -> Coupon:
    sender = make_sender(affiliate, **changes)
    return Coupon(code=sender.affiliate_code, sender=sender)


def make_assignment(affiliate: int | None, **changes: object) -> Assignment:
    sender = None if affiliate is None else make_sender(affiliate, **changes)
    return Assignment(sender=sender, reason="Agreed by phone", at=NOW)


def make_inputs(
    *touches: Touch,
    external: Sequence[ExternalTouch] = (),
    binding: Binding | None = None,
    basket_ago: timedelta | None = None,
    paid_before: bool = False,
    coupon: Coupon | None = None,
    typed: Coupon | None = None,
    assignment: Assignment | None = None,
    cookie: CookieState = CookieState.VALID,
    now: datetime = NOW,
    is_brand_active: bool = True,
    **terms: object,
) -> Inputs:
    """Of an order whose basket began just now, by the terms of a new brand."""
    return Inputs(
        touches=touches,
        external=tuple(external),
        binding=binding,
        order=OrderInputs(
            basket_at=None if basket_ago is None else now - basket_ago,
            client_paid_before=paid_before,
            coupon=coupon,
            assignment=assignment,
            typed=typed,
        ),
        cookie=cookie,
        policy=Policy(terms=make_terms(**terms), version_id=7, version=2),
        now=now,
        is_brand_active=is_brand_active,
    )
