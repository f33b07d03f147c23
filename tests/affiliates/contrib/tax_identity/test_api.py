"""GET and PUT /api/affiliate/tax_identity."""

from __future__ import annotations

import pytest
import time_machine
from rest_framework.test import APIClient

from affiliates.adapter import HostAdapter, get_adapter
from affiliates.contrib.tax_identity.models import TaxIdentity
from tests.database import nothing_written
from tests.factories.tax_identity import (
    TaxIdentityFactory,
    ViesAnswerFactory,
    given_by,
)

pytestmark = pytest.mark.django_db
PATH = "/api/affiliate/tax_identity"


@pytest.fixture(autouse=True)
def _clock(now, monkeypatch):
    """Whether the host asks for a password again is tested elsewhere."""
    never = HostAdapter.check_identity
    monkeypatch.setattr(type(get_adapter()), "check_identity", never)
    with time_machine.travel(now, tick=False):
        yield


def api_of(affiliate):
    api = APIClient(headers={"origin": "https://shop.example.com"})
    api.force_authenticate(affiliate.user)
    return api


def test_it_is_null_until_it_is_given(affiliate, rival):
    TaxIdentityFactory(affiliate=rival)

    answer = api_of(affiliate).get(PATH)

    assert (answer.status_code, answer.json()) == (200, {"data": None})


def test_what_is_given_is_answered(affiliate):
    answer = api_of(affiliate).put(
        PATH, given_by(affiliate, tax_number="12/345"), format="json"
    )

    expected = {
        **given_by(affiliate, tax_number="12/345"),
        "valid_from": "2026-03-01",
        "not_checked": ["tax_number"],
        "vies": None,
    }
    assert (answer.status_code, answer.json()) == (200, {"data": expected})
    assert api_of(affiliate).get(PATH).json() == {"data": expected}


def test_the_last_answer_of_vies_is_in_it(affiliate):
    identity = TaxIdentityFactory(affiliate=affiliate)
    ViesAnswerFactory(identity=identity, kind="unavailable", reference="")
    ViesAnswerFactory(identity=identity)

    assert api_of(affiliate).get(PATH).json()["data"]["vies"] == {
        "answer": "valid",
        "reference": "WAPIAAAAYkmz",
        "asked_at": "2026-03-01T12:00:00+00:00",
    }


def test_a_version_of_a_later_day_is_answered_then(affiliate):
    body = {**given_by(affiliate), "valid_from": "2026-04-01"}

    answer = api_of(affiliate).put(PATH, body, format="json")

    assert answer.json()["data"]["valid_from"] == "2026-04-01"
    assert api_of(affiliate).get(PATH).json() == {"data": None}
    assert TaxIdentity.objects.count() == 1


@pytest.mark.parametrize(
    ("changes", "code", "field"),
    [
        ({"vat_id": "DE136695977"}, "invalid_vat_id", "vat_id"),
        ({"country": "EU"}, "invalid_choice", "country"),
        ({"country": "US"}, "required", "us_classification"),
        ({"name": ""}, "blank", "name"),
        ({"valid_from": "1.4.2026"}, "invalid", "valid_from"),
    ],
)
def test_what_is_wrong_names_its_field(changes, code, field, affiliate):
    body = {**given_by(affiliate), **changes}

    with nothing_written():
        answer = api_of(affiliate).put(PATH, body, format="json")

    assert answer.status_code == 400
    [error] = answer.json()["errors"]
    assert (error["code"], error["attr"]) == (code, field)
