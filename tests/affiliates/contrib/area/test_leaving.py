"""The page on which an affiliate leaves the program, and what it shows from then on."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from rest_framework.test import APIClient

from affiliates.contrib.area.keys.models import AffiliateKey
from affiliates.membership.departures import leave
from affiliates.payouts.rules import PayoutStatus
from affiliates.payouts.services.requests import request_payout
from affiliates.program.history_models import AffiliateDeparture
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from tests.affiliates.till import AFTER_HOLD
from tests.database import nothing_written
from tests.factories.area import AffiliateKeyFactory
from tests.factories.books import PayoutFactory
from tests.factories.payouts import (
    DestinationFactory,
    PayoutTermsFactory,
    earn,
    take_back,
)
from tests.factories.plans import CouponCodeFactory

pytestmark = pytest.mark.django_db
LEAVE = "/affiliate/leave"
CONFIRM = f"{LEAVE}/confirm"
PROMOTING = ("links", "coupons", "keys")
YES = {"is_confirmed": "on"}


@pytest.fixture(autouse=True)
def _clock(now):
    with time_machine.travel(now, tick=False):
        yield


def test_page_says_what_happens_to_the_money(browser, affiliate, commission, rival):
    earn(affiliate, 75_12)

    with nothing_written():
        page = browser.get(LEAVE).text

    for text in (
        "€85.12",
        "It will be paid out to you.",
        "€75.12 is payable now.",
        "€10.00 is in its hold until 31 Mar 2026 at the latest.",
        "Pay it out to me",
        "I give it up: it is not paid out",
        "Your API keys and your webhook end at once.",
    ):
        assert text in page
    assert "affiliates you recruited" not in page

    rival.recruiter = affiliate
    rival.save()
    assert "a share of the commissions of affiliates you recruited" in (
        browser.get(LEAVE).text
    )


def test_without_a_balance_there_is_nothing_to_choose(browser):
    page = browser.get(LEAVE).text

    assert "You have no balance: nothing is left to be paid." in page
    assert 'name="balance"' not in page


def test_nothing_is_done_without_the_confirmation(browser, affiliate):
    with nothing_written():
        asked = browser.get(CONFIRM)
        refused = browser.post(CONFIRM, {})

    assert (asked.status_code, refused.status_code) == (200, 400)
    assert "Yes, I leave the program" in asked.text
    assert "This field is required." in refused.text


def test_it_leaves_and_reads_what_is_still_paid(browser, affiliate, commission):
    earn(affiliate, 20_00)
    key = AffiliateKeyFactory(affiliate=affiliate)

    answer = browser.post(CONFIRM, YES, follow=True)

    assert answer.redirect_chain == [(LEAVE, 302)]
    for text in (
        "You have left the program",
        "You left on 1 Mar 2026, 12:00. Visits and orders are not credited to you any more.",
        "€30.00",
        "€20.00 is payable now.",
        "Choose first where payouts go",
        "You have not chosen a payout destination yet.",
        "To have your data erased, ask the support of",
    ):
        assert text in answer.text
    assert Affiliate.objects.get(pk=affiliate.pk).status == "left"
    assert AffiliateKey.objects.get(pk=key.pk).end == "left"
    others = browser.get("/affiliate/").text
    assert "visits and orders are not credited to you." in others
    assert "See what is still paid" in others
    assert "Your link" not in others
    assert "First steps" not in others


def test_who_has_left_is_offered_nothing_to_share(browser, affiliate, link):
    CouponCodeFactory(affiliate=affiliate)
    affiliate.status = AffiliateStatus.LEFT
    affiliate.save()

    pages = [browser.get(f"/affiliate/{name}").text for name in PROMOTING]

    for page in pages:
        for offer in ("data-copies", "New link", "New API key", "Your short address"):
            assert offer not in page
    assert link.name in pages[0]


def test_small_balance_is_asked_for_after_leaving(browser, affiliate):
    DestinationFactory(affiliate=affiliate)
    earn(affiliate, 20_00)
    browser.post(CONFIRM, YES)

    answer = browser.post("/affiliate/payouts/ask/EUR")

    assert answer.status_code == 302
    assert affiliate.payouts.get().amount == 20_00


def test_balance_is_given_up_by_a_sentence(browser, affiliate):
    earn(affiliate, 75_00)
    path = f"{CONFIRM}?balance=given_up"

    asked = browser.get(path).text
    done = browser.post(path, YES, follow=True).text

    assert "Given up by you: it will not be paid out." in asked
    assert "Yes, I leave the program and give up my balance" in asked
    assert "Nothing: everything is settled." in done
    departure = AffiliateDeparture.objects.get()
    assert (departure.forfeited, departure.is_given_up) == ({"EUR": 75_00}, True)


def test_what_is_given_up_and_pending_is_not_asked_for(
    browser, affiliate, commission, now
):
    DestinationFactory(affiliate=affiliate)
    browser.post(f"{CONFIRM}?balance=given_up", YES)

    page = browser.get(LEAVE).text

    assert "Given up by you: it will not be paid out." in page
    assert "Ask for" not in page


def test_rest_below_the_minimum_is_forfeited_in_words(browser, affiliate, brand):
    PayoutTermsFactory(brand=brand, pays_rest=False)
    earn(affiliate, 20_00)

    page = browser.get(LEAVE).text

    assert "Forfeited: the program pays out at least €50.00." in page
    assert 'name="balance"' not in page


def test_debt_is_said(browser, affiliate):
    earn(affiliate, 10_00)
    take_back(affiliate, 30_00)

    page = browser.get(LEAVE).text

    assert "−€20.00" in page
    assert "A debt: refunds took back what was paid out to you before." in page


def test_payout_that_is_being_sent_is_waited_for(browser, affiliate):
    PayoutFactory(affiliate=affiliate, status=PayoutStatus.EXPORTED)
    earn(affiliate, 20_00)
    said = "A payout to you is being sent. Leave the program when it has arrived."

    with nothing_written():
        page = browser.get(LEAVE)
        refused = browser.post(CONFIRM, YES)

    assert said in page.text
    assert CONFIRM not in page.text
    assert refused.status_code == 400
    assert said in refused.text


def test_giving_up_waits_for_a_payout_under_way(browser, affiliate, now):
    DestinationFactory(affiliate=affiliate)
    earn(affiliate, 60_00)
    request_payout(affiliate_id=affiliate.pk, currency="EUR", now=now)
    earn(affiliate, 5_00)

    with nothing_written():
        refused = browser.post(f"{CONFIRM}?balance=given_up", YES)

    assert refused.status_code == 400
    assert "You can give up your balance when it is finished." in refused.text
    assert "€60.00 more is in a payout that is under way" in browser.get(LEAVE).text


def test_suspended_affiliate_reads_whom_to_ask(browser, affiliate):
    Affiliate.objects.filter(pk=affiliate.pk).update(status=AffiliateStatus.SUSPENDED)

    with nothing_written():
        refused = browser.post(CONFIRM, YES)

    assert refused.status_code == 400
    assert "A suspended account cannot leave the program." in refused.text


def test_second_click_changes_nothing(browser, affiliate):
    browser.post(CONFIRM, YES)

    with nothing_written():
        asked = browser.get(CONFIRM)

    assert (asked.status_code, asked["Location"]) == (302, LEAVE)
    browser.post(CONFIRM, YES)
    assert AffiliateDeparture.objects.count() == 1


def test_it_is_said_in_german(browser, affiliate, commission):
    earn(affiliate, 75_12)
    german = {"accept-language": "de"}

    asked = browser.get(LEAVE, headers=german).text
    done = browser.post(CONFIRM, YES, follow=True, headers=german).text

    assert "Programm verlassen" in asked
    assert "Wird Ihnen ausgezahlt." in asked
    assert "Sie haben das Programm verlassen" in done


@pytest.fixture
def api(affiliate) -> APIClient:
    client = APIClient()
    client.force_authenticate(affiliate.user)
    return client


@pytest.mark.usefixtures("_nobody_is_asked")
def test_api_answers_and_does_the_same(api, affiliate, commission, now):
    earn(affiliate, 75_12)
    path = "/api/affiliate/departure"

    before = api.get(path).json()["data"]
    done = api.post(path, {"gives_up_balance": True}, format="json")

    euros = {
        "currency": "EUR",
        "pending": "10.00",
        "held": "0.00",
        "payable": "75.12",
        "being_paid": "0.00",
        "total": "85.12",
        "minimum": "50.00",
        "end": "paid",
        "matures_at": AFTER_HOLD.isoformat(),
    }
    assert before == {"left_at": None, "refusal": "", "balances": [euros]}
    assert done.status_code == 200
    assert done.json()["data"] == {
        "left_at": now.isoformat(),
        "refusal": "",
        "balances": [{**euros, "payable": "0.00", "total": "10.00", "end": "given_up"}],
    }


@pytest.mark.usefixtures("_nobody_is_asked")
def test_api_refuses_with_a_code(api, affiliate):
    PayoutFactory(affiliate=affiliate, status=PayoutStatus.EXPORTED)
    earn(affiliate, 75_12)

    with nothing_written():
        answer = api.post(
            "/api/affiliate/departure", {"gives_up_balance": False}, format="json"
        )

    assert answer.status_code == 409
    assert answer.json()["errors"][0]["code"] == "payout_being_sent"


def test_key_no_longer_works_and_no_new_one_is_made(browser, affiliate, now):
    leave(affiliate_id=affiliate.pk, gives_up=False, now=now + timedelta(seconds=1))
    asked = {"name": "Sheet", "scopes": ["money"], "days": "30"}

    with nothing_written():
        answer = browser.post("/affiliate/keys/new", asked)

    assert answer.status_code == 400
