"""Acceptance tests 6 to 8 and 10: paid orders and refunds at the tracker."""

from __future__ import annotations

import json
from datetime import timedelta
from decimal import Decimal
from urllib.parse import parse_qs

import pytest

from affiliates.contrib.reconciliation.types import Agreement
from affiliates.outbox.doubt import doubt_deliveries
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.queue.rules import QueueState
from affiliates.outbox.rules import NOT_COUNTED
from tests.portal.network.shop import Shop, delivery
from tests.simulator import Caller

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)
SALE_OF_NO_ANSWER = "127.0.0.1 closed the connection before the answer was whole."
FOUND = "Found at the provider after an unclear answer."


def kinds_sent(shop: Shop) -> list[str]:
    return ["sale" if one.body else "click" for one in shop.requests()]


def asked(shop: Shop) -> list[dict]:
    """What was asked of the merchant's script, logins aside."""
    bodies = [parse_qs(one.body.decode())["D"][0] for one in shop.requests("server")]
    calls = [json.loads(body) for body in bodies]
    return [one for call in calls for one in call.get("requests", ())]


def test_acceptance_6_a_sale_waits_for_its_click_and_follows_it(shop):
    shop.integrate()
    shop.tracker.stop()
    invoice = shop.sell()
    shop.deliver()
    shop.tracker.start()

    too_early = shop.deliver()
    sale = delivery("sale", invoice)
    shop.deliver(after=MINUTE)
    shop.deliver()

    assert (too_early[QueueState.SENT], sale.state, sale.attempt_count) == (
        0,
        "waiting",
        0,
    )
    assert kinds_sent(shop) == ["click", "sale"]
    assert shop.held() == [("S", str(invoice.pk), "testaff", "P")]


def test_acceptance_6_a_sale_carries_a_click_that_never_arrives(shop):
    shop.integrate()
    shop.tracker.fault(on="click", times=None, status=500)
    invoice = shop.sell()

    shop.deliver()
    shop.deliver(after=9 * MINUTE)
    patient = delivery("sale", invoice).attempt_count
    shop.deliver(after=MINUTE)

    assert patient == 0
    assert shop.held() == [("S", str(invoice.pk), "testaff", "P")]
    assert len(shop.tracker.state.clicks) == 1
    click, sale = delivery("click"), delivery("sale", invoice)
    assert (click.state, click.detail) == ("sent", "Carried by its sale.")
    assert sale.state == "sent"


def test_acceptance_7_an_unclear_sale_is_looked_up_and_not_sent_twice(shop):
    shop.integrate()
    invoice = shop.sell()
    shop.deliver()
    shop.tracker.fault(on="sale", close_after_processing=True)

    unclear = shop.deliver()
    before = delivery("sale", invoice)
    shop.deliver(after=timedelta(seconds=20))

    assert (unclear[QueueState.UNCLEAR], before.state) == (1, "unclear")
    assert SALE_OF_NO_ANSWER in shop.shown(shop.page_of(before))
    after = delivery("sale", invoice)
    assert (after.state, after.detail) == ("sent", FOUND)
    assert kinds_sent(shop) == ["click", "sale"]
    assert shop.held() == [("S", str(invoice.pk), "testaff", "P")]


def test_unclear_sale_is_not_sent_twice_to_an_install_that_counts_by_cron(shop):
    shop.tracker.settings.change({"mode": "offline"})
    shop.integrate()
    invoice = shop.sell()
    shop.deliver()
    shop.tracker.fault(on="sale", close_after_processing=True)
    shop.deliver()

    for after in ({"seconds": 20}, {"minutes": 3}, {"minutes": 11}):
        shop.deliver(after=timedelta(**after))
    before = delivery("sale", invoice)
    shop.tracker.state.cron()
    shop.deliver(after=timedelta(minutes=1))

    assert (before.state, before.detail) == ("unclear", NOT_COUNTED)
    after = delivery("sale", invoice)
    assert (after.state, after.detail) == ("sent", FOUND)
    assert kinds_sent(shop) == ["click", "sale"]
    assert shop.held() == [("S", str(invoice.pk), "testaff", "P")]


def test_sale_of_a_restored_database_is_looked_up_until_it_must_have_been_counted(shop):
    shop.tracker.settings.change({"mode": "offline"})
    shop.integrate()
    cookie = shop.arrive()
    shop.deliver()
    invoice = shop.order(shop.join(cookie), cookie=cookie)
    shop.pay(invoice)
    visitor = delivery("click").visitor_ref
    shop.clock.at += timedelta(hours=1)
    # Sent just before the database was lost, which is restored without the attempt.
    Caller(shop.tracker).sell(str(invoice.pk), visitorId=visitor, t="9.00")
    doubt_deliveries(restored_at=shop.clock.at, now=shop.clock.at)

    for minutes in (0, 4, 10):
        shop.deliver(after=timedelta(minutes=minutes))
    before = delivery("sale", invoice)
    shop.tracker.state.cron()
    shop.deliver(after=timedelta(minutes=1))

    assert (before.state, before.detail) == ("unclear", NOT_COUNTED)
    after = delivery("sale", invoice)
    assert (after.state, after.detail) == ("sent", FOUND)
    assert shop.held() == [("S", str(invoice.pk), "testaff", "P")]


