from __future__ import annotations

from typing import Any

import pytest
from django import forms

from affiliates.admin_tools.editing.translations import TranslationsField

FRENCH_TOO = [("en", "English"), ("de", "Deutsch"), ("fr", "Français")]


@pytest.fixture
def form_class(settings: Any) -> type[forms.Form]:
    settings.LANGUAGE_CODE, settings.LANGUAGES = "en", FRENCH_TOO

    class TextForm(forms.Form):
        translations = TranslationsField(max_length=10)

    return TextForm


def test_languages_without_a_text_are_left_out(form_class: type[forms.Form]) -> None:
    form = form_class({"translations_de": "Hallo", "translations_fr": " "})

    assert form.is_valid()
    assert form.cleaned_data == {"translations": {"de": "Hallo"}}


def test_a_text_that_is_too_long_is_refused(form_class: type[forms.Form]) -> None:
    form = form_class({"translations_de": "Hallo", "translations_fr": "Bonjour vous"})

    assert not form.is_valid()
    assert "at most 10 characters" in str(form.errors["translations"])


def test_each_language_has_a_labelled_field(form_class: type[forms.Form]) -> None:
    page = str(form_class(initial={"translations": {"de": "Hallo"}})["translations"])

    assert 'name="translations_de"' in page
    assert 'aria-label="Français"' in page
    assert "Hallo" in page


def test_an_unchanged_translation_is_no_change(form_class: type[forms.Form]) -> None:
    form = form_class(
        {"translations_de": "Hallo", "translations_fr": ""},
        initial={"translations": {"de": "Hallo"}},
    )

    assert not form.has_changed()


def test_one_language_has_nothing_to_translate(settings: Any) -> None:
    settings.LANGUAGE_CODE, settings.LANGUAGES = "en", [("en", "English")]

    class TextForm(forms.Form):
        translations = TranslationsField(max_length=10)

    form = TextForm({})
    assert form.is_valid()
    assert form.cleaned_data == {"translations": {}}
    assert "The site has one language" in str(form["translations"])
