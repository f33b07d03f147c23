"""What would have come out by other rules, and that nothing is written to say so."""

from __future__ import annotations

import csv
from copy import deepcopy
from datetime import timedelta
from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection

from affiliates.commissions.models import Commission
from affiliates.contracts import RefundKind
from affiliates.referrals.models import OrderReferral
from tests.factories.plans import CommissionPlanFactory
from tests.factories.programs import make_world
from tests.factories.world import World

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def kept_world(keep_rows) -> World:
    return keep_rows(order_once)


@pytest.fixture
def world(db: None, kept_world: World) -> World:
    """First affiliate 1 sends the visitor, a day later 2; the order is 100.00 EUR net.

    Affiliate 1 earns 12.5 %, affiliate 2 33.333 %.
    """
    return deepcopy(kept_world)


def order_once() -> World:
    world = make_world()
    visitor = world.arrive()
    world.visit(visitor, world.affiliates[0])
    world.pass_by(days=1)
    world.visit(visitor, world.affiliates[1])
    world.pass_by(days=1)
    world.register(visitor)
    order = world.convert(
        visitor, currency="EUR", lines=[("hosting", "monthly", 10_000)]
    )
    world.pay(order.invoices[0])
    return world


def simulate(world: World, *options: str) -> str:
    out = StringIO()
    day = world.now.date()
    call_command(
        "simulate_policy",
        f"--brand={world.brand.name}",
        f"--from={day - timedelta(days=10)}",
        f"--to={day + timedelta(days=1)}",
        *options,
        stdout=out,
        stderr=StringIO(),
    )
    return out.getvalue()


def test_draft_equal_to_today_changes_nothing(world):
    text = simulate(world)

    assert text.splitlines()[-1] == "0 of 1 orders would change."


def test_another_policy_shows_the_new_winner_and_what_it_costs(world):
    first, second = (affiliate.code for affiliate in world.affiliates[:2])

    text = simulate(world, "--policy=first_click")

    assert f"{second}  {first}  33.33 EUR  12.50 EUR" in text
    assert text.splitlines()[-4:] == [
        "1 of 1 orders would change.",
        *sorted(
            [
                f"{first}: €0.00 today, €12.50 by the draft (+€12.50)",
                f"{second}: €33.33 today, €0.00 by the draft (-€33.33)",
            ]
        ),
        "All together: €33.33 today, €12.50 by the draft (-€20.83)",
    ]


def test_both_sides_are_computed_by_rules_and_not_from_what_was_decided(world):
    world.brand.attribution_policy = "first_click"
    world.brand.save()

    text = simulate(world, "--policy=first_click")

    assert text.splitlines()[-1] == "0 of 1 orders would change."
    assert OrderReferral.objects.get().affiliate == world.affiliates[1]


def test_another_plan_for_everybody_changes_the_amount(world):
    CommissionPlanFactory(brand=world.brand, name="Draft", rules=[{"percent": 20}])

    text = simulate(world, "--plan=Draft")

    assert "33.33 EUR  20.00 EUR" in text


def test_another_plan_only_instead_of_the_one_that_is_named(world):
    CommissionPlanFactory(brand=world.brand, name="Draft", rules=[{"percent": 20}])
    other = world.affiliates[2].plan.name

    text = simulate(world, "--plan=Draft", f"--instead-of={other}")

    assert text.splitlines()[-1] == "0 of 1 orders would change."


def test_refunds_are_taken_off_both_sides(world):
    invoice = world.invoices[0]
    world.refund(invoice, invoice.gross // 2, kind=RefundKind.REFUND)

    text = simulate(world, "--policy=first_click")

    assert "16.66 EUR  6.25 EUR" in text


def test_renewals_are_part_of_what_an_order_costs(world):
    world.pass_by(days=1)
    world.pay(world.renew(world.orders[0]))

    text = simulate(world, "--policy=first_click")

    assert "53.33 EUR  25.00 EUR" in text


def test_a_cap_is_filled_by_one_order_after_the_other(world):
    CommissionPlanFactory(
        brand=world.brand,
        name="Capped",
        cap_period="month",
        cap_amounts={"EUR": "30.00"},
        rules=[{"percent": Decimal(20)}],
    )
    order = world.convert(
        world.visitors[0], currency="EUR", lines=[("hosting", "monthly", 10_000)]
    )
    world.pay(order.invoices[0])

    text = simulate(world, "--plan=Capped")

    assert "33.33 EUR  20.00 EUR" in text
    assert "33.33 EUR  10.00 EUR" in text


def test_nothing_is_written(world):
    before = list(Commission.objects.values())

    with connection.execute_wrapper(_refuse_to_write):
        simulate(world, "--policy=first_click")

    assert list(Commission.objects.values()) == before


def _refuse_to_write(execute, sql, params, many, context):
    assert sql.lstrip().upper().startswith(("SELECT", "DECLARE", "FETCH", "CLOSE"))
    return execute(sql, params, many, context)


def test_every_changed_order_is_in_the_file(world, tmp_path):
    path = tmp_path / "changes.csv"

    simulate(world, "--policy=first_click", f"--csv={path}")

    [row] = csv.DictReader(path.read_text(encoding="utf-8").splitlines())
    assert row["order"] == world.orders[0].ref
    assert row["winner_today"] == world.affiliates[1].code
    assert row["winner_by_draft"] == world.affiliates[0].code
    assert row["earned_today"] == "33.33 EUR"
    assert row["earned_by_draft"] == "12.50 EUR"


@pytest.mark.parametrize(
    ("_case", "options", "message"),
    [
        ("unknown plan", ["--plan=Nobody's"], "has no commission plan"),
        (
            "no window",
            ["--window-days=0"],
            "--window-days: .* greater than or equal to 1",
        ),
        (
            "negative",
            ["--stand-down-minutes=-1"],
            "--stand-down-minutes: .* greater than or equal to 0",
        ),
        ("no day", ["--from=yesterday"], "--from must be a day"),
    ],
)
def test_what_cannot_be_simulated_is_told(world, _case, options, message):
    with pytest.raises(CommandError, match=message):
        simulate(world, *options)
