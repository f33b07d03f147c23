"""Forms for staff: a brand's payout terms, destinations, and the input of actions."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError
from moneyed import Money

from affiliates.admin_tools import widgets
from affiliates.admin_tools.forms import ModelForm, reason_field
from affiliates.core.money import code_and_amount, decimal_text, to_minor
from affiliates.errors import InvalidInput
from affiliates.payouts.models import MAX_REASON, MAX_REMOTE_REF, PayoutTerms
from affiliates.payouts.providers.checks import check_bic, check_iban
from affiliates.payouts.providers.protocol import DetailField, PayoutProvider
from affiliates.payouts.providers.registry import PROVIDERS, choices
from affiliates.payouts.rules import is_currency
from affiliates.payouts.selectors import can_be_paid_to

MINIMUM = re.compile(r"[0-9]{1,9}(?:\.[0-9]{1,9})?")


class MinimumsField(forms.CharField):
    """A currency and an amount per line, stored in minor units by currency."""

    widget = widgets.Textarea(attrs={"rows": 4})

    def prepare_value(self, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        return "\n".join(
            f"{currency} {decimal_text(amount, currency)}"
            for currency, amount in sorted(value.items())
        )

    def clean(self, value: Any) -> dict[str, int]:
        minimums: dict[str, int] = {}
        for line in super().clean(value).upper().splitlines():
            if line.strip():
                currency, amount = _minimum(line.strip())
                if currency in minimums:
                    raise ValidationError(f"{currency} is here twice.")
                minimums[currency] = amount
        return minimums


class PayoutTermsForm(ModelForm):
    minimums = MinimumsField(
        required=False,
        help_text="One a line, such as EUR 50 or JPY 5000. Other currencies: 50 units.",
    )

    class Meta:
        model = PayoutTerms
        fields: ClassVar = "__all__"
        labels: ClassVar = {"cool_off_days": "Cool-off, in days"}

    issuer = forms.CharField(
        label="Issued by",
        required=False,
        max_length=500,
        widget=widgets.Textarea(attrs={"rows": 4}),
        help_text="Your name, address and VAT number, as statements have them.",
    )

    kinds = forms.MultipleChoiceField(
        label="Ways to be paid",
        required=False,
        widget=widgets.CheckboxSelectMultiple,
        help_text="Account credit is here where the portal keeps one. A way without a "
        "file is offered once the brand has a payout account for it.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # Staff with view permission only have no fields.
        if "kinds" in self.fields:
            offered = [choice for choice in choices() if can_be_paid_to(choice[0])]
            self.fields["kinds"].choices = offered  # type: ignore[attr-defined]

    def clean_debtor_iban(self) -> str:
        return _checked(check_iban, self.cleaned_data["debtor_iban"])

    def clean_debtor_bic(self) -> str:
        return _checked(check_bic, self.cleaned_data["debtor_bic"])


class DestinationForm(forms.Form):
    """Where an affiliate is paid, of one of ``kinds``. The service checks the details."""

    kind = forms.ChoiceField(widget=widgets.Select)

    def __init__(self, *args: Any, kinds: Collection[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._offered = {
            code: provider for code, provider in PROVIDERS.items() if code in kinds
        }
        # None is chosen in advance: account credit would need no further entry.
        self.fields["kind"].choices = [  # type: ignore[attr-defined]
            ("", "Choose one"),
            *((code, provider.label) for code, provider in self._offered.items()),
        ]
        asking: dict[str, list[PayoutProvider]] = {}
        for provider in self._offered.values():
            for detail in provider.fields:
                asking.setdefault(detail.name, []).append(provider)
                self.fields[detail.name] = _detail_field(detail, asking[detail.name])

    def clean(self) -> dict[str, Any]:
        values = self.cleaned_data
        if "kind" in values:
            needed = {field.name for field in self._offered[values["kind"]].fields}
            for name in self.fields.keys() - {"kind", *needed}:
                if values.get(name):
                    self.add_error(
                        name, "Leave it empty: the chosen kind does not need it."
                    )
            values["details"] = {name: values.get(name, "") for name in needed}
        return values


def _detail_field(
    detail: DetailField, providers: Sequence[PayoutProvider]
) -> forms.Field:
    """A detail that each of these needs."""
    attrs = {
        "autocomplete": "off",
        "data-shown-for": " ".join(provider.code for provider in providers),
    }
    common: dict[str, Any] = {
        "label": str(detail.label),
        "required": False,
        "help_text": f"For {' and '.join(str(provider.label) for provider in providers)}.",
    }
    if detail.choices:
        choices = [("", "-"), *detail.choices]
        widget = widgets.Select(attrs=attrs)
        return forms.ChoiceField(**common, choices=choices, widget=widget)
    widget = widgets.TextInput(attrs=attrs)
    return forms.CharField(**common, max_length=detail.most, widget=widget)


class StartForm(forms.Form):
    currency = forms.ChoiceField(label="Payable balance", widget=widgets.Select)

    def __init__(
        self, *args: Any, balances: Collection[tuple[str, str]], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        self.fields["currency"].choices = balances  # type: ignore[attr-defined]


class ConfirmForm(forms.Form):
    reference = forms.CharField(
        label="Reference",
        max_length=MAX_REMOTE_REF,
        widget=widgets.TextInput,
        help_text="The bank's or PayPal's, or a note where it was paid by agreement. "
        "The affiliate sees it. Account credit is added now, under a reference of its "
        "own.",
    )

    def __init__(self, *args: Any, needs_reference: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reference"].required = needs_reference


class RejectForm(forms.Form):
    reason = reason_field(
        "The affiliate sees it.",
        max_length=MAX_REASON,
    )


class UncreditedForm(RejectForm):
    """Staff confirm it: an account that was credited after all would be paid twice."""

    is_uncredited = forms.BooleanField(
        label="I have looked: the account was not credited.",
        widget=widgets.Checkbox,
    )


def _minimum(line: str) -> tuple[str, int]:
    words = line.split()
    currency, amount = code_and_amount(*words) if len(words) == 2 else ("", "")  # noqa: PLR2004 - both
    if not MINIMUM.fullmatch(amount):
        raise ValidationError(f"Write {line!r} as a currency and an amount: EUR 50.")
    if not is_currency(currency):
        raise ValidationError(f"{currency} is no currency.")
    try:
        return currency, to_minor(Money(amount, currency))
    except ValueError as error:
        raise ValidationError(str(error)) from None


def _checked(check: Callable[[str], str], value: str) -> str:
    try:
        return check(value) if value else ""
    except InvalidInput as error:
        raise ValidationError(error.detail) from None
