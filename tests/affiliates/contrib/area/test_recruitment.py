"""The program's public pages, and the ways to it."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest
from django.test import Client
from django.utils import timezone

from affiliates.contrib.recruitment.models import UnverifiedApplication
from affiliates.contrib.recruitment.rules import Approval
from affiliates.contrib.recruitment.services.invitations import invite
from affiliates.emails.models import Email
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from tests.affiliates.contrib.recruitment.links import SITE, links
from tests.database import nothing_written
from tests.factories.payouts import PayoutTermsFactory
from tests.factories.plans import CommissionPlanFactory
from tests.factories.recruitment import (
    ApplicationQuestionFactory,
    InvitationFactory,
    ProgramTermsFactory,
    RecruitmentPolicyFactory,
)
from tests.guard.markers import marker

pytestmark = pytest.mark.django_db

APPLY = "/affiliate/apply"
EMAIL = "new@example.com"
PASSWORD = "correct horse battery"  # noqa: S105 of nobody
PERSON = {
    "firstname": marker("applicant", "firstname"),
    "lastname": marker("applicant", "lastname"),
    "email": EMAIL,
}


@pytest.fixture
def visitor(brand) -> Client:
    return Client(headers={"host": "shop.example.com"})


@pytest.fixture
def send(visitor, time_machine):
    """Fill in the form as somebody does, after looking at it for a minute."""

    def send(*, seconds=60, **fields):
        shown = visitor.get(APPLY)
        stamp = shown.context["form"]["stamp"].value()
        time_machine.move_to(timezone.now() + timedelta(seconds=seconds), tick=False)
        return visitor.post(APPLY, {**PERSON, "stamp": stamp, **fields})

    return send


def path(recipient):
    return "/" + links()[recipient].split("/", 3)[3]


def test_the_program_shows_its_best_example_at_the_host_s_prices(
    brand, visitor, plan, catalogue
):
    without_products = visitor.get("/affiliate/program").text
    catalogue("Starter 5 monthly", "Agency 240 annually")
    shown = visitor.get("/affiliate/program").text
    german = visitor.get("/affiliate/program", headers={"accept-language": "de"}).text

    assert "Example:" not in without_products
    assert "Example: Agency, yearly €240.00: you earn €24.00 each time." in shown
    assert "Starter" not in shown
    assert (
        "Beispiel: Agency, jährlich 240,00\xa0€: Sie verdienen 24,00\xa0€ jedes Mal."
        in german
    )


RENEWALS = {"position_to": 12}
CAP = {"cap_period": "month", "cap_amounts": {"EUR": "60.00"}}
ALL_OF_IT = "of what every client you send us pays, renewals included"


@pytest.mark.parametrize(
    ("fields", "rules", "rate", "said"),
    [
        ({}, [{"percent": 20}], "20 %", ALL_OF_IT),
        (
            {},
            [{"percent": 20, "kind": "hosting", **RENEWALS}, {"percent": 10}],
            "Up to 20 %",
            "20 % of hosting, the first payment and 12 renewals.",
        ),
        (
            {},
            [{"percent": 20, "product_ref": "agency"}],
            "20 %",
            "20 % of product Agency.",
        ),
        (
            CAP,
            [{"percent": 20}],
            "20 %",
            "20 % of everything. At most €60.00 for an affiliate in a calendar month.",
        ),
    ],
)
def test_the_program_claims_no_more_than_its_rules(
    brand, visitor, catalogue, fields, rules, rate, said
):
    catalogue("Agency 240 annually")
    CommissionPlanFactory(brand=brand, is_default=True, rules=rules, **fields)

    shown = visitor.get("/affiliate/program").text

    assert f'<p class="rate">{rate}</p>' in shown
    assert said in shown
    assert (ALL_OF_IT in shown) is (said == ALL_OF_IT)


def test_anybody_reads_what_the_program_offers(brand, visitor, plan):
    PayoutTermsFactory(brand=brand, minimums={"EUR": 25_00})
    ProgramTermsFactory(brand=brand, text="Be <fair>.")

    shown = visitor.get("/affiliate/program").text

    assert "1. 10 % of everything." in shown
    assert "A visit is credited to you for 90 days." in shown
    assert '<p class="rate">10 %</p>' in shown
    assert "25.00" in shown
    assert "50 in every other currency" in shown
    assert "Be &lt;fair&gt;." in shown


def test_rates_are_written_as_in_the_visitor_s_language(brand, visitor):
    CommissionPlanFactory(
        brand=brand, is_default=True, rules=[{"percent": Decimal("12.5")}]
    )

    shown = visitor.get("/affiliate/program", headers={"accept-language": "de"}).text

    assert "1. 12,5 % auf alles." in shown


def test_a_brand_without_a_program_has_no_pages_of_it(brand, visitor):
    brand.own_program = False
    brand.save()

    assert visitor.get("/affiliate/program").status_code == 404
    assert visitor.get(APPLY).status_code == 404


def test_a_client_is_offered_nothing_while_the_program_is_off(
    brand, host, affiliate, visitor, browser
):
    brand.own_program = False
    brand.save()
    visitor.force_login(host.client(brand, email=EMAIL))

    shown = visitor.get("/affiliate/welcome")
    with nothing_written():
        sent = visitor.post("/affiliate/welcome", {"code": "ada"})

    assert (shown.status_code, sent.status_code) == (404, 404)
    assert browser.get("/affiliate/welcome")["Location"] == "/affiliate/"


def test_a_stranger_applies_confirms_and_signs_in(brand, send, visitor):
    asked = ApplicationQuestionFactory(brand=brand, text="Where?", is_required=True)
    ProgramTermsFactory(brand=brand)

    answer = send(
        **{
            f"question_{asked.pk}": marker("applicant", "answer"),
            "terms": "1",
            "accepts": "on",
        }
    )

    assert answer["Location"] == "/affiliate/apply/sent"
    assert "e-mail" in visitor.get(answer["Location"]).text
    assert not Affiliate.objects.exists()
    confirm = path(EMAIL)
    assert EMAIL in visitor.get(confirm).text
    refused = visitor.post(confirm, {"password": ""})
    done = visitor.post(confirm, {"password": PASSWORD, "code": "ada"})
    assert refused.status_code == 400
    assert done["Location"] == "/affiliate/joined"
    affiliate = Affiliate.objects.get()
    assert (affiliate.code, affiliate.status) == ("ada", AffiliateStatus.PENDING)
    assert affiliate.user.check_password(PASSWORD)
    assert visitor.session["affiliates_joined_email"] == EMAIL
    again = visitor.get(confirm)
    assert again.status_code == 404
    assert "You have confirmed already: sign in with your e-mail" in again.text
    assert '<a class="button" href="/affiliate/">Sign in</a>' in again.text


def test_what_is_wrong_with_a_code_is_said_in_the_visitor_s_language(
    brand, affiliate, host, send, visitor, now
):
    send()
    tomorrow = timezone.now() + timedelta(days=1)
    asked = InvitationFactory.build(
        brand=brand, email="i@a.example", expires_at=tomorrow
    )
    invite(asked, site=SITE, now=now)
    client = Client(headers={"host": "shop.example.com"})
    client.force_login(host.client(brand, email="client@example.com"))
    places = [
        (client, "/affiliate/welcome"),
        (visitor, path(EMAIL)),
        (visitor, path("i@a.example")),
    ]

    answers = [
        browser.post(
            page,
            {**PERSON, "password": PASSWORD, "code": code},
            headers={"accept-language": "de"},
        )
        for browser, page in places
        for code in (affiliate.code, "Ada!")
    ]

    assert [one.status_code for one in answers] == [400] * 6
    for taken, malformed in zip(answers[::2], answers[1::2], strict=True):
        assert "Ein anderer Partner dieser Marke hat diesen Code." in taken.text
        assert (
            "Nehmen Sie 3 bis 32 Kleinbuchstaben, Ziffern, Bindestriche, Punkte und "
            "Unterstriche; an den Enden weder Bindestrich noch Punkt." in malformed.text
        )


def test_known_and_unknown_are_answered_alike(brand, host, send):
    host.client(brand, email="known@example.com")

    answers = [send(email=one) for one in (EMAIL, "known@example.com")]

    first, second = ((one.status_code, one["Location"], one.content) for one in answers)
    assert first == second
    assert UnverifiedApplication.objects.get().email == EMAIL
    assert path("known@example.com") == "/affiliate/welcome"


def test_what_is_missing_is_said_and_nothing_is_written(brand, send):
    ApplicationQuestionFactory(brand=brand, text="Where?", is_required=True)

    with nothing_written():
        answer = send(email="no address")

    assert answer.status_code == 400
    assert set(answer.context["form"].errors) >= {"email"}


def test_programs_that_fill_in_everything_or_at_once_are_not_believed(send, visitor):
    with nothing_written():
        trapped = send(website="https://spam.example")
        hasty = send(seconds=1)
        late = send(seconds=13 * 3600)
        unsigned = send(stamp="made-up")

    assert trapped["Location"] == "/affiliate/apply/sent"
    assert [one.status_code for one in (hasty, late, unsigned)] == [400, 400, 400]
    assert "very quick" in hasty.text
    fresh = late.context["form"]["stamp"].value()
    visitor.post(APPLY, {**PERSON, "stamp": fresh})
    assert UnverifiedApplication.objects.count() == 1


def test_one_mailbox_gets_three_emails_a_day(send):
    addresses = [EMAIL, "New@example.com", "new+1@example.com", "new+2@example.com"]

    answers = {send(email=address)["Location"] for address in addresses}

    assert answers == {"/affiliate/apply/sent"}
    assert list(Email.objects.order_by("pk").values_list("recipient", flat=True)) == (
        ["new@example.com", "New@example.com", "new+1@example.com"]
    )


def test_one_network_applies_so_often(settings, visitor):
    settings.AFFILIATES_THROTTLE_RATES = {"application": "1/hour"}
    answers = [visitor.post(APPLY, PERSON, REMOTE_ADDR="203.0.113.7") for _ in range(2)]

    assert [one.status_code for one in answers] == [400, 429]
    assert visitor.get(APPLY, REMOTE_ADDR="203.0.113.7").status_code == 200


def test_an_invited_stranger_is_an_affiliate_at_once(brand, visitor, now):
    invite(
        InvitationFactory.build(
            brand=brand, email=EMAIL, expires_at=timezone.now() + timedelta(days=1)
        ),
        site=SITE,
        now=now,
    )
    page = path(EMAIL)

    shown = visitor.get(page).text
    done = visitor.post(page, {**PERSON, "password": PASSWORD, "code": "ada"})

    assert "Sign in first." in shown
    assert done["Location"] == "/affiliate/joined"
    affiliate = Affiliate.objects.get()
    assert (affiliate.code, affiliate.status) == ("ada", AffiliateStatus.ACTIVE)
    assert visitor.get(page).status_code == 404


def test_an_invited_client_needs_no_more_than_a_click(brand, host, visitor, now):
    invitation = InvitationFactory.build(
        brand=brand, expires_at=timezone.now() + timedelta(days=1)
    )
    invite(invitation, site=SITE, now=now)
    client = host.client(brand, email="client@example.com")
    visitor.force_login(client)

    done = visitor.post(path(invitation.email), {"code": ""})

    assert done["Location"] == "/affiliate/"
    assert Affiliate.objects.get().user == client


def test_a_client_who_has_paid_confirms_its_address(brand, buyer, order, till, visitor):
    RecruitmentPolicyFactory(brand=brand, approval=Approval.PAID)
    till.pay("10.00")
    visitor.force_login(buyer)
    visitor.post("/affiliate/welcome", {"code": "ada"})
    mine = Affiliate.objects.filter(code="ada")
    page = path("buyer@example.com")

    visitor.get(page)
    assert mine.get().status == AffiliateStatus.PENDING
    visitor.post(page)

    assert mine.get().status == AffiliateStatus.ACTIVE


def test_new_terms_are_asked_for_until_they_are_accepted(brand, affiliate, browser):
    ProgramTermsFactory(brand=brand, text="Be fair.")

    assert "/affiliate/terms" in browser.get("/affiliate/").text
    assert "Be fair." in browser.get("/affiliate/terms").text
    with nothing_written():
        for wrong in ("2", "", "x"):
            browser.post("/affiliate/terms", {"terms": wrong})
    browser.post("/affiliate/terms", {"terms": "1"})

    assert affiliate.accepted_terms.get().version.number == 1
    assert "/affiliate/terms" not in browser.get("/affiliate/").text


def test_terms_that_are_new_since_they_were_read_are_said_to_be(brand, browser):
    for number, text in enumerate(["Be fair.", "Be fair and kind."], start=1):
        ProgramTermsFactory(brand=brand, number=number, text=text)

    with nothing_written():
        answer = browser.post("/affiliate/terms", {"terms": "1"}, follow=True)

    assert answer.redirect_chain == [("/affiliate/terms", 302)]
    assert (
        "The terms are new since you read them. Read and accept these." in answer.text
    )
    assert "Be fair and kind." in answer.text


@pytest.mark.parametrize("_case", ["active", "suspended", "unknown"])
def test_who_comes_by_an_address_is_recruited_by_its_owner(
    _case, brand, affiliate, send, visitor
):
    if _case == "suspended":
        Affiliate.objects.update(status=AffiliateStatus.SUSPENDED)
    by = "nobody" if _case == "unknown" else affiliate.code
    program = visitor.get(f"/affiliate/program?by={by}").content.decode()
    assert f'href="{APPLY}?by={by}"' in program
    assert f'name="by" value="{by}"' in visitor.get(f"{APPLY}?by={by}").content.decode()

    send(by=by.upper())
    visitor.post(path(EMAIL), {"password": PASSWORD})

    recruited = Affiliate.objects.exclude(pk=affiliate.pk).get()
    assert recruited.recruiter == (affiliate if _case == "active" else None)


def test_a_client_who_comes_by_an_address_is_recruited_by_its_owner(
    brand, host, affiliate, visitor
):
    client = host.client(brand, email=EMAIL)
    visitor.force_login(client)
    shown = visitor.get(f"/affiliate/welcome?by={affiliate.code}")
    assert shown.context["form"]["by"].value() == affiliate.code

    visitor.post("/affiliate/welcome", {"by": affiliate.code})

    assert Affiliate.objects.get(user=client).recruiter == affiliate


def test_public_pages_lead_to_the_shop_and_its_legal_pages(brand, visitor):
    brand.change(
        privacy_url="https://shop.example.com/privacy",
        imprint_url="https://shop.example.com/imprint",
        support="help@shop.example.com",
    )

    program, form = visitor.get("/affiliate/program").text, visitor.get(APPLY).text

    door = f'<a class="brand" href="{brand.default_redirect_url}">'
    footer = (
        '<a href="https://shop.example.com/privacy">Privacy notice</a>',
        '<a href="https://shop.example.com/imprint">Imprint</a>',
        '<a href="mailto:help@shop.example.com">Contact</a>',
    )
    for part in (door, *footer):
        assert (program.count(part), form.count(part)) == (1, 1)
    notice = '<a href="https://shop.example.com/privacy">How we handle your data</a>'
    assert (program.count(notice), form.count(notice)) == (0, 1)


def test_pages_of_a_brand_without_legal_pages_name_none(brand, visitor):
    page = visitor.get(APPLY).text

    assert [word for word in ("Privacy", "Imprint", "Contact") if word in page] == []
