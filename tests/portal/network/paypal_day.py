"""A brand that pays by the simulated PayPal."""

from __future__ import annotations

from decimal import Decimal
from typing import ClassVar

from affiliates.commissions.services.maturing import mature_due
from affiliates.contrib.paypal.sender import PayPalPayouts
from affiliates.payouts.models import Payout
from affiliates.payouts.sending.decisions import resolve_unsent
from affiliates.payouts.sending.selectors import waits_for_person
from affiliates.payouts.sending_models import PayoutSending
from affiliates.payouts.services.destinations import change_destination
from affiliates.payouts.services.requests import request_payout
from portal.demo.network.server import Simulator
from tests.factories.programs import make_partners
from tests.portal.network.payout_day import PayoutDay
from tests.simulator import Elsewhere


class PayPalDay(PayoutDay):
    sender = PayPalPayouts()
    config: ClassVar = {"client_id": "demo"}
    secrets: ClassVar = {"client_secret": "demo"}
    faults = ("paypal_token", "paypal_create", "paypal_look_up")
    fates = ("unclaimed", "failed", "returned", "reversed")
    death = 0.12

    def details(self, name: str) -> dict[str, str]:
        return {"email": f"{name}@example.org"}

    def fund(self) -> None:
        """Nothing: PayPal pays from the balance."""

    def books(self, status: str = "") -> list[dict[str, str]]:
        """PayPal's own, by item: all, or those of a status."""
        rows: list[dict[str, str]] = self.caller.shown("payouts")
        return [row for row in rows if status in ("", row["status"])]

    def sent(self) -> list[str]:
        return [row["sender_item_id"] for row in self.books()]

    def paid_there(self) -> Decimal:
        paid = (Decimal(row["value"]) for row in self.books("SUCCESS"))
        return sum(paid, Decimal(0))

    def give_back_unsent(self) -> None:
        """Staff look for the reference of each batch that waits for a person."""
        known = {row["sender_batch_id"] for row in self.books()}
        for row in PayoutSending.objects.select_related("batch"):
            if waits_for_person(row) and row.batch.reference not in known:
                resolve_unsent(
                    row.pk, reason="Looked.", actor_id=self.staff.pk, now=self.at
                )


def day_of_sales(
    network: Simulator | Elsewhere, *names: str
) -> tuple[PayPalDay, list[Payout]]:
    """A program whose affiliates each request what a paid and matured sale earned."""
    world = make_partners(*names)
    day = PayPalDay(world.brand, world.host, network, world.now)
    for number, affiliate in enumerate(world.affiliates):
        values = {"email": f"{affiliate.code}@example.org"}
        change_destination(
            affiliate_id=affiliate.pk, kind="paypal", values=values, now=world.now
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
