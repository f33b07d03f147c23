"""Days of the site's time zone, as operators name them."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from typing import Any, ClassVar

from django import forms
from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils import timezone

from affiliates.admin_tools import widgets
from affiliates.core.days import span_of

# Their moments, and those of the days beside them, can be told in every time zone.
_EARLIEST = MinValueValidator(date(1901, 1, 1), "Choose a day after the year 1900.")
_LATEST = MaxValueValidator(date(8999, 12, 31), "Choose a day before the year 9000.")


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
