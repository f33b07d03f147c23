"""Forms for staff about runs and the answers to them."""

from __future__ import annotations

from datetime import date
from typing import Any

from django import forms

from affiliates.admin_tools import widgets
from affiliates.admin_tools.forms import reason_field
from affiliates.brands.models.brand import Brand
from affiliates.contrib.payout_runs.answer_files import MAX_BYTES
from affiliates.contrib.payout_runs.models import MAX_TEXT
from affiliates.payouts.forms import PayoutTermsForm

LAST_DAY = 28


class RunTermsForm(PayoutTermsForm):
    """A brand's payout terms, with those of its runs."""

    def clean_first_run_on(self) -> date | None:
        day: date | None = self.cleaned_data["first_run_on"]
        if day is not None and day.day > LAST_DAY:
            raise forms.ValidationError(
                f"Choose a day up to the {LAST_DAY}th, which every month has."
            )
        return day


class BrandForm(forms.Form):
    brand = forms.ModelChoiceField(
        Brand.objects.filter(is_active=True), widget=widgets.Select, empty_label=None
    )


class AnswerForm(BrandForm):
    file = forms.FileField(
        widget=widgets.File,
        help_text="The bank's camt.053, camt.054 or pain.002 file, or PayPal's report as "
        "CSV or JSON; as it is or in a ZIP archive. At most 10 MB.",
    )

    def clean_file(self) -> Any:
        file = self.cleaned_data["file"]
        if file.size is None or file.size > MAX_BYTES:
            raise forms.ValidationError("The file has more than 10 MB.")
        return file


class DiscardForm(forms.Form):
    reason = reason_field("Kept with the run.", max_length=MAX_TEXT)
