"""Staff read identities, enter them for an affiliate, and set a brand's terms."""

from __future__ import annotations

import pytest
from django.urls import reverse

from affiliates.brands.roles import FINANCE, SUPPORT
from affiliates.contrib.tax_identity.details import IDENTITIES
from affiliates.contrib.tax_identity.models import IdentityTerms, TaxIdentity
from affiliates.program.rules import AffiliateStatus
from tests.database import nothing_written
from tests.factories.tax_identity import (
    IdentityTermsFactory,
    TaxIdentityFactory,
    ViesAnswerFactory,
    given_by,
)

pytestmark = pytest.mark.django_db
ADD = "admin:affiliates_tax_identity_taxidentity_add"
PAGE = "admin:affiliates_tax_identity_taxidentity_change"
ADD_TERMS = "admin:affiliates_tax_identity_identityterms_add"
TERMS = "admin:affiliates_tax_identity_identityterms_change"


def form_of(affiliate, **changes):
    return {
        **given_by(affiliate),
        "affiliate": str(affiliate.pk),
        "valid_from": "2026-03-01",
        **changes,
    }


def test_staff_enter_it_for_an_affiliate(admin_client, admin_user, affiliate):
    page = admin_client.get(reverse(ADD)).text
    answer = admin_client.post(reverse(ADD), form_of(affiliate), follow=True)

    identity = TaxIdentity.objects.get()
    assert '<option value="DE">Germany</option>' in page
    assert answer.status_code == 200
    assert IDENTITIES.open(identity.details) == given_by(affiliate)
    assert (identity.affiliate, identity.entered_by) == (affiliate, admin_user)
    assert identity.valid_from.isoformat() == "2026-03-01"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"vat_id": "DE136695977"}, "This number is not valid."),
        ({"country": "US"}, "Choose one that is listed."),
        ({"name": ""}, "This field is required."),
    ],
)
def test_what_is_wrong_is_said(changes, sentence, admin_client, affiliate):
    with nothing_written():
        answer = admin_client.post(reverse(ADD), form_of(affiliate, **changes))

    assert answer.status_code == 200
    assert sentence in answer.text


def test_none_is_entered_for_a_suspended_affiliate(admin_client, affiliate):
    affiliate.change(status=AffiliateStatus.SUSPENDED)

    with nothing_written():
        answer = admin_client.post(reverse(ADD), form_of(affiliate))

    assert "An affiliate that is pending or suspended is not paid." in answer.text


@pytest.mark.parametrize(("role", "is_whole"), [(FINANCE, True), (SUPPORT, False)])
def test_who_may_enter_it_reads_it_whole(role, is_whole, as_role, affiliate):
    identity = TaxIdentityFactory(affiliate=affiliate)
    ViesAnswerFactory(identity=identity)

    page = as_role(role).get(reverse(PAGE, args=[identity.pk]))

    assert page.status_code == 200
    assert "DE …5976" in page.text
    assert "WAPIAAAAYkmz" in page.text
    for text in ("DE136695976", "Hauptstr. 1"):
        assert (text in page.text) is is_whole


def test_who_may_not_enter_it_cannot(as_role, affiliate):
    browser = as_role(SUPPORT)

    with nothing_written():
        answer = browser.post(reverse(ADD), form_of(affiliate))

    assert answer.status_code == 403


def test_it_is_neither_edited_nor_deleted(admin_client, affiliate):
    page = reverse(PAGE, args=[TaxIdentityFactory(affiliate=affiliate).pk])
    delete = page.replace("/change/", "/delete/")

    with nothing_written():
        answers = [
            admin_client.post(page, form_of(affiliate, name="Ada King")),
            admin_client.post(delete, {"post": "yes"}),
        ]

    assert [answer.status_code for answer in answers] == [403, 403]


def test_terms_are_written_in_words_and_shown_so(admin_client, brand):
    admin_client.post(
        reverse(ADD_TERMS),
        {
            "brand": str(brand.pk),
            "needed_from": "EUR 600\nUSD 0",
            "countries": "de, AT",
            "asks_vies": "on",
            "own_vat_id": "ATU 13585627",
        },
    )

    terms = IdentityTerms.objects.get()
    page = admin_client.get(reverse(TERMS, args=[terms.pk])).text
    assert terms.needed_from == {"EUR": 60_000, "USD": 0}
    assert (terms.countries, terms.own_vat_id) == (["AT", "DE"], "ATU13585627")
    assert terms.asks_vies is True
    assert "EUR 600.00\nUSD 0.00" in page
    assert 'value="AT DE"' in page


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("needed_from", "EUR", "as a currency and an amount"),
        ("countries", "DE XX", "XX is no country."),
        ("own_vat_id", "DE1", "This is no VAT ID of the European Union."),
    ],
)
def test_terms_that_cannot_be_meant_are_refused(
    field, value, sentence, admin_client, brand
):
    terms = IdentityTermsFactory(brand=brand)

    with nothing_written():
        answer = admin_client.post(
            reverse(TERMS, args=[terms.pk]), {field: value, "brand": str(brand.pk)}
        )

    assert sentence in answer.text
