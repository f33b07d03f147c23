"""The fields of forms as unfold draws them, by plain names."""

from __future__ import annotations

from unfold import widgets as unfold

Checkbox = unfold.UnfoldBooleanWidget
CheckboxSelectMultiple = unfold.UnfoldAdminCheckboxSelectMultipleWidget
DateInput = unfold.UnfoldAdminSingleDateWidget
DecimalInput = unfold.UnfoldAdminDecimalFieldWidget
IntegerInput = unfold.UnfoldAdminIntegerFieldWidget
Password = unfold.UnfoldAdminPasswordWidget
RadioSelect = unfold.UnfoldAdminRadioSelectWidget
Select = unfold.UnfoldAdminSelectWidget
Switch = unfold.UnfoldBooleanSwitchWidget
TextInput = unfold.UnfoldAdminTextInputWidget
Textarea = unfold.UnfoldAdminTextareaWidget
