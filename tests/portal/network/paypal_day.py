"""A brand that pays by the simulated PayPal."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from affiliates.commissions.services.maturing import mature_due
from affiliates.contrib.paypal.sender import PayPalPayouts
from affiliates.outbox.http.client import Transport
from affiliates.payouts.models import Payout
from affiliates.payouts.rules import PayoutStatus
from affiliates.payouts.sending import services as sending
from affiliates.payouts.sending.decisions import resolve_unsent
from affiliates.payouts.sending.secrets import CREDENTIALS
from affiliates.payouts.sending.selectors import waits_for_person
from affiliates.payouts.sending_models import PayoutAccount, PayoutSending
from affiliates.payouts.services.batches import export_batch
from affiliates.payouts.services.decisions import approve_payouts
from affiliates.payouts.services.destinations import change_destination
from affiliates.payouts.services.requests import request_payout
from portal.demo.network.server import Simulator
from tests.factories.affiliates import AffiliateFactory
from tests.factories.payouts import DestinationFactory, PayoutTermsFactory, earn
from tests.factories.programs import make_partners
from tests.simulator import Caller, Elsewhere


class PayPalDay:
    """A brand that pays by PayPal, its staff and its worker, at one clock."""

    transport: Transport

    def __init__(
        self, brand: Any, host: Any, network: Simulator | Elsewhere, now: datetime
    ) -> None:
        self.brand, self.host, self.network, self.at = brand, host, network, now
        self.caller = Caller(network)
        self.staff = host.client(brand, email="finance@example.com")
        PayoutTermsFactory(brand=brand, minimums={"EUR": 1, "JPY": 1})
        self.account = PayoutAccount.objects.create(
            brand=brand,
            provider=PayPalPayouts.code,
            kind=PayPalPayouts.kind,
            address=network.address,
            config={"client_id": "demo"},
            secrets=CREDENTIALS.seal({"client_secret": "demo"}),
        )
        PayoutAccount.objects.update(created_at=now)
        self._tick()

    def _tick(self) -> None:
        self.caller.control("settings", clock=self.at.timestamp())

    def approved(self, name: str, amount: int, currency: str = "EUR") -> Payout:
        """A payout to an address that decides what becomes of it."""
        user = self.host.client(self.brand, email=f"{name}@clients.example")
        owner = AffiliateFactory(brand=self.brand, user=user)
        given = {"email": f"{name}@example.org"}
        DestinationFactory(affiliate=owner, given=given, usable_from=self.at)
        earn(owner, amount, currency)
        payout = request_payout(affiliate_id=owner.pk, currency=currency, now=self.at)
        self.approve(payout)
        return payout

    def approve(self, *payouts: Payout) -> None:
        ids = [payout.pk for payout in payouts]
        approve_payouts(payout_ids=ids, actor_id=self.staff.pk, now=self.at)

    def pay(self, *payouts: Payout) -> PayoutSending:
        batch = export_batch(
            payout_ids=[one.pk for one in payouts], actor_id=self.staff.pk, now=self.at
        )
        return PayoutSending.objects.get(batch=batch)

    def give_back_unsent(self) -> None:
        """Staff look for the reference of each batch that waits for a person."""
        known = {row["sender_batch_id"] for row in self.books()}
        for row in PayoutSending.objects.select_related("batch"):
            if waits_for_person(row) and row.batch.reference not in known:
                resolve_unsent(
                    row.pk, reason="Looked.", actor_id=self.staff.pk, now=self.at
                )

    def work(self, *, after: timedelta = timedelta(0)) -> None:
        self.at += after
        self._tick()
        sending.send_due(transport=self.transport, now=lambda: self.at)

    def statuses(self) -> dict[str, str]:
        """By the beginning of the address."""
        rows = Payout.objects.values_list("affiliate__user__email", "status")
        return {email.partition("@")[0]: status for email, status in rows}

    def books(self, status: str = "") -> list[dict[str, str]]:
        """PayPal's own, by item: all, or those of a status."""
        rows: list[dict[str, str]] = self.caller.shown("payouts")
        return [row for row in rows if status in ("", row["status"])]

    def paid_by_paypal(self) -> Decimal:
        """What has left the account at PayPal for good."""
        paid = (Decimal(row["value"]) for row in self.books("SUCCESS"))
        return sum(paid, Decimal(0))

    def paid_by_us(self) -> Decimal:
        paid = Payout.objects.filter(status=PayoutStatus.PAID)
        return sum((Decimal(one.amount) / 100 for one in paid), Decimal(0))


def day_of_sales(
    network: Simulator | Elsewhere, *names: str
) -> tuple[PayPalDay, list[Payout]]:
    """A program whose affiliates each request what a paid and matured sale earned."""
    world = make_partners(*names)
    day = PayPalDay(world.brand, world.host, network, world.now)
    for number, affiliate in enumerate(world.affiliates):
        given = {"email": f"{affiliate.code}@example.org"}
        change_destination(
            affiliate_id=affiliate.pk, kind="paypal", values=given, now=world.now
        )
        lines = [("hosting", "annually", 10_000 + 10 * number)]
        world.pay(world.sell(affiliate, currency="EUR", lines=lines).invoices[0])
    world.pass_by(days=90)
    mature_due(now=world.now)
    day.at = world.now
    return day, [
        request_payout(affiliate_id=affiliate.pk, currency="EUR", now=day.at)
        for affiliate in world.affiliates
    ]
