"""Histories of one brand's affiliates, clients and staff, made through the services.

Each history is made in a transaction that is rolled back: its rows are a template.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from affiliates.outbox.models.delivery import Delivery, DeliveryAttempt
from affiliates.outbox.queue.rules import QueueState
from affiliates.outbox.types import OutcomeKind
from affiliates.payouts.services.destinations import change_destination
from affiliates.program.models import Affiliate, AffiliateLink
from affiliates.program.rules import AffiliateStatus
from portal import gateways
from portal.billing import services as billing
from portal.billing.models import Invoice
from portal.billing.models import RefundKind as PortalRefundKind
from portal.clients.models import User
from portal.demo.seeding.acts import PERSON, ROBOT, Visitor, order, register, visit
from portal.demo.seeding.ibans import iban_of
from portal.demo.seeding.program import Program
from portal.demo.seeding.template import COPY_MARK, GROUP_MARK

GROUP_SIZE = 10
NAMES = ("ada", "bo", "cleo", "dan", "eva", "finn", "gil", "hana", "ivo", "jule")
SURNAMES = ("Berg", "Costa", "Dahl", "Evans", "Fischer", "Garcia", "Horn", "Ivanova")
# The first affiliates send most; the last two are not active.
WEIGHTS = (30, 18, 12, 9, 7, 6, 5, 4, 1, 1)
STATUSES = [AffiliateStatus.ACTIVE] * 8 + [
    AffiliateStatus.PENDING,
    AffiliateStatus.SUSPENDED,
]
REFERRERS = (
    "",
    "https://blog.example.org/best-hosting",
    "https://www.youtube.com/watch",
    "https://forum.example.net/thread/17",
    "https://news.example.com/",
)


@dataclass(kw_only=True)
class Buyer:
    number: int
    visitor: Visitor


@dataclass(kw_only=True)
class History:
    """Every operation takes place ``now``."""

    program: Program
    affiliates: list[Affiliate]
    links: list[AffiliateLink]
    dice: random.Random
    now: datetime
    buyers: int = 0
    invoices: list[Invoice] = field(default_factory=list)

    def arrive(self) -> Buyer:
        self.buyers += 1
        prefix = f"{self.dice.randint(60, 190)}.{self.dice.randint(0, 255)}.7.0/24"
        visitor = Visitor(
            ip=prefix.replace("0/24", "9"), ip_prefix=prefix, user_agent=""
        )
        return Buyer(number=self.buyers, visitor=visitor)

    def visit(self, buyer: Buyer, *, is_robot: bool = False) -> None:
        [affiliate] = self.dice.choices(range(GROUP_SIZE), WEIGHTS)
        by_code = f"?ref={self.affiliates[affiliate].code}"
        by_hash = f"aff/{self.links[affiliate].hash}"
        page = by_code if self.dice.random() < 0.4 else by_hash
        referrer = self.dice.choice(REFERRERS)
        buyer.visitor.user_agent = (
            ROBOT if is_robot else PERSON.format(self.dice.randint(120, 145))
        )
        visit(
            buyer.visitor,
            brand_id=self.program.brand.pk,
            url=f"{self.program.origin}/{page}",
            referrer=referrer,
            now=self.now,
        )

    def order(self, buyer: Buyer) -> Invoice:
        """Register, fill a basket, convert it."""
        cookie = buyer.visitor.cookie
        client = register(
            self._client(buyer), brand_id=self.program.brand.pk, cookie=cookie
        )
        products = self.dice.sample(self.program.products, self.dice.choice((1, 1, 2)))
        invoice = order(
            client,
            products,
            brand=self.program.brand,
            cookie=cookie,
            now=self.now,
        )
        self.invoices.append(invoice)
        return invoice

    def pay(self, invoice: Invoice) -> None:
        billing.mark_paid(invoice_id=invoice.pk, now=self.now)

    def refund(self, invoice: Invoice, *, share: int) -> None:
        charged_back = share == 100 and self.dice.random() < 0.3
        billing.record_refund(
            invoice_id=invoice.pk,
            gateway=gateways.MANUAL,
            reference=f"refund-{invoice.pk}",
            amount=round(invoice.gross * share / 100, 2),
            kind=PortalRefundKind.CHARGEBACK
            if charged_back
            else PortalRefundKind.REFUND,
            now=self.now,
        )

    def deliver(self, *, is_finished: bool) -> None:
        """Marks the webhook's deliveries as the worker would have left them."""
        for delivery in Delivery.objects.filter(brand=self.program.brand):
            if self.dice.random() < 0.02:
                _mark(delivery, QueueState.GIVEN_UP, OutcomeKind.GONE, status_code=410)
            elif is_finished or self.dice.random() < 0.9:
                _mark(delivery, QueueState.SENT, OutcomeKind.OK, status_code=200)

    def _client(self, buyer: Buyer) -> User:
        name = NAMES[buyer.number % len(NAMES)]
        # A signal of fraud now and then.
        host = "mailinator.com" if buyer.number % 15 == 5 else "example.com"
        return User(
            brand=self.program.brand,
            email=f"{name}{buyer.number}.{COPY_MARK}@{host}",
            firstname=name.title(),
            lastname=SURNAMES[buyer.number % len(SURNAMES)],
            created_at=self.now,
        )


def _mark(
    delivery: Delivery, state: QueueState, outcome: str, *, status_code: int
) -> None:
    at = delivery.created_at + timedelta(seconds=2)
    Delivery.objects.filter(pk=delivery.pk).update(
        state=state, outcome=outcome, attempt_count=1, next_at=None, finished_at=at
    )
    DeliveryAttempt.objects.create(
        delivery=delivery,
        number=1,
        operation=delivery.operation,
        started_at=at,
        duration_ms=140,
        status_code=status_code,
        outcome=outcome,
    )


def make_group(program: Program, *, began_at: datetime) -> list[Affiliate]:
    """The affiliates that a copy of a history has, with two links and a destination."""
    return [
        _make_affiliate(program, number, began_at=began_at)
        for number in range(GROUP_SIZE)
    ]


def _make_affiliate(program: Program, number: int, *, began_at: datetime) -> Affiliate:
    name = f"{NAMES[number]}-{GROUP_MARK}"
    user = User(
        brand=program.brand,
        email=f"{name}@partners.example.com",
        firstname=NAMES[number].title(),
        lastname=SURNAMES[number % len(SURNAMES)],
        created_at=began_at,
    )
    user.set_unusable_password()
    user.save(force_insert=True)
    affiliate = Affiliate.objects.create(
        brand=program.brand,
        user=user,
        code=f"{name}-{program.brand.pk}",
        status=AffiliateStatus.ACTIVE,
    )
    for page in ("plans", "domains"):
        AffiliateLink.objects.create(
            affiliate=affiliate,
            name=page.title(),
            target_url=f"{program.origin}/{page}",
        )
    kind, given = _destination(number)
    change_destination(affiliate_id=affiliate.pk, kind=kind, values=given, now=began_at)
    Affiliate.objects.filter(pk=affiliate.pk).update(
        status=STATUSES[number], created_at=began_at
    )
    affiliate.links.update(created_at=began_at)
    return affiliate


def _destination(number: int) -> tuple[str, dict[str, Any]]:
    if number % 3 == 0:
        email = f"{NAMES[number]}@paypal.example.com"
        return "paypal", {"email": email}
    if number % 3 == 1:
        holder = f"{NAMES[number].title()} {SURNAMES[number % len(SURNAMES)]}"
        return "bank", {
            "account_holder": holder,
            "iban": iban_of(NAMES[number]),
        }
    return "offline", {"agreement": "By cheque, in March."}
