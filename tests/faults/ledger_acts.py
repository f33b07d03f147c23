"""What processes do to one program, all at the same time: payments, decisions, payouts.

An act is written down before it is done, with every reference and the moment, so that
whoever finds it unfinished can do the same again.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

from affiliates.brands.models.brand import Brand
from affiliates.commissions.models import Commission
from affiliates.commissions.services.maturing import mature_due
from affiliates.commissions.services.staff import approve, hold, reject, release
from affiliates.contracts import OrderConversion, RefundKind
from affiliates.errors import AffiliatesError
from affiliates.ledger.rules import Account
from affiliates.ledger.selectors import account_balances
from affiliates.payouts.models import OPEN_STATUSES, Payout
from affiliates.payouts.rules import PayoutStatus
from affiliates.payouts.services.confirmations import confirm_payout
from affiliates.payouts.services.decisions import approve_payouts, reject_payout
from affiliates.payouts.services.requests import request_payout
from affiliates.referrals.models import OrderReferral
from affiliates.settlement.services import convert_order, override_attribution
from tests.factories.world import STARTED_AT, Invoice, World
from tests.hosts.host import current_host

# So fast time goes by: what is held for weeks matures within a run.
DAYS_A_SECOND = 10
RENEWALS = 30
# Each invoice may get any of them: its share of what was paid, and what it is.
REFUNDS = (
    (10, RefundKind.REFUND),
    (33, RefundKind.REFUND),
    (130, RefundKind.CHARGEBACK),
)
STAFF_ACTS: Mapping[str, Callable[..., int]] = {
    "hold": hold,
    "release": release,
    "approve": approve,
    "reject": reject,
}


@dataclass(frozen=True, kw_only=True)
class Basket:
    """An order that may be converted, and the lines that each of its invoices has."""

    order_ref: str
    client_id: str
    payment_details_id: int
    cookie: str
    currency: str
    lines: list[tuple[str, str, int]]

    def invoice(self, ref: str, renewal: int) -> Invoice:
        net = sum(amount for _, _, amount in self.lines)
        return Invoice(
            ref=ref,
            order_ref=self.order_ref,
            renewal=renewal,
            currency=self.currency,
            lines=self.lines,
            gross=net + net * 19 // 100,
        )


@dataclass(frozen=True, kw_only=True)
class Act:
    name: str
    given: dict[str, Any]
    at: str

    def again(self, at: datetime) -> Act:
        return replace(self, at=at.isoformat())


@dataclass(frozen=True, kw_only=True)
class Stage:
    """What all processes know. ``began_at`` is the moment of the clock it began."""

    brand_id: int
    staff_id: str
    affiliate_ids: list[int]
    baskets: list[Basket]
    began_at: float

    def write(self, path: Path) -> None:
        path.write_text(json.dumps(asdict(self)))

    @classmethod
    def read(cls, path: Path) -> Stage:
        stored = json.loads(path.read_text())
        baskets = [Basket(**basket) for basket in stored.pop("baskets")]
        return cls(baskets=baskets, **stored)

    def now(self) -> datetime:
        return STARTED_AT + timedelta(
            days=1 + DAYS_A_SECOND * (time.monotonic() - self.began_at)
        )


class Player:
    """Chooses acts and does them, each in transactions of its own."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    @cached_property
    def _world(self) -> World:
        brand = Brand.objects.get(pk=self._stage.brand_id)
        return World(host=current_host(), brand=brand, affiliates=[])

    def do(self, act: Act) -> str:
        """Do it; how it ended. A refusal is an answer like another."""
        perform: Callable[..., object] = getattr(self, f"_{act.name}")
        self._world.now = datetime.fromisoformat(act.at)
        try:
            perform(**act.given)
        except AffiliatesError as error:
            return error.code
        return "done"

    def choose(self, chance: Random) -> Act:
        choices = {
            self._choose_payment: 30,
            self._choose_refund: 12,
            self._choose_decision: 16,
            self._choose_payout: 30,
            self._choose_override: 6,
            self._choose_maturing: 6,
        }
        [choose] = chance.choices([*choices], weights=[*choices.values()])
        name, given = choose(chance)
        return Act(name=name, given=given, at=self._stage.now().isoformat())

    def _choose_payment(self, chance: Random) -> tuple[str, dict[str, Any]]:
        return self._choose_invoice(chance, "pay", {})

    def _choose_refund(self, chance: Random) -> tuple[str, dict[str, Any]]:
        which = chance.randrange(len(REFUNDS))
        return self._choose_invoice(chance, "refund", {"which": which})

    def _choose_invoice(
        self, chance: Random, name: str, given: dict[str, Any]
    ) -> tuple[str, dict[str, Any]]:
        """Of an order whose invoice is not known yet: its conversion."""
        number = chance.randrange(len(self._stage.baskets))
        order_ref = self._stage.baskets[number].order_ref
        renewal = chance.randrange(RENEWALS)
        ref: str | None = f"{order_ref}-r{renewal}"
        if renewal == 0:
            orders = OrderReferral.objects.filter(order_ref=order_ref)
            ref = orders.values_list("invoice_ref", flat=True).first()
        if ref is None or chance.random() < 0.1:
            return "convert", {"number": number}
        return name, {"number": number, "ref": ref, "renewal": renewal, **given}

    def _choose_decision(self, chance: Random) -> tuple[str, dict[str, Any]]:
        ids = Commission.objects.order_by("?").values_list("pk", flat=True)[:3]
        act = chance.choices([*STAFF_ACTS], weights=[3, 3, 3, 1])[0]
        return "decide", {"act": act, "commission_ids": list(ids)}

    def _choose_payout(self, chance: Random) -> tuple[str, dict[str, Any]]:
        payout = Payout.objects.filter(status__in=OPEN_STATUSES).order_by("?").first()
        if payout is None or chance.random() < 0.3:
            return self._choose_request(chance)
        is_requested = payout.status == PayoutStatus.REQUESTED
        step = "approve_payout" if is_requested else "confirm_payout"
        if chance.random() < 0.1:
            step = "return_payout"
        return step, {"payout_id": payout.pk}

    def _choose_request(self, chance: Random) -> tuple[str, dict[str, Any]]:
        """Where something is payable; until then something is to be paid."""
        payable = account_balances().filter(account=Account.PAYABLE, balance__gt=0)
        account = payable.order_by("?").values("affiliate_id", "currency").first()
        if account is None:
            return self._choose_payment(chance)
        return "request_payout", account

    def _choose_override(self, chance: Random) -> tuple[str, dict[str, Any]]:
        referral = OrderReferral.objects.order_by("?").first()
        if referral is None:
            return self._choose_payment(chance)
        affiliate_id = chance.choice(self._stage.affiliate_ids)
        return "override", {"referral_id": referral.pk, "affiliate_id": affiliate_id}

    def _choose_maturing(self, chance: Random) -> tuple[str, dict[str, Any]]:
        return "mature", {}

    def _convert(self, number: int) -> None:
        basket = self._stage.baskets[number]
        convert_order(
            conversion=OrderConversion(
                order_ref=basket.order_ref,
                client_id=basket.client_id,
                payment_details_id=basket.payment_details_id,
            ),
            origin_brand_id=self._stage.brand_id,
            referral_cookie=basket.cookie,
            # All orders are of the day of the clicks that sent them.
            now=STARTED_AT,
        )

    def _pay(self, number: int, ref: str, renewal: int) -> None:
        self._world.pay(self._stage.baskets[number].invoice(ref, renewal))

    def _refund(self, number: int, ref: str, renewal: int, which: int) -> None:
        invoice = self._stage.baskets[number].invoice(ref, renewal)
        share, kind = REFUNDS[which]
        amount = invoice.gross * share // 100
        self._world.refund(invoice, amount, kind=kind, ref=f"refund-{ref}-{which}")

    def _mature(self) -> None:
        mature_due(now=self._world.now)

    def _decide(self, act: str, commission_ids: list[int]) -> None:
        STAFF_ACTS[act](
            commission_ids=commission_ids,
            actor_id=self._stage.staff_id,
            reason="Looked at.",
            now=self._world.now,
        )

    def _override(self, referral_id: int, affiliate_id: int) -> None:
        override_attribution(
            referral_id=referral_id,
            affiliate_id=affiliate_id,
            reason="The client said so.",
            actor_id=self._stage.staff_id,
            now=self._world.now,
        )

    def _request_payout(self, affiliate_id: int, currency: str) -> None:
        request_payout(
            affiliate_id=affiliate_id, currency=currency, now=self._world.now
        )

    def _approve_payout(self, payout_id: int) -> None:
        approve_payouts(
            payout_ids=[payout_id],
            actor_id=self._stage.staff_id,
            now=self._world.now,
        )

    def _confirm_payout(self, payout_id: int) -> None:
        confirm_payout(
            payout_id=payout_id,
            reference=f"transfer {payout_id}",
            actor_id=self._stage.staff_id,
            now=self._world.now,
        )

    def _return_payout(self, payout_id: int) -> None:
        reject_payout(
            payout_id=payout_id,
            reason="The account is closed.",
            actor_id=self._stage.staff_id,
            now=self._world.now,
        )
