"""Shared parts of the admin's forms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any, ClassVar

from django import forms
from django.contrib.admin.utils import flatten_fieldsets
from django.core.exceptions import NON_FIELD_ERRORS
from django.core.validators import MaxValueValidator, MinValueValidator
from django.http import HttpRequest
from django.utils import timezone
from django.utils.text import capfirst

from affiliates.admin_tools import widgets
from affiliates.core.days import span_of
from affiliates.core.money import plain_text

# The moments of such days, and of the days beside them, can be told in every time zone.
_EARLIEST = MinValueValidator(date(1901, 1, 1), "Choose a day after the year 1900.")
_LATEST = MaxValueValidator(date(8999, 12, 31), "Choose a day before the year 9000.")


class ModelForm(forms.ModelForm):  # type: ignore[type-arg] # of any model
    pass


class PlainDecimalField(forms.DecimalField):
    """Shows a stored 20.000 as 20."""

    def prepare_value(self, value: Any) -> Any:
        return plain_text(value) if isinstance(value, Decimal) else value


@dataclass(frozen=True)
class SubmitButton:
    """Beside Save: sends the form to another address. See ``actions_submit_line``."""

    action_name: str
    description: str
    icon: str
    attrs: Mapping[str, str]


@dataclass(frozen=True)
class UnsavedForm:
    """The form of a row's page with its inlines, as posted. Nothing is saved.

    ``row`` has the posted values if there are no ``faults``.
    """

    row: Any
    formsets: list[Any]
    faults: list[str]


def read_unsaved(page: Any, request: HttpRequest, row: Any) -> UnsavedForm:
    """Validates what ``page``, a ModelAdmin, would save. ``row`` takes on its values."""
    fields = flatten_fieldsets(page.get_fieldsets(request, row))
    form_class = page.get_form(request, row, change=True, fields=fields)
    form = form_class(request.POST, request.FILES, instance=row)
    faults = [*_faults_of(form)]
    # As Django makes them before it saves: no public method does.
    formsets, inlines = page._create_formsets(request, form.instance, change=True)
    for formset, inline in zip(formsets, inlines, strict=True):
        faults += _faults_of_rows(formset, capfirst(inline.verbose_name))
    return UnsavedForm(form.instance, formsets, faults)


def hidden(form: forms.Form) -> forms.Form:
    """Filled in, to be confirmed."""
    for field in form.fields.values():
        field.widget = field.hidden_widget()
    return form


def reason_field(
    help_text: str, *, max_length: int = 255, required: bool = True
) -> forms.CharField:
    """Why staff do something, in a line that is kept."""
    return forms.CharField(
        max_length=max_length,
        widget=widgets.TextInput,
        help_text=help_text,
        required=required,
    )


def _faults_of_rows(formset: Any, name: str) -> Iterator[str]:
    yield from formset.non_form_errors()
    for number, form in enumerate(formset.forms, 1):
        where = f"{name} {number}"
        if form in formset.initial_forms and form.instance.pk is None:
            # Django accepts the id of any row, and skips those of others when it saves.
            yield f"{where}: It belongs to another form."
        elif not getattr(form, "cleaned_data", {}).get("DELETE"):
            yield from _faults_of(form, where)


def _faults_of(form: forms.BaseForm, *where: str) -> Iterator[str]:
    """Each error, after the names of the form and of its field."""
    for name, errors in form.errors.items():
        label = [] if name == NON_FIELD_ERRORS else [str(form.fields[name].label)]
        for error in errors:
            yield ": ".join([*where, *label, str(error)])


class DaysForm(forms.Form):
    """The days from ``first_day`` to ``last_day``, both included.

    ``happened`` is what happened on them, "Created" for example.
    """

    happened: ClassVar[str]

    first_day = forms.DateField(
        widget=widgets.DateInput, validators=[_EARLIEST, _LATEST]
    )
    last_day = forms.DateField(
        help_text="This day included.",
        widget=widgets.DateInput,
        validators=[_EARLIEST, _LATEST],
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["first_day"].label = f"{self.happened} from"
        self.fields["last_day"].label = f"{self.happened} until"

    @staticmethod
    def until_today(count: int) -> dict[str, Any]:
        """The initial values of the last so many days."""
        today = timezone.localdate()
        return {"first_day": today - timedelta(days=count - 1), "last_day": today}

    def clean(self) -> dict[str, Any]:
        values = self.cleaned_data
        first, last = values.get("first_day"), values.get("last_day")
        if first and last and last < first:
            self.add_error("last_day", "The last day is before the first.")
        return values

    def span(self) -> tuple[datetime, datetime]:
        """The moments of the chosen days, the end not included. Of a valid form."""
        values = self.cleaned_data
        zone = timezone.get_current_timezone()
        return span_of(values["first_day"], values["last_day"], zone)
