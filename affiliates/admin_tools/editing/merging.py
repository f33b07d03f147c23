"""Keeps a save from undoing what somebody else saved while the form was open.

A field that only somebody else changed keeps that person's value. A field that both
changed is refused with the name of that person.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

from django.db.models import Model
from django.forms.formsets import DELETION_FIELD_NAME
from django.forms.utils import ErrorDict
from django.http import HttpRequest

from affiliates.admin_tools.columns import moment
from affiliates.admin_tools.editing.digests import (
    digests_of,
    is_edited,
    key_of,
    posted_digests,
)
from affiliates.db.audit.selectors import Change, last_change_of

SOMEBODY = "Somebody else"
SAVE_AGAIN = "Your value is not saved. Save again to replace theirs."
DELETE_AGAIN = "The row is not deleted. Tick it again to delete it."
ROW_DELETED = "deleted this row after you opened this page: your values are not saved."


def shown_values(form: Any, inlines: Iterable[Any]) -> str:
    """Returns the digests of a change form and of its inlines' rows as JSON."""
    edited = [inline for inline in inlines if inline.has_change_permission]
    shown = [form, *(row for inline in edited for row in inline.formset.initial_forms)]
    for row in shown:
        _reopen(row)
    saved = [row for row in shown if not row.instance._state.adding]
    return json.dumps({key_of(row): digests_of(row) for row in saved})


def merging_form(form_class: Any, request: HttpRequest) -> Any:
    """Returns the form class, able to compare a posted form with the saved row."""
    shown = posted_digests(request)
    if not shown or issubclass(form_class, MergingForm):
        return form_class
    attributes = {"shown": shown, "__module__": form_class.__module__}
    return type(form_class.__name__, (MergingForm, form_class), attributes)


class MergingForm:
    """Mixed into the ModelForm of a row that was read under a lock."""

    shown: ClassVar[Mapping[str, Mapping[str, str]]] = {}
    fields: Mapping[str, Any]
    is_deleted_already = False

    def full_clean(self) -> None:
        form: Any = self
        digests = self.shown.get(key_of(form), {})
        if digests and form.instance._state.adding:
            self._clean_deleted(digests)
            return
        changed = {
            name: is_edited(form, name, digests[name])
            for name, digest in digests_of(form).items()
            if digests.get(name, digest) != digest
        }
        for name, is_edited_too in changed.items():
            # Django then takes the value of the row, and counts the field as unchanged.
            form.fields[name].disabled = not is_edited_too
        super().full_clean()  # type: ignore[misc] # ModelForm's
        self._refuse(changed)

    def has_changed(self) -> bool:
        """Compares first: Django asks before it validates, and keeps the answer."""
        form: Any = self
        form.errors  # noqa: B018 - validates
        return not self.is_deleted_already and bool(super().has_changed())  # type: ignore[misc] # ModelForm's

    def _clean_deleted(self, digests: Mapping[str, str]) -> None:
        """Drops a row that somebody else deleted, unless this person edited it."""
        form: Any = self
        form._errors, form.cleaned_data = ErrorDict(), {}
        is_untouched = not any(
            is_edited(form, name, digest)
            for name, digest in digests.items()
            if name in form.fields
        )
        self.is_deleted_already = is_untouched or _is_to_delete(form)
        if not self.is_deleted_already:
            change = _last_change(form)
            who = change.who if change else SOMEBODY
            form.add_error(None, f"{who} {ROW_DELETED}")

    def _refuse(self, changed: Mapping[str, bool]) -> None:
        form: Any = self
        if changed and _is_to_delete(form):
            form.cleaned_data.pop(DELETION_FIELD_NAME, None)
            text = _sentence(form, next(iter(changed)))
            form.add_error(None, f"{text} {DELETE_AGAIN}")
            return
        for name in (name for name, is_edited_too in changed.items() if is_edited_too):
            bound = form[name]
            if bound.field.has_changed(bound.initial, bound.data):
                form.add_error(name, f"{_sentence(form, name)} {SAVE_AGAIN}")


def _reopen(form: Any) -> None:
    """Lets a refused form show merged values in fields that can be edited."""
    if not isinstance(form, MergingForm):
        return
    for field in form.fields.values():
        if field.disabled:
            field.disabled = False
            field.bound_data = lambda data, initial: initial


def _is_to_delete(form: Any) -> bool:
    return DELETION_FIELD_NAME in form.fields and bool(form[DELETION_FIELD_NAME].data)


def _sentence(form: Any, name: str) -> str:
    # A provider's setting is no column: then the last change of the row is meant.
    columns = {field.name for field in type(form.instance)._meta.get_fields()}
    is_column = name in columns
    change = _last_change(form, name if is_column else "")
    if change is None:
        return f"{SOMEBODY} changed this after you opened this page."
    values = "".join(
        f" from {field.before or 'nothing'} to {field.after or 'nothing'}"
        for field in change.fields
        if is_column
    )
    who, at = change.who or SOMEBODY, moment(change.at)
    return f"{who} changed this{values} at {at}, after you opened this page."


def _last_change(form: Any, name: str = "") -> Change | None:
    model: type[Model] = type(form.instance)
    return last_change_of(model, key_of(form).partition(":")[2], name)
