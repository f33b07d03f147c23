"""Invoices stay with the books; an export names them."""

from __future__ import annotations

import pytest

from affiliates.contrib.invoices.models import PayoutInvoice
from affiliates.contrib.invoices.selectors import file_of
from affiliates.payouts.services.confirmations import confirm_payout
from affiliates.payouts.services.decisions import approve_payouts
from affiliates.privacy.erasure.selectors import person_of
from affiliates.privacy.erasure.services import erase
from affiliates.privacy.selectors import rows_of
from affiliates.program.rules import AffiliateStatus
from affiliates.verification.seals import judge_seal
from tests.factories.files import pdf
from tests.factories.invoices import PayoutInvoiceFactory

pytestmark = pytest.mark.django_db


def test_erasing_the_person_keeps_them_with_the_books(asked, affiliate, staff, now):
    payout = asked()
    invoice = PayoutInvoiceFactory(payout=payout)
    approve_payouts(payout_ids=[payout.pk], actor_id=staff.pk, now=now)
    confirm_payout(payout_id=payout.pk, reference="1", actor_id=staff.pk, now=now)
    affiliate.change(status=AffiliateStatus.SUSPENDED)

    erase(
        brand=affiliate.brand,
        accounts=[str(affiliate.user_id)],
        email="",
        reason="They asked for it.",
        now=now,
    )

    kept = PayoutInvoice.objects.get()
    assert (kept.number, file_of(kept)) == (invoice.number, pdf())
    assert list(judge_seal(kept)) == []


def test_an_export_names_them_without_the_file(asked, affiliate, rival):
    invoice = PayoutInvoiceFactory(payout=asked())
    PayoutInvoiceFactory(payout=asked(owner=rival))
    person = person_of(affiliate.brand, [str(affiliate.user_id)], "")

    tables = {table.declared.name: table.rows for table in rows_of(person)}

    [row] = tables["affiliates_invoices.PayoutInvoice"]
    assert (row["number"], row["digest"]) == (invoice.number, invoice.digest)
    assert (row["total"], row["size"]) == (10_000, len(pdf()))
    assert "affiliates_invoices.InvoiceFile" not in tables
