"""Staff enter a destination and start a payout on the page of an affiliate."""

from __future__ import annotations

import pytest
import time_machine
from django.contrib.auth.models import Permission
from django.urls import reverse

from affiliates.adapter import HostAdapter, get_adapter
from affiliates.emails.models import Email
from affiliates.payouts import details
from affiliates.payouts.models import Payout, PayoutDestination
from tests.affiliates.payouts.looking import standing
from tests.database import nothing_written
from tests.factories.payouts import (
    GIVEN,
    IBAN,
    DestinationFactory,
    PayoutTermsFactory,
    earn,
)

BANK = {"kind": "bank", **GIVEN["bank"]}


@pytest.fixture(autouse=True)
def _clock(now):
    with time_machine.travel(now, tick=False):
        yield


@pytest.fixture
def clerk(browser_of, staff):
    return browser_of(staff)


def address(affiliate, name) -> str:
    return reverse(f"admin:affiliates_affiliate_{name}", args=[affiliate.pk])


def enter(browser, affiliate, **given):
    path = address(affiliate, "enter_destination")
    return browser.post(path, {**given, "confirmed": "yes"}, follow=True)


def start(browser, affiliate, currency="EUR"):
    path = address(affiliate, "start_payout")
    given = {"currency": currency, "confirmed": "yes"}
    return browser.post(path, given, follow=True)


def told(answer) -> list[str]:
    return [str(one) for one in answer.context["messages"]]


def text_of(answer) -> str:
    return " ".join(answer.content.decode().split())


@pytest.mark.parametrize("kind", GIVEN)
def test_each_kind_is_entered(clerk, affiliate, terms, staff, now, kind):
    answer = enter(clerk, affiliate, kind=kind, **GIVEN[kind])

    destination = PayoutDestination.objects.get()
    assert (destination.affiliate, destination.kind) == (affiliate, kind)
    assert details.ACCOUNTS.open(destination.details) == GIVEN[kind]
    assert (destination.usable_from, destination.entered_by) == (now, staff)
    assert told(answer)[0].startswith(f"partner is paid to {destination} from 1\xa0Mar")


def test_changed_one_cools_off_and_the_client_is_told(clerk, affiliate, terms, now):
    DestinationFactory(affiliate=affiliate)

    answer = enter(clerk, affiliate, **BANK)

    destination = PayoutDestination.objects.first()
    assert destination.usable_from == now + terms.to_terms().cool_off
    assert "from 8\xa0Mar\xa02026" in told(answer)[0]
    email = Email.objects.get()
    assert (email.kind, email.affiliate) == ("destination_changed", affiliate)


def test_what_is_stored_is_never_shown(clerk, affiliate, terms):
    enter(clerk, affiliate, **BANK)

    asked = clerk.get(address(affiliate, "enter_destination"))
    path = reverse(
        "admin:affiliates_payoutdestination_change",
        args=[PayoutDestination.objects.get().pk],
    )
    row = clerk.get(path)

    for shown in (asked, row):
        assert "DE… 3000" in text_of(shown)
        assert IBAN not in text_of(shown)
    assert "staff" in text_of(row)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "This field is required."),
        ({"kind": "cash"}, "Select a valid choice."),
        ({"kind": "bank"}, "This field is required."),
        ({**BANK, "iban": "DE1"}, "This is no valid IBAN."),
        ({"kind": "paypal", "email": "nobody"}, "Give the e-mail address of a PayPal"),
        ({"kind": "offline"}, "This field is required."),
        (
            {**BANK, "kind": "wallet"},
            "Leave it empty: the chosen kind does not need it.",
        ),
    ],
)
def test_wrong_entry_is_asked_again(clerk, affiliate, terms, given, said):
    with nothing_written():
        answer = enter(clerk, affiliate, **given)

    assert said in text_of(answer)


def test_only_what_the_brand_offers_can_be_chosen(clerk, affiliate):
    PayoutTermsFactory(brand=affiliate.brand, kinds=["wallet", "paypal"])

    asked = text_of(clerk.get(address(affiliate, "enter_destination")))
    with nothing_written():
        answer = enter(clerk, affiliate, **BANK)

    assert 'value="paypal"' in asked
    assert 'value="bank"' not in asked
    assert 'name="iban"' not in asked
    assert "Select a valid choice." in text_of(answer)


def test_account_credit_is_offered_where_the_host_keeps_one(
    clerk, affiliate, terms, monkeypatch
):
    monkeypatch.setattr(type(get_adapter()), "credit_wallet", HostAdapter.credit_wallet)

    with nothing_written():
        answer = enter(clerk, affiliate, kind="wallet")

    assert "Select a valid choice." in text_of(answer)


def test_suspended_affiliate_gets_no_other_destination(clerk, affiliate, terms):
    affiliate.change(status="suspended")

    with nothing_written():
        answer = enter(clerk, affiliate, **BANK)

    assert "An affiliate that is pending or suspended is not paid." in text_of(answer)


def test_balance_is_started_in_the_chosen_currency(clerk, affiliate, terms, staff):
    DestinationFactory(affiliate=affiliate)
    earn(affiliate, 7_512)
    earn(affiliate, 9_000, "USD")

    asked = text_of(clerk.get(address(affiliate, "start_payout")))
    answer = start(clerk, affiliate, "USD")

    assert "€75.12" in asked
    assert "$90.00" in asked
    assert "PayPal p…@example.org" in asked
    payout = Payout.objects.get()
    assert (payout.amount, payout.currency, payout.status) == (
        9_000,
        "USD",
        "requested",
    )
    assert payout.prepared_by == payout.events.get().actor == staff
    assert standing(affiliate, "USD") == (0, 9_000, 0)
    assert standing(affiliate) == (7_512, 0, 0)
    page = reverse("admin:affiliates_payout_change", args=[payout.pk])
    assert answer.redirect_chain == [(page, 302)]
    assert told(answer) == [f"Payout {payout.pk} of $90.00 is started."]


def test_sent_twice_it_is_one_payout(clerk, affiliate, terms):
    DestinationFactory(affiliate=affiliate)
    earn(affiliate)
    start(clerk, affiliate)
    earn(affiliate)

    with nothing_written():
        answer = start(clerk, affiliate)

    assert "A payout in EUR is under way. Wait until it is finished." in text_of(answer)


def test_nothing_payable_is_said(clerk, affiliate, terms):
    with nothing_written():
        asked = clerk.get(address(affiliate, "start_payout"))
        answer = start(clerk, affiliate)

    for shown in (asked, answer):
        assert "Nothing is payable to it." in text_of(shown)


def test_refusal_of_the_start_is_shown(clerk, affiliate, terms):
    earn(affiliate)

    with nothing_written():
        answer = start(clerk, affiliate)

    assert "Say first where the money is to go." in text_of(answer)


@pytest.mark.parametrize("act", [enter, start])
def test_looking_is_no_permission(clerk, affiliate, terms, staff, act):
    DestinationFactory(affiliate=affiliate)
    earn(affiliate)
    staff.groups.clear()
    staff.user_permissions.set(
        Permission.objects.filter(codename__in=["view_affiliate", "approve_payout"])
    )

    with nothing_written():
        answer = act(clerk, affiliate)

    page = reverse("admin:affiliates_affiliate_change", args=[affiliate.pk])
    shown = text_of(clerk.get(page))
    assert answer.status_code == 403
    assert "Enter a destination" not in shown
    assert "Start a payout" not in shown
