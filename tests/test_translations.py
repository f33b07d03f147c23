"""What visitors and affiliates read is there in every language, whole and compiled."""

from __future__ import annotations

import gettext
import subprocess
from pathlib import Path

import pytest
from django.conf import settings

from affiliates.core.language import LANGUAGES
from docs.translations import ALL, PACKAGES, PORTAL, Texts, compile_catalogue, extract
from tests.needs import require

CATALOGUES = [
    pytest.param(texts, path, id=f"{texts}-{path.parts[-3]}")
    for texts in ALL
    for path in texts.catalogues()
]


@pytest.mark.parametrize("texts", ALL, ids=str)
def test_each_language_but_the_one_of_the_code_has_a_catalogue(texts: Texts):
    languages = {path.parts[-3] for path in texts.catalogues()}

    assert languages == set(LANGUAGES) - {"en"}


def test_the_portal_and_the_area_have_the_same_languages():
    assert dict(settings.LANGUAGES) == LANGUAGES


@pytest.mark.parametrize(("texts", "catalogue"), CATALOGUES)
def test_nothing_is_missing_or_fuzzy(texts: Texts, catalogue: Path, tmp_path: Path):
    """Where it fails: ``python -m docs.translations``, and translate what is empty."""
    msgcmp = require("msgcmp")
    done = subprocess.run(  # noqa: S603 - our own words
        [msgcmp, str(catalogue), str(extract(texts, tmp_path))],
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("texts", "catalogue"), CATALOGUES)
def test_what_is_compiled_is_what_is_written(
    texts: Texts, catalogue: Path, tmp_path: Path
):
    require("msgcmp")
    compiled = tmp_path / "django.mo"

    compile_catalogue(catalogue, compiled)

    assert catalogue.with_suffix(".mo").read_bytes() == compiled.read_bytes()


@pytest.mark.parametrize("language", sorted(set(LANGUAGES) - {"en"}))
def test_what_two_apps_say_they_say_alike(language: str):
    """Django takes the first app's: where it shall be another word, give it a context."""
    said: dict[str, set[str]] = {}
    for package in (*PACKAGES, PORTAL):
        texts = gettext.translation("django", package / "locale", [language])._catalog
        for text, translated in texts.items():
            if text:
                said.setdefault(text, set()).add(translated)

    assert len(said) > 1_000
    assert {text: found for text, found in said.items() if len(found) > 1} == {}
