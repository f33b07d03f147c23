"""Gives one client to another affiliate, from the client's own page."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone

from affiliates.admin_tools.base import action, requires
from affiliates.admin_tools.columns import client_link
from affiliates.admin_tools.confirmation import AsksFirst, Question
from affiliates.admin_tools.forms import hidden
from affiliates.admin_tools.theme import register_page
from affiliates.membership.transfer_admin import TransferForm
from affiliates.membership.transfers import Transfer, TransferPart, transfer
from affiliates.referrals.admin import ClientReferralAdmin
from affiliates.referrals.models import ClientReferral, OrderReferral


class GiveClientForm(TransferForm):
    parts = None  # type: ignore[assignment] # Django's way to leave a field out
    merges = None  # type: ignore[assignment] # as above


@register_page(ClientReferral)
class ClientPage(AsksFirst, ClientReferralAdmin):
    actions_detail: ClassVar[tuple[str, ...]] = ("give",)

    has_give_permission = requires("affiliates.transfer_affiliate")

    @action(
        description="Give to another affiliate…", url_path="give", permissions=["give"]
    )
    def give(self, request: HttpRequest, object_id: str) -> HttpResponse:
        bound = self.row_of(request, object_id)
        if bound.affiliate is None:
            messages.error(
                request, "This client is bound to no affiliate of the brand."
            )
            return HttpResponseRedirect(self.page_of(bound))
        form = GiveClientForm(
            request.POST or None, source=bound.affiliate, site=self.admin_site
        )
        orders = OrderReferral.objects.filter(
            client=bound.client_id, affiliate=bound.affiliate
        )
        question = Question(
            title="Give this client to another affiliate",
            button="Continue",
            facts={
                "Client": client_link(bound.client),
                "Bound to": bound.affiliate,
                "Stays": f"Orders decided so far ({orders.count()}), and what their "
                "renewals earn. The client's future orders go to the other affiliate.",
            },
            form=form,
            row=bound,
            is_last=False,
        )
        if not form.is_valid():
            return self.ask(request, question, form)
        if "confirmed" not in request.POST:
            return self.ask(request, _last(question, form), hidden(form))
        return self.ask_or_do(
            request, question, lambda: self._give(request, bound, form)
        )

    def _give(self, request: HttpRequest, bound: Any, form: GiveClientForm) -> str:
        done = transfer(
            Transfer(
                source_id=form.source.pk,
                target_id=form.cleaned_data["target"].pk,
                parts=[TransferPart.CLIENTS],
                merges=False,
                reason=form.cleaned_data["reason"],
                key=form.cleaned_data["key"],
                client_id=bound.client_id,
            ),
            actor_id=request.user.pk,
            now=timezone.now(),
        )
        return f"Done: {done}."


def _last(question: Question, form: GiveClientForm) -> Question:
    facts = {
        **question.facts,
        "To": form.cleaned_data["target"],
        "Reason": form.cleaned_data["reason"],
    }
    return replace(question, button="Give", facts=facts, is_last=True)
