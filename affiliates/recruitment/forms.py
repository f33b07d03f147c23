"""The application as applicants fill it in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from affiliates.recruitment.models import ProgramTermsVersion
from affiliates.recruitment.rules import MAX_ANSWER, Given, Question, field_of


class ApplicationForm(forms.Form):
    """What a brand asks of everybody, with the terms that are shown beside it."""

    code = forms.CharField(
        label=_("Your short name"),
        max_length=32,
        required=False,
        help_text=_("For links such as ?ref=NAME. Left empty, one is made up."),
    )

    def __init__(
        self,
        data: Any = None,
        *,
        questions: Sequence[Question],
        terms: ProgramTermsVersion | None,
        **options: Any,
    ) -> None:
        super().__init__(data, **options)
        self.questions = questions
        for question in questions:
            self.fields[field_of(question)] = forms.CharField(
                label=question.text,
                required=question.is_required,
                max_length=MAX_ANSWER,
                widget=forms.Textarea(attrs={"rows": 3}),
            )
        if terms is not None:
            self.fields["terms"] = forms.IntegerField(
                widget=forms.HiddenInput, initial=terms.number
            )
            self.fields["accepts"] = forms.BooleanField(
                label=_("I accept the terms of the program")
            )

    def given(self) -> Given:
        """Of a valid form."""
        said = self.cleaned_data
        return Given(
            answers={str(one.id): said[field_of(one)] for one in self.questions},
            terms=said.get("terms"),
            code=said["code"],
        )
