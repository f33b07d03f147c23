"""Orders compared with what a simulated Post Affiliate Pro holds, over real sockets."""

from __future__ import annotations

from datetime import timedelta

import pytest

from affiliates.contrib.reconciliation import compare as reconciliation
from affiliates.contrib.reconciliation.types import Agreement
from affiliates.outbox.models.delivery import Delivery, DeliveryAttempt
from affiliates.outbox.queue.rules import QueueState
from tests.affiliates.contrib.reconciliation.conftest import OTHER_VISITOR, VISITOR
from tests.factories.affiliates import BrandFactory
from tests.factories.ledger import OrderReferralFactory

RPC = "/scripts/server.php"


def verdicts(shop, **options) -> list[Agreement]:
    return [line.verdict for line in shop.reconcile(**options)]


def rpc_calls(simulator) -> int:
    return sum(one.target == RPC for one in simulator.state.log)


def test_a_delivered_sale_agrees_as_far_as_names_can_tell(shop):
    order = shop.sell()

    (line,) = shop.reconcile()

    assert line.verdict is Agreement.NAMES_UNCLEAR
    assert line.order.order_ref == order.order_ref
    (held,) = line.held
    assert (str(held.amount), held.currency) == ("100.00", "EUR")
    assert (held.status, held.affiliate) == ("P", "11111111")


def test_the_affiliates_number_in_the_link_agrees_wholly(shop):
    shop.sell(external_affiliate="11111111")

    assert verdicts(shop) == [Agreement.AGREES]


def test_another_affiliate_who_won_there_is_seen(shop, caller):
    shop.sell()
    caller.click("otheraff", visitorId=VISITOR)
    shop.sell()

    first, second = shop.reconcile()

    assert first.verdict is Agreement.NAMES_UNCLEAR
    assert second.verdict is Agreement.DIFFERENT_AFFILIATE
    assert "to 11111111, this one to 22222222" in second.reason


def test_a_decline_by_the_rule_against_repeated_orders_is_seen(shop, simulator, caller):
    """Acceptance test 8: the shop's own pixel reported the order first."""
    simulator.settings.change({"dup_order": "decline"})
    order = shop.order()
    moment = str(int(shop.now.timestamp()))
    caller.sell(order.invoice_ref, visitorId=VISITOR, t="100.00", ts=moment)
    shop.pay(order)
    assert shop.deliver()[QueueState.SENT] == 1

    (line,) = shop.reconcile()

    assert [sale.status for sale in line.held] == ["P", "D"]
    assert line.verdict is Agreement.HELD_TWICE
    assert "rule against repeated orders declined all but one" in line.reason


def test_a_sale_dropped_by_that_rule_shows_by_its_amount(shop, simulator, caller):
    simulator.settings.change({"dup_order": "drop"})
    order = shop.order()
    moment = str(int(shop.now.timestamp()))
    caller.sell(order.invoice_ref, visitorId=VISITOR, t="119.00", ts=moment)
    shop.pay(order)
    assert shop.deliver()[QueueState.SENT] == 1

    (line,) = shop.reconcile()

    assert line.verdict is Agreement.DIFFERENT_AMOUNT
    assert "paid with €100.00 net, the provider holds €119.00" in line.reason


def test_a_sale_reported_twice_is_seen(shop, caller):
    order = shop.sell()
    caller.sell(order.invoice_ref, visitorId=VISITOR, t="100.00")

    assert verdicts(shop) == [Agreement.HELD_TWICE]


def test_a_sale_declined_in_the_panel_is_seen(shop, simulator):
    order = shop.sell()
    (held,) = simulator.state.of_order(order.invoice_ref)
    held.status = "D"

    assert verdicts(shop) == [Agreement.DECLINED_THERE]


@pytest.mark.parametrize(
    ("_case", "visitor", "currency"),
    [
        ("unknown currency", VISITOR, "CHF"),
        ("nobody's visitor", OTHER_VISITOR, "EUR"),
    ],
)
def test_a_sale_that_was_accepted_and_dropped_is_missing(
    _case, visitor, currency, shop
):
    order = shop.order(visitor=visitor)
    shop.pay(order, currency=currency)
    assert shop.deliver()[QueueState.SENT] == 1

    (line,) = shop.reconcile()

    assert line.verdict is Agreement.MISSING_THERE
    assert line.held == ()


def test_a_sale_just_delivered_may_still_arrive(shop, simulator):
    simulator.settings.change({"mode": "offline"})
    shop.sell()
    soon = shop.now + timedelta(minutes=10)

    assert verdicts(shop, now=soon) == [Agreement.WAITING]
    assert verdicts(shop) == [Agreement.MISSING_THERE]


def test_an_own_order_reported_by_something_else_is_seen(shop, affiliate, caller):
    order = shop.own_order(affiliate)
    shop.pay(order)
    unseen = shop.own_order(affiliate)
    shop.pay(unseen)
    caller.sell(order.invoice_ref, visitorId=VISITOR)

    assert verdicts(shop) == [Agreement.HELD_THERE_TOO, Agreement.NOT_OURS_TO_SEND]


def test_an_order_that_begins_with_a_trial_is_asked_for_by_its_first_amount(shop):
    order = shop.order()
    shop.pay(order, "0.00")
    shop.pay(order, "100.00", renewal=1)
    shop.deliver()

    [line] = shop.reconcile()

    # As far as names can tell.
    assert line.verdict is Agreement.NAMES_UNCLEAR
    assert line.order.invoice_ref == f"{order.invoice_ref}-1"


def test_only_what_is_paid_is_asked_for(shop, simulator):
    shop.order()

    assert verdicts(shop) == [Agreement.NOT_PAID]
    assert rpc_calls(simulator) == 0


