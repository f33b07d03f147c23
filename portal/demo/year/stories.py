"""Stories of ordinary clients, told once through the services: a template per kind."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import product
from typing import NamedTuple
from uuid import uuid4

from django.db import transaction

from affiliates.program.models import Affiliate, AffiliateLink
from affiliates.program.rules import AffiliateStatus
from portal.billing.models import Invoice
from portal.billing.renewal_rules import add_months
from portal.billing.renewals import renew_order
from portal.billing.services import mark_paid
from portal.clients.models import User
from portal.demo.seeding import acts
from portal.demo.seeding.copies import Source
from portal.demo.seeding.rows import Snapshot, read_snapshot
from portal.demo.seeding.template import COPY_MARK, GROUP_MARK, TemplateMaker
from portal.demo.year.clock import StoryClock
from portal.demo.year.people import Plan
from portal.demo.year.program import Program

IP_MARK, REFERRER_MARK, RIVAL_REFERRER_MARK = "198.51.100.0/24", "zzr0000", "zzv0000"
FIRST_NAME, LAST_NAME = "First", "Last"
PERSON = acts.PERSON.format(140)
VARIED = {
    "firstname": ("portal_user", "firstname"),
    "lastname": ("portal_user", "lastname"),
    "user_agent": ("affiliates_click", "user_agent"),
    "country": ("affiliates_click", "country"),
    "sub_id": ("affiliates_click", "sub_id"),
}
# Marks, instead of which a copy has its affiliate's code.
CODES = {Plan.STANDARD: GROUP_MARK, Plan.AGENCIES: "zzh0000"}
# The rival of a story is the affiliate of the other plan.
RIVALS = {Plan.STANDARD: Plan.AGENCIES, Plan.AGENCIES: Plan.STANDARD}
# How many renewals the monthly stories go on for.
RENEWALS = (0, 2, 5, 9)


class Rivalry(NamedTuple):
    """How many days before the order the rival and the sender send the client."""

    rival_days: int
    sender_days: int


class Kind(NamedTuple):
    """A basket, the renewals that are paid, and whether the first invoice is.

    ``rivalry``: another affiliate had sent the client too.
    """

    plan: Plan
    skus: tuple[str, ...]
    renewals: int = 0
    is_paid: bool = True
    by_code: bool = False
    rivalry: Rivalry | None = None


YEARLY: tuple[tuple[tuple[str, ...], int], ...] = (
    (("business-annually",), 30),
    (("starter-annually",), 22),
    (("agency-annually",), 9),
    (("business-annually", "domain-com"), 18),
    (("starter-annually", "domain-com"), 10),
    (("agency-annually", "moving-in"), 4),
)
MONTHLY = {
    Plan.STANDARD: (("business-monthly",), ("starter-monthly", "hourly-backups")),
    Plan.AGENCIES: (("agency-monthly",),),
}
DOLLARS = ("business-annually-usd",)
EARLIER = Rivalry(rival_days=2, sender_days=1)
OUTSIDE_WINDOW = Rivalry(rival_days=100, sender_days=50)
# The rival's visit is minutes before the order: too late.
LATE = Rivalry(rival_days=0, sender_days=1)
# In turn.
RIVALRIES = (EARLIER, OUTSIDE_WINDOW, EARLIER, OUTSIDE_WINDOW, LATE)
CONTESTED = YEARLY[0][0]


@dataclass(frozen=True, kw_only=True)
class Stories:
    """The templates with the links whose rows and affiliates they name."""

    told_at: StoryClock
    templates: dict[Kind, Source]
    links: dict[Plan, AffiliateLink]
    group: Source


def kinds() -> Iterator[Kind]:
    """All that are told; those with fewer renewals are their beginnings."""
    for plan, (skus, _) in product(CODES, YEARLY):
        yield Kind(plan, skus, by_code=len(skus) > 1)
    for plan, baskets in MONTHLY.items():
        for skus in baskets:
            yield Kind(plan, skus, RENEWALS[-1])
    yield Kind(Plan.STANDARD, ("business-annually",), is_paid=False)
    yield Kind(Plan.STANDARD, DOLLARS)
    for rivalry in sorted(set(RIVALRIES)):
        yield Kind(Plan.STANDARD, CONTESTED, rivalry=rivalry)


def tell_stories(program: Program, clock: StoryClock) -> Stories:
    """Nothing of them stays in the database."""
    fixed = read_snapshot()
    began_at = clock.now
    with transaction.atomic():
        links = {plan: _make_link(program, plan) for plan in CODES}
        group = read_snapshot(fixed)
        templates: dict[Kind, Source] = {}
        for number, kind in enumerate(kinds()):
            clock.now = began_at + timedelta(hours=8, minutes=37 * number % 780)
            told = _tell(program, kind, links, clock, fixed, group)
            templates |= {
                kind._replace(renewals=renewal): told[renewal] for renewal in told
            }
        maker = TemplateMaker(group, fixed=fixed, group=None)
        transaction.set_rollback(True)
    clock.now = began_at
    return Stories(
        told_at=StoryClock(now=began_at, dice=clock.dice),
        templates=templates,
        links=links,
        group=Source(template=maker.make()),
    )


def _tell(
    program: Program,
    kind: Kind,
    links: dict[Plan, AffiliateLink],
    clock: StoryClock,
    fixed: Snapshot,
    group: Snapshot,
) -> dict[int, Source]:
    """The story's beginnings, by the number of renewals they go on for."""
    told = {}
    with transaction.atomic():
        visitor = acts.Visitor(ip="", ip_prefix=IP_MARK, user_agent=PERSON)
        _visit(visitor, program, kind, links, clock)
        for number in _order(visitor, program, kind, clock):
            if number in RENEWALS:
                told[number] = _source(read_snapshot(fixed, group), fixed, group)
        transaction.set_rollback(True)
    return told


