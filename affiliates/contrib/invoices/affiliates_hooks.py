"""Registers what waits for invoices, the pages of the area, and personal data."""

from __future__ import annotations

from django.urls import path
from django.utils.translation import gettext_lazy as _

from affiliates.admin_tools.leaving import LEAVING, Leaving
from affiliates.brands.roles import FINANCE, Work, register
from affiliates.contrib.area.sections import MORE_PAGES, PAYOUT_LINKS
from affiliates.contrib.invoices.models import PayoutInvoice
from affiliates.contrib.invoices.pages import (
    InvoiceFilePage,
    InvoicePage,
    link_to_invoice,
)
from affiliates.contrib.invoices.selectors import (
    INVOICES,
    note_on_statement,
    unmet_by_invoices,
)
from affiliates.contrib.invoices.services import ask_for_invoice
from affiliates.db.audit.recording import RECORDED_MODELS
from affiliates.encrypted.columns import register_column
from affiliates.payouts.requirements.registry import (
    APPROVAL_REQUIREMENTS,
    ON_REQUEST,
    STATEMENT_NOTES,
)
from affiliates.privacy.registry import declare
from affiliates.privacy.types import Ground, Key, Person, Use
from affiliates.privacy.uses import ACT, BOOKS
from affiliates.verification.seals import SEALED

register_column("affiliates_invoices.InvoiceFile", "content", purpose=INVOICES)
APPROVAL_REQUIREMENTS.append(unmet_by_invoices)
ON_REQUEST.append(ask_for_invoice)
STATEMENT_NOTES.append(note_on_statement)
PAYOUT_LINKS["invoice"] = link_to_invoice
MORE_PAGES += [
    path("invoices/<int:payout_id>", InvoicePage.as_view(), name="invoice"),
    path(
        "invoices/<int:payout_id>/<int:invoice_id>.pdf",
        InvoiceFilePage.as_view(),
        name="invoice_file",
    ),
]
SEALED[PayoutInvoice] = "payout__brand_id"
RECORDED_MODELS["affiliates_invoices.InvoiceTerms"] = "brand"
LEAVING["affiliates_invoices.change_invoiceterms"] = Leaving.MONEY
register("affiliates_invoices", {FINANCE: Work(configures=("invoiceterms",))})

# Also those that were refused: received letters are kept like books.
INVOICED = Use(
    Person.AFFILIATE,
    _("To keep the invoices that affiliates sent, as tax law asks for"),
    Ground.DUTY,
    BOOKS,
    stays=True,
)
OF_AFFILIATE = {Person.AFFILIATE: {"payout__affiliate": Key.AFFILIATE}}
declare("affiliates_invoices.InvoiceTerms", other="needed_from")
declare(
    "affiliates_invoices.PayoutInvoice",
    {INVOICED: "number reason", ACT: "refused_by"},
    of=OF_AFFILIATE,
    other="digest",
)
# An export names the file by its digest: its person downloads it in the area.
declare(
    "affiliates_invoices.InvoiceFile",
    {INVOICED: "content"},
    shared={Person.AFFILIATE: {"invoice__payout__affiliate": Key.AFFILIATE}},
)
