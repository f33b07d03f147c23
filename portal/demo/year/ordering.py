"""Who orders on a day: by a copied story, or one told through the services itself."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

from affiliates.program.models import AffiliateLink
from portal.billing.models import Invoice
from portal.billing.renewal_rules import add_months
from portal.billing.services import mark_paid
from portal.clients.models import User
from portal.demo.seeding import acts
from portal.demo.year.clock import StoryClock
from portal.demo.year.copying import Client, Ordered, Rival
from portal.demo.year.people import FIRST_NAMES, LAST_NAMES, Fortune, Plan, Sender
from portal.demo.year.program import Program
from portal.demo.year.stories import (
    CONTESTED,
    DOLLARS,
    MONTHLY,
    RENEWALS,
    RIVALRIES,
    YEARLY,
    Kind,
    Rivalry,
)
from portal.demo.year.traffic import DAYS, choose_senders, draw_caller
from portal.orders.catalogue import Coupon

# Of hundred orders so many are paid monthly, and so many are never paid.
MONTHLY_SHARE, UNPAID_SHARE, DOLLAR_SHARE = 16, 4, 2
THROWAWAY = "mailinator.com"
# One of so many copies of the standard plan has a rival.
CONTESTED_EVERY = 6
# Among so many senders there is nearly always another one than the order's own.
RIVALS_DRAWN = 5


@dataclass(kw_only=True)
class Orders:
    """``told`` are the invoices of orders that were told rather than copied.

    ``standard_copies`` counts those of the standard plan that were copied.
    """

    program: Program
    clock: StoryClock
    links: dict[str, list[AffiliateLink]]
    first_day: date
    until: datetime
    clients: int = 0
    standard_copies: int = 0
    told: list[Invoice] = field(default_factory=list)

    def of_day(self, number: int, count: int) -> list[Ordered]:
        """Returns the day's orders to copy. Places the others through the services."""
        copies = []
        for sender in choose_senders(number, count, self.clock.dice, sell=True):
            if _is_told(sender):
                self.tell(sender)
            else:
                copies.append(self._copied(sender, number))
        return copies

    def tell(
        self,
        sender: Sender | None,
        *,
        host: str = "example.com",
        coupon: str = "",
        client: User | None = None,
        skus: tuple[str, ...] = (),
    ) -> Invoice:
        """One order through the services, at some time of the day."""
        dice, clock = self.clock.dice, self.clock
        began_at = clock.now
        clock.now += timedelta(seconds=dice.randint(28_000, 70_000))
        visitor = acts.Visitor(ip="", ip_prefix="", user_agent="")
        if sender is not None:
            self._visit(visitor, sender)
        clock.now += timedelta(minutes=dice.randint(4, 50))
        client = client or self._register(visitor, host)
        clock.now += timedelta(minutes=3)
        [(usual, _)] = dice.choices(YEARLY[:4], [share for _, share in YEARLY[:4]])
        invoice = acts.order(
            client,
            [self.program.products[sku] for sku in skus or usual],
            brand=self.program.brand,
            cookie=visitor.cookie,
            coupon=Coupon.objects.filter(code=coupon).first(),
            ip_prefix=visitor.ip_prefix,
            now=clock.now,
        )
        clock.now += timedelta(minutes=2)
        mark_paid(invoice_id=invoice.pk, now=clock.now)
        clock.now = began_at
        self.told.append(invoice)
        return invoice

    def draw_rival(self, code: str, number: int) -> Sender | None:
        """Draws another affiliate who sends visitors on this day, if there is any."""
        drawn = choose_senders(number, RIVALS_DRAWN, self.clock.dice, sell=False)
        # They must still be active at the order.
        active = (other for other in drawn if other.fortune is not Fortune.SUSPENDED)
        return next((other for other in active if other.code != code), None)

    def _visit(self, visitor: acts.Visitor, sender: Sender) -> None:
        caller = draw_caller(sender, self.clock.dice)
        visitor.ip_prefix, visitor.user_agent = caller.ip_prefix, caller.user_agent
        acts.visit(
            visitor,
            brand_id=self.program.brand.pk,
            url=f"{self.program.origin}/aff/{self._link(sender).hash}",
            referrer=f"https://{caller.referrer}/" if caller.referrer else "",
            now=self.clock.now,
        )

    def _register(self, visitor: acts.Visitor, host: str) -> User:
        client = self._client()
        return acts.register(
            User(
                brand=self.program.brand,
                email=f"{client.mailbox}@{host}",
                firstname=client.firstname,
                lastname=client.lastname,
                created_at=self.clock.now,
            ),
            brand_id=self.program.brand.pk,
            cookie=visitor.cookie,
        )

    def _copied(self, sender: Sender, number: int) -> Ordered:
        dice = self.clock.dice
        kind, rival = self._kind(sender.plan), None
        rivalry = self._next_rivalry(sender, number)
        if rivalry and (
            other := self.draw_rival(sender.code, number - rivalry.rival_days)
        ):
            kind = Kind(sender.plan, CONTESTED, rivalry=rivalry)
            rival = Rival(self._link(other), draw_caller(other, dice).referrer)
        return Ordered(
            kind=kind,
            link=self._link(sender),
            day=self.first_day + timedelta(days=number),
            client=self._client(),
            caller=draw_caller(sender, dice),
            rival=rival,
        )

    def _next_rivalry(self, sender: Sender, number: int) -> Rivalry | None:
        """Returns None for most orders, and if the sender joined after their visit."""
        if sender.plan is not Plan.STANDARD:
            return None
        self.standard_copies += 1
        turn, rest = divmod(self.standard_copies, CONTESTED_EVERY)
        rivalry = RIVALRIES[turn % len(RIVALRIES)]
        has_joined = DAYS - sender.since < number - rivalry.sender_days
        return rivalry if has_joined and not rest else None

    def _kind(self, plan: Plan) -> Kind:
        dice = self.clock.dice
        drawn = dice.randrange(100)
        if drawn < MONTHLY_SHARE:
            began_at = self.clock.now.replace(hour=23)
            possible = [
                renewal
                for renewal in RENEWALS
                if add_months(began_at, renewal) < self.until
            ]
            # The longer a service has run, the likelier it goes on.
            renewals = dice.choices(possible, [1 + renewal for renewal in possible])[0]
            return Kind(plan, dice.choice(MONTHLY[plan]), renewals)
        if plan is Plan.STANDARD and drawn < MONTHLY_SHARE + UNPAID_SHARE:
            return Kind(plan, YEARLY[0][0], is_paid=False)
        if (
            plan is Plan.STANDARD
            and drawn < MONTHLY_SHARE + UNPAID_SHARE + DOLLAR_SHARE
        ):
            return Kind(plan, DOLLARS)
        [(skus, _)] = dice.choices(YEARLY, [share for _, share in YEARLY])
        return Kind(plan, skus, by_code=len(skus) > 1)

    def _link(self, sender: Sender) -> AffiliateLink:
        return self.clock.dice.choice(self.links[sender.code])

    def _client(self) -> Client:
        self.clients += 1
        first = self.clock.dice.choice(FIRST_NAMES)
        last = self.clock.dice.choice(LAST_NAMES)
        return Client(first, last, f"{first}.{last}{self.clients}".lower())


def _is_told(sender: Sender) -> bool:
    """Tiers, caps and shares depend on what was earned before."""
    return sender.plan is Plan.CREATORS or bool(sender.recruiter)
