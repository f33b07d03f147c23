"""The way out for account credit that the portal refuses for good."""

from __future__ import annotations

from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from affiliates.admin_tools.base import action
from affiliates.ledger.payouts import services
from affiliates.ledger.payouts.admin_tools import PayoutActions
from affiliates.ledger.payouts.forms import UncreditedForm
from affiliates.ledger.payouts.models import Payout


class UncreditedActions(PayoutActions):
    @action(description="Reject as not credited…", permissions=["pay"])
    def reject_uncredited(
        self, request: HttpRequest, queryset: QuerySet[Payout]
    ) -> HttpResponse | None:
        payout_ids = self._confirmed(request, queryset)
        form = UncreditedForm(None if payout_ids is None else request.POST)
        if payout_ids is None or not form.is_valid():
            return self.ask(
                request,
                queryset,
                title="Reject account credit that was never added?",
                explanation="Only for account credit that is being paid and that the "
                "portal refuses each time you confirm it. Look at the client's account "
                "first, for the payout's number: what was credited all the same would "
                "be paid twice.",
                button="Reject",
                form=form,
            )
        outcome = services.reject_uncredited_payouts(
            payout_ids=payout_ids,
            reason=form.cleaned_data["reason"],
            actor_id=request.user.pk,
            now=timezone.now(),
        )
        return self._back(request, outcome, "rejected; the money is payable again")
