"""Fields that the admin's forms of several packages have."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError

from affiliates.admin_tools import widgets
from affiliates.brands.drawing import MAX_BYTES, TOO_LARGE, Picture, drawn_anew


class PictureField(forms.FileField):
    """An uploaded PNG, JPEG or WebP image, drawn anew."""

    widget = widgets.File

    def clean(self, data: Any, initial: Any = None) -> Picture | None:
        file = super().clean(data, initial)
        if not file:
            return None
        try:
            if file.size > MAX_BYTES:
                raise ValueError(TOO_LARGE)
            # A page that asks first reads the form twice.
            file.seek(0)
            return drawn_anew(file.read())
        except ValueError as refused:
            raise ValidationError(str(refused)) from None
