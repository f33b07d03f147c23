"""Who draws the admin pages: unfold where it is installed, else Django's own admin."""

from __future__ import annotations

from typing import Any

from django.apps import apps

HAS_UNFOLD = apps.is_installed("unfold")
# The parts that our templates are made of, with those of unfold.
UNFOLD_PARTS = {
    "card": "unfold/components/card.html",
    "button": "unfold/components/button.html",
    "field": "unfold/helpers/field.html",
    "label": "unfold/helpers/label.html",
    "errors": "unfold/helpers/form_errors.html",
}

admin: Any
decorators: Any
InlineFormSet: Any
ChangeList: Any

if HAS_UNFOLD:
    from unfold import admin as unfold
    from unfold import decorators as unfold_decorators
    from unfold import forms, views

    admin, decorators = unfold, unfold_decorators
    InlineFormSet = forms.PaginationInlineFormSet
    ChangeList = views.ChangeList
    PARTS = UNFOLD_PARTS
    STYLES: tuple[str, ...] = ("affiliates/admin.css",)
else:
    from django.contrib.admin.views import main

    from affiliates.admin_tools import plain

    admin, decorators = plain, plain
    InlineFormSet = plain.InlineFormSet
    ChangeList = main.ChangeList
    PARTS = {name: f"affiliates/admin/plain/{name}.html" for name in UNFOLD_PARTS}
    STYLES = ("affiliates/admin.css", "affiliates/plain.css")
