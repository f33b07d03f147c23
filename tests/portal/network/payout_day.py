"""A brand that pays by a simulated provider, its staff and its worker, at one clock."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, ClassVar

from affiliates.outbox.http.client import Transport
from affiliates.payouts.models import Payout
from affiliates.payouts.providers.registry import PROVIDERS
from affiliates.payouts.providers.sender import PayoutSender
from affiliates.payouts.rules import PayoutStatus
from affiliates.payouts.sending import services as sending
from affiliates.payouts.sending.secrets import CREDENTIALS
from affiliates.payouts.sending_models import PayoutAccount, PayoutSending
from affiliates.payouts.services.batches import export_batch
from affiliates.payouts.services.decisions import approve_payouts
from affiliates.payouts.services.requests import request_payout
from portal.demo.network.server import Simulator
from tests.factories.affiliates import AffiliateFactory
from tests.factories.payouts import DestinationFactory, PayoutTermsFactory, earn
from tests.simulator import Caller, Elsewhere

BAD_DAYS: tuple[dict[str, Any], ...] = (
    {"close_before": True},
    {"close_after_processing": True},
    {"status": 500, "process": True},
    {"status": 503},
    {"status": 503, "process": True},
    {"status": 429, "retry_after": 30},
    {"status": 401},
    {"body": "{", "process": True},
    {"html_page": True, "process": True},
)


class PayoutDay(ABC):
    """``faults`` are the provider's calls, ``fates`` the beginnings of names.

    ``death`` is the share of steps in which a process dies.
    """

    transport: Transport
    sender: ClassVar[PayoutSender]
    config: ClassVar[Mapping[str, Any]]
    secrets: ClassVar[Mapping[str, str]]
    faults: ClassVar[Sequence[str]]
    fates: ClassVar[Sequence[str]]
    death: ClassVar[float]

    def __init__(
        self, brand: Any, host: Any, network: Simulator | Elsewhere, now: datetime
    ) -> None:
        self.brand, self.host, self.network, self.at = brand, host, network, now
        self.caller = Caller(network)
        self.staff = host.client(brand, email="finance@example.com")
        kinds = ["paypal", "bank", self.sender.kind]
        PayoutTermsFactory(brand=brand, minimums={"EUR": 1, "JPY": 1}, kinds=kinds)
        self.account = PayoutAccount.objects.create(
            brand=brand,
            provider=self.sender.code,
            kind=self.sender.kind,
            address=network.address,
            config=dict(self.config),
            secrets=CREDENTIALS.seal(self.secrets),
        )
        PayoutAccount.objects.update(created_at=now)
        self._tick()

    @abstractmethod
    def details(self, name: str) -> dict[str, str]:
        """A destination whose name decides what becomes of the payout."""

    @abstractmethod
    def sent(self) -> list[str]:
        """Our references of all that the provider has taken and has not cancelled."""

    @abstractmethod
    def paid_there(self) -> Decimal:
        """What has left the account at the provider for good, by its own books."""

    @abstractmethod
    def fund(self) -> None:
        """What the owner of the account does at the provider."""

    def _tick(self) -> None:
        self.caller.control("settings", clock=self.at.timestamp())

    def approved(
        self, name: str, amount: int, currency: str = "EUR", **details: str
    ) -> Payout:
        user = self.host.client(self.brand, email=f"{name}@clients.example")
        owner = AffiliateFactory(brand=self.brand, user=user)
        kind = self.sender.kind
        given = PROVIDERS[kind].check({**self.details(name), **details})
        DestinationFactory(affiliate=owner, to=kind, given=given, usable_from=self.at)
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

    def work(self, *, after: timedelta = timedelta(0)) -> None:
        self.at += after
        self._tick()
        sending.send_due(transport=self.transport, now=lambda: self.at)

    def statuses(self) -> dict[str, str]:
        """By the beginning of the address."""
        rows = Payout.objects.values_list("affiliate__user__email", "status")
        return {email.partition("@")[0]: status for email, status in rows}

    def paid_by_us(self) -> Decimal:
        paid = Payout.objects.filter(status=PayoutStatus.PAID)
        return sum((Decimal(one.amount) / 100 for one in paid), Decimal(0))
