"""What an affiliate enters to be paid by Wise."""

from __future__ import annotations

from datetime import date

import pytest

from affiliates.contrib.area.account.destination import DestinationForm as AreaForm
from affiliates.contrib.wise.provider import WiseAccount
from affiliates.errors import InvalidInput, StateConflict
from affiliates.payouts.forms import DestinationForm
from affiliates.payouts.providers.protocol import Payer
from affiliates.payouts.selectors import terms_of
from affiliates.payouts.sending_models import PayoutAccount
from tests.affiliates.contrib.wise.payouts import EUR, GBP, IBAN, USD, payout
from tests.factories.payouts import PayoutTermsFactory

WISE = WiseAccount()


@pytest.mark.parametrize(
    ("_case", "given", "stored"),
    [
        ("an IBAN", {**EUR, "iban": " de02 1203 0000 0000 2020 51"}, EUR),
        ("another currency of IBANs", {**EUR, "payout_currency": "PLN"}, {**EUR, "payout_currency": "PLN"}),
        ("hyphens", {**GBP, "sort_code": "23-14-70", "account_number": "2882 1822"}, GBP),
        ("letters of a country", {**USD, "state": "ny", "country": "us"}, USD),
        ("what others need is left out", {**EUR, "sort_code": "231470", "account_type": "x"}, EUR),
        ("an address for a balance in USD", {**EUR, "street": "Gasse 1", "country": "at"}, {**EUR, "street": "Gasse 1", "country": "AT"}),
    ],
)  # fmt: skip
def test_details_are_stored_as_wise_takes_them(_case, given, stored):
    assert WISE.check(given) == stored


def test_a_state_is_needed_in_the_united_states_alone():
    canadian = {**USD, "country": "CA", "state": ""}

    assert "state" not in WISE.check(canadian)


@pytest.mark.parametrize(
    ("given", "code", "field"),
    [
        ({**EUR, "payout_currency": ""}, "required", "payout_currency"),
        ({**EUR, "payout_currency": "EURO"}, "max_length", "payout_currency"),
        ({**EUR, "payout_currency": "INR"}, "invalid_choice", "payout_currency"),
        ({**EUR, "holder_type": "OTHER"}, "invalid_choice", "holder_type"),
        ({**EUR, "account_holder": ""}, "required", "account_holder"),
        ({**EUR, "iban": ""}, "required", "iban"),
        ({**EUR, "iban": IBAN[:-1] + "2"}, "invalid_iban", "iban"),
        ({**GBP, "sort_code": "23147"}, "invalid", "sort_code"),
        ({**GBP, "account_number": "2882182"}, "invalid", "account_number"),
        ({**USD, "routing_number": "111000026"}, "invalid", "routing_number"),
        ({**USD, "routing_number": "x"}, "invalid", "routing_number"),
        ({**USD, "account_number": "123"}, "invalid", "account_number"),
        ({**USD, "account_type": "CREDIT"}, "invalid", "account_type"),
        ({**USD, "street": ""}, "required", "street"),
        ({**USD, "state": ""}, "required", "state"),
        ({**USD, "country": "USA"}, "max_length", "country"),
        ({**USD, "country": "1A"}, "invalid", "country"),
    ],
)
def test_wrong_details_are_refused_without_asking_wise(given, code, field):
    with pytest.raises(InvalidInput) as refusal:
        WISE.check(given)

    assert (refusal.value.code, refusal.value.field) == (code, field)


@pytest.mark.parametrize(
    ("details", "hint", "account"),
    [
        (EUR, "EUR DE… 2051", f"EUR {IBAN}"),
        (GBP, "GBP … 1822", "GBP 231470 28821822"),
        (USD, "USD … 5678", "USD 111000025 12345678"),
    ],
)
def test_a_hint_shows_little_and_an_account_is_known_again(details, hint, account):
    assert (WISE.hint(details), WISE.account(details)) == (hint, account)


def test_there_is_no_file():
    payer = Payer(brand="Hosting", name="", iban="", bic="")

    with pytest.raises(StateConflict) as refusal:
        WISE.write([payout()], payer=payer, day=date(2026, 3, 1), reference="BATCH-1")

    assert refusal.value.code == "no_payout_account"
    assert "Hosting has no active payout account at Wise" in refusal.value.detail


def test_an_affiliate_chooses_the_currency():
    form = AreaForm({**GBP, "is_confirmed": "on"}, provider=WISE)

    assert form.is_valid()
    assert WISE.check(form.cleaned_data) == GBP
    assert '<option value="USD">USD</option>' in str(form["payout_currency"])
    assert not AreaForm({**GBP, "payout_currency": "INR"}, provider=WISE).is_valid()


def test_staff_enter_what_two_ways_need():
    form = DestinationForm({"kind": "wise", **EUR}, kinds=["bank", "wise"])

    assert form.is_valid()
    assert WISE.check(form.cleaned_data["details"]) == EUR
    assert 'data-shown-for="bank wise"' in str(form["iban"])
    assert 'data-shown-for="wise"' in str(form["holder_type"])


@pytest.mark.django_db
def test_it_is_offered_only_with_an_active_account(brand):
    PayoutTermsFactory(brand=brand, kinds=["wise", "bank"])
    assert terms_of(brand.pk).kinds == {"bank"}

    account = PayoutAccount.objects.create(
        brand=brand, provider="wise_transfers", kind="wise", address="https://x.example"
    )
    assert terms_of(brand.pk).kinds == {"bank", "wise"}

    PayoutAccount.objects.filter(pk=account.pk).update(is_active=False)
    assert terms_of(brand.pk).kinds == {"bank"}
