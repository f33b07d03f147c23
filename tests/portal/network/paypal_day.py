"""A brand that pays by the simulated PayPal."""

from __future__ import annotations

from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

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
from affiliates.payouts.services.requests import request_payout
from portal.demo.network.server import Simulator
from tests.factories.affiliates import AffiliateFactory
from tests.factories.payouts import DestinationFactory, PayoutTermsFactory, earn


class PayPalDay:
    """A brand that pays by PayPal, its staff and its worker, at one clock."""

    transport: Transport

    def __init__(
        self, brand: Any, host: Any, network: Simulator, now: datetime
    ) -> None:
        self.brand, self.host, self.network, self.at = brand, host, network, now
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
        self._tick()

    def _tick(self) -> None:
        self.network.settings.change({"clock": self.at.timestamp()})

    def approved(self, name: str, amount: int, currency: str = "EUR") -> Payout:
        """A payout to an address that decides what becomes of it."""
        user = self.host.client(self.brand, email=f"{name}@clients.example")
        owner = AffiliateFactory(brand=self.brand, user=user)
        given = {"email": f"{name}@example.org"}
        DestinationFactory(affiliate=owner, given=given, usable_from=self.at)
        earn(owner, amount, currency)
        payout = request_payout(affiliate_id=owner.pk, currency=currency, now=self.at)
        approve_payouts(payout_ids=[payout.pk], actor_id=self.staff.pk, now=self.at)
        return payout

    def pay(self, *payouts: Payout) -> PayoutSending:
        batch = export_batch(
            payout_ids=[one.pk for one in payouts], actor_id=self.staff.pk, now=self.at
        )
        return PayoutSending.objects.get(batch=batch)

    def work(self, *, after: timedelta = timedelta(0)) -> None:
        self.at += after
        self._tick()
        sending.send_due(transport=self.transport, now=lambda: self.at)

    def statuses(self) -> dict[str, str]:
        """By the beginning of the address."""
        rows = Payout.objects.values_list("affiliate__user__email", "status")
        return {email.partition("@")[0]: status for email, status in rows}

    def paid_by_paypal(self) -> Decimal:
        """What has left the account at PayPal for good, by its own books."""
        return sum(
            (
                Decimal(item.sent["amount"]["value"])
                for batch in self.network.state.paypal.batches.values()
                for item in batch.items
                if item.status(now=self.at.timestamp(), settles_after=0) == "SUCCESS"
            ),
            Decimal(0),
        )

    def paid_by_us(self) -> Decimal:
        paid = Payout.objects.filter(status=PayoutStatus.PAID)
        return sum((Decimal(one.amount) / 100 for one in paid), Decimal(0))
