"""Own invoices of affiliates, and a brand's terms about them, as services leave them."""

from __future__ import annotations

from datetime import date

import factory
from factory.django import DjangoModelFactory

from affiliates.contrib.invoices.models import InvoiceFile, InvoiceTerms, PayoutInvoice
from affiliates.contrib.invoices.selectors import INVOICES, digest_of
from tests.factories.ledger import NOW
from tests.guard.markers import marker, number_of

PAGES = (
    b"<< /Type /Catalog /Pages 2 0 R >>",
    b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>",
)


def pdf(
    *objects: bytes, pages: tuple[bytes, ...] = PAGES, trailer: bytes = b""
) -> bytes:
    """A PDF of one empty page, with these objects beside it."""
    content, offsets = b"%PDF-1.7\n", []
    for number, body in enumerate((*pages, *objects), start=1):
        offsets.append(len(content))
        content += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    count = len(offsets) + 1
    return (
        content
        + b"xref\n0 %d\n0000000000 65535 f \n" % count
        + table
        + b"trailer\n<< /Size %d /Root 1 0 R %s>>\n" % (count, trailer)
        + b"startxref\n%d\n%%%%EOF\n" % len(content)
    )


def stream(data: bytes, entries: bytes = b"/Filter /FlateDecode") -> bytes:
    return b"<< %s /Length %d >>\nstream\n%s\nendstream" % (entries, len(data), data)


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
