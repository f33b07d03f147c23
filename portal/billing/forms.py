"""What an operator fills in about an invoice."""

from __future__ import annotations

from django import forms

from affiliates.admin_tools import widgets
from portal.billing.models import RefundKind
from portal.ids import new_id
from portal.money import DECIMAL_PLACES, MAX_DIGITS


class RefundForm(forms.Form):
    amount = forms.DecimalField(
        max_digits=MAX_DIGITS,
        decimal_places=DECIMAL_PLACES,
        widget=widgets.DecimalInput,
        help_text="Tax included, in the currency of the invoice.",
    )
    kind = forms.ChoiceField(choices=RefundKind.choices, widget=widgets.Select)
    confirm = forms.BooleanField(
        label="The money went back to the client", widget=widgets.Checkbox
    )
    # Made with the page: sending the page twice records one refund.
    reference = forms.UUIDField(initial=new_id, widget=forms.HiddenInput)
