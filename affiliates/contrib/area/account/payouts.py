"""Payouts: what was paid, asking for the next one, and the statement of each."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from affiliates.contrib.area.account.base import OpenAccountPage, masked
from affiliates.contrib.area.api.account.statements import pdf_answer, statement_of
from affiliates.contrib.area.api.books import balances_data
from affiliates.contrib.area.api.lists import csv_answer
from affiliates.contrib.area.api.payouts import (
    PAYOUTS,
    destination_data,
    offer_data,
    payout_data,
)
from affiliates.contrib.area.base import back_to
from affiliates.contrib.area.sections import PAYOUT_LINKS
from affiliates.errors import NotFound, StateConflict
from affiliates.payouts.papers.content import paper_of, paper_rows
from affiliates.payouts.papers.pdf import writes_pdf
from affiliates.payouts.services.requests import request_payout
from affiliates.payouts.statement_models import PayoutStatement

# Accounts that are mentioned only where something is on them.
MOVING = ("pending", "held", "payable", "being_paid", "paid_out")


def with_debt(balance: Mapping[str, Any]) -> dict[str, Any]:
    """The balance with what the page shows large, and a debt as a positive number."""
    payable = Decimal(balance["payable"])
    pending = Decimal(balance["pending"])
    for_staff = pending - Decimal(balance["in_hold"])
    return {
        **balance,
        "waiting": str(pending + Decimal(balance["held"])),
        "for_staff": str(for_staff) if for_staff > 0 else "",
        "moving": {name: balance[name] for name in MOVING if Decimal(balance[name])},
        "debt": str(-payable) if payable < 0 else "",
    }


class PayoutsPage(OpenAccountPage):
    template_name = "affiliates/area/payouts.html"
    section = "payouts"
    title = gettext_lazy("Payouts")

    def get(self, request: HttpRequest) -> HttpResponseBase:
        return self.page(
            found=self.rows(PAYOUTS),
            balances=[with_debt(balance) for balance in balances_data(self.affiliate)],
            destination=destination_data(self.affiliate),
        )


class PayoutRequestPage(OpenAccountPage):
    """Shows the amount and destination of a payout, then requests it."""

    template_name = "affiliates/area/payout_request.html"
    section = "payouts"
    title = gettext_lazy("Ask for a payout")

    def get(self, request: HttpRequest, currency: str) -> HttpResponseBase:
        return self._offered(currency)

    def post(self, request: HttpRequest, currency: str) -> HttpResponseBase:
        try:
            payout = request_payout(
                affiliate_id=self.affiliate.pk, currency=currency, now=timezone.now()
            )
        except StateConflict:
            return self._offered(currency, status=409)
        messages.success(request, _("The payout is asked for."))
        return back_to("payout", payout.pk)

    def _offered(self, currency: str, *, status: int = 200) -> HttpResponseBase:
        """The offer, or the payout that is under way: also after the second click."""
        offer = offer_data(self.affiliate, currency)
        if offer["open_payout"]:
            return back_to("payout", offer["open_payout"])
        return self.page(offer=offer, status=status)


class PayoutPage(OpenAccountPage):
    template_name = "affiliates/area/payout.html"
    section = "payouts"
    title = gettext_lazy("Payout")

    def get(self, request: HttpRequest, payout_id: int) -> HttpResponseBase:
        payout = payout_data(self.affiliate, payout_id)
        links = {
            name: text_of(self.affiliate, payout_id)
            for name, text_of in PAYOUT_LINKS.items()
        }
        return self.page(payout=payout, has_pdf=writes_pdf(), links=links)


class PaperPage(OpenAccountPage):
    def statement(self, payout_id: int, kind: str) -> PayoutStatement:
        statement = statement_of(self.affiliate, payout_id, kind=kind)
        if self.look is not None:
            statement.document = masked(statement.document)
        return statement


class StatementPage(PaperPage):
    """For printing: without navigation."""

    template_name = "affiliates/area/statement.html"
    section = "payouts"
    title = gettext_lazy("Statement")

    def get(self, request: HttpRequest, payout_id: int, kind: str) -> HttpResponseBase:
        paper = paper_of(self.statement(payout_id, kind))
        return self.page(paper=paper, payout_id=payout_id, has_pdf=writes_pdf())


class StatementFile(PaperPage):
    def get(self, request: HttpRequest, payout_id: int, kind: str) -> HttpResponse:
        rows = paper_rows(paper_of(self.statement(payout_id, kind)))
        return csv_answer(f"statement-{payout_id}-{kind}", rows)


class StatementPdf(PaperPage):
    def get(self, request: HttpRequest, payout_id: int, kind: str) -> HttpResponse:
        statement = self.statement(payout_id, kind)
        if not writes_pdf():
            raise NotFound
        return pdf_answer(statement)
