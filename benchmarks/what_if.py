"""Measures ``simulate_policy`` over 100,000 orders: by today's rules and by a draft.

python -m benchmarks.what_if            on PostgreSQL
python -m benchmarks.what_if --sqlite   on SQLite
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from typing import Any

from benchmarks.database import DatabaseUnusable, configure_environment, own_database
from benchmarks.ledger import KILOBYTES_PER_MEGABYTE, sqlite_file
from benchmarks.running import ROOT

ORDERS = 100_000
AFFILIATES = 200
BATCH = 5_000
MAX_SECONDS = 60.0
MAX_MB = 300.0
BRAND = "Benchmark"
FIRST = datetime(2026, 1, 1, tzinfo=UTC)
DRAFTS = {
    "equal to today's": (),
    "first click wins": ("--policy=first_click",),
    "another plan": ("--plan=Draft",),
}


def main() -> int:
    options = _parse_arguments()
    try:
        with sqlite_file() if options.sqlite else own_database() as url:
            configure_environment(url)
            _fill()
            met = [_measure(name) for name in DRAFTS]
            return 0 if all(met) else 1
    except DatabaseUnusable as error:
        sys.stderr.write(f"{error}\n")
        return 2


def _parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.what_if", description=__doc__.partition("\n")[0]
    )
    parser.add_argument("--sqlite", action="store_true", help="not PostgreSQL")
    return parser.parse_args()


def _measure(name: str) -> bool:
    began = time.perf_counter()
    with subprocess.Popen(  # noqa: S603 - our own command
        [
            sys.executable, "manage.py", "simulate_policy", f"--brand={BRAND}",
            "--from=2026-01-01", "--to=2026-12-31", *DRAFTS[name],
        ],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:  # fmt: skip
        printed, _ = process.communicate()
    seconds = time.perf_counter() - began
    if process.returncode:
        raise SystemExit("The simulation failed.")
    largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    megabytes = largest / KILOBYTES_PER_MEGABYTE
    [found] = [line for line in printed.splitlines() if "orders would change" in line]
    sys.stdout.write(
        f"draft {name}: {found} {seconds:.1f} s (target: under {MAX_SECONDS:.0f}), "
        f"{megabytes:.0f} MB at most (target: under {MAX_MB:.0f})\n"
    )
    sys.stdout.flush()
    return seconds < MAX_SECONDS and megabytes < MAX_MB


def _fill() -> None:
    import django

    django.setup()

    from django.core.management import call_command
    from django.db import connection

    call_command("migrate", verbosity=0)
    _make_orders(random.Random(4))  # noqa: S311 - the same rows every time
    with connection.cursor() as cursor:
        is_postgresql = connection.vendor == "postgresql"
        cursor.execute("VACUUM ANALYZE" if is_postgresql else "ANALYZE")


def _make_orders(dice: random.Random) -> None:
    from affiliates.brands.models.brand import Brand
    from affiliates.program.models import Affiliate
    from affiliates.referrals.models import OrderReferral
    from affiliates.sales.models import InvoicePayment
    from portal.clients.models import User

    brand = Brand.objects.create(
        name=BRAND, default_redirect_url="https://shop.example.com/"
    )
    _make_plans(brand)
    clients = User.objects.bulk_create(
        User(brand=brand, email=f"client-{number}@example.com")
        for number in range(AFFILIATES + 1)
    )
    affiliates = Affiliate.objects.bulk_create(
        Affiliate(brand=brand, user=client, code=f"affiliate-{number}", status="active")
        for number, client in enumerate(clients[1:])
    )
    for start in range(0, ORDERS, BATCH):
        numbers = range(start, start + BATCH)
        OrderReferral.objects.bulk_create(
            _referral(number, brand, affiliates, clients[0], dice) for number in numbers
        )
        InvoicePayment.objects.bulk_create(
            _payment(number, brand) for number in numbers
        )


def _make_plans(brand: Any) -> None:
    from affiliates.plans.models.plan import CommissionPlan
    from affiliates.plans.models.rule import PlanRule
    from affiliates.plans.services import publish_plan

    for name, percent in (("Today's", 10), ("Draft", 20)):
        plan = CommissionPlan.objects.create(
            brand=brand, name=name, is_default=percent == 10
        )
        PlanRule.objects.create(plan=plan, percent=percent)
        PlanRule.objects.create(plan=plan, kind="domain", percent=2)
        publish_plan(plan, now=FIRST)


def _referral(
    number: int, brand: Any, affiliates: Any, client: Any, dice: random.Random
) -> Any:
    """An order with the clicks of three affiliates."""
    from affiliates.core.ids import new_id
    from affiliates.program.rules import AffiliateStatus
    from affiliates.referrals.models import OrderReferral
    from affiliates.referrals.rules.choices import Carrier, CookieState
    from affiliates.referrals.rules.decision import decide
    from affiliates.referrals.rules.stored import to_json
    from affiliates.referrals.rules.types import Inputs, OrderInputs, Policy, Touch

    now = FIRST + timedelta(minutes=5 * number)
    touches = tuple(
        Touch(
            carrier=Carrier.COOKIE,
            click_id=new_id(),
            touched_at=now - timedelta(hours=dice.randint(2, 24 * 120)),
            affiliate_id=affiliate.pk,
            affiliate_code=affiliate.code,
            status_at_visit=AffiliateStatus.ACTIVE,
            status_at_order=AffiliateStatus.ACTIVE,
            program_on_at_visit=True,
            is_bot=dice.random() < 0.1,
            is_repeat=False,
            is_self=False,
        )
        for affiliate in dice.sample(affiliates, 3)
    )
    decision = decide(
        Inputs(
            touches=touches,
            external=(),
            binding=None,
            order=OrderInputs(basket_at=now, client_paid_before=False),
            cookie=CookieState.VALID,
            policy=Policy(terms=_terms(brand), version_id=None, version=None),
            now=now,
        )
    )
    winner = decision.winner
    return OrderReferral(
        brand=brand,
        order_ref=f"order-{number}",
        invoice_ref=f"invoice-{number}",
        client=client,
        outcome=decision.outcome,
        reason=decision.reason,
        affiliate_id=None if winner is None else winner.affiliate_id,
        click_id=None if winner is None else winner.click_id,
        touched_at=None if winner is None else winner.touched_at,
        converted_at=now,
        decision=to_json(decision),
    )


def _terms(brand: Any) -> Any:
    return brand.to_config().terms


def _payment(number: int, brand: Any) -> Any:
    from moneyed import Money

    from affiliates.contracts import InvoiceLine
    from affiliates.sales.invoice_lines import to_json
    from affiliates.sales.models import InvoicePayment

    at = FIRST + timedelta(minutes=5 * number)
    return InvoicePayment(
        brand=brand,
        invoice_ref=f"invoice-{number}",
        order_ref=f"order-{number}",
        payment_ref=f"payment-{number}",
        gross=Money("119.00", "EUR"),
        lines=[
            to_json(
                InvoiceLine(
                    description="Hosting", product_ref="hosting-1", kind=kind,
                    billing_cycle="monthly", quantity=1, net=Money("33.33", "EUR"),
                )
            )
            for kind in ("hosting", "domain", "addon")
        ],
        paid_at=at,
        received_at=at,
    )  # fmt: skip


if __name__ == "__main__":
    raise SystemExit(main())
