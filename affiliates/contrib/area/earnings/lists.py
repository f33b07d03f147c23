"""Pages that are a list of the affiliate's API, with its filters as a form."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from django import forms
from django.db.models import TextChoices
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from affiliates.contrib.area.api.lists import Listing, readable_faults
from affiliates.contrib.area.base import AreaPage
from affiliates.referrals.models import MAX_REFERENCE

# Of ?file=csv, which asks for all rows found.
FILE = "file"


def day_field(label: Any) -> forms.DateField:
    day = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
    return forms.DateField(label=label, required=False, widget=day)


class DaysForm(forms.Form):
    first = day_field(_("From"))
    last = day_field(_("Until, this day included"))


class NumberedForm(DaysForm):
    number = forms.CharField(
        label=_("Order or invoice"),
        required=False,
        max_length=MAX_REFERENCE,
        widget=forms.TextInput(attrs={"type": "search", "autocomplete": "off"}),
    )


class ListPage(AreaPage):
    listing: ClassVar[Listing]
    filters: ClassVar[type[forms.Form]] = DaysForm

    def get(self, request: HttpRequest) -> HttpResponseBase:
        if request.GET.get(FILE) == "csv":
            with readable_faults():
                return self.listing.file(self.affiliate, self.asked())
        return self.page(
            found=self.rows(self.listing),
            filters=self.filters(request.GET),
            is_filtered=bool(self.asked().keys() - {"page", FILE}),
        )


def choices(
    of: Iterable[TextChoices], every: str | Promise
) -> list[tuple[str, str | Promise]]:
    """Returns the choices of a filter; the first one, ``every``, selects all."""
    return [("", every), *((choice.value, choice.label) for choice in of)]
