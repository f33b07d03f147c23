"""The field for a text's translations into the site's other languages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.conf import settings

from affiliates.admin_tools import widgets


def other_languages() -> dict[str, str]:
    """Names of the site's languages without LANGUAGE_CODE's, by code."""
    return {
        code: str(name)
        for code, name in settings.LANGUAGES
        if code != settings.LANGUAGE_CODE
    }


class TranslationsWidget(forms.MultiWidget):
    template_name = "affiliates/admin/translations.html"

    def __init__(self, widget: Any = widgets.Textarea) -> None:
        self.languages = other_languages()
        parts = {
            code: widget(attrs={"lang": code, "aria-label": name})
            for code, name in self.languages.items()
        }
        super().__init__(parts)

    def get_context(self, name: str, value: Any, attrs: Any) -> dict[str, Any]:
        context: dict[str, Any] = super().get_context(name, value, attrs)
        parts = context["widget"]["subwidgets"]
        for part, label in zip(parts, self.languages.values(), strict=True):
            part["label"] = label
        return context

    def decompress(self, value: Mapping[str, str] | None) -> list[str]:
        return [(value or {}).get(code, "") for code in self.languages]


class TranslationsField(forms.MultiValueField):
    """Cleans to texts by language, without empty ones: ``{"de": "Hallo"}``."""

    def __init__(
        self, *, max_length: int, widget: Any = widgets.Textarea, **options: Any
    ) -> None:
        languages = other_languages()
        texts = [
            forms.CharField(max_length=max_length, required=False) for _ in languages
        ]
        defaults = {
            "required": False,
            "require_all_fields": False,
            "help_text": "Without a translation, readers get the text above.",
        }
        super().__init__(
            texts, widget=TranslationsWidget(widget), **{**defaults, **options}
        )

    def compress(self, data_list: Sequence[str]) -> dict[str, str]:
        texts = zip(other_languages(), data_list or (), strict=False)
        return {code: text for code, text in texts if text}
