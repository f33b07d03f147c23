"""Staff enter an affiliate's payout destination and start its payouts."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import reverse
from django.utils import timezone

from affiliates.admin_tools.base import action, requires
from affiliates.admin_tools.columns import moment, money_text, row_money
from affiliates.admin_tools.confirmation import AsksFirst, Listing, Question, answer_of
from affiliates.admin_tools.naming import page_name
from affiliates.payouts.forms import DestinationForm, StartForm
from affiliates.payouts.selectors import (
    balances,
    current_destination,
    needs_second_person,
    terms_of,
)
from affiliates.payouts.services.destinations import change_destination
from affiliates.payouts.services.requests import request_payout
from affiliates.program.models import Affiliate

FOR_TWO = "This brand asks for a second person: somebody else has to approve it."


class PaysAffiliate(AsksFirst):
    """Mixed into the page of an affiliate."""

    has_enter_destination_permission = requires("affiliates.add_payoutdestination")
    has_start_payout_permission = requires("affiliates.add_payout")

    @action(
        description="Enter a destination…",
        url_path="destination",
        permissions=["enter_destination"],
    )
    def enter_destination(self, request: HttpRequest, object_id: str) -> HttpResponse:
        affiliate = self.row_of(request, object_id)
        terms = terms_of(affiliate.brand_id)
        form = DestinationForm(answer_of(request), kinds=terms.kinds)
        question = Question(
            title=f"Payout destination of {affiliate.code}",
            paragraphs=[
                "The first destination can be paid to at once, a changed one after "
                f"{terms.cool_off.days} days. What was started before is still paid to "
                "the old one. The client gets an e-mail."
            ],
            button="Save the destination",
            facts=_facts(affiliate),
            form=form,
            row=affiliate,
        )

        def write() -> str:
            destination = change_destination(
                affiliate_id=affiliate.pk,
                kind=form.cleaned_data["kind"],
                values=form.cleaned_data["details"],
                now=timezone.now(),
                entered_by_id=request.user.pk,
            )
            paid_from = moment(destination.paid_from)
            return f"{affiliate.code} is paid to {destination} from {paid_from} on."

        return self.ask_or_do(request, question, write)

    @action(
        description="Start a payout…", url_path="payout", permissions=["start_payout"]
    )
    def start_payout(self, request: HttpRequest, object_id: str) -> HttpResponse:
        affiliate = self.row_of(request, object_id)
        payable = [
            (balance.currency, money_text(balance.payable, balance.currency))
            for balance in balances(affiliate.pk)
            if balance.payable > 0
        ]
        form = StartForm(answer_of(request), balances=payable)
        question = Question(
            title=f"Start a payout to {affiliate.code}?",
            paragraphs=[
                "The whole balance of a currency is set aside for a payout, which is "
                "approved and paid under Payouts. The affiliate gets an e-mail when it "
                "is paid.",
                *([FOR_TWO] if needs_second_person(affiliate.brand_id) else []),
            ],
            button="Start the payout",
            facts=_facts(affiliate),
            form=form,
            listing=lambda: Listing((), [], "", is_possible=bool(payable)),
            nothing="Nothing is payable to it.",
            row=affiliate,
        )

        def write() -> HttpResponse:
            payout = request_payout(
                affiliate_id=affiliate.pk,
                currency=form.cleaned_data["currency"],
                now=timezone.now(),
                started_by_id=request.user.pk,
            )
            self.message_user(request, f"{payout} of {row_money(payout)} is started.")
            page = page_name("payout", "change", site=self.admin_site.name)
            return HttpResponseRedirect(reverse(page, args=[payout.pk]))

        return self.ask_or_do(request, question, write)


def _facts(affiliate: Affiliate) -> dict[str, object]:
    return {
        "Client": affiliate.user,
        "Paid to now": current_destination(affiliate.pk) or "No destination yet",
    }
