"""Draws a statement as a PDF. Imported only where the extra ``statements`` is installed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import cast
from unicodedata import category, normalize

from django.utils.translation import gettext as _
from fpdf import FPDF
from fpdf.bidi import BIDI_BRACKETS, BidiParagraph
from fpdf.enums import MethodReturnValue, XPos, YPos

from affiliates.core.language import text_language
from affiliates.payouts.papers.content import Paper

# In millimetres.
MARGIN, BOTTOM, GAP = 20, 25, 6
LINE = 5
DAY, AMOUNT, LABEL = 35, 40, 36
SMALL, NORMAL, LARGE = 8, 9.5, 18
INK, QUIET, RULE = 20, 105, 190
# Three characters that no text keeps: see ``_clean``.
PAGE_COUNT = "\x1a" * 3


def draw(paper: Paper, fonts: Sequence[str]) -> bytes:
    """Returns the same bytes each time for the same paper and fonts."""
    pdf = PaperPdf(paper, fonts)
    pdf.add_page()
    pdf.draw_head()
    pdf.draw_lines()
    return bytes(pdf.output())


class PaperPdf(FPDF):
    def __init__(self, paper: Paper, fonts: Sequence[str]) -> None:
        super().__init__(format="A4")
        self.paper = paper
        self.set_creation_date(paper.issued_at)
        self.set_title(paper.title)
        self.set_author(paper.brand)
        self.set_lang(text_language())
        self.set_margins(MARGIN, MARGIN)
        self.c_margin = 0
        self.set_auto_page_break(True, BOTTOM)
        self.alias_nb_pages(PAGE_COUNT)
        self.set_draw_color(RULE)
        self.unread = [*fonts]
        self._add_font()
        self.set_font(fonts[0], size=NORMAL)

    def get_fallback_font(self, char: str, style: str = "") -> str | None:
        """Adds the next font if no other has the character: a large one takes 0.3 s."""
        while (font := super().get_fallback_font(char, style)) is None and self.unread:
            self._add_font()
        return font

    def _add_font(self) -> None:
        path = self.unread.pop(0)
        self.add_font(path, fname=path)
        self.set_fallback_fonts([*self.fonts], exact_match=False)

    def footer(self) -> None:
        page = _("Page {page} of {pages}").format(page=self.page_no(), pages=PAGE_COUNT)
        self.set_y(-BOTTOM + GAP)
        with self._style(SMALL, QUIET):
            self.cell(self.epw / 2, LINE, page)
            self.cell(0, LINE, _visual(_clean(self.paper.title)), align="R")

    def draw_head(self) -> None:
        paper = self.paper
        with self._style(NORMAL, INK, is_bold=True):
            self._write(0, [paper.brand])
        self.ln(GAP)
        with self._style(LARGE, INK, is_bold=True):
            self._write(0, [paper.title], height=9)
        self.ln(GAP)
        top, half = self.y, self.epw / 2
        self._party(_("Issued by"), paper.issuer, MARGIN, half - GAP)
        bottom, self.y = self.y, top
        self._party(_("To"), paper.recipient, MARGIN + half, half)
        self.set_xy(MARGIN, max(bottom, self.y) + GAP)
        for fact in paper.facts:
            if fact.text:
                if self.will_page_break(LINE):
                    self.add_page()
                with self._style(NORMAL, QUIET):
                    self.cell(LABEL, LINE, fact.label)
                self._write(0, [fact.text])
                self.x = MARGIN
        self.ln(GAP)

    def draw_lines(self) -> None:
        self._columns()
        for line in self.paper.lines:
            names = list(self._wrapped(line.name, self.epw - DAY - AMOUNT - GAP))
            self._make_room(len(names) * LINE + 2)
            self._cells(names, line.day_text, line.amount_text)
        total, note = self.paper.total, self.paper.tax_note.splitlines()
        self._make_room(LINE + 2 + GAP + LINE * len(note))
        with self._style(NORMAL, INK, is_bold=True):
            self._cells([total.name], total.day_text, total.amount_text)
        self.ln(GAP)
        self._write(0, note)

    def _party(
        self, label: str, lines: Sequence[str], left: float, width: float
    ) -> None:
        self.x = left
        with self._style(SMALL, QUIET):
            self._write(width, [label])
        self._write(width, lines)

    def _columns(self) -> None:
        with self._style(SMALL, QUIET):
            self._cells([_("Invoice")], _("Earned"), _("Amount"))

    def _make_room(self, height: float) -> None:
        # Outside of ``_style``, which a new page would leave unfinished.
        if self.will_page_break(height):
            self.add_page()
            self._columns()

    def _cells(self, names: Sequence[str], day: str, amount: str) -> None:
        """Draws a row of the table, and a rule below it."""
        top = self.y
        self.y += 1
        for name in names:
            self.cell(0, LINE, name, new_x=XPos.LEFT, new_y=YPos.NEXT)
        bottom = self.y + 1
        self.set_xy(self.w - MARGIN - DAY - AMOUNT, top + 1)
        self.cell(DAY, LINE, day)
        self.cell(AMOUNT, LINE, amount, align="R")
        self.line(MARGIN, bottom, self.w - MARGIN, bottom)
        self.set_xy(MARGIN, bottom)

    def _write(
        self, width: float, texts: Iterable[str], *, height: float = LINE
    ) -> None:
        for text in texts:
            for line in self._wrapped(text, width):
                self.cell(width, height, line, new_x=XPos.LEFT, new_y=YPos.NEXT)

    def _wrapped(self, text: str, width: float) -> Iterator[str]:
        """Breaks a text into lines of the width, each in the order of drawing."""
        lines = self.multi_cell(
            width, text=_clean(text), dry_run=True, output=MethodReturnValue.LINES
        )
        return map(_visual, cast("list[str]", lines))

    @contextmanager
    def _style(
        self, size: float, grey: int, *, is_bold: bool = False
    ) -> Iterator[None]:
        # Any font becomes bold by a stroke around its glyphs.
        mode = "FILL_STROKE" if is_bold else "FILL"
        with self.local_context(text_mode=mode, line_width=size / 60):
            self.set_font_size(size)
            self.set_text_color(grey)
            self.set_draw_color(grey)
            yield


def _clean(text: str) -> str:
    """Returns the text without line breaks and without characters that show nothing."""
    words = " ".join(normalize("NFC", text).split())
    return "".join(letter for letter in words if category(letter)[0] != "C")


def _visual(text: str) -> str:
    """Returns the text in the order of drawing, from left to right."""
    if text.isascii():
        return text
    letters = BidiParagraph(text).get_reordered_characters()
    return "".join(
        BIDI_BRACKETS[letter.character]["pair"]
        if letter.embedding_level % 2 and letter.character in BIDI_BRACKETS
        else letter.character
        for letter in letters
    )