def test_what_waits_or_was_refused_tells_its_reason(shop, simulator):
    shop.pay(shop.order())
    simulator.fault(on="sale", times=1, status=503)
    shop.deliver()
    # Of two that are due at once either may be sent first.
    shop.pay(shop.order(visitor=OTHER_VISITOR))
    simulator.fault(on="sale", times=1, status=400)
    shop.deliver()

    first, second = shop.reconcile()

    assert first.verdict is Agreement.WAITING
    assert "answered with status 503" in first.reason
    assert second.verdict is Agreement.FAILED_HERE
    assert "answered with status 400" in second.reason


def test_an_ambiguous_sale_that_arrived_agrees(shop, simulator):
    order = shop.order(external_affiliate="11111111")
    shop.pay(order)
    simulator.fault(on="sale", close_after_processing=True)
    shop.deliver()
    Delivery.objects.update(next_at=None)

    (line,) = shop.reconcile()

    assert line.order.sale.state is QueueState.UNCLEAR
    assert line.verdict is Agreement.AGREES
    assert "mark it as arrived" in line.reason


def test_a_whole_refund_that_arrived_agrees(shop):
    order = shop.sell(external_affiliate="11111111")
    shop.refund(order, "100.00")
    assert shop.deliver()[QueueState.SENT] == 1

    assert verdicts(shop) == [Agreement.AGREES]


def test_a_partial_refund_that_must_be_made_by_hand_is_seen(shop):
    order = shop.sell()
    shop.refund(order, "25.00")
    assert shop.deliver()[QueueState.FAILED] == 1

    (line,) = shop.reconcile()

    assert line.verdict is Agreement.REVERSAL_DIFFERS
    assert line.reason.startswith(
        "A refund of €25.00 was not taken back there. Failed."
    )
    assert "by hand" in line.reason


def test_without_a_login_nobody_is_asked(shop, simulator):
    shop.sell()
    shop.integration.config = {"send_currency": True}

    (line,) = shop.reconcile()

    assert line.verdict is Agreement.NOT_ASKED
    assert "Post Affiliate Pro cannot be asked what it holds" in line.reason
    assert rpc_calls(simulator) == 0


def test_credentials_that_cannot_be_read_are_told(shop):
    shop.sell()
    shop.integration.secrets = "of another server"

    (line,) = shop.reconcile()

    assert line.verdict is Agreement.NOT_ASKED
    assert "Enter them again in the form" in line.reason


def test_a_provider_that_fails_three_times_in_a_row_is_left_alone(shop, simulator):
    for _ in range(6):
        shop.sell()
    simulator.fault(on="rpc", times=None, status=503)
    before = rpc_calls(simulator)

    lines = shop.reconcile()

    assert [line.verdict for line in lines] == [Agreement.NOT_ASKED] * 6
    assert rpc_calls(simulator) - before == 3
    assert "It was not asked any more" not in lines[2].reason
    assert lines[3].reason.endswith(
        "It was not asked any more after it had failed to answer 3 times in a row. "
        "The provider answered with status 503."
    )


def test_failures_that_are_not_in_a_row_are_borne(shop, simulator):
    for _ in range(6):
        shop.sell(external_affiliate="11111111")
    simulator.fault(on="rpc", times=2, status=503)
    # An order that is answered for takes two calls.
    simulator.fault(on="rpc", times=2, delay_s=0.001)
    simulator.fault(on="rpc", times=2, status=503)

    found = verdicts(shop)

    unasked = [Agreement.NOT_ASKED] * 2
    assert found == [*unasked, Agreement.AGREES, *unasked, Agreement.AGREES]


def test_wrong_credentials_end_it_as_well(shop, simulator):
    for _ in range(5):
        shop.sell()
    simulator.settings.change({"password": "changed"})
    before = rpc_calls(simulator)

    lines = shop.reconcile()

    assert {line.verdict for line in lines} == {Agreement.NOT_ASKED}
    assert "refused the merchant's login" in lines[4].reason
    # Two names of the login's class are tried each time.
    assert rpc_calls(simulator) - before <= 6


def test_requests_keep_to_the_integrations_rate(shop):
    shop.integration.requests_per_second = 2
    shop.sell()
    shop.sell()
    pauses: list[float] = []

    shop.reconcile(pause=pauses.append)

    # Two calls an order, the first of all without a pause.
    assert len(pauses) == 3
    assert all(0 < pause <= 0.5 for pause in pauses)


def test_orders_are_those_of_the_brand_converted_in_time_oldest_first(shop, host):
    shop.order(converted_at=shop.later)
    early = shop.order(converted_at=shop.now - timedelta(days=1))
    inside = shop.order()
    other = BrandFactory(client_area="other.example.com")
    client = host.client(other, email="client@example.com")
    OrderReferralFactory(brand=other, client=client, converted_at=shop.now)

    found = [line.order.order_ref for line in shop.reconcile()]
    between = reconciliation.orders_between(
        shop.integration, first=early.converted_at, last=shop.later
    )

    assert found == [early.order_ref, inside.order_ref]
    assert list(between) == [early, inside]


def test_a_chunk_of_orders_takes_four_queries(
    shop, monkeypatch, django_assert_num_queries
):
    monkeypatch.setattr(reconciliation, "CHUNK", 4)
    for _ in range(8):
        shop.pay(shop.order())

    # The ids once; then orders, payments, refunds and deliveries of each chunk.
    with django_assert_num_queries(1 + 2 * 4):
        assert len(shop.reconcile()) == 8


def test_nothing_is_written(shop, simulator):
    shop.sell()
    rows = list(Delivery.objects.values())
    transactions = list(simulator.state.transactions)

    shop.reconcile()

    assert list(Delivery.objects.values()) == rows
    assert DeliveryAttempt.objects.count() == 1
    assert simulator.state.transactions == transactions
