"""A brand before the payout run of a month, written by the services: the last run is
paid, and for each reason to be left out of the next there is somebody.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth.models import Group
from django.utils import timezone

from affiliates.brands.roles import FINANCE, group_name
from affiliates.commissions.services.adjusting import NewAdjustment, adjust
from affiliates.commissions.services.maturing import mature_all
from affiliates.contracts import RefundKind
from affiliates.contrib.payout_runs.services.answers import (
    apply_answer,
    begin_answer,
    keep_answer,
)
from affiliates.contrib.payout_runs.services.approvals import approve_run
from affiliates.contrib.payout_runs.services.drafts import draft, start_run
from affiliates.payouts.models import Payout, PayoutTerms
from affiliates.payouts.services.destinations import change_destination
from affiliates.payouts.services.requests import request_payout
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from tests.affiliates.payouts.bank import paid, statement
from tests.browser.demo_server import DemoServer
from tests.factories.affiliates import AffiliateFactory, BrandFactory
from tests.factories.payouts import GIVEN, OTHER_IBAN, OWN_ACCOUNT, PayoutTermsFactory
from tests.factories.plans import CommissionPlanFactory
from tests.factories.portal import PASSWORD, ClientFactory, StaffFactory
from tests.factories.world import World
from tests.hosts.host import current_host

BANK, PAYPAL, OFFLINE = (
    "bank",
    "paypal",
    "offline",
)
NET = 70_000
# Paid in both runs: each gets another amount in the next one.
REGULARS = 4
# Code, destination, currency, net of the order: who is left out, each for another reason.
LEFT_OUT = (
    ("poor", BANK, "EUR", 9_900),
    ("nowhere", None, "EUR", NET),
    ("suspended", BANK, "EUR", NET),
    ("moved-bank", BANK, "EUR", NET),
    ("by-cheque", OFFLINE, "EUR", NET),
    ("dollars", BANK, "USD", NET),
    ("on-hold", BANK, "EUR", 0),
)
OF_THE_LAST_RUN = ("refunded", "on-the-way")


@dataclass(frozen=True, kw_only=True)
class Prepared:
    brand: int
    second: dict[str, str]


def fill(count: int) -> Prepared:
    now = timezone.now()
    clerk, second = (
        StaffFactory(email=f"{name}@example.com", is_superuser=False)
        for name in ("clerk", "second")
    )
    second.groups.add(Group.objects.get(name=group_name(FINANCE)))
    world = _world(now - timedelta(days=100))
    regulars = [_earner(world, f"regular-{one}") for one in range(REGULARS)]
    others = [_earner(world, code) for code in OF_THE_LAST_RUN]
    for affiliate in (*regulars, *others):
        _sell(world, affiliate, NET)
    _last_run(world, now - timedelta(days=65), clerk, second)
    world.now = now - timedelta(days=40)
    _refund(world, others[0])
    for number, affiliate in enumerate(regulars):
        _sell(world, affiliate, NET + 100_000 * number)
    for number in range(count - REGULARS):
        to = PAYPAL if number % 5 < 2 else BANK
        affiliate = _earner(world, f"partner-{number:03}", to=to)
        _sell(world, affiliate, NET + 100 * number)
    left_out = {
        code: _left_out(world, code, to, currency, net)
        for code, to, currency, net in LEFT_OUT
    }
    world.now = now - timedelta(days=5)
    _mature(world.now)
    request_payout(affiliate_id=affiliate.pk, currency="EUR", now=world.now)
    _set_aside(world, left_out, now=now)
    who = {"email": second.email, "password": PASSWORD}
    return Prepared(brand=world.brand.pk, second=who)


def _world(start: datetime) -> World:
    brand = BrandFactory(name="Rheinwerk Hosting", client_area="rheinwerk.example")
    CommissionPlanFactory(brand=brand, is_default=True)
    PayoutTermsFactory(
        brand=brand,
        needs_second_person=True,
        number_prefix="SB-",
        issuer="Rheinwerk Hosting GmbH\nKoeln\nDE 123456789",
        tax_note="Self-billing. Reverse charge.",
        **OWN_ACCOUNT,
    )
    return World(host=current_host(), brand=brand, affiliates=[], now=start)


def _earner(world: World, code: str, *, to: str | None = BANK) -> Affiliate:
    user = ClientFactory(
        brand=world.brand, email=f"{code}@example.com", password="no hash"
    )
    affiliate: Affiliate = AffiliateFactory(brand=world.brand, user=user, code=code)
    world.affiliates.append(affiliate)
    if to is not None:
        given = GIVEN[to]
        if to is PAYPAL:
            given = {"email": f"{code}@example.org"}
        change_destination(
            affiliate_id=affiliate.pk, kind=to, values=given, now=world.now
        )
    return affiliate


def _sell(world: World, affiliate: Affiliate, net: int, currency: str = "EUR") -> None:
    """It earns a tenth."""
    visitor = world.arrive()
    world.visit(visitor, affiliate)
    world.register(visitor)
    lines = [("hosting", "annually", net)]
    world.pay(world.convert(visitor, currency=currency, lines=lines).invoices[0])


def _mature(now: datetime) -> None:
    mature_all(now=lambda: now)


def _last_run(world: World, now: datetime, clerk: Any, second: Any) -> None:
    """Paid, but for one transfer of which the bank says nothing."""

    _mature(now)
    brand_id = world.brand.pk
    run = start_run(brand_id=brand_id, period=None, actor_id=clerk.pk, now=now)
    draft(run, clock=lambda: now, should_stop=lambda: False)
    approve_run(run_id=run.pk, actor_id=second.pk, now=now)
    told = Payout.objects.filter(brand_id=brand_id).exclude(
        affiliate__code="on-the-way"
    )
    content = statement(
        *(paid(f"PAYOUT-{one.pk}", one.amount, number=one.pk) for one in told)
    )
    answer = keep_answer(
        brand_id=brand_id, name="last.xml", content=content, actor_id=clerk.pk, now=now
    )
    begin_answer(answer_id=answer.pk, actor_id=clerk.pk)
    apply_answer(answer_id=answer.pk, clock=lambda: now, should_stop=lambda: False)


def _refund(world: World, affiliate: Affiliate) -> None:
    invoice = world.invoices[world.affiliates.index(affiliate)]
    world.refund(invoice, invoice.gross, kind=RefundKind.REFUND)


def _left_out(
    world: World, code: str, to: str | None, currency: str, net: int
) -> Affiliate:
    if to is OFFLINE:
        _offer(world, offline=True)
    affiliate = _earner(world, code, to=to)
    if net:
        _sell(world, affiliate, net, currency)
    return affiliate


def _set_aside(
    world: World, left_out: Mapping[str, Affiliate], *, now: datetime
) -> None:
    """What comes between those who earned and their money."""

    world.set_status(left_out["suspended"], AffiliateStatus.SUSPENDED)
    _offer(world, offline=False)
    change_destination(
        affiliate_id=left_out["moved-bank"].pk,
        kind=BANK,
        values={"account_holder": "Somebody", "iban": OTHER_IBAN},
        now=now,
    )
    bonus = NewAdjustment(
        left_out["on-hold"].pk, "EUR", 6_000, "Autumn campaign", is_held=True, key="1"
    )
    adjust([bonus], brand_id=world.brand.pk, actor_id=None, now=now)


def _offer(world: World, *, offline: bool) -> None:
    terms = PayoutTerms.objects.get(brand=world.brand)
    terms.kinds = ["wallet", "paypal", "bank", *(["offline"] if offline else [])]
    terms.save()


def fill_beside(server: DemoServer, count: int) -> Prepared:
    """In the database of a server that runs, a run that pays so many."""
    code = f"from tests.browser import payout_rows; payout_rows.tell({count})"
    return Prepared(**json.loads(server.console.run_code(code)))


def tell(count: int) -> None:
    print(json.dumps(asdict(fill(count))))  # noqa: T201 - what the test reads
