"""Accounts at providers, as staff of finance set them up, and batches that are sent."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.urls import reverse

from affiliates.contrib.paypal.sender import PayPalPayouts
from affiliates.outbox.http.types import FailureKind
from affiliates.payouts.sending.decisions import hold_accounts
from affiliates.payouts.sending.secrets import CREDENTIALS
from affiliates.payouts.sending.services import settings_of
from affiliates.payouts.sending_models import PayoutAccount, PayoutSending
from tests.database import nothing_written

pytestmark = pytest.mark.django_db

API = "https://api-m.paypal.com"
SECRET = "s3cret-of-the-app"


@pytest.fixture
def clerk(second, browser_of):
    return browser_of(second)


def page(name: str, *args: object) -> str:
    return reverse(f"admin:affiliates_{name}", args=args)


def add(browser, brand, **values):
    path = f"{page('payoutaccount_add')}?provider={PayPalPayouts.code}"
    fields = {
        "brand": brand.pk,
        "is_active": "on",
        "address": API,
        "client_id": "AeA1",
        "client_secret": SECRET,
    }
    return browser.post(path, fields | values)


def test_the_provider_is_chosen_first(clerk):
    shown = clerk.get(page("payoutaccount_add")).text

    assert "Which provider?" in shown
    assert f"?provider={PayPalPayouts.code}" in shown
    assert "instead of a file" in shown


def test_an_account_is_added_and_its_secret_shown_to_nobody(clerk, brand):
    answer = add(clerk, brand)

    assert answer.status_code == 302
    account = PayoutAccount.objects.get()
    assert (account.kind, account.config) == ("paypal", {"client_id": "AeA1"})
    assert SECRET not in account.secrets
    assert settings_of(account).secrets == {"client_secret": SECRET}
    for path in (
        page("payoutaccount_change", account.pk),
        page("payoutaccount_changelist"),
        page("payoutaccount_history", account.pk),
    ):
        assert SECRET not in clerk.get(path).text


def test_the_secret_is_kept_where_none_is_entered(clerk, brand):
    add(clerk, brand)
    account = PayoutAccount.objects.get()
    fields = {"is_active": "on", "address": API, "client_id": "Other"}

    clerk.post(
        page("payoutaccount_change", account.pk), {**fields, "client_secret": ""}
    )

    account.refresh_from_db()
    assert account.config == {"client_id": "Other"}
    assert CREDENTIALS.open(account.secrets) == {"client_secret": SECRET}


def test_another_host_does_not_get_the_stored_secret(clerk, brand):
    add(clerk, brand)
    account = PayoutAccount.objects.get()
    fields = {"is_active": "on", "client_id": "AeA1", "client_secret": ""}

    with nothing_written():
        answer = clerk.post(
            page("payoutaccount_change", account.pk),
            {**fields, "address": "https://evil.example"},
        )

    assert "Enter it again" in answer.text


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"address": "http://api-m.paypal.com"}, "https"),
        ({"address": "https://127.0.0.1"}, "not give an IP address"),
        ({"client_id": ""}, "This field is required."),
        ({"client_secret": ""}, "This field is required."),
    ],
)
def test_what_cannot_be_called_is_refused(clerk, brand, values, said):
    with nothing_written():
        answer = add(clerk, brand, **values)

    assert said in answer.text


def test_a_second_active_account_of_the_kind_is_refused(clerk, brand, account):
    with nothing_written():
        answer = add(clerk, brand)

    assert "Another account of this brand pays the same way" in answer.text
    assert add(clerk, brand, is_active="").status_code == 302


def test_an_account_of_an_app_that_is_gone_is_only_viewed(clerk, account):
    PayoutAccount.objects.update(provider="gone")

    shown = clerk.get(page("payoutaccount_change", account.pk))

    assert "gone (not installed)" in shown.text
    assert 'name="address"' not in shown.text


def test_new_payouts_are_sent_again_once_somebody_has_compared(clerk, account, now):
    PayoutAccount.objects.update(created_at=now - timedelta(days=1))
    hold_accounts(restored_at=now)

    clerk.post(page("payoutaccount_compared", account.pk), {"confirmed": "yes"})

    account.refresh_from_db()
    assert account.held_since is None


def test_the_batch_says_what_the_provider_says(clerk, desk, approved, provider):
    payout = approved()
    row = desk.send(payout)
    desk.work()
    desk.work(after=timedelta(seconds=5))

    shown = clerk.get(page("payoutbatch_change", row.batch_id)).text

    assert "Scripted of" in shown
    assert f"R-{row.batch.reference}" in shown
    assert "Why. Fee 0.25 EUR." in shown


def test_a_batch_that_is_sent_has_no_file(clerk, desk, approved):
    row = desk.send(approved())

    answer = clerk.get(page("payoutbatch_download", row.batch_id), follow=True)

    assert "It has no file: it is sent to the provider by itself." in answer.text


def test_staff_ask_the_provider_now(clerk, desk, approved):
    row = desk.send(approved())
    desk.work()
    desk.work(after=timedelta(seconds=5))

    clerk.post(page("payoutbatch_look_up", row.batch_id), {"confirmed": "yes"})

    row.refresh_from_db()
    assert row.next_at is not None


def test_staff_say_that_nothing_was_sent(clerk, desk, approved):
    payout = approved()
    row = desk.send(payout)
    desk.line.failures = [FailureKind.NO_ANSWER]
    desk.work()
    desk.work(after=timedelta(days=29))

    clerk.post(
        page("payoutbatch_not_sent", row.batch_id),
        {"confirmed": "yes", "reason": "Looked at PayPal."},
    )

    payout.refresh_from_db()
    assert (payout.status, PayoutSending.objects.get().state) == (
        "approved",
        "not_sent",
    )
