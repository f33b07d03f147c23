"""Stored decisions made again, and the command that checks them."""

from __future__ import annotations

import copy
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from affiliates.brands.rules import ClaimPolicy
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules.choices import ExternalVerdict
from affiliates.referrals.rules.decision import decide
from affiliates.referrals.rules.replay import ReplayResult, replay
from affiliates.referrals.rules.stored import CannotReplay, inputs_of, to_json
from tests.cases import each
from tests.factories.affiliates import BrandFactory
from tests.factories.decisions import make_external, make_inputs, make_touch
from tests.factories.ledger import NOW, OrderReferralFactory, decision_of

DAY = timedelta(days=1)


def unruled(*touches, **facts):
    """Decided by a brand without a stand-down."""
    return decide(make_inputs(*touches, stand_down=timedelta(0), **facts))


ONE, TWO = make_touch(3 * DAY, 1), make_touch(DAY, 2)


@each(
    "decision",
    [
        unruled(),
        unruled(ONE, TWO),
        unruled(ONE, TWO, paid_before=True),
        unruled(ONE, own_program=False),
        unruled(make_touch(92 * DAY), make_touch(-DAY)),
        unruled(ONE, paid_before=True, existing_clients_earn=True),
        unruled(make_touch(DAY, is_self=True)),
    ],
)
def test_stored_decision_comes_out_the_same(decision):
    assert replay(to_json(decision)).result is ReplayResult.SAME


@each("policy", list(ClaimPolicy))
@each(
    ("touches", "external", "paid_before"),
    [
        ([ONE], [make_external(5 * DAY), make_external(2 * DAY)], False),
        ([ONE], [make_external(3 * DAY)], False),
        ([], [make_external(DAY)], False),
        ([], [make_external(DAY)], True),
        ([ONE], [make_external(DAY, visitor_id="")], False),
        ([ONE], [make_external(2 * DAY), make_external(DAY, is_bot=True)], False),
        ([ONE], [make_external(DAY, click_id=None)], False),
    ],
)
def test_integrations_visit_comes_out_the_same(touches, external, paid_before, policy):
    decision = unruled(
        *touches, external=external, paid_before=paid_before, claim_policy=policy
    )

    assert replay(to_json(decision)).result is ReplayResult.SAME


def test_identifier_of_the_integrations_visitor_is_not_stored():
    stored = to_json(unruled(external=[make_external(DAY)]))

    assert make_external(DAY).visitor_id not in str(stored)
    assert "203.0.113.0" not in str(stored)
    again = decide(inputs_of(stored))
    assert again.external.verdict is ExternalVerdict.WON


@pytest.mark.parametrize(
    "stored",
    [
        {},
        {"format": 4},
        {"format": 5},
        {**to_json(unruled(ONE)), "format": 2},
        {**to_json(unruled(ONE)), "order": {}},
        {**to_json(unruled(ONE)), "candidates": [{"carrier": "cookie"}]},
        [],
        None,
        {**to_json(unruled(ONE)), "decided_at": "yesterday"},
        {**to_json(unruled(ONE)), "cookie": "eaten"},
    ],
)
def test_row_that_lacks_its_inputs_is_not_replayable(stored):
    assert replay(stored).result is ReplayResult.NOT_REPLAYABLE
    with pytest.raises(CannotReplay):
        inputs_of(stored)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["candidates", 0, "verdict"], "won"),
        (["candidates", 1, "affiliate_code"], "somebody"),
        (["outcome"], "nobody"),
        (["outcome"], "stolen"),
        (["terms", "policy"], "first_click"),
        (["terms", "window_days"], 1),
        (["stood_down"], [2]),
    ],
)
def test_change_of_a_stored_decision_is_found(path, value):
    stored = to_json(unruled(ONE, TWO))
    changed = copy.deepcopy(stored)
    part = changed
    for name in path[:-1]:
        part = part[name]
    part[path[-1]] = value

    # A name is an input: it alone is not contradicted by anything.
    is_input = path[-1] == "affiliate_code"
    expected = ReplayResult.SAME if is_input else ReplayResult.DIFFERENT
    assert replay(changed).result is expected


@pytest.fixture
def order(brand, affiliate, host):
    """Orders credited to the affiliate, unless their decision is given."""

    def order(number: int = 0, **fields) -> OrderReferral:
        touch = make_touch(DAY, affiliate.pk, now=NOW, affiliate_code=affiliate.code)
        return OrderReferralFactory(
            brand=brand,
            client=host.client(brand, email=f"client{number}@example.com"),
            order_ref=f"order-{number}",
            made=decision_of(touch),
            **fields,
        )

    return order


def run(*arguments: str) -> tuple[int, str]:
    out = StringIO()
    try:
        call_command("replay_decisions", *arguments, stdout=out, stderr=StringIO())
    except SystemExit as ended:
        return int(ended.code), out.getvalue()
    return 0, out.getvalue()


def test_command_finds_no_difference_in_what_was_decided(order):
    for number in range(3):
        order(number)
    order(3, decision={})

    assert run() == (0, "3 replayed, 0 differences, 1 not replayable\n")


def test_command_names_the_order_that_comes_out_differently(order):
    first = order(0)
    order(1)
    stored = {**first.decision, "outcome": "nobody", "reason": "no_touch"}
    stored["candidates"] = [{**stored["candidates"][0], "verdict": "bot"}]
    OrderReferral.objects.filter(pk=first.pk).update(decision=stored)

    status, text = run()

    assert status == 1
    assert text == (
        "Order order-0: stored Nobody credited, recomputed partner\n"
        "2 replayed, 1 differences, 0 not replayable\n"
    )


def test_command_keeps_to_a_brand_and_to_a_day(order, brand):
    order(0)
    order(1, converted_at=NOW - 3 * DAY)
    other = BrandFactory(client_area="other.example.com")

    assert run("--brand", brand.name)[1].startswith("2 replayed")
    assert run("--brand", other.name)[1].startswith("0 replayed")
    assert run("--since", "2026-02-28")[1].startswith("1 replayed")


@pytest.mark.parametrize(
    "arguments", [["--brand", "Nobody's"], ["--since", "yesterday"]]
)
def test_command_says_what_it_cannot_run_on(db, arguments):
    with pytest.raises(CommandError) as refusal:
        call_command("replay_decisions", *arguments)

    assert refusal.value.returncode == 2


def test_command_asks_few_queries_for_many_orders(order, django_assert_num_queries):
    for number in range(5):
        order(number)

    with django_assert_num_queries(2):
        run()
