"""How an affiliate asks to be paid, and what is read and printed of each payout."""

from __future__ import annotations

from csv import DictReader
from datetime import timedelta

import pytest
import time_machine

from affiliates.brands.models.brand import Brand
from affiliates.payouts.models import Payout
from affiliates.payouts.papers import pdf
from affiliates.payouts.providers.registry import PROVIDERS
from affiliates.payouts.rules import PayoutStatus
from affiliates.payouts.services.requests import request_payout
from affiliates.payouts.services.statements import issue_credit_note, issue_statement
from affiliates.program.rules import AffiliateStatus
from tests.database import nothing_written, queries_of
from tests.factories.books import PayoutFactory
from tests.factories.payouts import (
    DestinationFactory,
    PayoutTermsFactory,
    earn,
    earn_share,
    take_back,
)
from tests.needs import require

pytestmark = pytest.mark.django_db
PAYOUTS = "/affiliate/payouts"
ASK = f"{PAYOUTS}/ask/EUR"


@pytest.fixture(autouse=True)
def _clock(now):
    with time_machine.travel(now, tick=False):
        yield


@pytest.fixture
def destination(affiliate):
    return DestinationFactory(affiliate=affiliate)


@pytest.fixture
def payout(affiliate, destination, now):
    PayoutTermsFactory(
        brand=affiliate.brand, issuer="Demo GmbH\n1 Road", tax_note="Reverse charge."
    )
    earn(affiliate, 7_512)
    take_back(affiliate, 12)
    return request_payout(affiliate_id=affiliate.pk, currency="EUR", now=now)


def test_without_anything_the_list_says_what_comes_first(browser):
    page = browser.get(PAYOUTS).text

    assert "You have not earned anything yet." in page
    assert "You have not chosen a payout destination yet." in page
    assert "No payouts yet." in page


def test_payouts_are_listed_with_what_became_of_them(browser, affiliate, destination):
    PayoutFactory(affiliate=affiliate, amount=7_512, destination=destination)

    page = browser.get(PAYOUTS).text

    assert "€75.12" in page
    assert "Requested" in page
    assert "PayPal p…@example.org" in page


def test_many_payouts_take_no_more_queries(browser, affiliate, destination):
    PayoutFactory(affiliate=affiliate, status=PayoutStatus.PAID)
    browser.get(PAYOUTS)
    few = queries_of(lambda: browser.get(PAYOUTS))
    for _ in range(5):
        PayoutFactory(affiliate=affiliate, status=PayoutStatus.PAID)

    assert queries_of(lambda: browser.get(PAYOUTS)) == few


def test_what_would_be_paid_is_shown_before_it_is_asked_for(
    browser, affiliate, destination
):
    earn(affiliate, 7_512)

    with nothing_written():
        answer = browser.get(ASK)

    assert answer.status_code == 200
    for text in ("€75.12", "€50.00", "PayPal p…@example.org", "Ask for €75.12"):
        assert text in answer.text


def test_a_payout_is_asked_for_and_its_page_is_shown(browser, affiliate, destination):
    earn(affiliate, 7_512)

    answer = browser.post(ASK, follow=True)

    payout = Payout.objects.get()
    assert (payout.amount, payout.currency) == (7_512, "EUR")
    assert answer.redirect_chain == [(f"{PAYOUTS}/{payout.pk}", 302)]
    assert "The payout is asked for." in answer.text


def test_a_second_click_shows_the_payout_of_the_first(browser, payout):
    with nothing_written():
        answer = browser.post(ASK)

    assert answer.status_code == 302
    assert answer["Location"] == f"{PAYOUTS}/{payout.pk}"


