"""Refusals are in the caller's language as far as there are translations."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError
from django.test import RequestFactory
from django.utils import translation
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from rest_framework.exceptions import NotAuthenticated, Throttled
from rest_framework.request import Request
from rest_framework.views import APIView

from affiliates.api.http.errors import exception_handler
from affiliates.db.deadlines.deadline import DatabaseAway
from affiliates.errors import StateConflict
from tests.affiliates.api.calls import SHOP, VISIT, visit
from tests.cases import each
from tests.database import nothing_written

GERMAN = {"accept-language": "de-AT,en;q=0.5"}
REQUIRED = "This field is required."


def details(answer) -> list[str]:
    return [error["detail"] for error in answer.json()["errors"]]


@each(
    ("asked", "language"),
    [
        ({}, "en"),
        ({"accept-language": "*"}, "en"),
        ({"accept-language": "\x00"}, "en"),
        ({"accept-language": "fr"}, "en"),
        ({"accept-language": "en, de"}, "en"),
        (GERMAN, "de"),
    ],
)
def test_a_refusal_is_in_the_language_asked_for(asked, language, api, brand):
    with nothing_written():
        answer = api.post(VISIT, {}, format="json", headers=asked)

    # The framework's words, which its versions change.
    with translation.override(language):
        detail = gettext(REQUIRED)
    assert (detail == REQUIRED) is (language == "en")
    assert answer.status_code == 400
    assert details(answer) == [detail] * 3
    codes = {error["code"] for error in answer.json()["errors"]}
    assert codes == {"required"}
    assert answer["Content-Language"] == language
    vary = {name.lower() for name in answer["Vary"].split(", ")}
    assert {"accept-language", "cookie", "origin"} <= vary


@each(
    ("refusal", "detail"),
    [
        (NotAuthenticated(), "Anmeldedaten fehlen."),
        (Throttled(), "Die Anfrage wurde gedrosselt."),
        (
            Throttled(30, "Please wait."),
            "Please wait. Expected available in 30 seconds.",
        ),
        (
            DatabaseAway(),
            "Der Dienst ist gerade ausgelastet. Bitte versuchen Sie es noch einmal.",
        ),
        (
            ValidationError(
                _("Ensure this value is greater than or equal to %(limit_value)s."),
                params={"limit_value": 5},
            ),
            "Dieser Wert muss größer oder gleich 5 sein.",
        ),
        (StateConflict("made_up", "No translation."), "No translation."),
        (StateConflict("made_up", ""), ""),
    ],
)
def test_texts_of_every_origin_are_translated(refusal, detail, caplog):
    request = RequestFactory().get("/", headers=GERMAN)
    request.resolver_match = None
    context = {"request": Request(request), "view": APIView()}

    response = exception_handler(refusal, context)

    assert response is not None
    assert [error["detail"] for error in response.data["errors"]] == [detail]
    assert "ausgelastet" not in caplog.text


@pytest.mark.django_db
def test_an_answer_of_a_program_has_no_language(api, brand):
    english, german = visit(api), visit(api, headers=GERMAN)

    assert german.json() == english.json() == {"data": {"redirect_url": f"{SHOP}/#"}}
    assert "Content-Language" not in german
    assert "accept-language" not in german["Vary"].lower()
