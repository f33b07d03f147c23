"""Sales and commissions are told together: when, with which sums, and once."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from affiliates.emails import services
from affiliates.emails.choices.services import set_choices
from affiliates.emails.digests.rules import next_due
from affiliates.emails.digests.services import collect
from affiliates.emails.digests.sums import added, described
from affiliates.emails.models import Email
from affiliates.emails.sending import send_due
from affiliates.emails.types import EmailDelivery, EmailKind, money
from affiliates.outbox.queue.rules import QueueState
from tests.affiliates.emails.taking import take_next
from tests.affiliates.emails.test_news import notify
from tests.affiliates.emails.test_unsubscribing import URL
from tests.database import nothing_written
from tests.races import at_once, needs_postgresql

pytestmark = pytest.mark.django_db

HOUR = timedelta(hours=1)
BERLIN, UTC_ZONE = ZoneInfo("Europe/Berlin"), ZoneInfo("UTC")
COMMISSION = {"commission_id": 1, "order": "A", "reason": "refund", "left": ""}


@pytest.fixture(autouse=True)
def _in_utc(settings):
    settings.TIME_ZONE = "UTC"


@pytest.fixture
def send():
    def send(at) -> Counter[QueueState]:
        return send_due(now=lambda: at)

    return send


def sell(affiliate, at, fact="1", *, net=100_00, commission=10_00, currency="EUR"):
    notify(
        affiliate,
        at,
        EmailKind.SALE,
        fact,
        order=f"order-{fact}",
        order_id=1,
        net=money(net, currency),
        commission=money(commission, currency) if commission else "",
    )


def digest() -> Email:
    return Email.objects.get(kind="digest")


@pytest.mark.parametrize(
    ("now", "delivery", "zone", "due"),
    [
        # 1 March 2026 is a Sunday.
        ("2026-03-01T06:59", "daily", UTC_ZONE, "2026-03-01T07:00"),
        ("2026-03-01T07:00", "daily", UTC_ZONE, "2026-03-02T07:00"),
        ("2026-03-01T06:00", "daily", BERLIN, "2026-03-02T06:00"),
        ("2026-03-28T12:00", "daily", BERLIN, "2026-03-29T05:00"),
        ("2026-03-01T07:00", "weekly", UTC_ZONE, "2026-03-02T07:00"),
        ("2026-03-02T06:59", "weekly", UTC_ZONE, "2026-03-02T07:00"),
        ("2026-03-02T07:00", "weekly", UTC_ZONE, "2026-03-09T07:00"),
    ],
)
def test_due_at_seven_of_the_affiliates_next_day_or_monday(now, delivery, zone, due):
    at = datetime.fromisoformat(now).replace(tzinfo=UTC)

    found = next_due(at, EmailDelivery(delivery), zone)

    assert found == datetime.fromisoformat(due).replace(tzinfo=UTC)


def test_facts_are_counted_and_amounts_added_by_kind_and_currency():
    sums = {}
    for net, earned, currency in ((100, 10, "EUR"), (50, 0, "EUR"), (7, 1, "USD")):
        values = {
            "order": "A",
            "net": money(net, currency),
            "commission": money(earned, currency) if earned else "",
        }
        sums = added(sums, EmailKind.SALE, values)
    sums = added(sums, EmailKind.REVERSAL, {"taken": money(3, "EUR"), "left": ""})

    assert sums == {
        "sale": {
            "EUR": {"count": 2, "net": 150, "commission": 10},
            "USD": {"count": 1, "net": 7, "commission": 1},
        },
        "reversal": {"EUR": {"count": 1, "taken": 3}},
    }
    words = described(sums, since=datetime(2026, 3, 1, tzinfo=UTC))
    assert words["earned"] == [money(10, "EUR"), money(1, "USD")]
    assert [(one["kind"], one["count"]) for one in words["news"]] == [
        ("sale", 2),
        ("sale", 1),
        ("reversal", 1),
    ]


def test_sales_of_a_day_are_one_email_with_their_sums(affiliate, now, send, mailoutbox):
    for hours, fact in enumerate("abc"):
        sell(affiliate, now + hours * HOUR, fact)
        send(now + hours * HOUR)
    sell(affiliate, now, "d", net=20_00, commission=2_00, currency="USD")
    notify(
        affiliate,
        now,
        EmailKind.REVERSAL,
        **{**COMMISSION, "taken": money(5_00, "EUR")},
    )
    assert mailoutbox == []

    send(now + timedelta(hours=18))
    assert mailoutbox == []
    send(now + timedelta(hours=19))
    send(now + timedelta(hours=20))

    [message] = mailoutbox
    assert message.subject == f"{affiliate.brand}: your sales and commissions"
    assert "3 sales of €300.00 in all, your commission €30.00\n" in message.body
    assert "1 sale of $20.00, your commission $2.00\n" in message.body
    assert "1 commission taken back, wholly or in part: €5.00\n" in message.body
    assert "https://shop.example.com/affiliate/commissions\n" in message.body
    assert ">€30.00 · $2.00</p>" in message.alternatives[0][0]
    assert message.extra_headers["List-Unsubscribe-Post"]
    sent = digest()
    assert (sent.state, sent.values, sent.attempt_count) == ("sent", None, 1)
    parts = Email.objects.filter(kind__in=["sale", "reversal"])
    assert set(parts.values_list("state", "detail", "values", "attempt_count")) == {
        ("not_sent", "It is part of a digest.", None, 1)
    }


def test_three_hundred_orders_of_a_month_are_at_most_sixty_emails(
    affiliate, send, mailoutbox
):
    start = datetime(2026, 3, 1, tzinfo=UTC)
    for number in range(300):
        at = start + number * timedelta(hours=2.4)
        sell(affiliate, at, str(number))
        approved = {**COMMISSION, "left": money(10_00, "EUR")}
        kind = EmailKind.COMMISSION_APPROVED
        notify(affiliate, at, kind, str(number), **approved)
        if number % 10 == 0:
            taken = {**COMMISSION, "taken": money(10_00, "EUR")}
            notify(affiliate, at, EmailKind.REVERSAL, str(number), **taken)
    for fact, at in (("a", start), ("b", start + timedelta(days=15))):
        notify(affiliate, at, fact=fact)

    for hour in range(33 * 24):
        send(start + hour * HOUR)

    assert len(mailoutbox) <= 60
    kinds = Counter(Email.objects.filter(state="sent").values_list("kind", flat=True))
    assert kinds == {"digest": 31, "paid": 2}
    sales = [one.body.partition(" sale")[0].split()[-1] for one in mailoutbox]
    assert sum(int(one) for one in sales if one.isdigit()) == 300


@pytest.mark.parametrize(
    ("delivery", "due"),
    [("at_once", timedelta(0)), ("daily", 19 * HOUR), ("weekly", 19 * HOUR)],
)
def test_each_kind_comes_as_the_affiliate_chooses(
    affiliate, now, send, mailoutbox, delivery, due
):
    # From Sunday noon the next morning is a Monday.
    set_choices(affiliate.pk, {"sale": delivery}, now=now)
    sell(affiliate, now)

    send(now)
    assert len(mailoutbox) == (not due)
    send(now + due)

    assert len(mailoutbox) == 1
    assert Email.objects.filter(kind="digest").count() == bool(due)


def test_what_comes_while_a_digest_is_sent_is_in_the_next(
    affiliate, now, send, mailoutbox
):
    sell(affiliate, now, "first")
    send(now)
    due = now + 19 * HOUR
    leased = take_next(now=due)
    assert leased.kind == "digest"
    sell(affiliate, now, "second")

    send(due - timedelta(seconds=1))

    first, second = Email.objects.filter(kind="digest").order_by("next_at")
    assert first.next_at == due + timedelta(minutes=10)
    assert second.next_at == due + timedelta(days=1)
    for one in (first, second):
        assert one.values == {
            "sale": {"EUR": {"count": 1, "net": 100_00, "commission": 10_00}}
        }


def test_a_fact_is_collected_once(affiliate, now):
    sell(affiliate, now)
    taken = take_next(now=now)
    stale = Email.objects.get(pk=taken.pk)
    stale.next_at = now

    assert collect(stale, now=now)
    assert not Email.objects.filter(kind="digest").exists()
    assert collect(taken, now=now)
    with nothing_written():
        collect(stale, now=now)

    assert digest().values["sale"]["EUR"]["count"] == 1


def test_what_is_turned_off_before_the_digest_is_left_out(
    affiliate, now, send, mailoutbox
):
    sell(affiliate, now)
    approved = {**COMMISSION, "left": money(10_00, "EUR")}
    notify(affiliate, now, EmailKind.COMMISSION_APPROVED, **approved)
    send(now)
    set_choices(affiliate.pk, {"sale": "never"}, now=now)

    send(now + 19 * HOUR)

    [message] = mailoutbox
    assert "1 commission approved: €10.00" in message.body
    assert "sale of" not in message.body


def test_digest_of_nothing_that_is_wanted_is_not_sent(affiliate, now, send, mailoutbox):
    sell(affiliate, now)
    send(now)
    set_choices(affiliate.pk, {"sale": "never"}, now=now)

    send(now + 19 * HOUR)

    assert mailoutbox == []
    ended = digest()
    assert (ended.state, ended.values, ended.subject) == ("not_sent", None, "")
    assert ended.detail == "The affiliate has switched this kind off."


def test_turned_off_between_two_tries_is_left_out_of_the_second(
    affiliate, now, send, mailoutbox
):
    sell(affiliate, now)
    approved = {**COMMISSION, "left": money(10_00, "EUR")}
    notify(affiliate, now, EmailKind.COMMISSION_APPROVED, **approved)
    send(now)
    due = now + 19 * HOUR
    taken = take_next(now=due)
    assert services.prepare(taken) == ""
    set_choices(affiliate.pk, {"sale": "never"}, now=now)

    assert not services.begin_sending(taken, now=due)
    assert services.why_not(taken) == ""
    send(due + HOUR)

    [message] = mailoutbox
    assert "1 commission approved" in message.body
    assert "sale of" not in message.body


def test_one_click_turns_off_what_comes_in_digests_and_nothing_else(
    affiliate, now, send, mailoutbox, client
):
    set_choices(affiliate.pk, {"reversal": "at_once"}, now=now)
    sell(affiliate, now)
    send(now)
    send(now + 19 * HOUR)
    link = URL.fullmatch(mailoutbox.pop().extra_headers["List-Unsubscribe"])[1]

    answer = client.post(
        link, {"List-Unsubscribe": "One-Click"}, headers={"host": "shop.example.com"}
    )

    assert answer.status_code == 200
    chosen = affiliate.email_choices.order_by("kind").values_list("kind", "delivery")
    assert list(chosen) == [
        ("commission_approved", "never"),
        ("restoration", "never"),
        ("reversal", "at_once"),
        ("sale", "never"),
    ]


def test_unclear_digest_is_sent_again_as_it_was(affiliate, now, send, mailoutbox):
    sell(affiliate, now)
    send(now)
    send(now + 19 * HOUR)
    first = mailoutbox.pop()
    Email.objects.filter(kind="digest").update(state="unclear")

    assert services.send_again(Email.objects.all(), now=now + 20 * HOUR) == 1
    send(now + 20 * HOUR)

    [again] = mailoutbox
    said = [one.body.partition("To get no more")[0] for one in (again, first)]
    assert said[0] == said[1]
    assert again.extra_headers["Message-ID"] == first.extra_headers["Message-ID"]


def test_waits_in_no_queue_for_late_emails_until_it_is_due(affiliate, now, send):
    sell(affiliate, now)
    send(now)

    waiting = digest()

    due = now + 19 * HOUR
    assert (waiting.next_at, waiting.queued_at, waiting.created_at) == (due, due, now)


def test_test_brand_gets_none(affiliate, brand, now, send, mailoutbox):
    type(brand).objects.update(is_test=True)
    sell(affiliate, now)

    send(now + 19 * HOUR)

    assert mailoutbox == []
    assert Email.objects.get().detail == "It is of a test brand."


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_workers_at_once_lose_no_fact_and_count_none_twice(affiliate, now):
    for number in range(40):
        sell(affiliate, now, str(number))

    at_once(4, lambda _: send_due(now=lambda: now))

    [found] = Email.objects.filter(kind="digest")
    assert found.values == {
        "sale": {"EUR": {"count": 40, "net": 40 * 100_00, "commission": 40 * 10_00}}
    }
    assert Email.objects.filter(kind="sale", state="not_sent").count() == 40
