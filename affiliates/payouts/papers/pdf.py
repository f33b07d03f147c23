"""A statement as a PDF, if the extra ``statements`` and a font are installed."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from affiliates.conf import conf
from affiliates.errors import StateConflict
from affiliates.payouts.papers.content import Paper

HAS_FPDF = find_spec("fpdf") is not None


def statement_fonts() -> list[str]:
    """Returns the fonts of the setting that this machine has."""
    return [path for path in conf.statement_fonts if Path(path).is_file()]


def writes_pdf() -> bool:
    return HAS_FPDF and bool(statement_fonts())


def write_pdf(paper: Paper) -> bytes:
    """Raises StateConflict if the extra or every font is missing."""
    if not HAS_FPDF:
        raise StateConflict(
            "no_statement_pdf",
            "PDF statements need an extra that is not installed here: "
            "pip install 'affiliates[statements]'.",
        )
    fonts = statement_fonts()
    if not fonts:
        raise StateConflict(
            "no_statement_pdf",
            "PDF statements need a font: name the files in AFFILIATES_STATEMENT_FONTS.",
        )
    from affiliates.payouts.papers.drawing import draw

    return draw(paper, fonts)
