"""Terms and questions in the reader's language."""

from __future__ import annotations

import pytest
from django.test import Client
from rest_framework.test import APIClient

from affiliates.contrib.recruitment.models import ProgramTermsVersion, TermsAcceptance
from affiliates.contrib.recruitment.services.enrolling import publish_terms
from tests.cases import each
from tests.database import nothing_written
from tests.factories.recruitment import (
    ApplicationQuestionFactory,
    ProgramTermsFactory,
    RecruitmentPolicyFactory,
    TermsAcceptanceFactory,
)

GERMAN = {"accept-language": "de-AT"}
FAIR = {"de": "Seien Sie fair."}
PROGRAM = "/api/affiliate/apply"


def texts_of(brand) -> list[tuple[int, str, dict[str, str]]]:
    versions = ProgramTermsVersion.objects.filter(brand=brand).order_by("number")
    return [(row.number, row.text, row.translations) for row in versions]


@pytest.fixture
def shop() -> Client:
    return Client(headers={"host": "shop.example.com"})


@pytest.fixture
def question(brand):
    ProgramTermsFactory(brand=brand, text="Be fair.", translations=FAIR)
    return ApplicationQuestionFactory(
        brand=brand, text="Where?", translations={"de": "Wo?"}
    )


def test_a_version_has_the_texts_of_all_languages(brand, now):
    RecruitmentPolicyFactory(brand=brand, terms="Be fair.", translations=FAIR)

    publish_terms(brand.pk, now=now)
    with nothing_written():
        publish_terms(brand.pk, now=now)

    assert texts_of(brand) == [(1, "Be fair.", FAIR)]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"translations": {"de": "Fair!"}}, ("Be fair.", {"de": "Fair!"})),
        ({"translations": {}}, ("Be fair.", {})),
        ({"terms": "Be nice."}, ("Be nice.", FAIR)),
        ({"terms": " "}, ("", {})),
    ],
)
def test_a_change_in_one_language_is_a_version(changes, expected, brand, now):
    policy = RecruitmentPolicyFactory(brand=brand, terms="Be fair.", translations=FAIR)
    publish_terms(brand.pk, now=now)

    policy.change(**changes)
    publish_terms(brand.pk, now=now)

    assert texts_of(brand) == [(1, "Be fair.", FAIR), (2, *expected)]


def test_without_terms_translations_make_no_version(brand, now):
    RecruitmentPolicyFactory(brand=brand, translations=FAIR)

    with nothing_written():
        assert publish_terms(brand.pk, now=now) is None


def test_staff_write_translations_on_the_brands_page(admin_client, brand):
    page = f"/admin/affiliates/brand/{brand.pk}/change/"
    RecruitmentPolicyFactory(brand=brand, terms="Be fair.", translations=FAIR)

    shown = admin_client.get(page).text

    assert 'name="recruitment_policy-0-translations_de"' in shown
    assert "Seien Sie fair." in shown
    assert 'name="application_questions-__prefix__-translations_de"' in shown


@each("path", ["program", "apply"])
def test_visitors_read_their_language(path, shop, question):
    english = shop.get(f"/affiliate/{path}").text
    german = shop.get(f"/affiliate/{path}", headers=GERMAN).text

    assert "Be fair." in english
    assert "Seien Sie fair." not in english
    assert "Seien Sie fair." in german
    assert "Be fair." not in german
    assert ("Wo?" in german, "Where?" in german) == (path == "apply", False)


def test_an_affiliate_reads_and_accepts_in_its_language(affiliate, question):
    browser = Client(headers={"host": "shop.example.com", **GERMAN})
    browser.force_login(affiliate.user)

    page = browser.get("/affiliate/terms").text
    browser.post("/affiliate/terms", {"terms": "1"})
    accepted = browser.get("/affiliate/terms").text

    assert "Seien Sie fair." in page
    assert "Be fair." not in page
    assert TermsAcceptance.objects.get().version.number == 1
    assert "Version 1, angenommen am" in accepted
    assert "Seien Sie fair." in accepted


@pytest.mark.parametrize(
    ("language", "text"), [("en", "Be fair."), ("de", "Seien Sie fair.")]
)
def test_the_api_answers_the_accepted_text(language, text, affiliate, question):
    api = APIClient(headers={"accept-language": language})
    api.force_authenticate(affiliate.user)
    TermsAcceptanceFactory(
        affiliate=affiliate, version=ProgramTermsVersion.objects.get()
    )

    terms = api.get("/api/affiliate/terms")

    assert terms.json()["data"]["accepted"]["text"] == text


def test_an_answer_keeps_the_question_as_it_was_read(brand, host, question):
    client = host.client(brand, email="new@example.com")
    api = APIClient(headers=GERMAN)
    api.force_authenticate(client)

    program = api.get(PROGRAM).json()["data"]
    answers = {str(question.pk): "Im Blog"}
    made = api.post(PROGRAM, {"answers": answers, "terms": 1}, format="json")

    assert made.status_code == 201
    assert [row["text"] for row in program["questions"]] == ["Wo?"]
    assert program["terms"] == {"number": 1, "text": "Seien Sie fair."}
    application = TermsAcceptance.objects.get().affiliate.application
    assert application.answers == [{"question": "Wo?", "answer": "Im Blog"}]
