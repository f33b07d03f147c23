"""Own invoices of affiliates, and a brand's terms about them, as services leave them."""

from __future__ import annotations

from datetime import date

import factory
from factory.django import DjangoModelFactory

from affiliates.contrib.invoices.models import InvoiceFile, InvoiceTerms, PayoutInvoice
from affiliates.contrib.invoices.selectors import INVOICES, digest_of
from tests.factories.files import pdf
from tests.factories.ledger import NOW
from tests.guard.markers import marker, number_of


class InvoiceTermsFactory(DjangoModelFactory):
    """Every payout in EUR waits for an invoice. ``brand`` must be given."""

    class Meta:
        model = InvoiceTerms

    needed_from = factory.LazyFunction(lambda: {"EUR": 0})


class InvoiceFileFactory(DjangoModelFactory):
    class Meta:
        model = InvoiceFile

    class Params:
        plain = factory.LazyFunction(pdf)

    content = factory.LazyAttribute(lambda row: INVOICES.encrypt(row.plain))


class PayoutInvoiceFactory(DjangoModelFactory):
    """Over the whole amount, without tax. ``payout`` must be given."""

    class Meta:
        model = PayoutInvoice
        skip_postgeneration_save = True

    number = factory.LazyAttribute(
        lambda row: marker("affiliate", "invoice", number_of(row.payout.affiliate.user))
    )
    issued_on = date(2026, 3, 1)
    net = factory.SelfAttribute("total")
    tax = 0
    total = factory.SelfAttribute("payout.amount")
    size = factory.LazyFunction(lambda: len(pdf()))
    digest = factory.LazyFunction(lambda: digest_of(pdf()))
    uploaded_at = NOW
    end = ""
    reason = factory.LazyAttribute(
        lambda row: (
            marker("affiliate", "refusal", number_of(row.payout.affiliate.user))
            if row.end == "refused"
            else ""
        )
    )

    file = factory.RelatedFactory(InvoiceFileFactory, factory_related_name="invoice")