@pytest.mark.parametrize(
    ("case", "sentence"),
    [
        ("minimum", "€38.00 more until the minimum of €50.00."),
        ("destination", "Choose first where payouts go"),
        ("changed", "Payouts are possible from 8 Mar 2026, 12:00: the destination,"),
        ("suspended", "An affiliate that is pending or suspended is not paid."),
        ("offered", "Nothing is paid that way any more."),
        ("currency", "No payouts in EUR are offered at present."),
    ],
)
def test_a_refusal_is_said_in_words_and_nothing_is_written(
    browser, affiliate, now, monkeypatch, case, sentence
):
    earn(affiliate, 1_200 if case == "minimum" else 10_000)
    if case != "destination":
        later = now + timedelta(days=7)
        DestinationFactory(
            affiliate=affiliate, usable_from=later if case == "changed" else now
        )
    if case == "suspended":
        affiliate.status = AffiliateStatus.SUSPENDED
        affiliate.save()
    if case == "offered":
        PayoutTermsFactory(brand=affiliate.brand, kinds=["wallet", "bank", "offline"])
    if case == "currency":
        for provider in PROVIDERS.values():
            monkeypatch.setattr(type(provider), "takes", lambda *_: False)

    with nothing_written():
        shown, answer = browser.get(ASK), browser.post(ASK)

    assert (shown.status_code, answer.status_code) == (200, 409)
    assert sentence in shown.text
    assert sentence in answer.text
    assert 'method="post">' not in answer.text


@pytest.mark.parametrize(
    ("_case", "earned", "wait", "sentence"),
    [
        (
            "too little",
            1_200,
            0,
            "Noch 38,00 € bis zum Mindestbetrag von 50,00 €.",
        ),
        ("cooling off", 10_000, 7, "E-Mail-Adresse wurde kürzlich geändert."),
    ],
)
def test_a_refusal_is_in_the_language_of_the_page(
    browser, affiliate, now, _case, earned, wait, sentence
):
    earn(affiliate, earned)
    DestinationFactory(affiliate=affiliate, usable_from=now + timedelta(days=wait))

    answer = browser.post(ASK, headers={"accept-language": "de"})

    assert not Payout.objects.exists()
    assert sentence in answer.text.replace("\xa0", " ")


def test_what_is_no_currency_cannot_be_asked_for(browser, destination):
    with nothing_written():
        answers = browser.get(f"{PAYOUTS}/ask/QQQ"), browser.post(f"{PAYOUTS}/ask/QQQ")

    assert [one.status_code for one in answers] == [400, 400]


def test_a_payouts_page_says_why_it_was_rejected(browser, affiliate):
    payout = PayoutFactory(
        affiliate=affiliate, status=PayoutStatus.REJECTED, reason="Account closed"
    )

    page = browser.get(f"{PAYOUTS}/{payout.pk}").text

    assert "Rejected" in page
    assert "Account closed" in page


def test_the_statement_is_printed_without_navigation(browser, payout, now):
    statement = issue_statement(payout, now=now)

    answer = browser.get(f"{PAYOUTS}/{payout.pk}/paid")

    assert answer.status_code == 200
    assert f"Statement {statement.name}" in answer.text
    assert "Demo GmbH<br>1 Road" in answer.text
    assert "Reverse charge." in answer.text
    assert "1 Mar 2026" in answer.text
    assert "Refunds and corrections" in answer.text
    for amount in ("€75.12", "-€0.12", "€75.00"):
        assert f'<td class="number">{amount}</td>' in answer.text
    assert "<nav" not in answer.text
    assert f"{PAYOUTS}/{payout.pk}/paid.csv" in answer.text


def test_a_credit_note_takes_the_statement_back(browser, payout, now):
    statement = issue_statement(payout, now=now)
    payout.reason = "Account closed"
    issue_credit_note(payout, now=now + timedelta(days=9))

    page = browser.get(f"{PAYOUTS}/{payout.pk}/returned").text

    assert "Credit note" in page
    assert f"<dt>Corrects</dt><dd>{statement.name}</dd>" in page
    assert "<dt>Returned</dt><dd>10 Mar 2026</dd>" in page
    assert "<dt>Paid</dt>" not in page
    assert "Account closed" in page
    assert '<td class="number">-€75.00</td>' in page


def rows_of(answer) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    return list(DictReader(answer.content.decode("utf-8-sig").splitlines()))


