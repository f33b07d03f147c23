from __future__ import annotations

import re

import pytest
from django.test import Client
from moneyed import Money

from affiliates.errors import InvalidInput
from portal.billing import services
from portal.billing.models import Invoice, Payment, Refund
from tests.portal.admin.pages import page_of, text_of

pytestmark = pytest.mark.portable


def test_an_invoice_shows_its_lines_payment_and_refunds(browser, invoice, now, told):
    services.mark_paid(invoice_id=invoice.pk, now=now)
    services.record_refund(
        invoice_id=invoice.pk,
        gateway="acme",
        reference="re_77",
        amount=Money("1.00", "EUR"),
        kind="chargeback",
        now=now,
    )

    page = text_of(browser.get(page_of(invoice)))

    for shown in ("INV-000001", "Business", "€10.71", "manual", "re_77", "€1.00"):
        assert shown in page


def test_marking_paid_asks_first(browser, invoice, told):
    page = browser.get(page_of(invoice, "mark-paid"))

    assert page.status_code == 200
    assert "€10.71" in text_of(page)
    invoice.refresh_from_db()
    assert invoice.status == "unpaid"
    assert told == []


def test_an_operator_marks_paid(browser, invoice, told):
    response = browser.post(page_of(invoice, "mark-paid"), {}, follow=True)

    assert response.redirect_chain == [(page_of(invoice), 302)]
    assert "Invoice INV-000001 is paid: €10.71." in text_of(response)
    invoice.refresh_from_db()
    assert invoice.status == "paid"
    assert Payment.objects.get().gateway == "manual"
    assert len(told) == 1


def test_only_what_is_possible_is_offered(browser, invoice, now, told):
    buttons = {
        name: page_of(invoice, name)
        for name in ("mark-paid", "pay-with-credit", "refund")
    }
    unpaid = text_of(browser.get(page_of(invoice)))

    services.mark_paid(invoice_id=invoice.pk, now=now)
    paid = text_of(browser.get(page_of(invoice)))

    assert [name for name, url in buttons.items() if url in unpaid] == [
        "mark-paid",
        "pay-with-credit",
    ]
    assert [name for name, url in buttons.items() if url in paid] == ["refund"]


def test_marking_paid_again_is_harmless(browser, invoice, told):
    for _ in range(2):
        response = browser.post(page_of(invoice, "mark-paid"), {}, follow=True)

    assert response.status_code == 200
    assert Payment.objects.count() == 1
    assert len(told) == 1


def test_marking_paid_what_a_gateway_was_paid_says_so(browser, invoice, now, told):
    services.record_payment(
        invoice_id=invoice.pk,
        gateway="acme",
        reference="pay_1",
        amount=invoice.gross,
        now=now,
    )

    response = browser.post(page_of(invoice, "mark-paid"), {})

    assert response.status_code == 200
    assert "This invoice is paid already." in text_of(response)
    assert Payment.objects.count() == 1


def test_a_refusal_of_affiliates_is_shown(browser, invoice, monkeypatch):
    def refuse(event, *, now):
        raise InvalidInput("no", "Affiliates says no.")

    monkeypatch.setattr(services, "invoice_paid", refuse)

    response = browser.post(page_of(invoice, "mark-paid"), {})

    assert "Affiliates says no." in text_of(response)
    invoice.refresh_from_db()
    assert invoice.status == "unpaid"


def refund_form(browser: Client, invoice: Invoice, **values: str) -> dict[str, str]:
    page = text_of(browser.get(page_of(invoice, "refund")))
    (reference,) = re.findall(r'name="reference" value="([^"]+)"', page)
    return {
        "amount": "4.00",
        "kind": "refund",
        "confirm": "on",
        "reference": reference,
        **values,
    }


@pytest.mark.parametrize("kind", ["refund", "chargeback"])
def test_an_operator_refunds(kind, browser, invoice, now, told):
    services.mark_paid(invoice_id=invoice.pk, now=now)
    form = refund_form(browser, invoice, kind=kind)

    response = browser.post(page_of(invoice, "refund"), form, follow=True)

    assert "Refunded €4.00 of invoice INV-000001." in text_of(response)
    refund = Refund.objects.get()
    assert (refund.kind, refund.amount, refund.gateway) == (
        kind,
        Money("4.00", "EUR"),
        "manual",
    )
    invoice.refresh_from_db()
    assert invoice.status == "partly_refunded"


def test_sending_the_refund_page_twice_refunds_once(browser, invoice, now, told):
    services.mark_paid(invoice_id=invoice.pk, now=now)
    form = refund_form(browser, invoice)

    for _ in range(2):
        browser.post(page_of(invoice, "refund"), form)

    assert Refund.objects.count() == 1


@pytest.mark.parametrize(
    ("_case", "change", "message"),
    [
        ("too much", {"amount": "10.72"}, "more than what was paid"),
        ("nothing", {"amount": "0"}, "Name an amount that can be paid back."),
        ("negative", {"amount": "-1"}, "Name an amount that can be paid back."),
        (
            "less than a cent",
            {"amount": "0.001"},
            "Name an amount that can be paid back.",
        ),
        ("words", {"amount": "ten"}, "Enter a number."),
        ("NaN", {"amount": "NaN"}, "Enter a number."),
        ("not confirmed", {"confirm": ""}, "This field is required."),
        ("unknown kind", {"kind": "gift"}, "Select a valid choice."),
        ("no reference", {"reference": "x"}, "Enter a valid UUID."),
    ],
)
def test_an_impossible_refund_is_refused(
    _case, change, message, browser, invoice, now, told
):
    services.mark_paid(invoice_id=invoice.pk, now=now)
    form = refund_form(browser, invoice, **change)

    response = browser.post(page_of(invoice, "refund"), form)

    assert response.status_code == 200
    assert message in text_of(response)
    assert not Refund.objects.exists()


def test_an_unpaid_invoice_cannot_be_refunded(browser, invoice, told):
    response = browser.post(page_of(invoice, "refund"), refund_form(browser, invoice))

    assert "This invoice is not paid yet." in text_of(response)
    assert not Refund.objects.exists()


@pytest.mark.parametrize("object_id", ["x", "00000000-0000-0000-0000-000000000000"])
def test_actions_of_an_unknown_invoice_are_404(object_id, browser):
    for action in ("mark-paid", "refund"):
        path = f"/admin/portal/invoice/{object_id}/{action}/"
        assert browser.get(path).status_code == 404
        assert browser.post(path).status_code == 404


def test_actions_need_their_permission(helper, invoice, told):
    for action in ("mark-paid", "refund"):
        assert helper.get(page_of(invoice, action)).status_code == 403
        assert helper.post(page_of(invoice, action), {}).status_code == 403

    assert helper.get(page_of(invoice)).status_code == 200
    invoice.refresh_from_db()
    assert invoice.status == "unpaid"


def test_actions_need_a_login(invoice):
    for action in ("mark-paid", "refund"):
        assert Client().post(page_of(invoice, action), {}).status_code == 302

    assert not Payment.objects.exists()


def test_a_deferred_event_is_processed_again(browser, invoice, event, now, told):
    services.mark_paid(invoice_id=invoice.pk, now=now)

    response = browser.post(
        "/admin/portal/paymentevent/",
        {"action": "process_again", "_selected_action": [event.pk]},
        follow=True,
    )

    assert "Processed" in text_of(response)
    event.refresh_from_db()
    assert (event.outcome, event.failure) == ("processed", "")
    assert Refund.objects.count() == 1
