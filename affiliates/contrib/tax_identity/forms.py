"""Forms for staff: a brand's identity terms, and an identity entered for an affiliate."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from stdnum.eu import vat as eu_vat

from affiliates.admin_tools import widgets
from affiliates.admin_tools.forms import ModelForm
from affiliates.contrib.tax_identity.details import check_details, country_names
from affiliates.contrib.tax_identity.models import IdentityTerms, TaxIdentity
from affiliates.contrib.tax_identity.pages import TaxIdentityForm
from affiliates.errors import InvalidInput
from affiliates.payouts.forms import MinimumsField
from affiliates.payouts.rules import INACTIVE
from affiliates.program.rules import AffiliateStatus

WIDGETS: dict[type[forms.Widget], Any] = {
    forms.TextInput: widgets.TextInput,
    forms.Textarea: widgets.Textarea,
    forms.Select: widgets.Select,
    forms.DateInput: widgets.DateInput,
}


class CountriesField(forms.CharField):
    """Two letters for each country, stored as a list."""

    widget = widgets.TextInput

    def prepare_value(self, value: Any) -> Any:
        return " ".join(value) if isinstance(value, list) else value

    def clean(self, value: Any) -> list[str]:
        codes = super().clean(value).upper().replace(",", " ").split()
        for code in codes:
            if code not in country_names("en"):
                raise ValidationError(f"{code} is no country.")
        return sorted(set(codes))


class IdentityTermsForm(ModelForm):
    needed_from = MinimumsField(
        required=False,
        help_text="The least payout that needs one, one currency a line, such as EUR "
        "600. EUR 0: every payout in EUR. A currency that is not listed needs none.",
    )
    countries = CountriesField(
        required=False,
        label="Countries that need a number",
        help_text="Such as AT DE. There, a tax number or VAT ID is needed too. Empty: "
        "everywhere.",
    )

    class Meta:
        model = IdentityTerms
        fields: ClassVar = "__all__"

    def clean_own_vat_id(self) -> str:
        number = self.cleaned_data["own_vat_id"]
        if number and not eu_vat.is_valid(number):
            raise ValidationError("This is no VAT ID of the European Union.")
        return eu_vat.compact(number) if number else ""


class IdentityForm(ModelForm, TaxIdentityForm):
    class Meta:
        model = TaxIdentity
        fields: ClassVar = ("affiliate", "valid_from")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for field in self.fields.values():
            if widget := WIDGETS.get(type(field.widget)):
                field.widget = widget(attrs=field.widget.attrs)
                # A new widget learns the choices from the field.
                if isinstance(field, forms.ChoiceField):
                    field.choices = field.choices

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        if not self.errors:
            try:
                check_details(values)
            except InvalidInput as fault:
                self.add_error(fault.field, fault.detail)
            if values["affiliate"].status == AffiliateStatus.SUSPENDED:
                self.add_error("affiliate", INACTIVE.detail)
        return values
