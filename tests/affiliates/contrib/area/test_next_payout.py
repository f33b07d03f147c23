"""The button stands only where a payout can be requested now, else the reason does."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape

import pytest
from rest_framework.test import APIClient

from affiliates.commissions.services.maturing import mature_all
from affiliates.contrib.payout_runs.rules import LineOutcome
from affiliates.membership.departures import leave
from affiliates.payouts.models import Payout
from affiliates.payouts.services.requests import request_payout
from affiliates.program.rules import AffiliateStatus
from tests.affiliates.till import AFTER_HOLD
from tests.conftest import ORIGIN
from tests.database import queries_of
from tests.factories.payouts import DestinationFactory, PayoutTermsFactory, earn
from tests.texts import Texts

pytestmark = pytest.mark.django_db
PAGES = ("/affiliate/", "/affiliate/payouts")
BUTTON = re.compile(r'href="(/affiliate/payouts/ask/\w+)"')


@pytest.fixture(autouse=True)
def clock(time_machine, now):
    time_machine.move_to(now, tick=False)
    return time_machine


class World:
    """Of each method's name is the refusal of a request in it."""

    def __init__(self, affiliate, clock, till, now):
        self.affiliate, self.clock, self.till, self.now = affiliate, clock, till, now

    def accepted(self, amount=10_000, currency="EUR", **destination):
        earn(self.affiliate, amount, currency)
        DestinationFactory(affiliate=self.affiliate, **destination)

    def below_minimum(self):
        self.accepted(4_800)

    def no_destination(self):
        earn(self.affiliate)

    def payout_open(self):
        self.accepted()
        request_payout(affiliate_id=self.affiliate.pk, currency="EUR", now=self.now)
        earn(self.affiliate)

    def destination_cooling_off(self):
        self.accepted(usable_from=self.now + timedelta(days=7))

    def affiliate_inactive(self):
        self.accepted()
        self.affiliate.status = AffiliateStatus.SUSPENDED
        self.affiliate.save()

    def balance_forfeited(self):
        self.till.pay()
        DestinationFactory(affiliate=self.affiliate)
        leave(affiliate_id=self.affiliate.pk, gives_up=True, now=self.now)
        mature_all(now=lambda: AFTER_HOLD)
        self.clock.move_to(AFTER_HOLD, tick=False)

    def kind_not_offered(self):
        self.accepted()
        PayoutTermsFactory(
            brand=self.affiliate.brand, kinds=["wallet", "bank", "offline"]
        )

    def currency_not_paid_there(self):
        self.accepted(currency="USD", to="bank")


@pytest.fixture
def world(affiliate, clock, plan, order, till, now):
    return World(affiliate, clock, till, now)


REASONS = {
    "below_minimum": "€2.00 more until the minimum of €50.00.",
    "no_destination": "Choose first where payouts go",
    "payout_open": "A payout is on its way.",
    "destination_cooling_off": "Payouts are possible from 8 Mar 2026, 12:00",
    "affiliate_inactive": "An affiliate that is pending or suspended is not paid.",
    "balance_forfeited": "This balance was given up or forfeited",
    "kind_not_offered": "Nothing is paid that way any more.",
    "currency_not_paid_there": "USD cannot be paid to your destination.",
}


def test_every_refusal_has_a_reason():
    own = {"set_aside", "asked", "started", "held", "negative_balance", "requirement"}

    assert set(REASONS) == {*LineOutcome.values} - own


@pytest.mark.parametrize("code", REASONS)
def test_the_reason_stands_in_the_place_of_a_button_that_would_be_refused(
    world, browser, host, code
):
    getattr(world, code)()
    browser.force_login(world.affiliate.user)

    shown = [browser.get(path).text for path in PAGES]

    for page in shown:
        assert BUTTON.findall(page) == []
        assert REASONS[code] in " ".join(Texts(page).found)
    [balance] = _balances(world.affiliate, host)
    assert balance["payout"]["refusal"] == code


def test_each_button_is_accepted(world, browser, host):
    world.accepted()

    [balance] = _balances(world.affiliate, host)
    assert balance["payout"]["refusal"] == ""
    assert [BUTTON.findall(browser.get(path).text) for path in PAGES] == [
        ["/affiliate/payouts/ask/EUR"],
        ["/affiliate/payouts/ask/EUR"],
    ]
    assert browser.post("/affiliate/payouts/ask/EUR").status_code == 302
    assert Payout.objects.get().amount == 10_000


def test_each_currency_is_judged_for_itself(world, browser, host):
    world.accepted()
    world.currency_not_paid_there()
    few = queries_of(lambda: browser.get(PAGES[0]))
    earn(world.affiliate, 1_000, "CHF")

    page = browser.get(PAGES[0])

    assert BUTTON.findall(page.text) == ["/affiliate/payouts/ask/EUR"]
    assert '<a href="/affiliate/destination/paypal">PayPal</a>' in unescape(page.text)
    assert '"/affiliate/destination/bank"' not in page.text
    assert queries_of(lambda: browser.get(PAGES[0])) == few
    dollars = _balances(world.affiliate, host)[2]["payout"]
    assert "paypal" in dollars["kinds"]
    assert "bank" not in dollars["kinds"]


def _balances(affiliate, host):
    api = APIClient(
        HTTP_ORIGIN=ORIGIN, HTTP_AUTHORIZATION=host.authorization(affiliate.user)
    )
    return api.get("/api/affiliate/balances").json()["data"]["balances"]
