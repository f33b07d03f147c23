"""What the forms of the admin share."""

from __future__ import annotations

from django import forms

from affiliates.admin_tools import widgets


class ModelForm(forms.ModelForm):  # type: ignore[type-arg] # of whatever model
    pass


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
