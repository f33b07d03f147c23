"""Staff at their browsers, and an invoice and an event to look at."""

from __future__ import annotations

import json

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from portal.billing.models import Invoice
from portal.billing.payment_events import PaymentEvent
from portal.clients.models import User
from tests.factories.portal import StaffFactory
from tests.portal.admin.pages import PAGES


@pytest.fixture
def staff(db) -> User:
    return StaffFactory(email="root@example.com")


@pytest.fixture
def browser(staff) -> Client:
    browser = Client()
    browser.force_login(staff)
    return browser


@pytest.fixture
def helper(db) -> Client:
    """Staff who may look at everything and change clients, and nothing else."""
    user = StaffFactory(is_superuser=False)
    wanted = Permission.objects.filter(content_type__app_label="portal")
    user.user_permissions.set(
        wanted.filter(codename__in=[f"view_{page}" for page in PAGES] + ["change_user"])
    )
    browser = Client()
    browser.force_login(user)
    return browser


@pytest.fixture
def invoice(client, invoice_of) -> Invoice:
    return invoice_of(client)


@pytest.fixture
def event(invoice, now) -> PaymentEvent:
    refund = {
        "invoice_id": str(invoice.pk),
        "reference": "re_1",
        "amount": "1.00",
        "currency": "EUR",
    }
    event = PaymentEvent(
        gateway="acme",
        event_id="evt_1",
        body=json.dumps({"type": "payment.refunded", "data": refund}),
        received_at=now,
        outcome="deferred",
        failure="not_paid",
    )
    event.save()
    return event
