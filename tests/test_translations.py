"""What affiliates read is there in every language of the area, whole and compiled."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from affiliates.core.language import LANGUAGES
from docs.translations import LOCALE, compile_catalogue, extract

CATALOGUES = sorted(LOCALE.glob("*/LC_MESSAGES/django.po"))
needs_gettext = pytest.mark.skipif(
    shutil.which("msgcmp") is None, reason="GNU gettext is not installed"
)


def test_each_language_but_the_one_of_the_code_has_a_catalogue():
    assert {path.parts[-3] for path in CATALOGUES} == set(LANGUAGES) - {"en"}


@needs_gettext
@pytest.mark.parametrize("catalogue", CATALOGUES, ids=lambda path: path.parts[-3])
def test_nothing_is_missing_or_fuzzy(catalogue: Path, tmp_path: Path):
    """Where it fails: ``python -m docs.translations``, and translate what is empty."""
    done = subprocess.run(  # noqa: S603 - our own words
        ["msgcmp", str(catalogue), str(extract(tmp_path))],  # noqa: S607 - of the PATH
        capture_output=True,
        text=True,
    )

    assert done.returncode == 0, done.stderr


@needs_gettext
@pytest.mark.parametrize("catalogue", CATALOGUES, ids=lambda path: path.parts[-3])
def test_what_is_compiled_is_what_is_written(catalogue: Path, tmp_path: Path):
    compiled = tmp_path / "django.mo"

    compile_catalogue(catalogue, compiled)

    assert catalogue.with_suffix(".mo").read_bytes() == compiled.read_bytes()
