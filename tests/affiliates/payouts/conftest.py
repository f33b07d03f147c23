from __future__ import annotations

from contextlib import contextmanager
from datetime import timedelta

import pytest
from django.contrib.auth.models import Group
from django.test import Client

from affiliates.adapter import get_adapter
from affiliates.brands.roles import FINANCE, group_name
from affiliates.emails.sending import send_due
from affiliates.payouts.services.decisions import approve_payouts
from affiliates.payouts.services.requests import request_payout
from tests.factories.payouts import DestinationFactory, earn


@pytest.fixture
def emails(mailoutbox, now):
    """Do something, and see what leaves the outbox of e-mails then."""

    @contextmanager
    def emails():
        yield mailoutbox
        send_due(now=lambda: now + timedelta(days=1))

    return emails


@pytest.fixture
def wallet(monkeypatch):
    """The host's account credit, told to fail and asked what it was asked."""
    adapter = get_adapter()
    credit = adapter.credit_wallet

    class Wallet:
        def __init__(self):
            self.asked = []
            self.failure = None
            self.dies_after = False

        def credit(self, request, *, now):
            self.asked.append(request)
            if self.failure is not None:
                raise self.failure
            reference = credit(request, now=now)
            if self.dies_after:
                raise KeyboardInterrupt
            return reference

    wallet = Wallet()
    monkeypatch.setattr(adapter, "credit_wallet", wallet.credit)
    return wallet


@pytest.fixture
def requested(affiliate, terms, now):
    """Make a payout: money is earned and asked for."""

    def requested(to="paypal", amount=10_000, currency="EUR", owner=affiliate):
        DestinationFactory(affiliate=owner, to=to, usable_from=now)
        earn(owner, amount, currency)
        return request_payout(affiliate_id=owner.pk, currency=currency, now=now)

    return requested


@pytest.fixture
def approved(requested, staff, now):
    """Make an approved payout."""

    def approved(*args, **fields):
        payout = requested(*args, **fields)
        approve_payouts(payout_ids=[payout.pk], actor_id=staff.pk, now=now)
        payout.refresh_from_db()
        return payout

    return approved


@pytest.fixture
def second(brand, host):
    """Another of the staff."""
    return host.client(brand, email="second@example.com")


@pytest.fixture
def for_two(terms):
    terms.needs_second_person = True
    terms.save()
    return terms


@pytest.fixture
def browser_of():
    """The admin as a user with the role of finance sees it."""

    def browser_of(user):
        user.is_staff = True
        # The portal's clients have a brand, its staff have none.
        user.brand = None
        user.save()
        user.groups.add(Group.objects.get(name=group_name(FINANCE)))
        browser = Client()
        browser.force_login(user)
        return browser

    return browser_of
