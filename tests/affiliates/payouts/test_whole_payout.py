"""From the destination to the money, by the admin's pages of the core alone."""

from __future__ import annotations

import pytest
from django.urls import reverse
from django.utils import timezone

from affiliates.payouts.models import Payout, PayoutBatch
from affiliates.verification.seals import judge_seal
from tests.affiliates.payouts.looking import standing, steps_of
from tests.factories.payouts import GIVEN, IBAN, OWN_ACCOUNT, earn


@pytest.fixture
def one(browser_of, staff):
    return browser_of(staff)


@pytest.fixture
def another(browser_of, second):
    return browser_of(second)


def submit(browser, page, *args, **given) -> list[str]:
    """Opens a page that asks, answers it and returns the messages of the next page."""
    path = reverse(f"admin:affiliates_{page}", args=args)
    assert browser.get(path).status_code == 200
    answer = browser.post(path, {**given, "confirmed": "yes"}, follow=True)
    return _told(answer)


def choose(browser, action, payout, **given) -> list[str]:
    """Chooses the payout and the action in the list, and answers what it asks."""
    path = reverse("admin:affiliates_payout_changelist")
    chosen = {"action": action, "_selected_action": payout.pk}
    assert browser.post(path, chosen).status_code == 200
    answer = browser.post(path, {**chosen, **given, "confirmed": "yes"}, follow=True)
    return _told(answer)


def _told(answer) -> list[str]:
    assert answer.status_code == 200
    return [str(one) for one in answer.context["messages"]]


def test_two_persons_pay_an_affiliate_by_bank_transfer(
    one, another, affiliate, for_two, staff, second
):
    for name, value in OWN_ACCOUNT.items():
        setattr(for_two, name, value)
    for_two.save()
    earn(affiliate, 7_512)

    given = {"kind": "bank", **GIVEN["bank"]}
    submit(one, "affiliate_enter_destination", affiliate.pk, **given)
    submit(one, "affiliate_start_payout", affiliate.pk, currency="EUR")
    payout = Payout.objects.get()
    refused = choose(one, "approve", payout)
    approved = choose(another, "approve", payout)
    exported = choose(another, "export", payout)
    batch = PayoutBatch.objects.get()
    file = another.get(
        reverse("admin:affiliates_payoutbatch_download", args=[batch.pk])
    )
    submit(one, "payoutbatch_confirm_all", batch.pk, reference="BANK-1")

    assert refused == [
        f"Payout {payout.pk}: A second person has to approve it, who did not start or "
        "prepare it."
    ]
    assert approved == ["1 payout approved."]
    assert exported == [f"Batch {batch.pk}: 1 payout being paid. Download it below."]
    assert IBAN in file.content.decode()
    payout.refresh_from_db()
    assert (payout.status, payout.remote_ref) == ("paid", "BANK-1")
    assert (payout.is_for_two, payout.prepared_by, payout.approved_by) == (
        True,
        staff,
        second,
    )
    assert standing(affiliate) == (0, 0, 7_512)
    came_back = choose(one, "came_back", payout, reason="Account closed")
    assert came_back == ["1 payout returned; the money is payable again."]
    assert standing(affiliate) == (7_512, 0, 0)
    assert steps_of(payout) == [
        ("", "requested"),
        ("requested", "approved"),
        ("approved", "exported"),
        ("exported", "paid"),
        ("paid", "returned"),
    ]
    payout.refresh_from_db()
    rows = [payout, payout.destination, payout.batch, *payout.events.all()]
    assert [text for row in rows for text in judge_seal(row)] == []


def test_what_an_affiliate_asked_for_is_prepared_and_approved(
    one, another, affiliate, requested, for_two
):
    payout = requested("offline")

    prepared = choose(one, "approve", payout)
    approved = choose(another, "approve", payout)
    page = another.get(reverse("admin:affiliates_payout_change", args=[payout.pk]))
    paid = choose(another, "confirm", payout, reference="Cheque 7")

    assert prepared == ["1 payout prepared: a second person approves it."]
    assert approved == ["1 payout approved."]
    assert "Prepared: a second person has to approve it." in page.text
    assert paid == ["1 payout confirmed as paid."]
    assert standing(affiliate) == (0, 0, 10_000)


def test_rejected_one_is_started_anew(one, affiliate, terms):
    earn(affiliate, 7_512)
    given = {"kind": "paypal", "email": "partner@example.org"}
    submit(one, "affiliate_enter_destination", affiliate.pk, **given)
    submit(one, "affiliate_start_payout", affiliate.pk, currency="EUR")

    rejected = choose(one, "reject", Payout.objects.get(), reason="Wrong day")
    submit(one, "affiliate_start_payout", affiliate.pk, currency="EUR")

    assert rejected == ["1 payout rejected; the money is payable again."]
    assert standing(affiliate) == (0, 7_512, 0)
    newest = Payout.objects.first()
    assert (newest.status, newest.requested_at <= timezone.now()) == ("requested", True)