def test_the_statement_as_a_file_has_its_lines_and_the_total(
    browser, affiliate, payout, now
):
    # There it was earned after midnight.
    Brand.objects.update(time_zone="Pacific/Auckland")
    statement = issue_statement(payout, now=now)
    invoice = statement.document["lines"][0]["number"]

    answer = browser.get(f"{PAYOUTS}/{payout.pk}/paid.csv")

    assert answer["Content-Type"] == "text/csv; charset=utf-8"
    assert answer["Content-Disposition"] == (
        f'attachment; filename="statement-{payout.pk}-paid.csv"'
    )
    rows = rows_of(answer)
    facts = [(row.pop("name"), row.pop("day"), row.pop("amount")) for row in rows]
    assert facts == [
        (invoice, "2026-03-02", "75.12"),
        ("Refunds and corrections", "", "-0.12"),
        ("total", "", "75.00"),
    ]
    assert rows == 3 * [
        {
            "kind": "paid",
            "number": statement.name,
            "issuer": "Demo GmbH, 1 Road",
            "recipient": f"{affiliate.code}, {statement.document['recipient']}",
            "issued": "2026-03-02",
            "paid": "2026-03-02",
            "returned": "",
            "period": "2026-03-02",
            "paid_to": "PayPal p…@example.org",
            "reference": "",
            "received": "",
            "corrects": "",
            "reason": "",
            "tax_note": "Reverse charge.",
            "currency": "EUR",
        }
    ]


@pytest.fixture
def shared(affiliate, rival, destination, now):
    """The statement of a commission of 100.00 EUR and a share of 12.50 EUR."""
    own = earn(affiliate)
    earn_share(affiliate, earn(rival), 1_250)
    payout = request_payout(affiliate_id=affiliate.pk, currency="EUR", now=now)
    statement = issue_statement(payout, now=now)
    return payout.pk, statement.name, own.sale.invoice_ref


@pytest.mark.parametrize(
    ("language", "name"),
    [
        ("en", "Share of an affiliate you recruited"),
        ("de", "Anteil für einen geworbenen Partner"),
    ],
)
def test_a_share_is_printed_as_one(browser, shared, language, name):
    payout_id, number, invoice = shared
    told = {"accept-language": language}

    page = browser.get(f"{PAYOUTS}/{payout_id}/paid", headers=told).text
    file = browser.get(f"{PAYOUTS}/{payout_id}/paid.csv", headers=told)

    for printed in (invoice, name):
        assert page.count(f"<td>{printed}</td>") == 1
    assert "Refunds and corrections" not in page
    assert [
        (row["number"], row["name"], row["day"], row["amount"]) for row in rows_of(file)
    ] == [
        (number, invoice, "2026-03-01", "100.00"),
        (number, name, "2026-03-01", "12.50"),
        (number, "total", "", "112.50"),
    ]


def test_the_statement_as_pdf(browser, payout, now):
    pytest.importorskip("fpdf")
    require("DejaVuSans.ttf")
    issue_statement(payout, now=now)
    path = f"{PAYOUTS}/{payout.pk}/paid.pdf"

    answer = browser.get(path)

    assert (answer.status_code, answer["Content-Type"]) == (200, "application/pdf")
    assert answer["Content-Disposition"] == (
        f'attachment; filename="statement-{payout.pk}-paid.pdf"'
    )
    assert answer.content.startswith(b"%PDF-")
    for page in (f"{PAYOUTS}/{payout.pk}", f"{PAYOUTS}/{payout.pk}/paid"):
        assert f'href="{path}"' in browser.get(page).text


def test_no_pdf_is_offered_without_its_extra(browser, payout, now, monkeypatch):
    monkeypatch.setattr(pdf, "HAS_FPDF", False)
    issue_statement(payout, now=now)

    assert browser.get(f"{PAYOUTS}/{payout.pk}/paid.pdf").status_code == 404
    for page in (f"{PAYOUTS}/{payout.pk}", f"{PAYOUTS}/{payout.pk}/paid"):
        assert ".pdf" not in browser.get(page).text


@pytest.mark.parametrize("path", ["", "/paid", "/paid.csv", "/paid.pdf", "/other"])
def test_another_affiliates_payout_is_not_found(browser, rival, now, path):
    other = PayoutFactory(affiliate=rival, status=PayoutStatus.PAID)
    issue_statement(other, now=now)

    assert browser.get(f"{PAYOUTS}/{other.pk}{path}").status_code == 404
