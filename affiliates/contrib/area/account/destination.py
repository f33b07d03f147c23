"""Where payouts go: what of it is stored, and how it is changed."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.timezone import localtime
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from affiliates.contrib.area.account.base import AccountPage, GuardedPage, ask_first
from affiliates.contrib.area.api.payouts import destination_data
from affiliates.contrib.area.base import back_to, done_by
from affiliates.contrib.area.templatetags.affiliates_area import moment
from affiliates.errors import NotFound
from affiliates.payouts.providers.protocol import DetailField, PayoutProvider
from affiliates.payouts.providers.registry import PROVIDERS
from affiliates.payouts.rules import Terms, usable_from
from affiliates.payouts.selectors import terms_of
from affiliates.payouts.services.destinations import change_destination

CONFIRMED = "is_confirmed"


class DestinationForm(forms.Form):
    """The details that the provider needs. The service checks them."""

    def __init__(self, *args: Any, provider: PayoutProvider, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for detail in provider.fields:
            self.fields[detail.name] = _field(detail)
        self.fields[CONFIRMED] = forms.BooleanField(
            label=_("Yes, pay me there from now on")
        )


def _field(detail: DetailField) -> forms.Field:
    common: dict[str, Any] = {
        "label": str(detail.label),
        "required": not detail.is_optional,
    }
    if detail.choices:
        return forms.ChoiceField(**common, choices=[("", "–"), *detail.choices])
    return forms.CharField(
        **common,
        max_length=detail.most,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )


class OfferingPage(AccountPage):
    section = "destination"
    title = _("Payout destination")

    def destination(self) -> dict[str, Any]:
        """The present one; ``waits`` while it is not paid to yet."""
        destination = destination_data(self.affiliate)
        waits = destination is not None and destination["usable_from"] > timezone.now()
        return {"destination": destination, "waits": waits}

    def terms(self) -> Terms:
        return terms_of(self.affiliate.brand_id)


class DestinationPage(OfferingPage):
    template_name = "affiliates/area/destination.html"

    def get(self, request: HttpRequest) -> HttpResponseBase:
        kinds = self.terms().kinds
        offered = [kind for kind in PROVIDERS if kind in kinds]
        return self.page(offered=offered, **self.destination())


class DestinationChangePage(GuardedPage, OfferingPage):
    """Another destination, with the time that it is waited for, before it is changed."""

    template_name = "affiliates/area/destination_change.html"

    def get(self, request: HttpRequest, to: str) -> HttpResponseBase:
        return self._asked(to, self._form(to))

    def post(self, request: HttpRequest, to: str) -> HttpResponseBase:
        form = self._form(to, request.POST)
        if done_by(form, lambda values: self._change(to, values)):
            messages.success(request, self._from_when())
            return back_to("destination")
        return self._asked(to, form, status=400)

    def sent_too_late(
        self, request: HttpRequest, question: str, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        to = kwargs["to"]
        form = self._form(to, request.POST)
        ask_first(form, question)
        return self._asked(to, form, status=400)

    def _from_when(self) -> str:
        shown = self.destination()
        if not shown["waits"]:
            return gettext("Payouts go there from now on.")
        usable = localtime(shown["destination"]["usable_from"])
        said = gettext("Payouts go there from %(from)s on.")
        return said % {"from": moment(usable)}

    def _form(self, kind: str, sent: Any = None) -> DestinationForm:
        if kind not in self.terms().kinds:
            raise NotFound
        return DestinationForm(sent, provider=PROVIDERS[kind])

    def _change(self, kind: str, values: Any) -> Any:
        return change_destination(
            affiliate_id=self.affiliate.pk,
            kind=kind,
            values={name: text for name, text in values.items() if name != CONFIRMED},
            now=timezone.now(),
        )

    def _asked(
        self, kind: str, form: forms.Form, *, status: int = 200
    ) -> HttpResponseBase:
        shown = self.destination()
        now = timezone.now()
        first = usable_from(
            is_first=shown["destination"] is None, terms=self.terms(), now=now
        )
        paid_from = max(first, self.affiliate.cools_off_until or now)
        return self.page(
            status=status, form=form, kind=kind, paid_from=paid_from, **shown
        )
