from __future__ import annotations

from typing import Any

from django import forms

from affiliates.admin_tools import widgets
from affiliates.admin_tools.forms import DaysForm
from affiliates.brands.admin import BrandForm
from affiliates.brands.models.brand import Brand
from affiliates.contrib.what_if.draft import (
    INSTEAD_OF,
    PLAN,
    TERM_OPTIONS,
    command_for,
    draft_of,
)
from affiliates.contrib.what_if.types import Draft, DraftedPlan
from affiliates.errors import InvalidInput
from affiliates.plans.models.plan import CommissionPlan

TERM_WIDGETS = {
    "attribution_policy": widgets.Select,
    "attribution_window_days": widgets.IntegerInput,
    "bound_clients": widgets.Select,
    "stand_down_minutes": widgets.IntegerInput,
    "claim_policy": widgets.Select,
    "coupon_over_link": widgets.Checkbox,
    "existing_clients_earn": widgets.Checkbox,
    "own_program": widgets.Checkbox,
}


class ChooseBrandForm(forms.Form):
    brand = forms.ModelChoiceField(
        Brand.objects.all(), widget=widgets.Select, empty_label=None
    )


class WhatIfForm(DaysForm):
    """A draft of the brand's rules, and the days of the orders to apply it to.

    The attribution policy has the brand's fields, filled with its current terms.
    """

    happened = "Converted"

    plan = forms.ModelChoiceField(
        CommissionPlan.objects.none(),
        label="Commission plan",
        required=False,
        empty_label="As today",
        widget=widgets.Select,
        help_text="Puts every affiliate on this plan.",
    )
    instead_of = forms.ModelChoiceField(
        CommissionPlan.objects.none(),
        label="Instead of",
        required=False,
        empty_label="Every plan",
        widget=widgets.Select,
        help_text="Only affiliates who are on this plan today.",
    )

    def __init__(
        self,
        data: Any = None,
        *,
        brand: Brand,
        initial: dict[str, Any],
        drafted: DraftedPlan | None = None,
    ) -> None:
        super().__init__(data, initial={**_terms_of(brand), **initial})
        self.brand = brand
        self.drafted = drafted
        self.draft: Draft | None = None
        self.fields |= forms.fields_for_model(
            Brand,
            fields=tuple(TERM_OPTIONS),
            labels=BrandForm.Meta.labels,
            widgets=TERM_WIDGETS,
        )
        for name in (PLAN, INSTEAD_OF):
            choice: Any = self.fields[name]
            choice.queryset = CommissionPlan.objects.filter(brand=brand)
        if drafted is not None:
            self.fields[PLAN].empty_label = "As assigned today"  # type: ignore[attr-defined] # a choice

    @classmethod
    def sent(cls, brand: Brand, *, days: int) -> dict[str, Any]:
        """The form's data with the values of ``brand``, saved or not."""
        terms = {
            name: "on" if value is True else value
            for name, value in _terms_of(brand).items()
            if value is not False
        }
        return {"brand": brand.pk, **cls.until_today(days), **terms}

    def clean(self) -> dict[str, Any]:
        values = super().clean()
        if self.errors:
            return values
        try:
            self.draft = draft_of(self.brand, drafted=self.drafted, **self._named())
        except InvalidInput as refusal:
            self.add_error(refusal.field, refusal.detail)
        return values

    def days(self) -> list[forms.BoundField]:
        return [self["first_day"], self["last_day"]]

    def terms(self) -> list[forms.BoundField]:
        return [self[name] for name in TERM_OPTIONS]

    def plans(self) -> list[forms.BoundField]:
        return [self[PLAN], self[INSTEAD_OF]]

    def command(self) -> str:
        """The command that does the same for any number of orders, if there is one."""
        if self.drafted is not None:
            return ""
        return command_for(
            self.brand,
            first_day=self.cleaned_data["first_day"],
            last_day=self.cleaned_data["last_day"],
            **self._named(),
        )

    def _named(self) -> dict[str, Any]:
        values = self.cleaned_data
        return {
            "changes": {name: values[name] for name in TERM_OPTIONS},
            PLAN: values[PLAN],
            INSTEAD_OF: values[INSTEAD_OF],
        }


def _terms_of(brand: Brand) -> dict[str, Any]:
    return {name: getattr(brand, name) for name in TERM_OPTIONS}
