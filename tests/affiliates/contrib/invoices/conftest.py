"""Nothing of the app is imported before it is used: a host may leave it out."""

from __future__ import annotations

from datetime import date

import pytest

from affiliates.payouts.services.requests import request_payout
from tests.factories.payouts import DestinationFactory, earn


@pytest.fixture
def invoice_terms(brand):
    from tests.factories.invoices import InvoiceTermsFactory

    return InvoiceTermsFactory(brand=brand)


@pytest.fixture
def asked(affiliate, terms, invoice_terms, now):
    """Make a payout that waits for an invoice: 100.00 EUR unless it is said."""

    def asked(amount=10_000, currency="EUR", owner=affiliate):
        DestinationFactory(affiliate=owner, usable_from=now)
        earn(owner, amount, currency)
        return request_payout(affiliate_id=owner.pk, currency=currency, now=now)

    return asked


@pytest.fixture
def send(now):
    """Send an invoice over the payout's amount, unless it is said otherwise."""
    from affiliates.contrib.invoices.services import upload_invoice
    from affiliates.contrib.invoices.types import InvoiceFacts
    from tests.factories.files import pdf

    def send(payout, *, content=None, owner_id=None, **facts):
        said = {
            "number": "2026-17",
            "issued_on": date(2026, 3, 1),
            "net": payout.amount,
            "tax": 0,
            "total": payout.amount,
            **facts,
        }
        return upload_invoice(
            affiliate_id=owner_id or payout.affiliate_id,
            payout_id=payout.pk,
            facts=InvoiceFacts(**said),
            content=pdf() if content is None else content,
            now=now,
        )

    return send


@pytest.fixture
def browser(affiliate, browser_of):
    return browser_of(affiliate)


@pytest.fixture
def second(brand, host):
    """Another of the staff."""
    return host.client(brand, email="second@example.com")
