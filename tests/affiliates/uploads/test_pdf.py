"""Which files are taken as an invoice."""

from __future__ import annotations

import io
import zlib

import fpdf
import pypdf
import pytest

from affiliates.uploads.pdf import MAX_STREAMS, pdf_fault
from tests.affiliates.uploads.hostile import FILES, MOST, packed
from tests.factories.files import pdf, stream


@pytest.mark.parametrize("name", FILES)
def test_a_hostile_file_is_refused(name):
    content, fault = FILES[name]

    assert pdf_fault(content, most=MOST) == fault


def written() -> bytes:
    """As programs of affiliates write them: packed pages, a font, a link."""
    paper = fpdf.FPDF()
    paper.add_page()
    paper.set_font("helvetica")
    paper.cell(text="Invoice 2026-17", link="https://example.com")
    return bytes(paper.output())


def rewritten() -> bytes:
    file = io.BytesIO()
    writer = pypdf.PdfWriter(clone_from=io.BytesIO(written()))
    writer.add_metadata({"/Title": "Invoice"})
    writer.write(file)
    return file.getvalue()


PLAIN = {
    "the smallest": pdf,
    "as a program writes it": written,
    "as another writes it": rewritten,
    "with packed objects": lambda: pdf(packed(b"<< /Title (Invoice) >>")),
    "with a packed page": lambda: pdf(stream(zlib.compress(b"BT (Invoice) Tj ET"))),
    "with a link": lambda: pdf(b"<< /S /URI /URI (https://example.com) >>"),
    "with a font": lambda: pdf(b"<< /Type /Font /BaseFont /XFABCD+Arial >>"),
    "with other line ends": lambda: pdf().replace(b"\n", b"\r\n"),
    "with blanks behind": lambda: pdf() + b"\n\0\n",
    "without a line end": lambda: pdf()[:-1],
    "as large as it may be": lambda: pdf() + b" " * (MOST - len(pdf())),
}


@pytest.mark.parametrize("name", PLAIN)
def test_a_plain_pdf_is_taken(name):
    assert pdf_fault(PLAIN[name](), most=MOST) == ""


def test_the_files_of_these_tests_can_be_read():
    assert len(pypdf.PdfReader(io.BytesIO(pdf()), strict=True).pages) == 1


def test_the_limit_is_the_last_byte_that_is_taken():
    content = pdf()

    assert pdf_fault(content, most=len(content)) == ""
    assert pdf_fault(content, most=len(content) - 1) == "The file is too large."


def test_streams_are_counted():
    """Reading each of very many begins a decompression."""
    few = pdf(b"stream\n" * (MAX_STREAMS - 100))

    assert pdf_fault(few, most=len(few)) == ""
