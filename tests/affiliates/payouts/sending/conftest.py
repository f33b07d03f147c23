"""A provider that says what a test tells it to, and an account there."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from affiliates.outbox.http.types import Call, CallFailed, FailureKind, Response
from affiliates.outbox.types import OutcomeKind
from affiliates.payouts.models import Payout
from affiliates.payouts.providers.registry import SENDERS
from affiliates.payouts.providers.sender import (
    Batch,
    BatchAnswer,
    ItemAnswer,
    ItemState,
    PayoutSender,
)
from affiliates.payouts.sending.secrets import CREDENTIALS
from affiliates.payouts.sending.services import send_due
from affiliates.payouts.sending_models import PayoutAccount, PayoutSending
from affiliates.payouts.services.batches import export_batch
from affiliates.program.models import Affiliate
from tests.factories.affiliates import AffiliateFactory


class Scripted(PayoutSender):
    """It pays each batch once by its reference; ``says`` decides about each item."""

    code = kind = "paypal"
    name = "Scripted"
    about = default_address = ""
    most = 2
    repeatable_for = timedelta(days=29)

    def __init__(self) -> None:
        self.taken: dict[str, Batch] = {}
        self.sends = self.looks = 0
        self.refuses: BatchAnswer | None = None
        self.says: dict[str, ItemState] = {}
        self.states_amount: int | None = -1
        self.received: tuple[int | None, str] = (None, "")

    def send(self, batch, settings):
        self.sends += 1
        yield Call(method="POST", url="https://provider.example/send")
        if self.refuses is not None:
            return self.refuses
        self.taken.setdefault(batch.reference, batch)
        yield Call(method="POST", url="https://provider.example/sent")
        return BatchAnswer(kind=OutcomeKind.OK, remote_id=f"R-{batch.reference}")

    def look_up(self, batch, settings):
        self.looks += 1
        yield Call(method="GET", url="https://provider.example/look")
        items = [
            ItemAnswer(
                reference=one.reference,
                state=self.says.get(one.reference, ItemState.PAID),
                amount=one.amount if self.states_amount == -1 else self.states_amount,
                currency=one.currency,
                detail="Why.",
                remote_ref=f"T-{one.reference}",
                fee="0.25 EUR",
                received=self.received[0],
                received_currency=self.received[1],
            )
            for one in batch.transfers
        ]
        return BatchAnswer(kind=OutcomeKind.OK, remote_id=batch.remote_id, items=items)


class Line:
    """The connection: it fails where a test says so."""

    def __init__(self) -> None:
        self.failures: list[FailureKind | BaseException | None] = []

    def send(self, call: Call) -> Response:
        failure = self.failures.pop(0) if self.failures else None
        if isinstance(failure, BaseException):
            raise failure
        if failure is not None:
            raise CallFailed(failure, "No answer.")
        return Response(status=200, headers={}, body=b"")


@pytest.fixture
def provider(monkeypatch):
    provider = Scripted()
    monkeypatch.setitem(SENDERS, provider.code, provider)
    return provider


@pytest.fixture
def account(provider, brand):
    return PayoutAccount.objects.create(
        brand=brand,
        provider=provider.code,
        kind="paypal",
        address="https://provider.example",
        secrets=CREDENTIALS.seal({"secret": "s3cret"}),
    )


class Desk:
    """Staff who send approved payouts, and the worker, at a clock of their own."""

    def __init__(self, staff, now: datetime) -> None:
        self.staff, self.at, self.line = staff, now, Line()

    def send(self, *payouts: Payout) -> PayoutSending:
        batch = export_batch(
            payout_ids=[one.pk for one in payouts], actor_id=self.staff.pk, now=self.at
        )
        return PayoutSending.objects.get(batch=batch)

    def work(self, *, after: timedelta = timedelta(0)) -> dict[str, int]:
        self.at += after
        return dict(send_due(transport=self.line, now=lambda: self.at))


@pytest.fixture
def desk(staff, now, account):
    return Desk(staff, now)


@pytest.fixture
def another(brand, host):
    """Another affiliate of the brand."""

    def another():
        count = Affiliate.objects.count()
        user = host.client(brand, email=f"other-{count}@example.com")
        return AffiliateFactory(brand=brand, user=user)

    return another


def state_of(sending: PayoutSending) -> tuple[str, str, bool]:
    """Its state, reason, and whether another try follows."""
    sending.refresh_from_db()
    return sending.state, sending.detail, sending.next_at is not None


def status_of(payout: Payout) -> str:
    payout.refresh_from_db()
    return payout.status
