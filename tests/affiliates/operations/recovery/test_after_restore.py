"""What ``affiliates_after_restore`` changes, prints and records."""

from __future__ import annotations

from datetime import timedelta
from io import StringIO

import pytest
import time_machine
from django.core.management import CommandError, call_command
from django.dispatch import receiver

from affiliates.emails.models import Email
from affiliates.emails.rules import RESTORED
from affiliates.emails.services import send_again
from affiliates.operations.recovery.models import Recovery
from affiliates.outbox.queue.rules import QueueState
from affiliates.payouts.services.requests import request_payout
from affiliates.payouts.statement_models import StatementGap, StatementSeries
from affiliates.signals import database_restored
from tests.affiliates.verification.finding import everything_found
from tests.append_only import unguarded
from tests.cases import each
from tests.database import nothing_written
from tests.factories.emails import NOW, EmailFactory
from tests.factories.payout_runs import SeriesFactory
from tests.factories.payouts import DestinationFactory, PayoutTermsFactory, earn

pytestmark = pytest.mark.django_db

RESTORED_AT = NOW + timedelta(minutes=5)
MOMENT = RESTORED_AT.isoformat()


def after_restore(*options: str, moment: str = MOMENT) -> list[str]:
    said = StringIO()
    with time_machine.travel(NOW + timedelta(minutes=10), tick=False):
        call_command("affiliates_after_restore", moment, *options, stdout=said)
    return said.getvalue().splitlines()


def test_a_dry_run_says_what_would_be_done_and_changes_nothing(brand):
    EmailFactory(brand=brand)
    SeriesFactory(brand=brand, last_number=7)

    with nothing_written():
        said = after_restore()

    assert said[:6] == [
        "0 deliveries to be looked up.",
        "0 deliveries unclear, for a person to look up.",
        "1 e-mail unclear: not sent again by itself.",
        "0 payout accounts send nothing new, until a person has compared and says so on "
        "its page.",
        "0 payout batches unclear, for a person to look up.",
        "1,000 numbers of payout statements left out in 1 series.",
    ]
    assert said[-1] == "Nothing was changed. Run it with --yes to do this."


def test_it_is_done_once_and_recorded(brand):
    EmailFactory(brand=brand)
    series = SeriesFactory(brand=brand, last_number=7)

    first = after_restore("--yes", "--numbers", "50")
    EmailFactory(brand=brand)
    with nothing_written():
        second = after_restore("--yes", "--numbers", "50")

    assert second == ["Done before, at 2026-03-01 12:10:00.", *first]
    series.refresh_from_db()
    assert series.last_number == 57
    gap = StatementGap.objects.get()
    assert (gap.series, gap.first_number, gap.last_number) == (series, 8, 57)
    recovery = Recovery.objects.get()
    assert (recovery.restored_at, recovery.numbers) == (RESTORED_AT, 50)
    assert recovery.report["done"] == first[: len(recovery.report["done"])]


def test_a_later_restore_is_another(brand):
    series = SeriesFactory(brand=brand)
    after_restore("--yes", "--numbers", "5")

    later = RESTORED_AT + timedelta(seconds=30)
    after_restore("--yes", "--numbers", "5", moment=later.isoformat())

    series.refresh_from_db()
    assert series.last_number == 10
    assert StatementGap.objects.count() == Recovery.objects.count() == 2


@pytest.mark.parametrize(
    ("_case", "fields", "state"),
    [
        ("waiting", {}, "unclear"),
        ("again later", {"state": QueueState.RETRY}, "unclear"),
        (
            "being sent",
            {"state": QueueState.SENDING, "next_at": RESTORED_AT + timedelta(hours=1)},
            "unclear",
        ),
        ("not due", {"next_at": RESTORED_AT + timedelta(hours=1)}, "waiting"),
        ("new", {"created_at": RESTORED_AT + timedelta(seconds=1)}, "waiting"),
        ("sent", {"state": QueueState.SENT}, "sent"),
    ],
)
def test_emails_that_may_have_gone_out_are_unclear(brand, _case, fields, state):
    email = EmailFactory(brand=brand, **fields)

    after_restore("--yes")

    email.refresh_from_db()
    assert email.state == state
    assert (email.detail == RESTORED) == (state == "unclear")


