"""Shared parts of the admin's forms."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib.admin.utils import flatten_fieldsets
from django.core.exceptions import NON_FIELD_ERRORS
from django.http import HttpRequest
from django.utils.text import capfirst

from affiliates.admin_tools import widgets


class ModelForm(forms.ModelForm):  # type: ignore[type-arg] # of any model
    pass


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
