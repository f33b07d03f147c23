"""What a brand asks, on its page; what an applicant said, on the affiliate's."""

from __future__ import annotations

import pytest
from django.contrib.admin.models import LogEntry
from django.urls import reverse

from affiliates.contrib.recruitment.models import ProgramTermsVersion, RecruitmentPolicy
from affiliates.contrib.recruitment.rules import MAX_QUESTIONS
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from tests.affiliates.brands.test_admin import posted, row
from tests.database import nothing_written
from tests.factories.affiliates import BrandFactory
from tests.factories.plans import AffiliateGroupFactory
from tests.factories.recruitment import (
    ApplicationFactory,
    ApplicationQuestionFactory,
    ProgramTermsFactory,
    RecruitmentPolicyFactory,
    TermsAcceptanceFactory,
)


@pytest.fixture
def page(brand):
    return reverse("admin:affiliates_brand_change", args=[brand.pk])


@pytest.fixture
def save(admin_client, brand, page):
    """Post the brand as it is, with these rows below it."""
    domain = brand.domains.get()

    def save(**fields):
        form = posted(
            row(domain.host, id=str(domain.pk), brand=str(brand.pk)),
            initial=1,
            name=brand.name,
            default_redirect_url=brand.default_redirect_url,
        )
        form |= {name.replace("__", "-"): value for name, value in fields.items()}
        return admin_client.post(page, form)

    return save


def test_policy_and_questions_are_saved_with_the_brand(save, brand):
    answer = save(
        recruitment_policy__TOTAL_FORMS="1",
        recruitment_policy__0__brand=str(brand.pk),
        recruitment_policy__0__approval="everybody",
        recruitment_policy__0__terms="Be fair.",
        recruitment_policy__0__translations_de="Seien Sie fair.",
        application_questions__TOTAL_FORMS="1",
        application_questions__0__position="2",
        application_questions__0__text="Where?",
        application_questions__0__translations_de="Wo?",
        application_questions__0__is_required="on",
    )

    assert answer.status_code == 302
    assert brand.recruitment_policy.approval == "everybody"
    terms = ProgramTermsVersion.objects.get()
    assert (terms.text, terms.translations) == ("Be fair.", {"de": "Seien Sie fair."})
    asked = brand.application_questions.get()
    assert (asked.text, asked.is_required, asked.position) == ("Where?", True, 2)
    assert asked.translations == {"de": "Wo?"}


def test_more_than_twenty_questions_are_refused(save):
    rows = {
        f"application_questions__{number}__{name}": value
        for number in range(MAX_QUESTIONS + 1)
        for name, value in (("position", "0"), ("text", f"Question {number}?"))
    }

    with nothing_written():
        answer = save(application_questions__TOTAL_FORMS="21", **rows)

    assert "Please submit at most 20 forms." in answer.content.decode()


def test_a_group_of_another_brand_is_refused(brand):
    other = BrandFactory(client_area="other.example.com")
    policy = RecruitmentPolicyFactory.build(
        brand=brand, group=AffiliateGroupFactory(brand=other)
    )

    with pytest.raises(Exception, match="group belongs to another brand"):
        policy.full_clean()

    assert not RecruitmentPolicy.objects.exists()


def test_the_brands_page_shows_what_was_said_when(admin_client, brand, page):
    ApplicationQuestionFactory(brand=brand, text="Where do you write?")
    ProgramTermsFactory(brand=brand, number=3, text="Be fair.")

    body = admin_client.get(page).content.decode()

    assert "Where do you write?" in body
    assert "Be fair." in body


def test_the_affiliates_page_shows_its_answers_as_text(admin_client, affiliate):
    ApplicationFactory(
        affiliate=affiliate,
        answers=[
            {"question": "Where?", "answer": "<script>alert(1)</script>"},
            {"question": "Since when?", "answer": ""},
        ],
    )
    TermsAcceptanceFactory(
        affiliate=affiliate, version=ProgramTermsFactory(brand=affiliate.brand)
    )

    body = admin_client.get(
        reverse("admin:affiliates_affiliate_change", args=[affiliate.pk])
    ).content.decode()

    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in body
    assert "<script>alert(1)" not in body
    assert "<dt>Since when?</dt><dd>-</dd>" in body


def test_staff_approve_or_decline_beside_the_answers(admin_client, affiliate, rival):
    Affiliate.objects.update(status=AffiliateStatus.PENDING)
    approve = reverse("admin:affiliates_affiliate_approve_this", args=[affiliate.pk])
    decline = reverse("admin:affiliates_affiliate_decline_this", args=[rival.pk])

    admin_client.post(approve, {"confirmed": "yes"})
    unexplained = admin_client.post(decline, {"confirmed": "yes", "reason": ""})
    admin_client.post(decline, {"confirmed": "yes", "reason": "No page of its own"})

    assert unexplained.status_code == 200
    statuses = dict(Affiliate.objects.values_list("code", "status"))
    assert statuses == {"partner": "active", "rival": "suspended"}
    said = LogEntry.objects.get(object_id=str(rival.pk)).get_change_message()
    assert said == "Status: Suspended. No page of its own"


def test_who_does_not_wait_is_not_decided_again(admin_client, affiliate):
    page = reverse("admin:affiliates_affiliate_decline_this", args=[affiliate.pk])

    with nothing_written():
        answer = admin_client.post(page, {"confirmed": "yes", "reason": "Late"})

    said = [str(one) for one in answer.wsgi_request._messages]
    assert said == [f"{affiliate}: Active already."]
    assert Affiliate.objects.get().status == AffiliateStatus.ACTIVE
    assert not LogEntry.objects.exists()


def test_affiliate_form_leads_to_an_invitation(admin_client, brand):
    page = admin_client.get(reverse("admin:affiliates_affiliate_add"))

    invite = reverse("admin:affiliates_recruitment_invitation_add")
    assert f'href="{invite}">Invite somebody</a>' in page.content.decode()
