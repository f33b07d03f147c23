"""Inputs of the field, which are kept beside the clone."""

from __future__ import annotations

from pathlib import Path

import pytest

FIELD = Path(__file__).resolve().parents[2] / "../shared/field"


def field_file(name: str) -> bytes:
    """The content; skips the test where the inputs are not at hand."""
    path = FIELD / name
    if not path.exists():
        pytest.skip(f"{name} of the field's inputs is not beside the clone")
    return path.read_bytes()
