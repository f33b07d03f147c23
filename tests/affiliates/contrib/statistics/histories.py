"""Random histories of a program, told late, out of order and again."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from moneyed import Money

from affiliates.brands.selectors import get_brand
from affiliates.commissions.models import Commission
from affiliates.commissions.services.maturing import mature_due
from affiliates.commissions.services.staff import approve, hold, reject, release
from affiliates.contracts import RefundKind
from affiliates.contrib.statistics import selectors
from affiliates.contrib.statistics.services import freeze_days
from affiliates.contrib.statistics.types import Dimension, Span, Step
from affiliates.core.days import start_of
from affiliates.core.ids import new_id
from affiliates.referrals.models import OrderReferral
from affiliates.sales.models import InvoiceRefund
from affiliates.settlement.services import override_attribution
from affiliates.visits.consent.rules import Consent
from affiliates.visits.models import Click
from affiliates.visits.rules import Visit
from affiliates.visits.services import track_visit
from tests.affiliates.contrib.statistics.oracle import Oracle, plain
from tests.affiliates.privacy.retention.clicks import purgeable
from tests.factories.affiliates import AffiliateLinkFactory, ClickFactory
from tests.factories.programs import make_world
from tests.factories.world import PERSON, Visitor, World

ZONES = ("", "Europe/Berlin", "Pacific/Auckland", "America/St_Johns", "Asia/Kathmandu")
ROBOT = "Googlebot/2.1 (+http://www.google.com/bot.html)"
REFERRERS = (
    "",
    "https://blog.example.org/a?b=c",
    "https://news.example.net/",
    "no url",
)
# One visit in eight withdraws, if its visitor is known.
CONSENTS = (*[Consent.NOT_ASKED] * 6, Consent.GRANTED, Consent.DENIED)
LINES = (
    [("hosting", "monthly", 995)],
    [("hosting", "annually", 11_900), ("domain", "annually", 1_499)],
    [("setup", "one_time", 0), ("addon", "monthly", 333)],
    [("hosting", "monthly", 1_995), ("hosting", "monthly", -995)],
    [("hosting", "monthly", 0)],
)


@dataclass(kw_only=True)
class History:
    chance: Random
    world: World = field(default_factory=make_world)
    purged: list[Click] = field(default_factory=list)
    visitors: dict[Any, Any] = field(default_factory=dict)
    frozen: datetime = datetime.min.replace(tzinfo=UTC)

    def __post_init__(self) -> None:
        brand = self.world.brand
        brand.time_zone = self.chance.choice(ZONES)
        brand.save(update_fields=["time_zone"])
        self.links = [
            AffiliateLinkFactory(affiliate=affiliate)
            for affiliate in self.world.affiliates
        ]

    def go_on(self) -> None:
        """Something happens, now or earlier, that does not need anybody else's lock."""
        acts = [
            *[self.visit] * 6,
            *[self.register] * 2,
            *[self.convert] * 2,
            *[self.pay] * 3,
            self.click_long_ago,
            self.renew,
            self.refund,
            self.refund,
            self.cancel,
            self.decide,
            self.assign,
            self.pass_time,
        ]
        self.chance.choice(acts)()

    def visit(self, affiliate_number: int | None = None) -> Visitor:
        visitors = self.world.visitors
        is_new = not visitors or self.chance.random() < 0.6
        visitor = self.world.arrive() if is_new else self.chance.choice(visitors)
        number = (
            self.chance.randrange(3) if affiliate_number is None else affiliate_number
        )
        affiliate, link = self.world.affiliates[number], self.links[number]
        token = self.chance.choice([affiliate.code, link.hash])
        sub = self.chance.choice(["", "&sub=blog", "&sub1=mail&sub2=top"])
        answer = track_visit(
            brand=get_brand(self.world.brand.pk),
            visit=Visit(
                visit_url=f"{self.world.brand.default_redirect_url}?ref={token}{sub}",
                referrer_url=self.chance.choice(REFERRERS),
                user_agent=self.chance.choice([PERSON, PERSON, ROBOT]),
                referral_cookie=visitor.cookie,
                ip="203.0.113.7",
                ip_prefix="203.0.113.0/24",
                is_prefetch=False,
                consent=self.chance.choice(CONSENTS),
            ),
            now=self.world.now,
        )
        visitor.cookie = answer.referral_cookie
        return visitor

    def click_long_ago(self) -> None:
        """As of a process that hung, or of a machine whose clock is wrong."""
        named = self.own(Click).exclude(visitor_id=None)
        known = named.values_list("visitor_id", flat=True)[:5]
        number = self.chance.randrange(3)
        ClickFactory(
            affiliate=self.world.affiliates[number],
            link=self.links[number],
            visitor_id=self.chance.choice([*known, new_id()]),
            created_at=max(
                self.world.now - timedelta(hours=self.chance.randrange(72)), self.frozen
            ),
            country=self.chance.choice(["", "DE", "NZ"]),
        )

    def register(self) -> None:
        strangers = [one for one in self.world.visitors if one.client is None]
        if strangers:
            self.world.register(self.chance.choice(strangers))

    def convert(self) -> None:
        clients = [one for one in self.world.visitors if one.client is not None]
        if clients:
            self.world.convert(
                self.chance.choice(clients),
                currency=self.chance.choice(["EUR", "EUR", "JPY"]),
                lines=list(self.chance.choice(LINES)),
            )

    def pay(self) -> None:
        """Now, or told of it up to three days late."""
        unpaid = [one for one in self.world.invoices if not one.is_paid]
        if unpaid:
            now = self.world.now
            self.world.now -= timedelta(hours=self.chance.choice([0, 0, 20, 70]))
            self.world.pay(self.chance.choice(unpaid))
            self.world.now = now

    def renew(self) -> None:
        if self.world.orders:
            self.world.renew(self.chance.choice(self.world.orders))

    def refund(self) -> None:
        invoices = [one for one in self.world.invoices if one.gross > 10]
        if invoices:
            invoice = self.chance.choice(invoices)
            self.world.refund(
                invoice,
                invoice.gross * self.chance.choice([10, 33, 100, 120]) // 100,
                kind=self.chance.choice(list(RefundKind)),
            )

    def cancel(self) -> None:
        """A refund, a part of it or what is left, now or told of it up to three days late."""
        refunds = list(self.own(InvoiceRefund))
        if refunds:
            refund = self.chance.choice(refunds)
            part = refund.gross.amount * self.chance.choice([10, 50, 100]) // 100
            now = self.world.now
            self.world.now -= timedelta(hours=self.chance.choice([0, 0, 20, 70]))
            self.world.cancel_refund(
                refund.refund_ref,
                self.chance.choice([None, Money(part, refund.gross.currency)]),
            )
            self.world.now = now

    def decide(self) -> None:
        mature_due(now=self.world.now)
        ids = list(self.own(Commission).values_list("pk", flat=True))
        if ids:
            self.chance.choice([approve, hold, release, reject])(
                commission_ids=[self.chance.choice(ids)],
                actor_id=self.world.affiliates[0].user_id,
                reason="Looked at.",
                now=self.world.now,
            )

    def assign(self) -> None:
        orders = self.own(OrderReferral).values_list("pk", flat=True)
        if orders:
            whom = self.chance.choice([*self.world.affiliates, None])
            override_attribution(
                referral_id=self.chance.choice(list(orders)),
                affiliate_id=None if whom is None else whom.pk,
                reason="It was theirs.",
                actor_id=self.world.affiliates[0].user_id,
                now=self.world.now,
            )

    def own(self, model: Any) -> Any:
        return model.objects.filter(brand=self.world.brand).order_by("pk")

    def pass_time(self) -> None:
        self.world.pass_by(hours=self.chance.choice([3, 9, 26, 50]))

    def purge(self) -> None:
        """The clicks of days that are two days old."""
        brand = self.world.brand
        before = selectors.today(brand.pk, self.world.now) - timedelta(days=2)
        self.frozen = start_of(before, brand.zone())
        freeze_days(brand, before=self.frozen, now=self.world.now)
        frozen = self.own(Click).filter(created_at__lt=self.frozen)
        self.visitors = {
            **dict(frozen.values_list("pk", "visitor_id")),
            **self.visitors,
        }
        purged = purgeable(brand, self.frozen)
        self.purged += purged
        Click.objects.filter(pk__in=[one.pk for one in purged]).delete()

    def faults(self) -> list[Any]:
        """Every number that the selectors say otherwise than the rows."""
        brand, now = self.world.brand, self.world.now
        oracle = Oracle(brand, self.purged, self.visitors)
        today = selectors.today(brand.pk, now)
        first = today - timedelta(days=self.chance.randrange(40))
        span = Span(first, first + timedelta(days=self.chance.randrange(60)))
        found = [
            (
                "total",
                plain(selectors.totals(brand.pk, span, now=now)),
                oracle.totals(span),
            )
        ]
        for point in selectors.series(brand.pk, span, Step.DAY, now=now):
            days = Span(point.first, point.last)
            found.append((point, plain(point.statistics), oracle.totals(days)))
        ids = [one.pk for one in self.world.affiliates]
        for pk, statistics in selectors.by_affiliate(ids, now=now, span=span).items():
            expected = oracle.totals(span, affiliate_id=pk)
            found.append((pk, plain(statistics), expected))
        for dimension in (
            Dimension.LINK,
            Dimension.SUB_ID,
            Dimension.REFERRER,
            Dimension.COUNTRY,
        ):
            rows = selectors.breakdown(brand.pk, span, dimension, now=now, limit=1_000)
            values = {str(row.key) for row in rows if row.key is not None}
            found.append((dimension, values, oracle.values(span, dimension)))
            for row in rows:
                if row.key is not None:
                    part = {dimension.value: str(row.key)}
                    found.append(
                        (row.label, plain(row.statistics), oracle.totals(span, **part))
                    )
        return [one for one in found if one[1] != one[2]]
