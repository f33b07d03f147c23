"""The affiliate's page about who is paid, and the form that changes it."""

from __future__ import annotations

import pytest
import time_machine

from affiliates.adapter import get_adapter
from affiliates.contrib.tax_identity.details import IDENTITIES
from affiliates.contrib.tax_identity.models import TaxIdentity
from affiliates.program.rules import AffiliateStatus
from tests.database import nothing_written
from tests.factories.payouts import DestinationFactory, earn
from tests.factories.tax_identity import (
    IdentityTermsFactory,
    TaxIdentityFactory,
    ViesAnswerFactory,
    given_by,
)

pytestmark = pytest.mark.django_db
PAGE = "/affiliate/identity"
FORM = f"{PAGE}/change"
GERMAN = {"accept-language": "de"}


@pytest.fixture(autouse=True)
def _clock(now):
    with time_machine.travel(now, tick=False):
        yield


def form_of(affiliate, **changes):
    return {**given_by(affiliate), "valid_from": "2026-03-01", **changes}


def test_what_is_given_is_shown_and_counts_from_its_day(browser, affiliate):
    empty = browser.get(PAGE).text
    answer = browser.post(FORM, form_of(affiliate), follow=True)

    identity = TaxIdentity.objects.get()
    assert "You have not said yet who is paid." in empty
    assert answer.redirect_chain == [(PAGE, 302)]
    assert IDENTITIES.open(identity.details) == given_by(affiliate)
    assert identity.entered_by_id is None
    for text in (
        "Saved.",
        given_by(affiliate)["name"],
        "Hauptstr. 1<br>10115 Berlin",
        "Germany",
        "Business",
        "DE136695976",
        "1 Mar 2026",
    ):
        assert text in answer.text


def test_the_form_begins_with_what_is_known(browser, affiliate):
    TaxIdentityFactory(affiliate=affiliate)

    form = browser.get(FORM).text

    assert f'value="{given_by(affiliate)["name"]}"' in form
    assert 'value="DE136695976"' in form
    assert 'value="2026-03-01"' in form


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"vat_id": "DE136695977"}, "This number is not valid."),
        ({"name": ""}, "This field is required."),
        ({"country": "EU"}, "Select a valid choice."),
        ({"country": "US"}, "Choose one that is listed."),
        ({"valid_from": "never"}, "Enter a valid date."),
    ],
)
def test_what_is_wrong_is_said_beside_its_field(browser, affiliate, changes, sentence):
    with nothing_written():
        answer = browser.post(FORM, form_of(affiliate, **changes))

    assert answer.status_code == 400
    assert answer.text.count('class="field at-fault"') == 1
    assert sentence in answer.text


def test_a_suspended_affiliate_changes_nothing(browser, affiliate):
    affiliate.change(status=AffiliateStatus.SUSPENDED)

    with nothing_written():
        answer = browser.post(FORM, form_of(affiliate))

    assert answer.status_code == 400
    assert "An affiliate that is pending or suspended is not paid." in answer.text


def test_the_form_waits_until_the_host_knows_who_it_is(browser, affiliate, monkeypatch):
    asks = lambda adapter, request: "/prove"  # noqa: E731 - a method
    monkeypatch.setattr(type(get_adapter()), "identity_page", asks)

    with nothing_written():
        asked = browser.get(FORM)
        answer = browser.post(FORM, form_of(affiliate))

    assert (asked.status_code, asked.url) == (302, "/prove")
    assert answer.status_code == 400
    assert "Nothing was saved yet" in answer.text
    assert given_by(affiliate)["name"] in answer.text


def test_another_affiliate_reads_only_its_own(browser, rival):
    TaxIdentityFactory(affiliate=rival, changes={"vat_id": "ATU13585627"})

    for path in (PAGE, FORM):
        page = browser.get(path).text
        assert given_by(rival)["name"] not in page
        assert "ATU13585627" not in page


def test_a_later_version_is_announced(browser, affiliate):
    TaxIdentityFactory(
        affiliate=affiliate,
        valid_from="2026-04-01",
        changes={"country": "AT", "vat_id": "ATU13585627"},
    )

    page = browser.get(PAGE).text

    assert "From 1 Apr 2026 on: AT …5627." in page
    assert "You have not said yet who is paid." in page


def test_a_number_that_nothing_checks_is_marked(browser, affiliate):
    TaxIdentityFactory(affiliate=affiliate, changes={"tax_number": "12/345"})

    page = browser.get(PAGE).text

    assert "Tax number: not checked" in page
    assert "VAT ID: not checked" not in page


@pytest.mark.parametrize(
    ("kind", "sentence"),
    [
        (None, "VIES has not been asked about the VAT ID yet."),
        ("valid", "VIES says that the VAT ID is valid."),
        ("invalid", "VIES says that the VAT ID is not valid. Correct it."),
        ("unavailable", "VIES could not be asked. It is asked again."),
    ],
)
def test_the_last_answer_of_vies_is_shown(browser, affiliate, kind, sentence):
    IdentityTermsFactory(brand=affiliate.brand, asks_vies=True)
    identity = TaxIdentityFactory(affiliate=affiliate)
    if kind:
        ViesAnswerFactory(identity=identity, kind="unavailable", reference="")
        ViesAnswerFactory(identity=identity, kind=kind)

    page = browser.get(PAGE).text

    assert sentence in page
    assert ("WAPIAAAAYkmz" in page) is (kind is not None)


def test_without_vies_nothing_is_said_of_it(browser, affiliate):
    TaxIdentityFactory(affiliate=affiliate)

    assert "VIES" not in browser.get(PAGE).text


def test_what_needs_it_is_listed(browser, affiliate):
    IdentityTermsFactory(
        brand=affiliate.brand,
        needed_from={"EUR": 60_000, "JPY": 0},
        countries=["AT", "DE"],
    )

    page = browser.get(PAGE).text

    assert "Payouts of at least €600.00 need it." in page
    assert "Every payout in JPY needs it." in page
    assert "The tax number or VAT ID is needed too" not in page
    assert "There the tax number or VAT ID is needed too: Austria, Germany." in page


@pytest.mark.parametrize(
    ("changes", "link"),
    [
        (None, "Say first who is paid"),
        ({"vat_id": ""}, "Give your tax number or VAT ID first"),
    ],
)
@pytest.mark.parametrize("path", ["/affiliate/payouts", "/affiliate/payouts/ask/EUR"])
def test_a_payout_that_needs_it_leads_there(
    path, changes, link, browser, affiliate, terms, now
):
    IdentityTermsFactory(brand=affiliate.brand)
    DestinationFactory(affiliate=affiliate, usable_from=now)
    earn(affiliate)
    if changes is not None:
        TaxIdentityFactory(affiliate=affiliate, changes=changes)

    page = browser.get(path)

    assert page.status_code == 200
    assert f'<a href="{PAGE}">{link}</a>' in page.text


def test_asking_for_it_all_the_same_is_refused(browser, affiliate, terms, now):
    IdentityTermsFactory(brand=affiliate.brand)
    DestinationFactory(affiliate=affiliate, usable_from=now)
    earn(affiliate)

    with nothing_written():
        answer = browser.post("/affiliate/payouts/ask/EUR")

    assert answer.status_code == 409


def test_the_page_is_in_german(browser, affiliate):
    TaxIdentityFactory(affiliate=affiliate, changes={"country": "AT"})

    page = browser.get(PAGE, headers=GERMAN).text

    for text in ("Empfänger der Zahlung", "Österreich", "Unternehmen", "Gültig ab"):
        assert text in page
