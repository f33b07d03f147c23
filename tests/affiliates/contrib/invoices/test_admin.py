"""Staff read invoices, refuse them, and find payouts that wait for one."""

from __future__ import annotations

import pytest
from django.urls import reverse

from affiliates.brands.roles import FINANCE, SUPPORT
from affiliates.contrib.invoices.models import InvoiceFile, InvoiceTerms
from affiliates.payouts.services.decisions import approve_payouts
from tests.database import nothing_written
from tests.factories.files import pdf
from tests.factories.invoices import InvoiceTermsFactory, PayoutInvoiceFactory

pytestmark = pytest.mark.django_db
INVOICE = "admin:affiliates_invoices_payoutinvoice"
TERMS = "admin:affiliates_invoices_invoiceterms"


def test_terms_are_one_currency_a_line(admin_client, brand):
    answer = admin_client.post(
        reverse(f"{TERMS}_add"),
        {"brand": str(brand.pk), "needed_from": "EUR 600\nUSD 0"},
    )

    assert answer.status_code == 302
    assert InvoiceTerms.objects.get().needed_from == {"EUR": 60_000, "USD": 0}


def test_finance_reads_the_file_and_support_does_not(as_role, asked):
    invoice = PayoutInvoiceFactory(payout=asked())
    address = reverse("admin:affiliates_invoices_payoutinvoice_download", args=[1])
    address = address.replace("/1/", f"/{invoice.pk}/")

    page = as_role(FINANCE).get(reverse(f"{INVOICE}_change", args=[invoice.pk])).text
    file = as_role(FINANCE).get(address)
    refused = as_role(SUPPORT).get(address)

    assert invoice.number in page
    assert "€100.00" in page
    assert (file.status_code, file.content) == (200, pdf())
    assert file["Content-Disposition"] == (
        f'attachment; filename="invoice-{invoice.payout_id}-{invoice.pk}.pdf"'
    )
    assert file["X-Content-Type-Options"] == "nosniff"
    assert "no-store" in file["Cache-Control"]
    assert refused.status_code == 403


def test_a_missing_file_is_said(admin_client, asked):
    invoice = PayoutInvoiceFactory(payout=asked())
    InvoiceFile.objects.all().delete()
    address = reverse(f"{INVOICE}_download", args=[invoice.pk])

    answer = admin_client.get(address, follow=True)

    assert "is not what was uploaded" in answer.text


def test_one_is_refused_for_a_reason(admin_client, admin_user, asked):
    invoice = PayoutInvoiceFactory(payout=asked())
    address = reverse(f"{INVOICE}_refuse", args=[invoice.pk])

    answer = admin_client.post(
        address, {"reason": "No address.", "confirmed": "1"}, follow=True
    )

    invoice.refresh_from_db()
    assert "Refused: the affiliate gets an e-mail." in answer.text
    assert (invoice.state, invoice.reason) == ("refused", "No address.")
    assert invoice.refused_by == admin_user


def test_of_a_decided_payout_nothing_is_refused(admin_client, asked, staff, now):
    payout = asked()
    invoice = PayoutInvoiceFactory(payout=payout)
    approve_payouts(payout_ids=[payout.pk], actor_id=staff.pk, now=now)
    address = reverse(f"{INVOICE}_refuse", args=[invoice.pk])

    with nothing_written():
        admin_client.get(reverse(f"{INVOICE}_change", args=[invoice.pk]))
    answer = admin_client.get(address, follow=True)

    assert f"{invoice}: Accepted." in answer.text


@pytest.fixture
def waiting(asked, rival, affiliate, invoice_terms):
    """Payouts by what they wait for; one in USD, one approved and one small wait not."""
    invoice_terms.change(needed_from={"EUR": 10_000})
    missing = asked()
    differing = asked(owner=rival)
    PayoutInvoiceFactory(payout=differing, total=11_900)
    asked(currency="USD")
    return {"missing": missing, "differs": differing}


@pytest.mark.parametrize("name", ["missing", "differs", "waits"])
def test_the_list_of_payouts_is_filtered(name, admin_client, waiting, rival, affiliate):
    if name == "waits":
        waiting["differs"].invoices.update(end="replaced")
        PayoutInvoiceFactory(payout=waiting["differs"], number="2")
        waiting["waits"] = waiting["differs"]

    page = admin_client.get(
        reverse("admin:affiliates_payout_changelist"), {"invoice": name}
    )

    rows = [row.pk for row in page.context["cl"].result_list]
    assert rows == [waiting[name].pk]


def test_without_terms_nothing_waits(admin_client, waiting, invoice_terms):
    InvoiceTerms.objects.all().delete()

    page = admin_client.get(
        reverse("admin:affiliates_payout_changelist"), {"invoice": "missing"}
    )

    assert list(page.context["cl"].result_list) == []


def test_the_page_of_a_payout_shows_its_invoices(admin_client, asked):
    invoice = PayoutInvoiceFactory(payout=asked(), total=11_900)

    page = admin_client.get(
        reverse("admin:affiliates_payout_change", args=[invoice.payout_id])
    ).text

    link = reverse(f"{INVOICE}_change", args=[invoice.pk])
    for text in (
        f'href="{link}"',
        str(invoice),
        "€119.00",
        "Another total than the payout",
    ):
        assert text in page


def test_terms_of_two_brands(admin_client, brand):
    InvoiceTermsFactory(brand=brand)

    assert str(brand) in admin_client.get(reverse(f"{TERMS}_changelist")).text
