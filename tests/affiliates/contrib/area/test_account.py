"""Where an affiliate's payouts go, the sales it misses, and its keys."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine

from affiliates.adapter import get_adapter
from affiliates.contracts import ClientDetails
from affiliates.contrib.area.account.profile import ProfileForm
from affiliates.contrib.area.keys.models import AffiliateKey
from affiliates.contrib.claims.models import MissingSaleClaim
from affiliates.contrib.claims.rules import Hints
from affiliates.contrib.claims.services import submit_claim
from affiliates.emails.choices.services import set_choices
from affiliates.emails.models import EmailChoice
from affiliates.payouts.models import PayoutDestination
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from tests.database import nothing_written
from tests.factories.area import AffiliateKeyFactory
from tests.factories.emails import EmailFactory
from tests.factories.payouts import IBAN, DestinationFactory, PayoutTermsFactory
from tests.guard.markers import marker

pytestmark = pytest.mark.django_db
DESTINATION = "/affiliate/destination"
CLAIMS = "/affiliate/claims"
KEYS = "/affiliate/keys"
NOTIFICATIONS = "/affiliate/notifications"
BANK = {"account_holder": "Ada Lovelace", "iban": IBAN, "is_confirmed": "on"}
KEY = {"name": "Sheet", "scopes": ["money", "statistics"], "days": "30"}


@pytest.fixture(autouse=True)
def _clock(now):
    with time_machine.travel(now, tick=False):
        yield


def test_what_the_brand_offers_can_be_chosen(browser, brand):
    PayoutTermsFactory(brand=brand, kinds=["wallet", "bank", "offline"])

    page = browser.get(DESTINATION).text

    assert "You have not chosen a payout destination yet." in page
    for kind in ("wallet", "bank", "offline"):
        assert f"{DESTINATION}/{kind}" in page
    assert f"{DESTINATION}/paypal" not in page
    assert browser.get(f"{DESTINATION}/paypal").status_code == 404
    assert browser.get(f"{DESTINATION}/crypto").status_code == 404


def test_the_first_destination_is_paid_to_at_once(browser, affiliate, now):
    asked = browser.get(f"{DESTINATION}/bank")
    answer = browser.post(f"{DESTINATION}/bank", BANK, follow=True)

    given = PayoutDestination.objects.get(affiliate=affiliate)
    assert "Payouts can go there at once" in asked.text
    assert (given.kind, given.hint, given.usable_from) == ("bank", "DE… 3000", now)
    assert answer.redirect_chain == [(DESTINATION, 302)]
    assert "Bank transfer (SEPA) DE… 3000" in answer.text
    assert "Payouts go there from now on." in answer.text
    assert IBAN not in answer.text


def test_another_destination_says_how_long_it_waits(browser, affiliate, now):
    DestinationFactory(affiliate=affiliate, to="paypal")

    asked = browser.get(f"{DESTINATION}/bank")
    answer = browser.post(f"{DESTINATION}/bank", BANK, follow=True)

    given = PayoutDestination.objects.filter(affiliate=affiliate).first()
    assert "go to the new destination from 8 Mar 2026, 12:00 on" in asked.text
    assert given.usable_from == now + timedelta(days=7)
    assert "It is paid to from 8 Mar 2026, 12:00 on." in answer.text
    assert "Payouts go there from 8 Mar 2026, 12:00 on." in answer.text
    assert "from now on" not in answer.text


@pytest.mark.parametrize(
    ("kind", "given", "sentence"),
    [
        ("bank", {**BANK, "iban": "DE00"}, "This is no valid IBAN."),
        ("bank", {**BANK, "is_confirmed": ""}, "This field is required."),
        ("paypal", {"email": "x", "is_confirmed": "on"}, "Give the e-mail address"),
    ],
)
def test_what_cannot_be_paid_to_is_said_beside_its_field(
    browser, kind, given, sentence
):
    with nothing_written():
        answer = browser.post(f"{DESTINATION}/{kind}", given)

    assert answer.status_code == 400
    assert answer.text.count('class="field at-fault"') == 1
    assert sentence in answer.text


def test_a_suspended_affiliate_changes_nothing(browser, affiliate):
    affiliate.status = AffiliateStatus.SUSPENDED
    affiliate.save()

    with nothing_written():
        answers = [
            browser.post(f"{DESTINATION}/bank", BANK),
            browser.post(f"{KEYS}/new", KEY),
        ]

    assert [one.status_code for one in answers] == [400, 400]
    assert "An affiliate that is pending or suspended is not paid." in answers[0].text
    assert "Only an active affiliate can do that." in answers[1].text


def test_emails_are_listed_read_and_chosen(browser, affiliate, rival, now):
    to = {"brand": affiliate.brand, "state": "sent", "kind": "sale"}
    mine = EmailFactory(affiliate=affiliate, text="Hello,\n<b>you</b>", **to)
    theirs = EmailFactory(affiliate=rival, **to)

    page = browser.get(NOTIFICATIONS).text
    text = browser.get(f"{NOTIFICATIONS}/{mine.pk}").text
    assert browser.get(f"{NOTIFICATIONS}/{theirs.pk}").status_code == 404
    with nothing_written():
        refused = browser.post(NOTIFICATIONS, {**shown_on(page), "paid": "daily"})
    given = {**shown_on(page), "sale": "weekly", "paid": "never"}
    answer = browser.post(NOTIFICATIONS, given, follow=True)

    assert f'href="{NOTIFICATIONS}/{mine.pk}">A subject</a>' in page
    assert page.count("<select") == page.count(" selected") == 12
    assert "So that nobody can redirect your money unnoticed." in page
    assert "&lt;b&gt;you&lt;/b&gt;" in text
    assert refused.status_code == 400
    assert "daily is not one of the available choices." in refused.text
    assert "Your choice is kept." in answer.text
    assert kept_of(affiliate) == [("paid", "never", now), ("sale", "weekly", now)]
    mine.text = mine.subject = ""
    mine.save()
    assert (
        "Its text is no longer kept." in browser.get(f"{NOTIFICATIONS}/{mine.pk}").text
    )


def test_a_page_left_open_changes_what_was_changed_on_it_alone(browser, affiliate, now):
    set_choices(affiliate.pk, {"paid": "never"}, now=now)
    shown = shown_on(browser.get(NOTIFICATIONS).text)
    later = now + timedelta(minutes=1)
    set_choices(
        affiliate.pk, {"monthly_summary": "never", "paid": "at_once"}, now=later
    )

    with nothing_written():
        browser.post(NOTIFICATIONS, shown)
    browser.post(NOTIFICATIONS, {**shown, "sale": "never"})

    assert kept_of(affiliate) == [
        ("monthly_summary", "never", later),
        ("paid", "at_once", later),
        ("sale", "never", now),
    ]


def kept_of(affiliate) -> list[tuple]:
    chosen = EmailChoice.objects.filter(affiliate=affiliate).order_by("kind")
    return list(chosen.values_list("kind", "delivery", "changed_at"))


def shown_on(page: str) -> dict[str, str]:
    """What the form sends if nothing is changed on the page."""
    hidden = r'type="hidden" name="initial-(\w+)" value="(\w+)"'
    shown = dict(re.findall(hidden, page))
    return shown | {f"initial-{kind}": one for kind, one in shown.items()}


def test_a_missing_sale_is_claimed_and_its_answer_read(browser, affiliate):
    given = {
        "order": "A-17",
        "ordered_on": "2026-02-27",
        "note": marker("affiliate", "note"),
    }

    answer = browser.post(f"{CLAIMS}/new", given, follow=True)

    claim = MissingSaleClaim.objects.get(affiliate=affiliate)
    assert (claim.order_hint, claim.note) == ("A-17", marker("affiliate", "note"))
    assert claim.ordered_on == date(2026, 2, 27)
    assert answer.redirect_chain == [(f"{CLAIMS}/{claim.pk}", 302)]
    assert "A person looks into this claim." in answer.text
    assert f"{CLAIMS}/{claim.pk}" in browser.get(CLAIMS).text


def test_a_claim_of_nothing_is_refused(browser):
    with nothing_written():
        answer = browser.post(f"{CLAIMS}/new", {"note": "Mine"})

    assert answer.status_code == 400
    assert "Name the order or invoice" in answer.text


def test_claims_are_counted_with_those_of_the_api(browser, settings):
    settings.AFFILIATES_THROTTLE_RATES = {"claim": "1/day"}
    browser.post(f"{CLAIMS}/new", {"order": "A-17"})

    with nothing_written():
        answer = browser.post(f"{CLAIMS}/new", {"order": "A-18"})

    assert answer.status_code == 429
    assert int(answer["Retry-After"]) > 0
    assert "Try again later." in answer.text


def test_another_affiliates_claim_and_key_are_not_found(browser, rival, now):
    claim, _ = submit_claim(affiliate=rival, hints=Hints(order="A-17"), now=now)
    key = AffiliateKeyFactory(affiliate=rival)
    revoke = f"{KEYS}/{key.pk}/revoke"

    with nothing_written():
        answers = [
            browser.get(f"{CLAIMS}/{claim.pk}"),
            browser.get(revoke),
            browser.post(revoke),
        ]

    assert [one.status_code for one in answers] == [404, 404, 404]


def test_what_a_key_may_do_is_a_group_with_a_name_and_its_fault(browser):
    with nothing_written():
        answer = browser.post(f"{KEYS}/new", {**KEY, "scopes": []})

    page = " ".join(answer.text.split())
    assert answer.status_code == 400
    assert (
        '<fieldset class="field at-fault" aria-describedby="id_scopes_error"> '
        "<legend>What it may do:</legend>" in page
    )
    group = page[page.index("<fieldset") : page.index("</fieldset>")]
    assert 'id="id_scopes_error"' in group
    assert group.count('type="checkbox"') == page.count('type="checkbox"')


def test_a_key_is_shown_once(browser, affiliate, now):
    answer = browser.post(f"{KEYS}/new", KEY)

    key = AffiliateKey.objects.get(affiliate=affiliate)
    assert (key.name, key.scopes) == ("Sheet", ["money", "statistics"])
    assert key.expires_at == now + timedelta(days=30)
    assert answer.status_code == 200
    secret = answer.text.partition('class="secret">')[2].partition("<")[0]
    assert secret.startswith(key.hint)
    listed = browser.get(KEYS)
    assert "Sheet" in listed.text
    assert secret not in listed.text
    assert secret not in str(browser.session.items())
    assert secret not in str(browser.cookies)


@pytest.mark.parametrize(
    "faulty", [{"name": ""}, {"scopes": []}, {"scopes": ["all"]}, {"days": "366"}]
)
def test_a_key_that_cannot_be_is_refused(browser, faulty):
    with nothing_written():
        answer = browser.post(f"{KEYS}/new", {**KEY, **faulty})

    assert answer.status_code == 400


def test_a_key_is_revoked_after_a_question(browser, affiliate, now):
    key = AffiliateKeyFactory(affiliate=affiliate)

    with nothing_written():
        asked = browser.get(f"{KEYS}/{key.pk}/revoke")
    answer = browser.post(f"{KEYS}/{key.pk}/revoke", follow=True)

    key.refresh_from_db()
    assert "stops working at once" in asked.text
    assert (key.end, key.ended_at) == ("revoked", now)
    assert "Revoked" in answer.text


@pytest.mark.parametrize(
    ("end", "said"),
    [
        ("revoked", "Revoked"),
        ("suspended", "Ended by a suspension"),
        ("credentials", "Ended by a change of password, address or logins"),
    ],
)
def test_why_a_key_ended_is_said(browser, affiliate, now, end, said):
    AffiliateKeyFactory(affiliate=affiliate, end=end, ended_at=now)

    assert f"<td>{said}</td>" in browser.get(KEYS).text


def test_times_are_read_in_the_zone_that_is_chosen(browser, affiliate, order):
    """Days of statistics and statements stay the brand's."""
    page = f"/affiliate/orders/{order.pk}"
    before = browser.get(page).text
    browser.post("/affiliate/profile", {"own_time_zone": "Asia/Tokyo"})
    after = browser.get(page).text

    assert "1 Mar 2026, 12:00" in before
    assert "1 Mar 2026, 21:00" in after
    assert "Asia/Tokyo" not in after
    days = "Days begin and end at midnight in UTC."
    assert days in browser.get("/affiliate/orders").text


