"""The affiliate's page about a payout's invoice, and its files."""

from __future__ import annotations

from itertools import count

import pytest
import time_machine
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import resolve

from affiliates.contrib.invoices.models import InvoiceFile, PayoutInvoice
from affiliates.payouts.services.decisions import approve_payouts
from tests.affiliates.uploads.hostile import HARMLESS_NAMES, NAMES
from tests.database import nothing_written
from tests.factories.files import pdf
from tests.factories.invoices import PayoutInvoiceFactory

pytestmark = pytest.mark.django_db
GERMAN = {"accept-language": "de"}


@pytest.fixture(autouse=True)
def _clock(now):
    with time_machine.travel(now, tick=False):
        yield


@pytest.fixture
def payout(asked):
    return asked()


def page_of(payout):
    return f"/affiliate/invoices/{payout.pk}"


def form_of(*, name="invoice.pdf", content=None, kind="application/pdf", **changes):
    file = SimpleUploadedFile("x", pdf() if content is None else content, kind)
    # Unlike the name that was given, it is not made harmless by Django.
    file._name = name
    return {
        "file": file,
        "number": "2026-17",
        "issued_on": "2026-03-01",
        "net": "84.03",
        "tax": "15.97",
        "total": "100.00",
        **changes,
    }


def test_the_payouts_page_leads_to_it(browser, payout, invoice_terms):
    waits = browser.get(f"/affiliate/payouts/{payout.pk}").text
    empty = browser.get(page_of(payout)).text
    answer = browser.post(page_of(payout), form_of(), follow=True)
    sent = browser.get(f"/affiliate/payouts/{payout.pk}").text

    link = f'<a href="{page_of(payout)}">'
    invoice = PayoutInvoice.objects.get()
    assert f"{link}It waits for your invoice: send it</a>" in waits
    assert "The payout is approved once we have your invoice." in empty
    assert 'value="100.00"' in empty
    assert answer.redirect_chain == [(page_of(payout), 302)]
    assert (invoice.net, invoice.tax, invoice.total) == (8_403, 1_597, 10_000)
    for text in ("We have your invoice.", "2026-17", "Waits for the approval"):
        assert text in answer.text
    assert f"{link}See your invoice</a>" in sent


def test_a_payout_that_needs_none_says_so(browser, payout, invoice_terms):
    invoice_terms.change(needed_from={})

    page = browser.get(page_of(payout)).text

    assert "This payout needs no invoice of yours." in page
    assert "<h2>Send your invoice</h2>" not in page
    assert page_of(payout) not in browser.get(f"/affiliate/payouts/{payout.pk}").text


def test_what_differs_and_what_was_refused_is_said(browser, payout):
    PayoutInvoiceFactory(
        payout=payout, number="1", end="refused", reason="No address of ours."
    )
    PayoutInvoiceFactory(payout=payout, number="2", total=11_900)

    page = browser.get(page_of(payout)).text

    for text in (
        "No address of ours.",
        "Another total than the payout",
        "Send a corrected invoice.",
        "Send another invoice",
        "It replaces the one that you sent.",
    ):
        assert text in page


def test_of_an_approved_payout_only_the_file_is_there(browser, payout, staff, now):
    invoice = PayoutInvoiceFactory(payout=payout)
    approve_payouts(payout_ids=[payout.pk], actor_id=staff.pk, now=now)

    page = browser.get(page_of(payout)).text

    assert "Accepted" in page
    assert f'href="{page_of(payout)}/{invoice.pk}.pdf"' in page
    assert "multipart/form-data" not in page


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"number": ""}, "This field is required."),
        ({"total": "100.001"}, "The currency has fewer decimals."),
        ({"total": "1e9999"}, "Ensure that there are no more than 16 digits"),
        ({"total": "NaN"}, "Enter a number."),
        ({"tax": "15.98"}, "Net amount and tax do not add up to the total."),
        ({"net": "-1"}, "Ensure this value is greater than or equal to 0."),
        ({"issued_on": "2026-03-02"}, "The date of the invoice is in the future."),
        ({"issued_on": "soon"}, "Enter a valid date."),
        ({"content": b""}, "The submitted file is empty."),
        ({"content": b"MZ"}, "This is no PDF file."),
        ({"content": b"MZ", "kind": "application/pdf"}, "This is no PDF file."),
        ({"file": ""}, "This field is required."),
        ({"file": "invoice.pdf"}, "This field is required."),
    ],
)
def test_what_is_wrong_is_said_beside_its_field(browser, payout, changes, sentence):
    with nothing_written():
        answer = browser.post(page_of(payout), form_of(**changes))

    assert answer.status_code == 400
    assert sentence in answer.text


@pytest.mark.parametrize("name", NAMES, ids=map(str, count()))
def test_a_file_with_another_ending_is_refused(name, browser, payout):
    with nothing_written():
        answer = browser.post(page_of(payout), form_of(name=name))

    assert answer.status_code == 400


