"""Staff renew and end orders, and give account credit."""

from __future__ import annotations

import re
from uuid import uuid4

import pytest
from moneyed import Money

from portal.billing.models import Invoice
from portal.billing.services import mark_paid
from portal.clients.credit import balance_of
from portal.clients.models import WalletEntry
from tests.factories.portal import WalletEntryFactory
from tests.guard.markers import marker
from tests.portal.admin.pages import page_of, text_of

pytestmark = [pytest.mark.portable, pytest.mark.usefixtures("told")]


@pytest.fixture
def paid(invoice, now) -> Invoice:
    mark_paid(invoice_id=invoice.pk, now=now)
    return invoice


def test_a_renewal_is_asked_for_first(browser, paid):
    page = browser.get(page_of(paid.order, "renew"))

    assert "Issue the renewal invoice now" in text_of(page)
    assert Invoice.objects.count() == 1


def test_staff_issue_a_renewal_early_and_once(browser, paid):
    for _ in range(2):
        page = browser.post(page_of(paid.order, "renew"), {}, follow=True)

    assert "Renewal 1 is invoice INV-000002." in text_of(page)
    assert Invoice.objects.count() == 2


def test_a_refusal_is_shown(browser, invoice):
    page = browser.post(page_of(invoice.order, "renew"), {})

    assert "The initial invoice is not paid yet." in text_of(page)
    assert Invoice.objects.count() == 1


def test_staff_end_a_service_with_a_reason(browser, paid):
    path = page_of(paid.order, "end")

    refused = browser.post(path, {"reason": ""})
    done = browser.post(path, {"reason": marker("staff", "ended")}, follow=True)

    assert "This field is required." in text_of(refused)
    assert "The service has ended" in text_of(done)
    paid.order.refresh_from_db()
    assert paid.order.ended_reason == marker("staff", "ended")


@pytest.mark.parametrize("action", ["renew", "end"])
def test_staff_without_the_permission_may_not(action, helper, paid):
    answer = helper.post(page_of(paid.order, action), {"reason": "x"})

    assert answer.status_code == 403
    paid.order.refresh_from_db()
    assert paid.order.ended_at is None
    assert Invoice.objects.count() == 1


def credit_form(**changes) -> dict[str, object]:
    values = {
        "amount": "12.50",
        "currency": "eur",
        "reason": "A present",
        "reference": uuid4(),
    }
    return {**values, **changes}


def test_staff_add_credit_once_a_page(browser, client):
    path = page_of(client, "add-credit")
    shown = re.search(r'name="reference" value="([^"]+)"', text_of(browser.get(path)))
    form = credit_form(reference=shown[1])

    for _ in range(2):
        page = browser.post(path, form, follow=True)

    assert "Added €12.50 to the account credit." in text_of(page)
    assert balance_of(client.pk, currency="EUR") == Money("12.50", "EUR")


@pytest.mark.parametrize(
    ("_case", "changes", "detail"),
    [
        ("nothing", {"amount": "0"}, "Name an amount above zero"),
        ("below zero", {"amount": "-1"}, "Name an amount above zero"),
        ("less than a cent", {"amount": "0.001"}, "Name an amount above zero"),
        ("no such currency", {"currency": "XXQ"}, "No such currency."),
        ("no reason", {"reason": " "}, "This field is required."),
    ],
)
def test_credit_that_cannot_be_is_refused(_case, changes, detail, browser, client):
    page = browser.post(page_of(client, "add-credit"), credit_form(**changes))

    assert detail in text_of(page)
    assert not WalletEntry.objects.exists()


def test_staff_without_the_permission_add_no_credit(helper, client):
    answer = helper.post(page_of(client, "add-credit"), credit_form())

    assert answer.status_code == 403
    assert not WalletEntry.objects.exists()


def test_the_clients_page_shows_the_balance(browser, client):
    entry = WalletEntryFactory(client=client)

    assert "€50.00" in text_of(browser.get(page_of(client)))
    listed = browser.get(f"/admin/portal/walletentry/?q={client.pk}")
    assert entry.reason in text_of(listed)
    assert browser.post(page_of(entry), {"amount": 1}).status_code == 403
    assert browser.post(page_of(entry, "delete"), {}).status_code == 403


def test_staff_pay_an_invoice_with_the_clients_credit(browser, client, invoice):
    path = page_of(invoice, "pay-with-credit")

    refused = browser.post(path, {})
    WalletEntryFactory(client=client)
    done = browser.post(path, {}, follow=True)

    assert "does not cover" in text_of(refused)
    assert "Account credit has paid invoice INV-000001: €10.71." in text_of(done)
    assert balance_of(client.pk, currency="EUR") == Money("39.29", "EUR")