def _source(snapshot: Snapshot, fixed: Snapshot, group: Snapshot) -> Source:
    maker = TemplateMaker(
        snapshot, fixed=fixed, group=group, varied=tuple(VARIED.values())
    )
    return Source(template=maker.make())


def _visit(
    visitor: acts.Visitor,
    program: Program,
    kind: Kind,
    links: dict[Plan, AffiliateLink],
    clock: StoryClock,
) -> None:
    """By the sender's link or code, and by the rival's link if there is one."""
    link, rivalry = links[kind.plan], kind.rivalry
    page = f"?ref={link.affiliate.code}" if kind.by_code else f"aff/{link.hash}"
    visits = [(rivalry.sender_days if rivalry else 0, page, REFERRER_MARK)]
    if rivalry is not None:
        rival_page = f"aff/{links[RIVALS[kind.plan]].hash}"
        visits.append((rivalry.rival_days, rival_page, RIVAL_REFERRER_MARK))
    began_at = clock.now
    for days, opened_page, referrer in sorted(visits, reverse=True):
        clock.now = began_at - timedelta(days=days)
        acts.visit(
            visitor,
            brand_id=program.brand.pk,
            url=f"{program.origin}/{opened_page}",
            referrer=f"https://{referrer}/",
            now=clock.now,
        )
    clock.now = began_at


def _order(
    visitor: acts.Visitor, program: Program, kind: Kind, clock: StoryClock
) -> Iterator[int]:
    """Pauses after each renewal, with its number."""
    clock.now += timedelta(minutes=11, seconds=7)
    client = acts.register(
        User(
            brand=program.brand,
            email=f"{COPY_MARK}@example.com",
            firstname=FIRST_NAME,
            lastname=LAST_NAME,
            created_at=clock.now,
        ),
        brand_id=program.brand.pk,
        cookie=visitor.cookie,
    )
    clock.now += timedelta(minutes=2)
    invoice = acts.order(
        client,
        [program.products[sku] for sku in kind.skus],
        brand=program.brand,
        cookie=visitor.cookie,
        ip_prefix=IP_MARK,
        now=clock.now,
    )
    ordered_at = clock.now
    clock.now += timedelta(minutes=1, seconds=40)
    if kind.is_paid:
        mark_paid(invoice_id=invoice.pk, now=clock.now)
    yield 0
    for number in range(1, kind.renewals + 1):
        clock.now = add_months(ordered_at, number) + timedelta(hours=1)
        renew(invoice, clock)
        yield number


def renew(invoice: Invoice, clock: StoryClock) -> Invoice:
    """The next invoice of its order, paid three hours later."""
    renewal = renew_order(order_id=invoice.order_id, now=clock.now)
    clock.now += timedelta(hours=3)
    mark_paid(invoice_id=renewal.pk, now=clock.now)
    return renewal


def _make_link(program: Program, plan: Plan) -> AffiliateLink:
    # Its id holds no time: copies do not move it.
    user = User(
        id=uuid4(), brand=program.brand, email=f"{plan.value}@partners.example.com"
    )
    user.set_unusable_password()
    user.save(force_insert=True)
    affiliate = Affiliate.objects.create(
        brand=program.brand,
        user=user,
        code=CODES[plan],
        status=AffiliateStatus.ACTIVE,
        plan=None if plan is Plan.STANDARD else program.plans[plan],
    )
    return AffiliateLink.objects.create(
        affiliate=affiliate, name="Link", target_url=f"{program.origin}/plans"
    )
