"""What a statement prints, and the same as a PDF."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from io import BytesIO

import pytest
from django.utils import translation

from affiliates.errors import StateConflict
from affiliates.payouts.papers import pdf
from affiliates.payouts.papers.content import (
    Paper,
    PaperLine,
    paper_of,
    paper_rows,
)
from affiliates.payouts.papers.pdf import write_pdf
from affiliates.payouts.services.statements import issue_credit_note, issue_statement
from tests.cases import each
from tests.factories.books import CommissionReversalFactory
from tests.factories.payouts import take_back
from tests.needs import require

pytestmark = pytest.mark.django_db
PAYEE = {
    "name": "Παπαδόπουλος ΑΕ",
    "lines": ["Тарас Шевченко", "株式会社 한국", "חברת הדגמה"],
    "ids": ["VAT EL123456789"],
}
LABELS = {
    "en": ("Issued by", "To", "Invoice Earned Amount", "Page 1 of 1"),
    "de": ("Ausgestellt von", "An", "Rechnung Verdient Betrag", "Seite 1 von 1"),
}


@pytest.fixture
def statement(requested, terms, now):
    """The statement of a commission of 100.00 EUR, of which 25.00 were taken back."""
    terms.issuer, terms.tax_note = "Demo GmbH\nBerlin\nDE123", "Reverse charge."
    terms.number_prefix = "SB-"
    terms.save()
    payout = requested()
    CommissionReversalFactory(
        commission=payout.affiliate.commissions.get(), amount=-2_500
    )
    payout.amount = 7_500
    return issue_statement(payout, now=now)


@pytest.fixture
def _fonts():
    pytest.importorskip("fpdf")
    require("DejaVuSans.ttf")
    require("DroidSansFallback.ttf")


printing = pytest.mark.usefixtures("_fonts")


def pages_of(content: bytes) -> list[list[str]]:
    """The lines of each page, with plain spaces."""
    reader = pytest.importorskip("pypdf").PdfReader(BytesIO(content))
    return [
        page.extract_text().replace("\xa0", " ").splitlines() for page in reader.pages
    ]


def printed(paper: Paper, language: str) -> list[str]:
    """What stands on the only page of a paper, from top to bottom."""
    issued_by, to, columns, page = LABELS[language]
    lines = [
        " ".join(filter(None, [line.name, line.day_text, line.amount_text]))
        for line in (*paper.lines, paper.total)
    ]
    facts = [f"{fact.label} {fact.text}" for fact in paper.facts if fact.text]
    texts = [
        *(paper.brand, paper.title, issued_by, *paper.issuer, to, *paper.recipient),
        *(*facts, columns, *lines, paper.tax_note, f"{page} {paper.title}"),
    ]
    return [text.replace("\xa0", " ") for text in texts]


def facts_of(paper: Paper) -> dict[str, str]:
    return {fact.name: fact.text for fact in paper.facts if fact.text}


def test_lines_show_what_was_earned_and_what_was_taken_back(statement):
    paper = paper_of(statement)

    invoice = statement.document["lines"][0]["number"]
    assert [
        (line.name, line.day_text, line.amount_text)
        for line in (*paper.lines, paper.total)
    ] == [
        (invoice, "1 Mar 2026", "€100.00"),
        (f"Taken back: {invoice}", "", "-€25.00"),
        ("Total", "", "€75.00"),
    ]


def test_without_a_payee_the_recipient_is_the_affiliate(statement):
    document = statement.document

    paper = paper_of(statement)

    assert paper.issuer == ["Demo GmbH", "Berlin", "DE123"]
    assert paper.recipient == [document["affiliate"], document["recipient"]]


def test_a_payee_is_named_with_address_and_ids(statement):
    statement.document["payee"] = PAYEE

    assert paper_of(statement).recipient == [
        "Παπαδόπουλος ΑΕ",
        *("Тарас Шевченко", "株式会社 한국", "חברת הדגמה"),
        "VAT EL123456789",
    ]


def test_what_arrived_in_another_currency_is_stated(statement, requested, now):
    assert "received" not in statement.document

    statement.document["received"] = [5_210, "USD"]
    facts = {fact.name: fact for fact in paper_of(statement).facts}

    assert (facts["received"].text, facts["received"].cell) == ("$52.10", "52.10 USD")
    assert paper_rows(paper_of(statement))[0]["received"] == "52.10 USD"
    assert paper_of(statement).total.amount == 7_500


def test_the_period_is_from_the_first_to_the_last_day_of_the_brand(statement):
    [line] = statement.document["lines"]
    late = {**line, "earned_at": "2026-03-30T23:30:00+00:00"}
    statement.document["lines"] = [late, line]
    statement.brand.time_zone = "Europe/Berlin"

    paper = paper_of(statement)

    assert facts_of(paper)["period"] == "1 Mar 2026 – 31 Mar 2026"
    assert paper_rows(paper)[0]["period"] == "2026-03-01/2026-03-31"


def test_a_statement_of_a_bonus_alone_has_no_period(statement):
    statement.document |= {"lines": [], "carried": 7_500}

    assert "period" not in facts_of(paper_of(statement))


def test_a_credit_note_says_when_the_money_came_back_and_what_it_corrects(
    statement, now
):
    payout = statement.payout
    payout.reason = "Account closed"
    note = issue_credit_note(payout, now=now + timedelta(days=9))

    paper = paper_of(note)

    assert paper.title == "Credit note SB-2"
    assert facts_of(paper) == {
        "issued": "10 Mar 2026",
        "returned": "10 Mar 2026",
        "period": "1 Mar 2026",
        "paid_to": "PayPal p…@example.org",
        "corrects": "SB-1",
        "reason": "Account closed",
    }
    assert [line.amount for line in paper.lines] == [-10_000, 2_500]
    assert paper.total.amount == -7_500


@printing
@each(("language", "title"), [("en", "Statement SB-1"), ("de", "Abrechnung SB-1")])
def test_the_pdf_has_the_content_of_the_statement(statement, language, title):
    statement.document["payee"] = PAYEE
    with translation.override(language):
        paper = paper_of(statement)
        content = write_pdf(paper)

        assert paper.title == title
        assert pages_of(content) == [printed(paper, language)]


@printing
@pytest.mark.parametrize(
    ("language", "title"), [("en", "Credit note SB-2"), ("de", "Korrektur SB-2")]
)
def test_the_pdf_of_a_credit_note(statement, now, language, title):
    note = issue_credit_note(statement.payout, now=now)
    with translation.override(language):
        paper = paper_of(note)
        [lines] = pages_of(write_pdf(paper))

        assert lines == printed(paper, language)
        assert title in lines


@printing
@each(
    ("currency", "amount", "text"),
    [("JPY", 7_512, "¥7,512"), ("KWD", 7_512, "KWD 7.512")],
)
def test_amounts_have_the_decimals_of_their_currency(statement, currency, amount, text):
    line = PaperLine(name="INV-1", amount=amount, currency=currency)
    paper = replace(paper_of(statement), lines=[line])

    [lines] = pages_of(write_pdf(paper))

    assert f"INV-1 {text}" in lines


@printing
def test_many_lines_go_over_several_pages_with_one_total(statement):
    line = PaperLine(name="INV-1", amount=100, currency="EUR", day=date(2026, 3, 1))
    lines = [replace(line, name=f"INV-{number}") for number in range(500)]
    total = replace(line, name="Total", amount=50_000, day=None)

    pages = pages_of(write_pdf(replace(paper_of(statement), lines=lines, total=total)))

    text = [line for page in pages for line in page]
    assert len(pages) > 10
    assert [line for line in text if line.startswith("INV-")] == [
        f"INV-{number} 1 Mar 2026 €1.00" for number in range(500)
    ]
    assert text.count("Total €500.00") == 1
    assert text.count("Invoice Earned Amount") == len(pages)
    assert [page[-1] for page in pages] == [
        f"Page {number} of {len(pages)} Statement SB-1"
        for number in range(1, len(pages) + 1)
    ]


@printing
def test_the_pdf_is_the_same_each_time_and_dated_by_its_issue(statement):
    paper = replace(paper_of(statement), issued_at=datetime(2026, 4, 5, tzinfo=UTC))

    content = write_pdf(paper)

    assert content == write_pdf(paper)
    assert b"D:20260405000000Z" in content


@printing
def test_text_is_neither_markup_nor_a_link_nor_hidden(statement):
    text = "**a** [b](https://example.org) <b>c</b> {nb}"
    paper = replace(
        paper_of(statement), recipient=[f"{text}\x1a\x1a\x1a\u202e", "x\ny"]
    )

    content = write_pdf(paper)

    [lines] = pages_of(content)
    assert lines[lines.index("To") + 1 :][:2] == [text, "x y"]
    assert b"/Annot" not in content


@printing
def test_hebrew_is_drawn_from_right_to_left():
    from affiliates.payouts.papers.drawing import _visual

    assert _visual("אב (גד) 12") == "12 (דג) בא"


@printing
def test_a_long_name_is_wrapped(statement):
    words = " ".join(f"word{number}" for number in range(30))
    line = PaperLine(name=words, amount=100, currency="EUR")

    [lines] = pages_of(write_pdf(replace(paper_of(statement), lines=[line])))

    start = lines.index("Invoice Earned Amount") + 1
    assert " ".join(lines[start:]).startswith(f"{words} €1.00 Total")


def test_without_the_extra_the_refusal_names_it(statement, monkeypatch):
    monkeypatch.setattr(pdf, "HAS_FPDF", False)

    with pytest.raises(StateConflict, match=r"affiliates\[statements\]"):
        write_pdf(paper_of(statement))


def test_without_a_font_the_refusal_names_the_setting(statement, settings, monkeypatch):
    monkeypatch.setattr(pdf, "HAS_FPDF", True)
    settings.AFFILIATES_STATEMENT_FONTS = ["/nowhere/font.ttf"]

    assert not pdf.writes_pdf()
    with pytest.raises(StateConflict, match="AFFILIATES_STATEMENT_FONTS"):
        write_pdf(paper_of(statement))


def test_carried_refunds_are_a_line(requested, now):
    payout = requested(amount=10_000)
    take_back(payout.affiliate, 12)
    payout.amount = 9_988

    lines = paper_of(issue_statement(payout, now=now)).lines

    assert [(line.name, line.amount) for line in lines][1:] == [
        ("Refunds and corrections", -12)
    ]
