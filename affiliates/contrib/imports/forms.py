"""Forms in which staff describe and confirm a file that they import."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

from django import forms
from moneyed import CurrencyDoesNotExist, get_currency

from affiliates.admin_tools import widgets
from affiliates.admin_tools.forms import reason_field
from affiliates.brands.models.brand import Brand
from affiliates.commissions.rules import MAX_NOTE
from affiliates.contrib.imports.files.rows import (
    MAX_BYTES,
    DateOrder,
    DecimalMark,
    ImportKind,
    ParseOptions,
    Source,
)


class UploadForm(forms.Form):
    brand = forms.ModelChoiceField(
        Brand.objects.filter(is_active=True), widget=widgets.Select, empty_label=None
    )
    kind = forms.ChoiceField(label="What is in it", widget=widgets.Select)
    source = forms.ChoiceField(
        label="Columns of",
        widget=widgets.Select,
        choices=Source.choices,
        help_text="The system that saved the file. Ours are understood in every file.",
    )
    file = forms.FileField(
        widget=widgets.File,
        help_text=f"CSV with headings, at most {MAX_BYTES // 1_000_000} MB. Encoding and "
        "separator are seen by themselves.",
    )
    decimal_mark = forms.ChoiceField(
        widget=widgets.Select, choices=DecimalMark.choices, required=False
    )
    date_order = forms.ChoiceField(
        label="Dates",
        widget=widgets.Select,
        choices=DateOrder.choices,
        required=False,
    )
    currency = forms.CharField(
        max_length=3,
        widget=widgets.TextInput,
        required=False,
        help_text="Of amounts whose row names none, such as EUR.",
    )
    reason = reason_field(
        "Of balances whose row gives none.", max_length=MAX_NOTE, required=False
    )

    def __init__(self, *args: Any, kinds: list[ImportKind], **options: Any) -> None:
        super().__init__(*args, **options)
        choices = [(kind.value, kind.label) for kind in kinds]
        self.fields["kind"].choices = choices  # type: ignore[attr-defined] # a ChoiceField's

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size is None or file.size > MAX_BYTES:
            raise forms.ValidationError("The file is too large: divide it.")
        return file

    def clean_currency(self) -> str:
        code = str(self.cleaned_data["currency"]).strip().upper()
        try:
            return get_currency(code).code if code else ""
        except CurrencyDoesNotExist:
            raise forms.ValidationError("There is no such currency.") from None

    def options(self, zone: ZoneInfo) -> ParseOptions:
        said = self.cleaned_data
        return ParseOptions(
            decimal_mark=DecimalMark(said["decimal_mark"]),
            date_order=DateOrder(said["date_order"]),
            zone=zone,
            currency=said["currency"],
            reason=said["reason"].strip(),
        )


class ConfirmForm(forms.Form):
    leaves_out_bad = forms.BooleanField(
        label="Leave the bad rows out",
        widget=widgets.Checkbox,
        required=False,
        help_text="Off: correct them in the file and upload it again.",
    )
