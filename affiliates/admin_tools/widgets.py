"""The fields of forms, as unfold or Django's own admin draws them, by plain names."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.admin import widgets as plain

from affiliates.admin_tools.theme import HAS_UNFOLD

Autocomplete: Any = plain.AutocompleteSelect
Checkbox: Any = forms.CheckboxInput
CheckboxSelectMultiple: Any = forms.CheckboxSelectMultiple
DateInput: Any = plain.AdminDateWidget
DecimalInput: Any = forms.NumberInput
File: Any = forms.FileInput
IntegerInput: Any = plain.AdminIntegerFieldWidget
Password: Any = forms.PasswordInput
RadioSelect: Any = forms.RadioSelect
Select: Any = forms.Select
Switch: Any = forms.CheckboxInput
TextInput: Any = plain.AdminTextInputWidget
Textarea: Any = plain.AdminTextareaWidget

if HAS_UNFOLD:
    from unfold import widgets as unfold

    Checkbox = unfold.UnfoldBooleanWidget
    CheckboxSelectMultiple = unfold.UnfoldAdminCheckboxSelectMultipleWidget
    DateInput = unfold.UnfoldAdminSingleDateWidget
    DecimalInput = unfold.UnfoldAdminDecimalFieldWidget
    File = unfold.UnfoldAdminFileFieldWidget
    IntegerInput = unfold.UnfoldAdminIntegerFieldWidget
    Password = unfold.UnfoldAdminPasswordWidget
    RadioSelect = unfold.UnfoldAdminRadioSelectWidget
    Select = unfold.UnfoldAdminSelectWidget
    Switch = unfold.UnfoldBooleanSwitchWidget
    TextInput = unfold.UnfoldAdminTextInputWidget
    Textarea = unfold.UnfoldAdminTextareaWidget
