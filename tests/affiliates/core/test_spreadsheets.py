"""No text of a stranger becomes a formula in a spreadsheet."""

from __future__ import annotations

import pytest

from affiliates.core.spreadsheets import neutral_text


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "\n=1"]
    + ["＝cmd", "＋1", "－1", "＠SUM(1)", "﹦1"]
    + [" =1", "\u00a0=1", "\u3000＝1"],
)
def test_a_formula_is_quoted(text):
    assert neutral_text(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", " ", "a=1", "1-1", "'=1", "…", "Ω@x", "３"])
def test_other_text_stays_what_it_is(text):
    assert neutral_text(text) == text
