"""Account credit in the admin."""

from __future__ import annotations

from typing import ClassVar

from django import forms
from django.contrib import admin

from affiliates.extending.admin import DaysFilter, column, moment, search, widgets
from portal.admin_tools import ReadOnlyAdmin
from portal.clients.models import MAX_REASON_LENGTH, WalletEntry
from portal.ids import new_id
from portal.money import DECIMAL_PLACES, MAX_DIGITS


class AddCreditForm(forms.Form):
    amount = forms.DecimalField(
        max_digits=MAX_DIGITS,
        decimal_places=DECIMAL_PLACES,
        widget=widgets.DecimalInput,
    )
    currency = forms.CharField(
        min_length=3,
        max_length=3,
        initial="EUR",
        widget=widgets.TextInput,
        help_text="Its ISO code: EUR.",
    )
    reason = forms.CharField(
        max_length=MAX_REASON_LENGTH,
        widget=widgets.TextInput,
        help_text="The client can read it.",
    )
    # Made with the page: sending the page twice adds once.
    reference = forms.UUIDField(initial=new_id, widget=forms.HiddenInput)


@admin.register(WalletEntry)
class WalletEntryAdmin(ReadOnlyAdmin):
    list_display = ("created", "client", "money", "reason", "reference")
    list_select_related = ("client",)
    list_filter = (("created_at", DaysFilter), "client__brand", "currency")
    search_fields = (
        search.exactly("reference"),
        search.named("client", search.exactly("id")),
        search.clients(),
    )
    search_parts = (search.clients_like(),)
    search_help_text = "Client or reference"
    totals_of: ClassVar = {"Entries": ("amount", "currency")}
    fields = ("client", "money", "reason", "reference", "created")
    created = column("created_at", "Created", show=moment, ordering="created_at")
    readonly_fields = ("money",)
