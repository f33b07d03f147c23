"""Sales that the affiliate misses: claimed by a form, and the answers."""

from __future__ import annotations

from uuid import UUID

from django import forms
from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import gettext, gettext_noop
from django.utils.translation import gettext_lazy as _

from affiliates.api.http.throttles import count_call
from affiliates.contrib.area.account.base import OpenAccountPage
from affiliates.contrib.area.api.claims import CLAIMS, claim_data
from affiliates.contrib.area.base import back_to, done_by
from affiliates.contrib.area.earnings.lists import day_field
from affiliates.contrib.claims.models import MAX_NOTE, MissingSaleClaim
from affiliates.contrib.claims.rules import INACTIVE, Hints
from affiliates.contrib.claims.services import submit_claim
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.models import MAX_REFERENCE

MAX_EMAIL = 254
SUBMITTED = gettext_noop("The claim is submitted.")
REPEATED = gettext_noop(
    "You claimed this before: it is the same case, with what you wrote first."
)


class ClaimForm(forms.Form):
    order = forms.CharField(
        label=_("Order or invoice"),
        max_length=MAX_REFERENCE,
        required=False,
        help_text=_("Needed unless you know the client's e-mail address."),
    )
    client_email = forms.EmailField(
        label=_("Client's e-mail address"), max_length=MAX_EMAIL, required=False
    )
    ordered_on = day_field(_("Ordered about"))
    note = forms.CharField(
        label=_("What else you know"),
        max_length=MAX_NOTE,
        required=False,
        widget=forms.Textarea(attrs={"rows": 4}),
    )


class ClaimsPage(OpenAccountPage):
    template_name = "affiliates/area/claims.html"
    title = _("Missing sales")
    section = "claims"

    def get(self, request: HttpRequest) -> HttpResponseBase:
        return self.page(found=self.rows(CLAIMS))


class ClaimPage(OpenAccountPage):
    template_name = "affiliates/area/claim.html"
    title = _("Missing sale")
    section = "claims"

    def get(self, request: HttpRequest, claim_id: UUID) -> HttpResponseBase:
        return self.page(claim=claim_data(self.affiliate, claim_id))


class NewClaimPage(OpenAccountPage):
    template_name = "affiliates/area/new_claim.html"
    title = _("Claim a missing sale")
    section = "claims"

    def get(self, request: HttpRequest) -> HttpResponseBase:
        order = request.GET.get("order", "")[:MAX_REFERENCE]
        return self._show(ClaimForm(initial={"order": order}))

    def post(self, request: HttpRequest) -> HttpResponseBase:
        form = ClaimForm(request.POST)
        # One count with the API's: the same client, however the claim is made.
        wait = count_call("claim", str(request.user.pk))
        if wait is not None:
            form.add_error(None, gettext("That is a lot of claims. Try again later."))
            page = self._show(form, status=429)
            page.headers["Retry-After"] = str(round(wait))
            return page
        submitted = done_by(form, lambda values: self._submit(**values))
        if submitted:
            claim, is_news = submitted
            messages.success(request, gettext(SUBMITTED if is_news else REPEATED))
            return back_to("claim", claim.pk)
        return self._show(form, status=400)

    def _show(self, form: ClaimForm, *, status: int = 200) -> TemplateResponse:
        """The form, or why the affiliate may claim nothing."""
        is_active = self.affiliate.status == AffiliateStatus.ACTIVE
        if status == 400 and not is_active:
            status = 403
        refused = "" if is_active else gettext(INACTIVE)
        return self.page(form=form, status=status, refused=refused)

    def _submit(self, *, note: str, **hints: object) -> tuple[MissingSaleClaim, bool]:
        return submit_claim(
            affiliate=self.affiliate,
            hints=Hints(**hints),  # type: ignore[arg-type] # of the form's fields
            note=note,
            now=timezone.now(),
        )
