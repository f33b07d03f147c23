"""Where an affiliate is paid to, how it changes and who is told."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import transaction
from django.utils import translation

from affiliates.emails.models import Email
from affiliates.errors import InvalidInput, NotFound, StateConflict
from affiliates.payouts import details
from affiliates.payouts.models import PayoutDestination
from affiliates.payouts.rules import PayoutStatus
from affiliates.payouts.services.destinations import change_destination
from affiliates.program.rules import AffiliateStatus
from tests.database import nothing_written
from tests.factories.affiliates import AffiliateFactory
from tests.factories.books import PayoutFactory
from tests.factories.payouts import (
    GIVEN,
    IBAN,
    OTHER_IBAN,
    DestinationFactory,
    PayoutTermsFactory,
)

BANK, PAYPAL = "bank", "paypal"


def change(affiliate, now, *, kind=PAYPAL, **given):
    return change_destination(
        affiliate_id=affiliate.pk, kind=kind, values=given or GIVEN[kind], now=now
    )


def test_first_destination_is_usable_at_once(affiliate, terms, now):
    destination = change(affiliate, now, kind=BANK)

    assert PayoutDestination.objects.get() == destination
    assert destination.usable_from == destination.created_at == now
    assert (destination.kind, destination.hint) == ("bank", "DE… 3000")
    assert IBAN not in destination.details
    assert details.ACCOUNTS.open(destination.details) == GIVEN[BANK]
    assert str(destination) == "Bank transfer (SEPA) DE… 3000"


def test_change_adds_a_row_that_cools_off(affiliate, now):
    PayoutTermsFactory(brand=affiliate.brand, cool_off_days=3)
    first = change(affiliate, now)

    second = change(affiliate, now, kind=BANK)

    assert second.pk > first.pk
    assert second.usable_from == now + timedelta(days=3)
    assert PayoutDestination.objects.count() == 2


def test_change_back_cools_off_too(affiliate, now):
    change(affiliate, now)
    change(affiliate, now, kind=BANK)

    assert change(affiliate, now).usable_from == now + timedelta(days=7)


def test_repeat_of_the_same_changes_nothing(affiliate, now):
    first = change(affiliate, now, kind=BANK)

    with nothing_written():
        repeat = change(
            affiliate,
            now + timedelta(days=1),
            kind=BANK,
            iban="de89 3704 0044 0532 0130 00",
            account_holder=GIVEN[BANK]["account_holder"],
        )

    assert repeat == first


def test_destination_that_cannot_be_read_any_more_is_given_anew(
    affiliate, now, settings
):
    first = change(affiliate, now)
    settings.AFFILIATES_SECRET_KEYS = "7:" + "B" * 43 + "="

    assert change(affiliate, now).pk > first.pk


def paid(affiliate, destination):
    PayoutFactory(
        affiliate=affiliate, destination=destination, status=PayoutStatus.PAID
    )


def test_change_of_a_paypal_address_is_told_to_the_client_and_the_old_address_once(
    affiliate, now, emails, settings
):
    settings.TIME_ZONE = "UTC"
    paid(affiliate, DestinationFactory(affiliate=affiliate))

    with emails() as sent:
        change(affiliate, now, kind=BANK)

    assert [email.to for email in sent] == [
        ["affiliate@example.com"],
        ["partner@example.org"],
    ]
    [subject] = {email.subject for email in sent}
    assert subject == (f"{affiliate.brand}: your payout destination was changed")
    [text] = {email.body for email in sent}
    assert "Before: PayPal p…@example.org" in text
    assert "Now: Bank transfer (SEPA) DE… 3000, from 8 Mar 2026, 12:00 (UTC) on" in text
    assert "If it was not you" in text
    assert IBAN not in text
    assert "partner@" not in text


def test_address_paid_to_earlier_is_told_though_it_was_given_anew(
    affiliate, now, emails
):
    paid(affiliate, DestinationFactory(affiliate=affiliate))
    DestinationFactory(affiliate=affiliate, to=BANK)
    DestinationFactory(affiliate=affiliate)

    with emails() as sent:
        change(affiliate, now, kind=BANK)

    assert ["partner@example.org"] in [email.to for email in sent]


def test_address_that_was_never_paid_to_is_not_written_to(
    affiliate, brand, host, now, emails
):
    other = AffiliateFactory(
        brand=brand, user=host.client(brand, email="other@example.com")
    )
    paid(other, DestinationFactory(affiliate=other))
    paid(affiliate, DestinationFactory(affiliate=affiliate, to=BANK))
    strangers = DestinationFactory(affiliate=affiliate)
    PayoutFactory(
        affiliate=affiliate,
        destination=strangers,
        status=PayoutStatus.REJECTED,
    )

    with emails() as sent:
        change(affiliate, now, kind=BANK)
        change(affiliate, now)
        change(affiliate, now, kind=BANK)

    assert [email.to for email in sent] == [["affiliate@example.com"]] * 3


def test_first_destination_is_told_as_set(affiliate, now, emails):
    with emails() as sent:
        change(affiliate, now, kind=BANK)

    [email] = sent
    assert email.subject == f"{affiliate.brand}: your payout destination is set"
    first = (
        "was entered for the first time.\n\nBank transfer (SEPA) DE… 3000\n\nIf this"
    )
    assert first in email.body


@pytest.mark.parametrize("before", [None, BANK, "wallet"])
def test_others_are_told_at_the_clients_address_only(affiliate, now, emails, before):
    if before is not None:
        DestinationFactory(affiliate=affiliate, to=before)

    with emails() as sent:
        change(affiliate, now)

    assert [email.to for email in sent] == [["affiliate@example.com"]]


def test_client_paid_at_its_own_address_gets_one_email(affiliate, now, emails):
    own_address = {"email": "affiliate@example.com"}
    paid(affiliate, DestinationFactory(affiliate=affiliate, given=own_address))

    with emails() as sent:
        change(affiliate, now, kind=BANK)

    assert len(sent) == 1


def test_emails_wait_in_the_transaction_that_changes_the_destination(affiliate, now):
    with transaction.atomic():
        change(affiliate, now)
        transaction.set_rollback(True)
    assert Email.objects.count() == 0

    destination = change(affiliate, now)

    email = Email.objects.get()
    assert email.key == f"destination_set:{destination.pk}:client"
    assert (email.state, email.next_at) == ("waiting", now)


def test_an_email_keeps_the_kind_in_english_whatever_language_is_active(affiliate, now):
    with translation.override("de"):
        change(affiliate, now, kind=BANK)

    [email] = Email.objects.all()
    assert email.values["destination"]["word"] == "Bank transfer (SEPA)"


@pytest.mark.parametrize(
    ("_case", "kind", "given", "code", "field"),
    [
        ("IBAN", BANK, {"account_holder": "A", "iban": "X"}, "invalid_iban", "iban"),
        ("nothing", BANK, {"iban": OTHER_IBAN}, "required", "account_holder"),
        ("e-mail", PAYPAL, {"email": "x"}, "invalid_email", "email"),
    ],
)
def test_details_that_cannot_be_used_write_nothing(
    affiliate, terms, now, _case, kind, given, code, field
):
    with nothing_written(), pytest.raises(InvalidInput) as refused:
        change(affiliate, now, kind=kind, **given)

    assert (refused.value.code, refused.value.field) == (code, field)


def test_kind_that_the_brand_does_not_offer_is_refused(affiliate, now):
    PayoutTermsFactory(brand=affiliate.brand, kinds=["wallet", "paypal", "offline"])

    with nothing_written(), pytest.raises(StateConflict) as refused:
        change(affiliate, now, kind=BANK)

    assert refused.value.code == "kind_not_offered"


def test_agreement_is_offered_only_where_the_brand_says_so(affiliate, now):
    with nothing_written(), pytest.raises(StateConflict) as refused:
        change(affiliate, now, kind="offline")

    assert refused.value.code == "kind_not_offered"


def test_suspended_affiliate_changes_nothing(affiliate, now):
    affiliate.status = AffiliateStatus.SUSPENDED
    affiliate.save(update_fields=["status"])

    with nothing_written(), pytest.raises(StateConflict) as refused:
        change(affiliate, now)

    assert refused.value.code == "affiliate_inactive"


def test_affiliate_that_is_none_is_not_found(db, now):
    with pytest.raises(NotFound):
        change_destination(affiliate_id=0, kind="wallet", values={}, now=now)
