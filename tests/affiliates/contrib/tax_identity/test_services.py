"""Versions of an identity, payouts that need one, and statements that name it."""

from __future__ import annotations

import json
from datetime import date, timedelta

import pytest
from django.db import connection

from affiliates.contrib.payout_runs.services.drafts import draft, start_run
from affiliates.contrib.tax_identity.details import IDENTITIES
from affiliates.contrib.tax_identity.models import TaxIdentity
from affiliates.contrib.tax_identity.rules import MISSING, NUMBER_MISSING
from affiliates.contrib.tax_identity.selectors import identity_on
from affiliates.contrib.tax_identity.services import change_identity
from affiliates.errors import InvalidInput, StateConflict
from affiliates.payouts.selectors import offer_of
from affiliates.payouts.services.requests import request_payout
from affiliates.payouts.services.statements import issue_statement
from affiliates.privacy.erasure.selectors import person_of
from affiliates.privacy.erasure.services import erase
from affiliates.privacy.selectors import rows_of
from affiliates.program.rules import AffiliateStatus
from affiliates.verification.seals import SEALED
from tests.database import nothing_written
from tests.factories.books import PayoutFactory
from tests.factories.payouts import DestinationFactory, earn
from tests.factories.tax_identity import (
    IdentityTermsFactory,
    TaxIdentityFactory,
    given_by,
)

pytestmark = pytest.mark.django_db
TODAY = date(2026, 3, 1)
DAY = timedelta(days=1)


def change(affiliate, now, day=None, **changes):
    return change_identity(
        affiliate_id=affiliate.pk,
        values=given_by(affiliate, **changes),
        valid_from=day,
        now=now,
    )


@pytest.fixture
def earner(affiliate, terms, now):
    """100.00 EUR are payable to a destination."""
    DestinationFactory(affiliate=affiliate, usable_from=now)
    earn(affiliate)
    return affiliate


def test_the_first_identity_is_valid_from_today(affiliate, now):
    identity = change(affiliate, now)

    assert TaxIdentity.objects.get() == identity
    assert (identity.valid_from, identity.hint) == (TODAY, "DE …5976")
    assert (identity.is_for_vies, identity.entered_by_id) == (True, None)
    assert IDENTITIES.open(identity.details) == given_by(affiliate)


def test_it_is_encrypted_at_rest(affiliate, now):
    change(affiliate, now)

    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM affiliates_tax_identity_taxidentity")
        row = " ".join(map(str, cursor.fetchone()))
    for text in ("Ada", "Hauptstr", "Berlin", "DE136695976", "136695976"):
        assert text not in row


def test_an_invalid_vat_id_is_refused_by_its_field(affiliate, now):
    with nothing_written(), pytest.raises(InvalidInput) as refused:
        change(affiliate, now, vat_id="DE136695977")

    assert (refused.value.code, refused.value.field) == ("invalid_vat_id", "vat_id")


def test_a_suspended_affiliate_changes_nothing(affiliate, now):
    affiliate.change(status=AffiliateStatus.SUSPENDED)

    with nothing_written(), pytest.raises(StateConflict) as refused:
        change(affiliate, now)

    assert refused.value.code == "affiliate_inactive"


def test_the_same_given_again_changes_nothing(affiliate, now):
    first = change(affiliate, now)

    with nothing_written():
        assert change(affiliate, now + DAY) == first


def test_the_latest_valid_version_counts(affiliate, now):
    first = change(affiliate, now, date(2026, 1, 1))
    moved = change(affiliate, now, date(2026, 4, 1), address="Ring 2\n1010 Wien")
    corrected = change(affiliate, now, date(2026, 1, 1), name="Ada King")

    versions = {
        day: identity_on(affiliate.pk, day)
        for day in (
            date(2025, 12, 31),
            date(2026, 1, 1),
            date(2026, 3, 31),
            date(2026, 4, 1),
        )
    }
    assert list(versions.values()) == [None, corrected, corrected, moved]
    assert TaxIdentity.objects.count() == 3
    assert first.pk < moved.pk < corrected.pk


def test_its_day_is_one_of_the_brands_time_zone(affiliate, now):
    affiliate.brand.time_zone = "Pacific/Kiritimati"
    affiliate.brand.save()

    assert change(affiliate, now).valid_from == TODAY + DAY


