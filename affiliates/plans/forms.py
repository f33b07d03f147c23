"""The forms of plans: amounts and days as staff type them, and a line to try."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from functools import cached_property, partial
from typing import Any, ClassVar

from django import forms
from django.core.exceptions import ValidationError

from affiliates.admin_tools import widgets
from affiliates.admin_tools.forms import ModelForm
from affiliates.brands.models.brand import Brand
from affiliates.plans.catalogue import Catalogue, catalogue_of
from affiliates.plans.models.plan import CommissionPlan
from affiliates.plans.models.rule import PlanRule
from affiliates.plans.rules.amounts import (
    amounts_text,
    currency_of,
    days_text,
    parse_amounts,
    parse_days,
    to_minor_units,
)
from affiliates.plans.rules.matching import (
    Counted,
    LineFacts,
    SaleFacts,
    months_after,
    tier_period_start,
)
from affiliates.plans.rules.terms import RateKind, TierBasis, TierPeriod
from affiliates.plans.rules.tiers import parse_tiers, tiers_text
from affiliates.program.models import Affiliate

MAX_QUANTITY = 1_000_000
MAX_RENEWALS = 1000
MAX_MONTHS = 1200
# The rule conditions that a line is tried with.
LINE_WIDGETS = {
    "kind": widgets.TextInput,
    "billing_cycle": widgets.Select,
    "product_ref": widgets.TextInput,
    "tld": widgets.TextInput,
    "operation": widgets.TextInput,
}


class _TextForMapping(forms.Field):
    """Text that staff read and type, and the database stores as JSON."""

    parse: Callable[[str], Any]
    text_of: Callable[[Any], str]

    def __init__(self, *, encoder: Any = None, decoder: Any = None, **kwargs: Any):
        """Drops ``encoder`` and ``decoder``, which only a JSON field has."""
        super().__init__(**kwargs | {"widget": widgets.TextInput})

    def prepare_value(self, value: Any) -> Any:
        return value if isinstance(value, str | None) else self.text_of(value)

    def to_python(self, value: Any) -> Any:
        try:
            return self.parse(value or "")
        except ValueError as error:
            raise ValidationError(str(error)) from None


class AmountsField(_TextForMapping):
    parse = staticmethod(parse_amounts)
    text_of = staticmethod(amounts_text)


class DaysByCycleField(_TextForMapping):
    parse = staticmethod(parse_days)
    text_of = staticmethod(days_text)


class TiersField(_TextForMapping):
    parse = staticmethod(parse_tiers)
    text_of = staticmethod(tiers_text)


class PlanForm(ModelForm):
    class Meta:
        model = CommissionPlan
        exclude: ClassVar = ()  # noqa: DJ006 - the admin names the fields
        field_classes: ClassVar = {
            "cap_amounts": AmountsField,
            "joining_bonus": AmountsField,
            "hold_days_by_cycle": DaysByCycleField,
        }
        labels: ClassVar = {
            "hold_days": "Hold, in days",
            "cap_period": "Cap",
            "cap_amounts": "Most that is earned",
        }


UNCHECKED = (
    "Exactly as on your invoice lines: a value that no line has never earns. "
    "Your portal lists no products, so it is not checked."
)


def offer_products(form: forms.BaseForm, catalogue: Catalogue) -> None:
    """Lets staff choose from the catalogue, and keeps a value that is not in it."""
    for name, known in catalogue.choices.items():
        # Staff with view permission only have no fields.
        if (field := form.fields.get(name)) is None:
            continue
        if not catalogue.products:
            field.help_text = f"{field.help_text} {UNCHECKED}".strip()
            continue
        choices = {"": "Any", **known}
        if (value := form[name].value()) and value not in choices:
            choices[value] = f"{value} (not in the catalogue: never earns)"
        field.widget = widgets.Select(choices=list(choices.items()))
        field.help_text = ""


NO_RULES = (
    "Add a rule: orders earn nothing without one. To say so on purpose, add a rule with "
    "the rate Nothing."
)


class RuleFormSet(forms.BaseInlineFormSet):  # type: ignore[type-arg] # of a plan's rules
    def clean(self) -> None:
        super().clean()
        if len(self.forms) == len(self.deleted_forms):
            raise ValidationError(NO_RULES)

    def get_form_kwargs(self, index: int | None) -> dict[str, Any]:
        return {**super().get_form_kwargs(index), "catalogue": self._catalogue}

    @cached_property
    def _catalogue(self) -> Catalogue:
        return catalogue_of(self.instance.brand_id or _only_brand_id())


class RuleForm(ModelForm):
    class Meta:
        model = PlanRule
        exclude: ClassVar = ()  # noqa: DJ006 - the admin names the fields
        field_classes: ClassVar = {"fixed_amounts": AmountsField, "tiers": TiersField}

    def __init__(self, *args: Any, catalogue: Catalogue, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        offer_products(self, catalogue)
        # Staff with view permission only have no fields.
        if "percent" in self.fields:
            self.fields["percent"].required = False
            self.fields["percent"].initial = None

    def has_changed(self) -> bool:
        """Counts an added rule even if it was left unchanged: it must be filled in."""
        return self.instance.pk is None or super().has_changed()

    def clean_percent(self) -> Decimal:
        percent: Decimal | None = self.cleaned_data["percent"]
        if percent is not None:
            return percent
        if self.cleaned_data.get("rate_kind") == RateKind.PERCENT:
            raise ValidationError("Write the rate in percent. 0 earns nothing.")
        return Decimal(0)


_amount = partial(
    forms.DecimalField, max_digits=15, decimal_places=4, widget=widgets.DecimalInput
)
_number = partial(forms.IntegerField, widget=widgets.IntegerInput)


class TryPlanForm(forms.Form):
    """An example invoice line. ``brand_id`` owns the affiliates."""

    field_order = (
        *("amount", "currency", "kind", "billing_cycle", "product_ref", "tld"),
        *("operation", "quantity", "discount", "credit"),
        *("sales_before", "revenue_before"),
    )

    amount = _amount(
        label="Net amount", help_text="Of the whole line, after discount, before tax."
    )
    currency = forms.CharField(max_length=3, initial="EUR", widget=widgets.TextInput)
    quantity = _number(initial=1, min_value=1, max_value=MAX_QUANTITY)
    discount = _amount(initial=0, min_value=0)
    credit = _amount(label="Paid by account credit", initial=0, min_value=0)
    renewal_number = _number(
        label="Renewal",
        initial=0,
        min_value=0,
        max_value=MAX_RENEWALS,
        help_text="0: the order itself.",
    )
    months_since_order = _number(initial=0, min_value=0, max_value=MAX_MONTHS)
    sales_before = _number(
        label="Sales before, for tiers",
        initial=0,
        required=False,
        min_value=0,
        max_value=MAX_QUANTITY,
    )
    revenue_before = _amount(
        label="Revenue before, for tiers", initial=0, required=False, min_value=0
    )
    affiliate = forms.CharField(
        label="Affiliate's code",
        required=False,
        max_length=32,
        widget=widgets.TextInput,
        help_text="Empty: one that no rule names.",
    )

    def __init__(self, *args: Any, brand_id: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._brand_id = brand_id
        self.fields |= forms.fields_for_model(
            PlanRule, fields=tuple(LINE_WIDGETS), widgets=LINE_WIDGETS
        )
        self.order_fields(self.field_order)
        offer_products(self, catalogue_of(brand_id))

    def clean_currency(self) -> str:
        try:
            return str(currency_of(self.cleaned_data["currency"]).code)
        except ValueError as error:
            raise ValidationError(str(error)) from None

    def clean_affiliate(self) -> int:
        code = self.cleaned_data["affiliate"].strip().lower()
        if not code:
            return 0
        own = Affiliate.objects.filter(brand_id=self._brand_id, code=code).first()
        if own is None:
            raise ValidationError("The plan's brand has no affiliate with this code.")
        return own.pk

    def clean(self) -> dict[str, Any]:
        values = self.cleaned_data
        for name in ("sales_before", "revenue_before"):
            values[name] = values.get(name) or 0
        for name in ("amount", "discount", "credit", "revenue_before"):
            if name not in values or "currency" not in values:
                continue
            try:
                values[name] = to_minor_units(values[name], values["currency"])
            except ValueError as error:
                self.add_error(name, str(error))
        return values

    def to_sale(self, *, now: datetime) -> SaleFacts:
        values = self.cleaned_data
        line = LineFacts(
            position=1,
            **{name: values[name] for name in LINE_WIDGETS},
            quantity=values["quantity"],
            net=values["amount"],
            discount=values["discount"],
            credit=values["credit"],
        )
        return SaleFacts(
            currency=values["currency"],
            renewal_number=values["renewal_number"],
            position=values["renewal_number"],
            ordered_at=months_after(now, -values["months_since_order"]),
            paid_at=now,
            affiliate_id=values["affiliate"],
            counted={
                TierBasis(period, is_by_sales): Counted(
                    since=tier_period_start(period, at=now, zone=UTC),
                    seen=values["sales_before" if is_by_sales else "revenue_before"],
                )
                for period in TierPeriod
                for is_by_sales in (True, False)
            },
            lines=(line,),
        )


def _only_brand_id() -> int | None:
    """Returns the id of the only brand, for a new plan whose brand is not chosen yet."""
    ids = list(Brand.objects.values_list("pk", flat=True)[:2])
    return ids[0] if len(ids) == 1 else None
