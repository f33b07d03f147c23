"""The compared facts: our decision, payment and deliveries, and the verdict."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db.models import TextChoices
from moneyed import CURRENCIES, Money

from affiliates.core.money import exact_text
from affiliates.outbox.queue.rules import QueueState
from affiliates.outbox.types import RemoteSale
from affiliates.referrals.rules.choices import Outcome

MIN_PLACES, MAX_PLACES = 2, 8
MAX_DIGITS = 18


class Agreement(TextChoices):
    """The verdict on one order."""

    AGREES = "agrees", "Agrees"
    NAMES_UNCLEAR = "names_unclear", "Agrees, names unclear"
    NOT_PAID = "not_paid", "Not paid"
    NOT_OURS_TO_SEND = "not_ours_to_send", "Not to be sent"
    WAITING = "waiting", "Waiting"
    NOT_ASKED = "not_asked", "Not asked"
    FAILED_HERE = "failed_here", "Not delivered"
    MISSING_THERE = "missing_there", "Missing there"
    HELD_TWICE = "held_twice", "Held twice"
    HELD_THERE_TOO = "held_there_too", "Held there too"
    DECLINED_THERE = "declined_there", "Declined there"
    DIFFERENT_AMOUNT = "different_amount", "Different amount"
    DIFFERENT_AFFILIATE = "different_affiliate", "Different affiliate"
    REVERSAL_DIFFERS = "reversal_differs", "Refund differs"

    @property
    def is_difference(self) -> bool:
        """Whether staff have to check it."""
        return self not in _NO_DIFFERENCE


_NO_DIFFERENCE = frozenset(
    {
        Agreement.AGREES,
        Agreement.NAMES_UNCLEAR,
        Agreement.NOT_PAID,
        Agreement.NOT_OURS_TO_SEND,
        Agreement.WAITING,
        Agreement.NOT_ASKED,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Payment:
    """``taken_back`` is the part of ``net`` that refunds took back."""

    net: Money
    taken_back: Money

    @property
    def is_taken_back_whole(self) -> bool:
        return bool(self.net.amount > 0 and self.taken_back.amount >= self.net.amount)


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedDelivery:
    """A delivery. ``amount`` None is a whole sale; ``is_due``: it is not over yet."""

    delivery_id: int
    state: QueueState
    amount: Decimal | None
    currency: str
    detail: str
    remote_ref: str
    is_due: bool
    finished_at: datetime | None

    @property
    def has_arrived(self) -> bool:
        return self.state is QueueState.SENT

    @property
    def is_lost(self) -> bool:
        return not self.has_arrived and not self.is_due

    @property
    def why(self) -> str:
        """The state and its stored reason, as sentences."""
        return f"{self.state.label}. {self.detail}".rstrip()

    @property
    def what(self) -> str:
        return "the whole sale" if self.amount is None else self.sum_of_money

    @property
    def sum_of_money(self) -> str:
        return "" if self.amount is None else money(self.amount, self.currency)


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedOrder:
    """Our facts about an order.

    ``is_for_integration``: the decision names the integration that is asked. ``sale``
    and ``reversals`` are what it was sent; ``payment`` is of the first invoice with an
    amount, None until it is paid.
    """

    referral_id: int
    order_ref: str
    invoice_ref: str
    outcome: Outcome
    own_affiliate: str
    external_affiliate: str
    is_for_integration: bool
    payment: Payment | None
    sale: ComparedDelivery | None
    reversals: tuple[ComparedDelivery, ...]

    def reversed_net(self, net: Decimal, *, is_arrived: bool = False) -> Decimal:
        """The amount that reversals took or should take back from ``net``."""
        counted = [
            reversal
            for reversal in self.reversals
            if reversal.has_arrived or not is_arrived
        ]
        amounts = (
            net if counted_commission.amount is None else counted_commission.amount
            for counted_commission in counted
        )
        return sum(amounts, Decimal(0))

    @property
    def is_reversed_whole(self) -> bool:
        """Whether the reversals that arrived leave nothing of the sale."""
        arrived = [reversal for reversal in self.reversals if reversal.has_arrived]
        sent = None if self.sale is None else self.sale.amount
        net = sent or Decimal(0)
        return bool(arrived) and self.reversed_net(net, is_arrived=True) >= net

    @property
    def decided(self) -> str:
        """The decision and the affiliate it names, in words."""
        names = [self.own_affiliate] if self.own_affiliate else []
        if self.external_affiliate:
            names.append(self.external_affiliate)
        return f"{self.outcome.label}: {' and '.join(names)}".removesuffix(": ")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReconciliationLine:
    """A compared order. ``held`` is the provider's answer, if it was asked."""

    order: ComparedOrder
    held: tuple[RemoteSale, ...]
    verdict: Agreement
    reason: str


def money(amount: Decimal | None, currency: str) -> str:
    """The amount with two decimals or as many as it has, and its currency if known."""
    if amount is None:
        return "an unknown amount"
    exponent = amount.normalize().as_tuple().exponent
    places = -exponent if isinstance(exponent, int) else 0
    places = min(max(MIN_PLACES, places), MAX_PLACES)
    shown = f"{amount:.{places}f}"
    # A provider may name any currency, and any amount.
    if currency not in CURRENCIES or amount.adjusted() >= MAX_DIGITS:
        return f"{shown} {currency}".rstrip()
    return exact_text(Decimal(shown), currency)
