"""The application as applicants fill it in."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from django import forms
from django.core import signing
from django.utils.translation import gettext_lazy as _

from affiliates.contrib.recruitment.models import MAX_NAME, ProgramTermsVersion
from affiliates.contrib.recruitment.rules import (
    MAX_ANSWER,
    Given,
    Pace,
    Person,
    Question,
    field_of,
    pace_of,
)

STAMP_SALT = "affiliates.form"
MAX_PASSWORD = 128


def _text(autocomplete: str) -> forms.TextInput:
    return forms.TextInput(attrs={"autocomplete": autocomplete})


def _password() -> forms.CharField:
    return forms.CharField(
        label=_("Choose a password"),
        max_length=MAX_PASSWORD,
        strip=False,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )


NAME: dict[str, Any] = {"max_length": MAX_NAME}


class ApplicationForm(forms.Form):
    """A brand's questions for all applicants, with the terms shown beside them."""

    code = forms.CharField(
        label=_("Your short name"),
        max_length=32,
        required=False,
        help_text=_("For links such as ?ref=NAME. Left empty, one is made up."),
    )

    by = forms.CharField(max_length=32, required=False, widget=forms.HiddenInput)

    def __init__(
        self,
        data: Any = None,
        *,
        questions: Sequence[Question],
        terms: ProgramTermsVersion | None,
        by: str = "",
        **options: Any,
    ) -> None:
        super().__init__(data, **options)
        self.questions = questions
        self.fields["by"].initial = by
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
        """Returns the applicant's input from a valid form."""
        said = self.cleaned_data
        return Given(
            answers={
                str(question.id): said[field_of(question)]
                for question in self.questions
            },
            terms=said.get("terms"),
            code=said.get("code", ""),
            by=said["by"],
        )


class NamesForm(ApplicationForm):
    firstname = forms.CharField(
        label=_("First name"), widget=_text("given-name"), **NAME
    )
    lastname = forms.CharField(
        label=_("Last name"), widget=_text("family-name"), **NAME
    )


class StrangerForm(NamesForm):
    """With a field that people do not see, and the moment at which it was shown."""

    code = None  # type: ignore[assignment] # asked for once the address is verified
    email = forms.EmailField(
        label=_("E-mail address"),
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )
    website = forms.CharField(
        label=_("Leave this empty"),
        required=False,
        widget=forms.TextInput(
            attrs={"autocomplete": "off", "tabindex": "-1", "class": "trap"}
        ),
    )
    stamp = forms.CharField(widget=forms.HiddenInput, required=False)

    def __init__(self, data: Any = None, *, now: datetime, **options: Any) -> None:
        self.now = now
        super().__init__(data, initial={"stamp": self._fresh()}, **options)

    def clean(self) -> dict[str, Any]:
        values: dict[str, Any] = super().clean() or {}
        pace = pace_of(self._shown_at(values.get("stamp", "")), now=self.now)
        if pace is not Pace.HUMAN:
            self.add_error(None, pace.label)
            data = {name: self.data[name] for name in self.data}
            self.data = {**data, "stamp": self._fresh()}
        return values

    @property
    def is_trapped(self) -> bool:
        return bool(self.cleaned_data["website"])

    def person(self) -> Person:
        """Returns the applicant's e-mail address and name from a valid form."""
        fields = ("email", "firstname", "lastname")
        return Person(**{name: self.cleaned_data[name] for name in fields})

    def _fresh(self) -> str:
        return signing.dumps(int(self.now.timestamp()), salt=STAMP_SALT)

    def _shown_at(self, stamp: str) -> datetime | None:
        try:
            seconds = signing.loads(stamp, salt=STAMP_SALT)
        except signing.BadSignature:
            return None
        return datetime.fromtimestamp(seconds, tz=UTC)


class ConfirmationForm(forms.Form):
    password = _password()
    code = ApplicationForm.base_fields["code"]


class InvitedForm(NamesForm):
    password = _password()
    field_order = ("firstname", "lastname", "password", "code")


class AcceptanceForm(forms.Form):
    terms = forms.IntegerField()