@pytest.mark.parametrize("name", HARMLESS_NAMES, ids=map(str, count()))
def test_the_name_of_a_file_is_nowhere(name, browser, payout):
    answer = browser.post(page_of(payout), form_of(name=name), follow=True)

    invoice = PayoutInvoice.objects.get()
    file = browser.get(f"{page_of(payout)}/{invoice.pk}.pdf")
    assert answer.redirect_chain == [(page_of(payout), 302)]
    assert "alert(1)" not in answer.text
    assert "passwd" not in answer.text
    assert file["Content-Disposition"] == (
        f'attachment; filename="invoice-{payout.pk}-{invoice.pk}.pdf"'
    )


@pytest.mark.parametrize("kind", ["text/html", "image/svg+xml", "", "a/b; charset=x"])
def test_its_stated_type_decides_nothing(kind, browser, payout):
    browser.post(page_of(payout), form_of(kind=kind))

    invoice = PayoutInvoice.objects.get()
    file = browser.get(f"{page_of(payout)}/{invoice.pk}.pdf")
    assert file["Content-Type"] == "application/pdf"


def test_a_large_file_is_not_read_to_its_end(browser, payout, settings, monkeypatch):
    settings.AFFILIATES_MAX_INVOICE_BYTES = 100_000
    monkeypatch.setattr("affiliates.contrib.invoices.pages.upload_invoice", pytest.fail)

    with nothing_written():
        answer = browser.post(page_of(payout), form_of(content=b"x" * 3_000_000))

    assert answer.status_code == 400
    assert "The file is too large." in answer.text
    assert answer.wsgi_request.FILES == {}


def test_a_file_is_given_out_as_nothing_but_a_download(browser, payout):
    content = pdf(b"<< /Title (Ada) >>")
    browser.post(page_of(payout), form_of(content=content))
    invoice = PayoutInvoice.objects.get()

    file = browser.get(f"{page_of(payout)}/{invoice.pk}.pdf")

    assert file.content == content
    assert {
        name: file[name]
        for name in (
            "Content-Type",
            "X-Content-Type-Options",
            "Content-Security-Policy",
        )
    } == {
        "Content-Type": "application/pdf",
        "X-Content-Type-Options": "nosniff",
        "Content-Security-Policy": "default-src 'none'; sandbox",
    }
    assert {"no-store", "private"} <= set(file["Cache-Control"].split(", "))


def test_a_file_that_is_gone_is_not_found(browser, payout):
    invoice = PayoutInvoiceFactory(payout=payout)
    InvoiceFile.objects.all().delete()

    assert browser.get(f"{page_of(payout)}/{invoice.pk}.pdf").status_code == 404


def test_nobody_reads_or_sends_anothers(browser_of, rival, payout, asked):
    invoice = PayoutInvoiceFactory(payout=payout)
    own = asked(owner=rival)
    stranger = browser_of(rival)

    with nothing_written():
        answers = [
            stranger.get(page_of(payout)),
            stranger.post(page_of(payout), form_of()),
            stranger.get(f"{page_of(payout)}/{invoice.pk}.pdf"),
            # Another's invoice below one's own payout.
            stranger.get(f"{page_of(own)}/{invoice.pk}.pdf"),
        ]

    assert [answer.status_code for answer in answers] == [404] * 4
    assert invoice.number not in "".join(answer.text for answer in answers)


def test_who_is_not_signed_in_is_led_to_the_login(browser, payout):
    invoice = PayoutInvoiceFactory(payout=payout)
    browser.logout()

    with nothing_written():
        answers = [
            browser.get(page_of(payout)),
            browser.post(page_of(payout), form_of()),
            browser.get(f"{page_of(payout)}/{invoice.pk}.pdf"),
        ]

    assert [answer.status_code for answer in answers] == [302] * 3


def test_the_form_is_protected_by_its_token(affiliate, payout, browser):
    browser.handler.enforce_csrf_checks = True

    with nothing_written():
        answer = browser.post(page_of(payout), form_of())

    assert answer.status_code == 403
    assert "Nothing was saved" in answer.text
    assert resolve(page_of(payout)).func.csrf_exempt is True


def test_the_page_is_german(browser, payout):
    PayoutInvoiceFactory(payout=payout, total=11_900)

    page = browser.get(page_of(payout), headers=GERMAN).text
    wrong = browser.post(page_of(payout), form_of(content=b"MZ"), headers=GERMAN).text

    for text in (
        "Ihre Rechnung",
        "Andere Summe als die Auszahlung",
        "Eine weitere Rechnung senden",
        "Rechnung als PDF",
        "Nettobetrag",
    ):
        assert text in page
    assert "Das ist keine PDF-Datei." in wrong
