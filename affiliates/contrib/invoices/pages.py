"""A payout's invoice: a page of the affiliate's area, its form, and the files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import messages
from django.core.files.uploadhandler import FileUploadHandler, StopUpload
from django.core.validators import FileExtensionValidator
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.csrf import csrf_exempt
from moneyed import Money

from affiliates.conf import conf
from affiliates.contrib.area.account.base import AccountPage
from affiliates.contrib.area.api.lists import one_of
from affiliates.contrib.area.base import back_to, done_by
from affiliates.contrib.invoices.models import MAX_NUMBER, PayoutInvoice
from affiliates.contrib.invoices.rules import InvoiceState
from affiliates.contrib.invoices.selectors import file_of, invoices_of, needs_invoice
from affiliates.contrib.invoices.services import upload_invoice
from affiliates.contrib.invoices.types import InvoiceFacts
from affiliates.core.money import decimal_text, from_minor, local_text, to_minor
from affiliates.errors import InvalidInput, NotFound, StateConflict
from affiliates.payouts.models import Payout
from affiliates.payouts.rules import PayoutStatus
from affiliates.program.models import Affiliate
from affiliates.uploads.files import download
from affiliates.uploads.pdf import TOO_LARGE

PDF = "application/pdf"
SUMS = ("net", "tax", "total")


class LimitedUpload(FileUploadHandler):
    """Stops reading a request whose file is larger than an invoice may be."""

    def receive_data_chunk(self, raw_data: bytes, start: int) -> bytes:
        if start + len(raw_data) > conf.max_invoice_bytes:
            self.request.has_large_file = True  # type: ignore[union-attr] # for InvoicePage
            raise StopUpload(connection_reset=True)
        return raw_data

    def file_complete(self, file_size: int) -> None:
        """Leaves the file to the next handler."""


class SumField(forms.DecimalField):
    def __init__(self, **options: Any) -> None:
        super().__init__(min_value=0, max_digits=16, decimal_places=3, **options)


class InvoiceForm(forms.Form):
    file = forms.FileField(
        label=_("Invoice as PDF"),
        validators=[FileExtensionValidator(["pdf"])],
        widget=forms.FileInput(attrs={"accept": f"{PDF},.pdf"}),
    )
    number = forms.CharField(label=_("Number of the invoice"), max_length=MAX_NUMBER)
    issued_on = forms.DateField(
        label=_("Date of the invoice"),
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    net = SumField(label=_("Net amount"))
    tax = SumField(label=_("Tax"), help_text=_("0 without tax."))
    total = SumField(
        label=_("Total"), help_text=_("With tax. It must be the payout's amount.")
    )


def payout_of(affiliate: Affiliate, payout_id: int) -> Payout:
    """Raises NotFound for another affiliate's."""
    payout: Payout = one_of(payout_id, affiliate.payouts.all())
    return payout


def link_to_invoice(affiliate: Affiliate, payout_id: int) -> str:
    """The text of the link on the payout's page; "" if it is about no invoice."""
    payout = payout_of(affiliate, payout_id)
    if invoices_of(payout).exists():
        return gettext("See your invoice")
    is_open = payout.status == PayoutStatus.REQUESTED and needs_invoice(payout)
    return gettext("It waits for your invoice: send it") if is_open else ""


class InvoicePage(AccountPage):
    template_name = "affiliates/area/invoice.html"
    section = "payouts"
    title = _("Your invoice")

    # The check of the form's token reads the form, so it comes after this.
    @method_decorator(csrf_exempt)
    def dispatch(
        self, request: HttpRequest, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        request.upload_handlers.insert(0, LimitedUpload(request))
        return super().dispatch(request, *args, **kwargs)

    def get(self, request: HttpRequest, payout_id: int) -> HttpResponseBase:
        payout = payout_of(self.affiliate, payout_id)
        total = decimal_text(payout.amount, payout.currency)
        return self._shown(payout, InvoiceForm(initial={"total": total}))

    def post(self, request: HttpRequest, payout_id: int) -> HttpResponseBase:
        payout = payout_of(self.affiliate, payout_id)
        form = InvoiceForm(request.POST, request.FILES)
        if getattr(request, "has_large_file", False):
            # What came after the file was not read.
            form = InvoiceForm()
            form.errors["file"] = form.error_class([gettext(TOO_LARGE)])
        elif done_by(form, lambda values: self._upload(payout, values)):
            messages.success(request, gettext("We have your invoice."))
            return back_to("invoice", payout.pk)
        return self._shown(payout, form, status=400)

    def _upload(self, payout: Payout, values: Mapping[str, Any]) -> PayoutInvoice:
        sums = {name: _minor(values[name], payout, field=name) for name in SUMS}
        facts = InvoiceFacts(
            number=values["number"], issued_on=values["issued_on"], **sums
        )
        return upload_invoice(
            affiliate_id=self.affiliate.pk,
            payout_id=payout.pk,
            facts=facts,
            content=values["file"].read(conf.max_invoice_bytes + 1),
            now=timezone.now(),
        )

    def _shown(
        self, payout: Payout, form: InvoiceForm, *, status: int = 200
    ) -> TemplateResponse:
        is_open = payout.status == PayoutStatus.REQUESTED and needs_invoice(payout)
        money = from_minor(payout.amount, payout.currency)
        return self.page(
            status=status,
            payout=payout,
            amount=local_text(money, get_language() or "en"),
            invoices=invoices_of(payout),
            states=InvoiceState,
            form=form if is_open else None,
            megabytes=conf.max_invoice_bytes // 1_000_000,
        )


class InvoiceFilePage(AccountPage):
    def get(
        self, request: HttpRequest, payout_id: int, invoice_id: int
    ) -> HttpResponseBase:
        payout = payout_of(self.affiliate, payout_id)
        try:
            return pdf_answer(one_of(invoice_id, invoices_of(payout)))
        except StateConflict:
            raise NotFound from None


def pdf_answer(invoice: PayoutInvoice) -> HttpResponse:
    """The file, never shown within a page. Raises StateConflict as ``file_of``."""
    name = f"invoice-{invoice.payout_id}-{invoice.pk}.pdf"
    return download(file_of(invoice), name=name, content_type=PDF)


def _minor(amount: Any, payout: Payout, *, field: str) -> int:
    try:
        return to_minor(Money(amount, payout.currency))
    except ValueError:
        raise InvalidInput(
            "invalid", "The currency has fewer decimals.", field=field
        ) from None
