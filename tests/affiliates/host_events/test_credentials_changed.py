"""A client's password, address or logins change: what ends, waits and is told."""

from __future__ import annotations

from datetime import timedelta

import pytest

from affiliates.brands.models.brand import Brand
from affiliates.contracts import CredentialsChange, CredentialsChanged
from affiliates.contrib.area.api.authentication import find_key
from affiliates.contrib.area.keys.models import AffiliateKey
from affiliates.contrib.area.keys.rules import Scope
from affiliates.contrib.area.keys.services import give_key
from affiliates.contrib.area.looks.models import AreaLook
from affiliates.contrib.area.looks.services import ask_for_look
from affiliates.emails.models import Email
from affiliates.emails.sending import send_due
from affiliates.errors import NotFound, StateConflict
from affiliates.host_events import credentials_changed
from affiliates.payouts.services.destinations import change_destination
from affiliates.payouts.services.requests import request_payout
from tests.database import nothing_written
from tests.factories.payouts import GIVEN, DestinationFactory, PayoutTermsFactory, earn

pytestmark = pytest.mark.django_db
WEEK = timedelta(days=7)
FORMER = "former@example.com"
PASSWORD = CredentialsChange.PASSWORD
EMAIL = CredentialsChange.EMAIL
LOGGED_OUT = CredentialsChange.LOGGED_OUT


@pytest.fixture
def secret(affiliate, now) -> str:
    _, secret = give_key(
        affiliate_id=affiliate.pk,
        name="Sheet",
        scopes=[Scope.MONEY],
        expires_at=now + 30 * WEEK,
        now=now,
    )
    return secret


@pytest.fixture
def tell(affiliate, now):
    def tell(change: CredentialsChange, *, at=now, **fields) -> None:
        event = CredentialsChanged(
            client_id=str(affiliate.user_id), change=change, **fields
        )
        credentials_changed(event, now=at)

    return tell


@pytest.mark.parametrize("change", [PASSWORD, EMAIL, LOGGED_OUT])
def test_keys_end_for_good(change, tell, secret, now):
    tell(change)

    assert find_key(secret, now=now) is None
    key = AffiliateKey.objects.get()
    assert (key.ended_at, key.end) == (now, "credentials")


@pytest.mark.parametrize("change", [PASSWORD, EMAIL, LOGGED_OUT])
def test_looks_end_and_those_asked_for_never_begin(
    change, tell, affiliate, rival, staff, now
):
    for one in (affiliate, rival):
        ask_for_look(one, reason="Asked", actor_id=staff.pk, now=now)

    tell(change)

    ends = dict(AreaLook.objects.values_list("affiliate", "ends_at"))
    assert ends == {affiliate.pk: now, rival.pk: None}


@pytest.mark.parametrize("change", [PASSWORD, EMAIL])
def test_payouts_cool_off_anew(change, tell, affiliate, now):
    PayoutTermsFactory(brand=affiliate.brand)
    DestinationFactory(affiliate=affiliate, usable_from=now)
    earn(affiliate, 10_000)

    tell(change)

    with nothing_written(), pytest.raises(StateConflict) as refused:
        request_payout(affiliate_id=affiliate.pk, currency="EUR", now=now)
    assert refused.value.code == "destination_cooling_off"
    payout = request_payout(affiliate_id=affiliate.pk, currency="EUR", now=now + WEEK)
    assert payout.amount == 10_000


def test_a_first_destination_given_then_cools_off_too(tell, affiliate, now):
    PayoutTermsFactory(brand=affiliate.brand)
    tell(PASSWORD)

    destination = change_destination(
        affiliate_id=affiliate.pk, kind="paypal", values=GIVEN["paypal"], now=now
    )

    assert destination.paid_from == now + WEEK


def test_a_later_change_cools_off_for_longer_and_an_earlier_one_for_no_less(
    tell, affiliate, now
):
    tell(PASSWORD)
    tell(EMAIL, at=now - timedelta(days=1))
    affiliate.refresh_from_db()
    first = affiliate.cools_off_until

    tell(EMAIL, at=now + timedelta(days=1))

    affiliate.refresh_from_db()
    assert (first, affiliate.cools_off_until) == (
        now + WEEK,
        now + WEEK + timedelta(days=1),
    )


def test_a_log_out_everywhere_leaves_payouts_alone(tell, affiliate, secret, now):
    tell(LOGGED_OUT)

    affiliate.refresh_from_db()
    assert affiliate.cools_off_until is None


def test_a_changed_address_is_told_at_both_with_who_and_when(
    tell, affiliate, secret, now, mailoutbox
):
    Brand.objects.update(time_zone="UTC")
    tell(EMAIL, former_email=FORMER, is_by_staff=True)
    send_due(now=lambda: now)

    brand = affiliate.brand
    written = {message.to[0]: message.body for message in mailoutbox}
    assert set(written) == {FORMER, "affiliate@example.com"}
    for text in written.values():
        assert f"The e-mail address of your account at {brand} was changed." in text
        assert "When: 1 Mar 2026, 12:00 (UTC)" in text
        assert f"By: staff of {brand}" in text
        assert "1 API key of yours has ended." in text
        assert "Nothing is paid out to you before 8 Mar 2026, 12:00 (UTC)" in text


def test_a_changed_password_is_told_at_the_present_address(
    tell, affiliate, now, mailoutbox
):
    tell(PASSWORD)
    send_due(now=lambda: now)

    (message,) = mailoutbox
    assert message.to == ["affiliate@example.com"]
    said = f"The password of your account at {affiliate.brand} was changed."
    assert said in message.body
    assert "By: somebody who was signed in to your account" in message.body
    assert "API key" not in message.body


def test_a_log_out_everywhere_is_told_where_keys_ended(tell, secret, now, mailoutbox):
    tell(LOGGED_OUT)
    tell(LOGGED_OUT)
    send_due(now=lambda: now)

    (message,) = mailoutbox
    assert "was logged out everywhere." in message.body
    assert "1 API key of yours has ended." in message.body
    assert "Nothing is paid out" not in message.body


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("second_factor_on", "Signing in to your account at {} asks for a code from"),
        ("second_factor_off", "Signing in to your account at {} asks for no code any"),
        ("recovery_codes", "New recovery codes were made for your account at {}. The"),
    ],
)
def test_a_changed_second_factor_is_told_and_nothing_else(
    change, said, tell, affiliate, secret, now, mailoutbox
):
    tell(CredentialsChange(change))
    send_due(now=lambda: now)

    (message,) = mailoutbox
    assert message.to == ["affiliate@example.com"]
    assert said.format(affiliate.brand) in message.body
    assert "API key" not in message.body
    assert "Nothing is paid out" not in message.body
    assert find_key(secret, now=now) is not None
    affiliate.refresh_from_db()
    assert affiliate.cools_off_until is None


def test_it_is_told_once(tell):
    for _ in range(2):
        tell(EMAIL, former_email=FORMER)

    assert Email.objects.count() == 2


def test_nothing_happens_for_a_client_who_is_no_affiliate(buyer, now):
    event = CredentialsChanged(client_id=str(buyer.pk), change=PASSWORD)

    with nothing_written():
        credentials_changed(event, now=now)


def test_an_unknown_client_is_refused(now):
    event = CredentialsChanged(client_id="nobody", change=PASSWORD)

    with nothing_written(), pytest.raises(NotFound):
        credentials_changed(event, now=now)
