"""Staff remove the second factor of a client who has lost it."""

from __future__ import annotations

from io import StringIO

import pytest
from django.contrib.admin.models import LogEntry
from django.core.management import CommandError, call_command
from django.test import Client
from django_otp.plugins.otp_static.models import StaticToken

from affiliates.emails.models import Email
from portal.clients.models import User
from portal.clients.second_factor import has_factor, renew_codes
from tests.database import nothing_written
from tests.factories.affiliates import AffiliateFactory
from tests.factories.portal import StaffFactory
from tests.portal.admin.pages import page_of, text_of
from tests.portal.second_factors import authenticator_of

pytestmark = pytest.mark.portable
FORM = {"reason": "Answered from the address of the invoice", "confirmed": "yes"}


@pytest.fixture
def lost(client) -> User:
    authenticator_of(client)
    renew_codes(client)
    return client


@pytest.fixture
def owner(lost) -> User:
    AffiliateFactory(brand=lost.brand, user=lost)
    return lost


def path_of(user: User) -> str:
    return page_of(user, "remove-second-factor")


def test_it_is_removed_with_a_reason(browser, staff, lost):
    asked = text_of(browser.get(path_of(lost)))

    answer = browser.post(path_of(lost), FORM, follow=True)

    assert "whose identity you have checked" in asked
    assert "Removed the second factor." in text_of(answer)
    assert not has_factor(lost)
    assert not StaticToken.objects.exists()
    entry = LogEntry.objects.get()
    assert (entry.user, entry.object_id) == (staff, str(lost.pk))
    assert entry.change_message == f"Removed the second factor: {FORM['reason']}"


def test_the_affiliate_is_told(browser, owner):
    browser.post(path_of(owner), FORM)

    email = Email.objects.order_by("pk").last()
    assert (email.kind, email.recipient) == ("credentials_changed", owner.email)
    assert email.values["change"] == "second_factor_off"
    assert email.values["is_by_staff"] is True


def test_without_a_reason_it_stays(browser, lost):
    with nothing_written():
        answer = browser.post(path_of(lost), {**FORM, "reason": " "})

    assert "This field is required." in text_of(answer)
    assert has_factor(lost)


def test_a_client_without_one_is_refused(browser, client):
    with nothing_written():
        answer = browser.post(path_of(client), FORM)

    assert "This client has none." in text_of(answer)


def test_staff_confirm_first_that_it_is_them(browser, lost):
    session = browser.session
    session["confirmed_at"] = 0
    session.save()

    answer = browser.post(path_of(lost), FORM)

    assert answer["Location"].startswith("/admin/confirm/?next=")
    assert has_factor(lost)


def test_of_affiliates_only_those_remove_it_who_may_change_their_credentials(
    helper, owner
):
    with nothing_written():
        answer = helper.post(path_of(owner), FORM)

    assert answer.status_code == 403
    assert has_factor(owner)


def test_of_other_clients_all_who_may_change_them(helper, lost):
    assert helper.post(path_of(lost), FORM).status_code == 302
    assert not has_factor(lost)


def test_of_staff_nobody_here(browser, staff):
    other = StaffFactory()
    authenticator_of(other)

    assert browser.post(path_of(other), FORM).status_code == 403
    assert has_factor(other)


def test_strangers_remove_nothing(lost):
    answer = Client().post(path_of(lost), FORM)

    assert answer["Location"].startswith("/admin/login/")
    assert has_factor(lost)


def test_a_command_does_it_too(owner):
    out = StringIO()
    brand = owner.brand.name

    call_command("reset_second_factor", owner.email.upper(), brand=brand, stdout=out)

    assert out.getvalue() == f"{owner.email} logs in with the password alone\n"
    assert not has_factor(owner)
    assert Email.objects.order_by("pk").last().values["is_by_staff"] is True
    assert not LogEntry.objects.exists()


@pytest.mark.parametrize("way", ["no such brand", "of another brand", "a guest"])
def test_a_command_for_nobody_says_so(way, lost, guest, other_brand):
    email = guest.email or "guest@example.com"
    named = {
        "no such brand": ("Nobody", lost.email),
        "of another brand": (other_brand.name, lost.email),
        "a guest": (lost.brand.name, email),
    }[way]

    with nothing_written(), pytest.raises(CommandError, match="No client of a brand"):
        call_command("reset_second_factor", named[1], brand=named[0])


def test_the_command_for_staff_leaves_a_client_alone(lost):
    with nothing_written(), pytest.raises(CommandError, match="Nobody of staff"):
        call_command("reset_second_factor", lost.email)
