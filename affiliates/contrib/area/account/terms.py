"""By which rates and conditions the affiliate earns, and the terms accepted."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from affiliates.api.http.requests import utc_now
from affiliates.contrib.area.api.account.terms import terms_data
from affiliates.contrib.area.base import AreaPage, back_to, done_by
from affiliates.contrib.recruitment.forms import AcceptanceForm
from affiliates.contrib.recruitment.selectors import accepted_terms_of, terms_to_accept
from affiliates.contrib.recruitment.services.enrolling import accept_terms


class MyTermsPage(AreaPage):
    template_name = "affiliates/area/my_terms.html"
    title = _("My terms")
    section = "my_terms"

    def get(self, request: HttpRequest) -> HttpResponseBase:
        return self.page(terms=terms_data(self.affiliate, now=utc_now()))


class TermsPage(AreaPage):
    template_name = "affiliates/area/terms.html"
    title = _("Terms of the program")
    section = "my_terms"

    def get(self, request: HttpRequest) -> HttpResponseBase:
        return self.page(
            terms=terms_to_accept(self.affiliate),
            accepted=accepted_terms_of(self.affiliate),
        )

    def post(self, request: HttpRequest) -> HttpResponseBase:
        form = AcceptanceForm(request.POST)
        accepted = done_by(
            form,
            lambda values: accept_terms(
                self.affiliate, number=values["terms"], now=utc_now()
            ),
        )
        if form.errors:
            said = gettext(
                "The terms are new since you read them. Read and accept these."
            )
            messages.error(request, said)
        return back_to("dashboard" if accepted else "terms")
