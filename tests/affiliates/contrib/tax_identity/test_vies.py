"""What VIES is asked, what its answers mean, and when it is asked again."""

from __future__ import annotations

from datetime import timedelta

import pytest

from affiliates.contrib.tax_identity.models import ViesAnswer
from affiliates.contrib.tax_identity.services import ask_waiting
from tests.database import nothing_written
from tests.factories.tax_identity import IdentityTermsFactory, TaxIdentityFactory

pytestmark = pytest.mark.django_db
HOUR = timedelta(hours=1)
INVALID = {"valid": False, "userError": "INVALID"}


@pytest.fixture
def identity(affiliate):
    IdentityTermsFactory(
        brand=affiliate.brand, asks_vies=True, own_vat_id="ATU13585627"
    )
    return TaxIdentityFactory(affiliate=affiliate)


@pytest.fixture
def ask(vies, now):
    def ask(after=timedelta()):
        return ask_waiting(
            clock=lambda: now + after, should_stop=lambda: False, sender=vies
        )

    return ask


def answers():
    return [
        (answer.kind, answer.reference, answer.asked_at)
        for answer in ViesAnswer.objects.order_by("pk")
    ]


def test_it_is_asked_in_the_name_of_the_brand(identity, ask, vies, now):
    vies.answer = {
        "valid": True,
        "requestDate": "2026-03-01T12:00:00Z",
        "requestIdentifier": "WAPIAAAAYkmz",
        "userError": "VALID",
    }

    assert ask() == "Answers of VIES stored: 1."

    [call] = vies.calls
    assert (call.method, call.url) == (
        "POST",
        "https://ec.europa.eu/taxation_customs/vies/rest-api/check-vat-number",
    )
    assert ("Content-Type", "application/json") in call.headers
    assert vies.questions == [
        {
            "countryCode": "DE",
            "vatNumber": "136695976",
            "requesterMemberStateCode": "AT",
            "requesterNumber": "U13585627",
        }
    ]
    assert answers() == [("valid", "WAPIAAAAYkmz", now)]


def test_without_an_own_vat_id_nobody_is_named(identity, ask, vies):
    identity.affiliate.brand.identity_terms.change(own_vat_id="")

    ask()

    assert vies.questions == [{"countryCode": "DE", "vatNumber": "136695976"}]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        ({"valid": True, "userError": "VALID"}, "valid"),
        (INVALID, "invalid"),
        ({"valid": False, "userError": "INVALID_INPUT"}, "invalid"),
        ({"valid": False, "userError": "MS_UNAVAILABLE"}, "unavailable"),
        ({"valid": False, "userError": "MS_MAX_CONCURRENT_REQ"}, "unavailable"),
        ({"valid": "yes"}, "unavailable"),
        ({}, "unavailable"),
        ([], "unavailable"),
        ((500, "{}"), "unavailable"),
        ((200, "<html>"), "unavailable"),
        (None, "unavailable"),
    ],
)
def test_what_an_answer_means(answer, kind, identity, ask, vies, now):
    vies.answer = answer

    ask()

    assert answers() == [(kind, "", now)]


@pytest.mark.parametrize("answer", [{"valid": True}, INVALID])
def test_a_final_answer_is_asked_for_once(answer, identity, ask, vies):
    vies.answer = answer
    ask()

    with nothing_written():
        assert ask(after=2 * HOUR) == ""

    assert len(vies.calls) == 1


def test_a_service_that_is_down_is_asked_again_after_an_hour(identity, ask, vies, now):
    vies.answer = None
    ask()
    vies.answer = {"valid": True}

    assert ask(after=HOUR / 2) == ""
    assert ask(after=HOUR) == "Answers of VIES stored: 1."

    assert answers() == [("unavailable", "", now), ("valid", "", now + HOUR)]


@pytest.mark.parametrize(
    ("asks_vies", "changes"),
    [
        (False, {}),
        (True, {"vat_id": "", "tax_number": "12/345"}),
        (True, {"country": "CH", "vat_id": "CHE-107.787.577 IVA"}),
    ],
)
def test_who_is_not_to_be_asked_about(asks_vies, changes, affiliate, ask, vies):
    IdentityTermsFactory(brand=affiliate.brand, asks_vies=asks_vies)
    TaxIdentityFactory(affiliate=affiliate, changes=changes)

    with nothing_written():
        assert ask() == ""

    assert vies.calls == []


def test_it_stops_when_it_shall(identity, vies, now):
    with nothing_written():
        ask_waiting(clock=lambda: now, should_stop=lambda: True, sender=vies)

    assert vies.calls == []
