"""The form of an offer, with its texts in the site's other languages."""

from __future__ import annotations

from typing import ClassVar

from affiliates.admin_tools import widgets
from affiliates.admin_tools.editing.translations import TranslationsField
from affiliates.admin_tools.forms import ModelForm
from affiliates.contrib.offers.models import MAX_GRANTS, MAX_TEXT, Offer


class OfferForm(ModelForm):
    translations = TranslationsField(max_length=MAX_TEXT, widget=widgets.TextInput)
    grants_translations = TranslationsField(max_length=MAX_GRANTS)

    class Meta:
        model = Offer
        fields: ClassVar = "__all__"