def test_staff_may_send_an_unwritten_email_again(brand):
    email = EmailFactory(brand=brand, subject="", text="", values={"number": "1"})
    after_restore("--yes")

    assert send_again(Email.objects.all(), now=NOW) == 1

    email.refresh_from_db()
    assert (email.state, email.values) == ("retry", {"number": "1"})


def test_a_series_that_open_payouts_may_have_begun_is_made(affiliate, now):
    PayoutTermsFactory(brand=affiliate.brand)
    DestinationFactory(affiliate=affiliate, usable_from=now)
    earn(affiliate, 10_000, "EUR")
    request_payout(affiliate_id=affiliate.pk, currency="EUR", now=now)

    said = after_restore("--yes", "--numbers", "5")

    assert StatementSeries.objects.get().last_number == 5
    assert (
        f"- Payouts of {affiliate.brand.name} that are requested: 1, 100.00 EUR in all. "
        "Before a file is exported or sent, ask the bank or PayPal which of them it has."
    ) in said


def test_numbers_left_out_are_accounted_for(affiliate, now):
    PayoutTermsFactory(brand=affiliate.brand)
    DestinationFactory(affiliate=affiliate, usable_from=now)
    earn(affiliate, 10_000, "EUR")
    request_payout(affiliate_id=affiliate.pk, currency="EUR", now=now)
    after_restore("--yes", "--numbers", "5")
    assert found_of_series() == []

    with unguarded():
        StatementGap.objects.all().delete()

    series = StatementSeries.objects.get()
    assert found_of_series() == [
        f"Statement series {series.pk} has given 5 numbers, but holds 0 statements up to "
        "0, and left out 0 after restores: one is missing or was never given."
    ]


def found_of_series() -> list[str]:
    return [one for one in everything_found() if one.startswith("Statement series ")]


def test_no_numbers_are_left_out_if_nothing_was_lost(brand):
    series = SeriesFactory(brand=brand, last_number=7)

    after_restore("--yes", "--numbers", "0")

    series.refresh_from_db()
    assert series.last_number == 7
    assert not StatementGap.objects.exists()


def test_a_host_leaves_out_numbers_of_its_own(brand):
    asked = []

    @receiver(database_restored)
    def leave_out(*, numbers, now, **_):
        asked.append(numbers)
        return ["5 numbers of tickets left out."]

    try:
        said = after_restore("--yes", "--numbers", "5")
    finally:
        database_restored.disconnect(leave_out)

    assert asked == [5]
    assert "5 numbers of tickets left out." in said


def test_a_host_that_fails_stops_it(brand):
    EmailFactory(brand=brand)

    @receiver(database_restored)
    def fail(**_):
        raise ValueError

    try:
        with nothing_written(), pytest.raises(ValueError):  # noqa: PT011 - as raised
            after_restore("--yes")
    finally:
        database_restored.disconnect(fail)


@each(
    ("moment", "said"),
    [
        ("yesterday", "yesterday is no moment with a zone"),
        ("2026-13-01T12:00Z", "2026-13-01T12:00Z is no moment with a zone"),
        ("2026-03-01T12:00", "2026-03-01T12:00 is no moment with a zone"),
        ("2026-03-01T13:00Z", "2026-03-01T13:00Z is in the future."),
    ],
)
def test_a_wrong_moment_is_refused(moment, said):
    with nothing_written(), pytest.raises(CommandError) as caught:
        after_restore("--yes", moment=moment)

    assert str(caught.value).startswith(said)


def test_wrong_numbers_are_refused():
    with nothing_written(), pytest.raises(CommandError, match="0 to 1000000"):
        after_restore("--yes", "--numbers=-1")
