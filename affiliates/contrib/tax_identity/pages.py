"""Who is paid: a page of the affiliate's area, and the form that changes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from affiliates.contrib.area.account.base import AccountPage, GuardedPage, ask_first
from affiliates.contrib.area.base import back_to, done_by
from affiliates.contrib.tax_identity import details, rules
from affiliates.contrib.tax_identity.models import TaxIdentity
from affiliates.contrib.tax_identity.selectors import (
    identity_on,
    identity_terms,
    readable_details,
    today_of,
)
from affiliates.contrib.tax_identity.services import change_identity
from affiliates.core.money import from_minor, local_text

LABELS = {
    "name": _("Name"),
    "address": _("Address"),
    "country": _("Country"),
    "kind": _("Person or business"),
    "tax_number": _("Tax number"),
    "vat_id": _("VAT ID"),
    "us_classification": _("US tax classification"),
}
# About the last answer of VIES; "": there is none yet.
VIES_SENTENCES = {
    "": _("VIES has not been asked about the VAT ID yet."),
    "valid": _("VIES says that the VAT ID is valid."),
    "invalid": _("VIES says that the VAT ID is not valid. Correct it."),
    "unavailable": _("VIES could not be asked. It is asked again."),
}


def _countries() -> dict[str, str]:
    return details.country_names(get_language() or "en")


class TaxIdentityForm(forms.Form):
    name = forms.CharField(label=LABELS["name"], max_length=details.MAX_NAME)
    address = forms.CharField(
        label=LABELS["address"],
        max_length=details.MAX_ADDRESS,
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    country = forms.ChoiceField(
        label=LABELS["country"], choices=lambda: [("", "–"), *_countries().items()]
    )
    kind = forms.ChoiceField(label=LABELS["kind"], choices=rules.PayeeKind.choices)
    tax_number = forms.CharField(
        label=LABELS["tax_number"],
        max_length=details.MAX_NUMBER,
        required=False,
        help_text=_("In the United States, the TIN."),
    )
    vat_id = forms.CharField(
        label=LABELS["vat_id"], max_length=details.MAX_NUMBER, required=False
    )
    us_classification = forms.ChoiceField(
        label=LABELS["us_classification"],
        choices=[("", "–"), *rules.UsClassification.choices],
        required=False,
        help_text=_("Of US persons only, as on form W-9."),
    )
    valid_from = forms.DateField(
        label=_("Valid from"),
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )


class IdentityPage(AccountPage):
    template_name = "affiliates/area/tax_identity.html"
    section = "tax_identity"
    title = _("Who is paid")

    def get(self, request: HttpRequest) -> HttpResponseBase:
        today = today_of(self.affiliate, now=timezone.now())
        identity = identity_on(self.affiliate.pk, today)
        shown = readable_details(identity) or {}
        later = self.affiliate.tax_identities.filter(valid_from__gt=today)
        return self.page(
            identity=identity,
            rows=[(LABELS[name], text) for name, text in _in_words(shown) if text],
            unchecked=[LABELS[name] for name in details.unchecked_numbers(shown)],
            vies=self._vies(identity),
            later=later.order_by("valid_from", "id"),
            needed=list(self._needed()),
        )

    def _vies(self, identity: TaxIdentity | None) -> tuple[Any, Any] | None:
        """The sentence about the last answer of VIES, and the answer."""
        is_asked = identity_terms(self.affiliate.brand_id).asks_vies
        if identity is None or not (identity.is_for_vies and is_asked):
            return None
        answer = identity.vies_answers.first()
        return VIES_SENTENCES[answer.kind if answer else ""], answer

    def _needed(self) -> Iterator[str]:
        terms = identity_terms(self.affiliate.brand_id)
        for currency, least in sorted(terms.needed_from.items()):
            amount = local_text(from_minor(least, currency), get_language() or "en")
            text = gettext("Payouts of at least %(amount)s need it.")
            if not least:
                text = gettext("Every payout in %(currency)s needs it.")
            yield text % {"currency": currency, "amount": amount}
        if terms.countries and terms.needed_from:
            names = ", ".join(_countries()[code] for code in terms.countries)
            text = gettext("There the tax number or VAT ID is needed too: %(names)s.")
            yield text % {"names": names}
        elif terms.needed_from:
            yield gettext("The tax number or VAT ID is needed too.")


class IdentityChangePage(GuardedPage, IdentityPage):
    template_name = "affiliates/area/tax_identity_change.html"

    def get(self, request: HttpRequest) -> HttpResponseBase:
        today = today_of(self.affiliate, now=timezone.now())
        present = readable_details(identity_on(self.affiliate.pk, today)) or {}
        return self.page(form=TaxIdentityForm(initial={**present, "valid_from": today}))

    def post(self, request: HttpRequest) -> HttpResponseBase:
        form = TaxIdentityForm(request.POST)
        if done_by(form, self._change):
            messages.success(request, gettext("Saved."))
            return back_to("tax_identity")
        return self.page(form=form, status=400)

    def sent_too_late(
        self, request: HttpRequest, question: str, *args: Any, **kwargs: Any
    ) -> HttpResponseBase:
        form = TaxIdentityForm(request.POST)
        ask_first(form, question)
        return self.page(form=form, status=400)

    def _change(self, values: Mapping[str, Any]) -> TaxIdentity:
        return change_identity(
            affiliate_id=self.affiliate.pk,
            values={name: values[name] for name in LABELS},
            valid_from=values["valid_from"],
            now=timezone.now(),
        )


def _in_words(shown: details.Details) -> Iterator[tuple[str, Any]]:
    words = {
        **_countries(),
        **dict(rules.PayeeKind.choices),
        **dict(rules.UsClassification.choices),
    }
    for name, text in shown.items():
        is_code = name in ("country", "kind", "us_classification")
        yield name, words[text] if is_code and text else text