def test_profile_says_who_it_is_and_since_when(browser, affiliate, brand, monkeypatch):
    ada = ClientDetails(email="ada@example.org", name="Ada Lovelace", language="de")
    monkeypatch.setattr(
        type(get_adapter()),
        "client_details",
        lambda self, client_ids: dict.fromkeys(client_ids, ada),
    )
    began = datetime(2025, 11, 30, 23, 30, tzinfo=UTC)
    Affiliate.objects.update(created_at=began, time_zone="Europe/Berlin")

    page = browser.get("/affiliate/profile").text

    assert dict(re.findall("<dt>(.*?)</dt><dd>(.*?)</dd>", page)) == {
        "Name": "Ada Lovelace",
        "E-mail": "ada@example.org",
        "E-mails are written in": "Deutsch",
        "Your code": f"<code>{affiliate.code}</code>",
        "Program": brand.name,
        "Member since": "1 Dec 2025",
        "Commission plan": '<a href="/affiliate/my-terms">My terms</a>',
    }


@pytest.mark.parametrize("zone", ["", "UTC", "Asia/Tokyo"])
def test_own_zone_alone_is_marked_in_the_list(browser, affiliate, zone):
    Affiliate.objects.update(time_zone=zone)

    page = browser.get("/affiliate/profile").text

    assert re.findall(r'<option value="([^"]*)" selected>', page) == [zone]
    offered = ProfileForm().fields["own_time_zone"].choices
    assert page.count("<option ") == len(list(offered)) > 400
    assert '<select id="id_own_time_zone" name="own_time_zone">' in page


def test_a_zone_that_is_none_is_chosen_by_nobody(browser, affiliate):
    with nothing_written():
        answer = browser.post("/affiliate/profile", {"own_time_zone": "Mars/Base"})

    assert answer.status_code == 400
    assert "Mars/Base" in answer.text
