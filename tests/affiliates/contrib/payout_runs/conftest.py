from __future__ import annotations

import pytest

from affiliates.contrib.payout_runs.services.answers import (
    apply_answer,
    begin_answer,
    keep_answer,
)
from affiliates.contrib.payout_runs.services.approvals import approve_run
from affiliates.contrib.payout_runs.services.drafts import draft, start_run
from tests.factories.affiliates import AffiliateFactory
from tests.factories.payouts import OWN_ACCOUNT, DestinationFactory, earn


@pytest.fixture
def own_account(terms):
    for name, value in OWN_ACCOUNT.items():
        setattr(terms, name, value)
    terms.save()


@pytest.fixture
def earner(brand, host, terms, now):
    """An affiliate with a payable balance and a destination, as many as are asked for."""

    def earner(code, amount=10_000, *, to="bank", currency="EUR", **fields):
        user = host.client(brand, email=f"{code}@example.com")
        affiliate = AffiliateFactory(brand=brand, user=user, code=code, **fields)
        if to is not None:
            DestinationFactory(affiliate=affiliate, to=to, usable_from=now)
        if amount:
            earn(affiliate, amount, currency)
        return affiliate

    return earner


@pytest.fixture
def second(brand, host):
    """Another of the staff."""
    return host.client(brand, email="second@example.com")


@pytest.fixture
def drafted(brand, staff, now):
    def drafted(*, period=None, actor=staff):
        actor_id = None if actor is None else actor.pk
        run = start_run(brand_id=brand.pk, period=period, actor_id=actor_id, now=now)
        return draft(run, clock=lambda: now, should_stop=lambda: False)

    return drafted


@pytest.fixture
def released(drafted, own_account, second, now):
    """A run that was approved, its files written."""

    def released():
        run = drafted()
        return approve_run(run_id=run.pk, actor_id=second.pk, now=now)

    return released


@pytest.fixture
def answered(brand, staff, now):
    """Keep a file and apply it."""

    def answered(content, *, of=brand, at=now):
        answer = keep_answer(
            brand_id=of.pk, name="file", content=content, actor_id=staff.pk, now=at
        )
        begin_answer(answer_id=answer.pk, actor_id=staff.pk)
        return apply_answer(
            answer_id=answer.pk, clock=lambda: at, should_stop=lambda: False
        )

    return answered