@pytest.mark.parametrize(
    ("counts_within", "minutes"), [("0", 1 / 3), ("", 15), ("45", 45)]
)
def test_lost_sale_is_sent_again_when_the_install_must_have_counted_it(
    shop, counts_within, minutes
):
    shop.tracker.settings.change({"mode": "offline"})
    shop.integrate(counts_within=counts_within)
    invoice = shop.sell()
    shop.deliver()
    shop.tracker.fault(on="sale", close_before=True)
    shop.deliver()
    sent_at = shop.clock.at

    while len(kinds_sent(shop)) < 3:
        shop.deliver(after=timedelta(seconds=20))

    took = shop.clock.at - sent_at
    assert timedelta() <= took - timedelta(minutes=minutes) <= timedelta(seconds=20)
    shop.tracker.state.cron()
    assert shop.held() == [("S", str(invoice.pk), "testaff", "P")]


@pytest.mark.parametrize(
    ("policy", "state", "count"),
    [("look_up", "unclear", 1), ("hold", "unclear", 1), ("resend", "sent", 2)],
)
def test_acceptance_7_without_a_login_the_policy_decides_of_an_unclear_sale(
    shop, policy, state, count
):
    shop.integrate(username="", password="", ambiguous_sales=policy)
    invoice = shop.sell()
    shop.deliver()
    shop.tracker.fault(on="sale", close_after_processing=True)
    shop.deliver()

    shop.deliver(after=timedelta(hours=1))

    sale = delivery("sale", invoice)
    assert (sale.state, sale.next_at) == (state, None)
    assert shop.held() == [("S", str(invoice.pk), "testaff", "P")] * count
    assert shop.requests("server") == []


def test_acceptance_8_a_sale_declined_as_a_repetition_is_seen_by_reconciling(shop):
    shop.tracker.settings.change({"dup_order": "decline"})
    shop.integrate()
    cookie = shop.arrive()
    shop.deliver()
    invoice = shop.order(shop.join(cookie), cookie=cookie)
    visitor = delivery("click").visitor_ref
    paid_at = str(int(shop.clock.at.timestamp()))
    pixel = Caller(shop.tracker)
    pixel.sell(str(invoice.pk), visitorId=visitor, t="9.00", ts=paid_at)
    shop.pay(invoice)

    report = shop.deliver()
    [line] = shop.reconcile()

    assert report[QueueState.SENT] == 1
    assert [status for *_, status in shop.held()] == ["P", "D"]
    assert line.verdict is Agreement.HELD_TWICE
    assert "rule against repeated orders declined all but one" in line.reason


def test_acceptance_10_a_refund_takes_the_commission_back_once(shop):
    shop.integrate(sale_status="A")
    invoice = shop.sell()
    other = shop.sell("/plans?a_aid=otheraff")
    for _ in range(2):
        shop.deliver()

    for _ in range(2):
        shop.refund(invoice)
        shop.deliver()

    assert Delivery.objects.filter(operation="reversal").count() == 1
    assert delivery("reversal").state == "sent"
    assert sorted(shop.held()) == sorted(
        [
            ("S", str(invoice.pk), "testaff", "A"),
            ("S", str(other.pk), "otheraff", "A"),
            ("R", str(invoice.pk), "testaff", "A"),
        ]
    )
    [refund] = [one for one in shop.tracker.state.transactions if one.type == "R"]
    assert refund.commission == Decimal("-0.90")


def test_acceptance_10_a_refund_told_twice_counts_once_there(shop):
    shop.integrate(sale_status="A")
    invoice = shop.sell()
    shop.deliver()
    shop.deliver()
    shop.refund(invoice)
    # The second call is the refund itself, after the login.
    shop.tracker.fault(on="rpc", delay_s=0.01)
    shop.tracker.fault(on="rpc", close_after_processing=True)

    first = shop.deliver()
    second = shop.deliver(after=MINUTE)

    assert (first[QueueState.RETRY], second[QueueState.SENT]) == (1, 1)
    assert [one["M"] for one in asked(shop)] == ["makeRefundChargebackByParams"] * 2
    assert [kind for kind, *_ in shop.held()] == ["S", "R"]


def test_acceptance_10_every_refund_names_its_order(shop):
    shop.integrate(sale_status="A")
    invoices = [shop.sell(), shop.sell()]
    for _ in range(2):
        shop.deliver()
    for number, invoice in enumerate(invoices):
        shop.refund(invoice, reference=f"refund-{number}")
    shop.deliver()

    filters = [one["filters"] for one in asked(shop)]

    named = sorted(filters)
    assert named == sorted([["orderid", "E", str(one.pk)]] for one in invoices)


def test_acceptance_10_a_pending_sale_is_declined_instead(shop):
    shop.integrate(sale_status="P")
    invoice = shop.sell()
    shop.deliver()
    shop.deliver()
    shop.refund(invoice)

    report = shop.deliver()

    assert report[QueueState.SENT] == 1
    assert shop.held() == [("S", str(invoice.pk), "testaff", "D")]
    assert [one["M"] for one in asked(shop)] == ["changeStatusPerOrderId"]