@pytest.mark.parametrize(
    ("needed_from", "countries", "changes", "refusal"),
    [
        ({}, [], None, None),
        ({"USD": 0}, [], None, None),
        ({"EUR": 10_001}, [], None, None),
        ({"EUR": 10_000}, [], None, MISSING),
        ({"EUR": 0}, [], None, MISSING),
        ({"EUR": 0}, [], {"vat_id": ""}, NUMBER_MISSING),
        ({"EUR": 0}, ["DE"], {"vat_id": ""}, NUMBER_MISSING),
        ({"EUR": 0}, ["AT"], {"vat_id": ""}, None),
        ({"EUR": 0}, [], {}, None),
    ],
)
def test_a_payout_waits_for_what_it_needs(
    needed_from, countries, changes, refusal, earner, now
):
    IdentityTermsFactory(
        brand=earner.brand, needed_from=needed_from, countries=countries
    )
    if changes is not None:
        TaxIdentityFactory(affiliate=earner, changes=changes)

    assert offer_of(earner, "EUR", now=now).refusal == refusal
    if refusal is None:
        payout = request_payout(affiliate_id=earner.pk, currency="EUR", now=now)
        assert payout.amount == 10_000
        return
    with nothing_written(), pytest.raises(StateConflict) as refused:
        request_payout(affiliate_id=earner.pk, currency="EUR", now=now)
    assert (refused.value.code, refused.value.detail) == refusal


def test_an_identity_of_tomorrow_does_not_count_today(earner, now):
    IdentityTermsFactory(brand=earner.brand)
    TaxIdentityFactory(affiliate=earner, valid_from=TODAY + DAY)

    assert offer_of(earner, "EUR", now=now).refusal == MISSING
    assert offer_of(earner, "EUR", now=now + DAY).refusal is None


def test_another_refusal_comes_first(affiliate, terms, now):
    IdentityTermsFactory(brand=affiliate.brand)
    earn(affiliate)

    assert offer_of(affiliate, "EUR", now=now).refusal.code == "no_destination"


def test_an_unreadable_identity_must_be_given_again(earner, now, settings):
    IdentityTermsFactory(brand=earner.brand)
    change(earner, now)
    settings.AFFILIATES_SECRET_KEYS = "9:" + "B" * 43 + "="

    assert offer_of(earner, "EUR", now=now).refusal == MISSING


def test_a_run_leaves_it_out_and_says_why(earner, now):
    IdentityTermsFactory(brand=earner.brand)
    run = start_run(brand_id=earner.brand_id, period=None, actor_id=None, now=now)

    draft(run, clock=lambda: now, should_stop=lambda: False)

    line = run.lines.get()
    assert (line.outcome, line.detail) == ("requirement", MISSING.detail)
    assert (line.amount, line.payout) == (10_000, None)
    assert not earner.payouts.exists()


def test_a_statement_names_who_is_paid_on_the_day(affiliate, terms, now):
    TaxIdentityFactory(affiliate=affiliate, changes={"tax_number": "12/345"})
    TaxIdentityFactory(
        affiliate=affiliate, valid_from=TODAY + DAY, changes={"name": "Ada King"}
    )
    payouts = PayoutFactory.create_batch(2, affiliate=affiliate, status="paid")

    first, second = (
        issue_statement(payout, now=now + number * DAY)
        for number, payout in enumerate(payouts)
    )

    assert first.document["payee"] == {
        "name": given_by(affiliate)["name"],
        "lines": ["Hauptstr. 1", "10115 Berlin", "Germany"],
        "ids": ["VAT DE136695976", "Tax number 12/345"],
        "country": "DE",
    }
    assert second.document["payee"]["name"] == "Ada King"


def test_a_statement_of_an_unknown_payee_names_none(affiliate, terms, now):
    payout = PayoutFactory(affiliate=affiliate, status="paid")

    assert "payee" not in issue_statement(payout, now=now).document


def test_a_missing_key_fails_no_payment(affiliate, terms, now, settings):
    change(affiliate, now)
    payout = PayoutFactory(affiliate=affiliate, status="paid")
    settings.AFFILIATES_SECRET_KEYS = "9:" + "B" * 43 + "="

    assert "payee" not in issue_statement(payout, now=now).document


def erased(affiliate, now):
    affiliate.change(status=AffiliateStatus.SUSPENDED)
    erase(
        brand=affiliate.brand,
        accounts=[str(affiliate.user_id)],
        email="",
        reason="They asked for it.",
        now=now,
    )


def test_erasing_empties_it_and_its_seal_holds(affiliate, now):
    identity = change(affiliate, now)
    seal = identity.seal

    erased(affiliate, now)

    identity.refresh_from_db()
    assert (identity.details, identity.hint, identity.seal) == ("", "", seal)
    assert TaxIdentity._meta.get_field("seal").seal_of(identity) == seal
    assert identity_on(affiliate.pk, TODAY) is None
    assert SEALED[TaxIdentity] == "affiliate__brand_id"


def test_an_export_shows_it_in_words(affiliate, rival, now):
    change(affiliate, now)
    change(rival, now)
    person = person_of(affiliate.brand, [str(affiliate.user_id)], "")

    [rows] = [
        table.rows
        for table in rows_of(person)
        if table.declared.name == "affiliates_tax_identity.TaxIdentity"
    ]

    assert [row["details"] for row in rows] == [given_by(affiliate)]
    assert given_by(rival)["name"] not in json.dumps(rows, default=str)
