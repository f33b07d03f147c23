"""Rules of agreement between sales, commissions, payouts and the ledger. Pure.

Each function reads the facts of one row and says in plain words what is wrong with it.
Amounts are in minor units, but for those of sales, which are in thousandths. None of
this asks the rules that the rows were written by: a fault there would hide itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple

from affiliates.commissions.rules import CommissionStatus
from affiliates.ledger.rules import Account
from affiliates.payouts.rules import PayoutStatus

# The account of a commission's rest; other statuses have nothing left.
STANDS_ON: Mapping[str, Account] = {
    CommissionStatus.PENDING: Account.PENDING,
    CommissionStatus.MATURED: Account.PENDING,
    CommissionStatus.HELD: Account.HELD,
    CommissionStatus.APPROVED: Account.PAYABLE,
    CommissionStatus.PAID: Account.PAYABLE,
}
COMMISSION_ACCOUNTS = (Account.PENDING, Account.HELD, Account.PAYABLE)
NOT_IN_PAYOUTS = frozenset(
    {CommissionStatus.PENDING, CommissionStatus.MATURED, CommissionStatus.HELD}
)
PAYOUT_TARGETS: Mapping[str, Account] = {
    PayoutStatus.REQUESTED: Account.CLEARING,
    PayoutStatus.APPROVED: Account.CLEARING,
    PayoutStatus.EXPORTED: Account.CLEARING,
    PayoutStatus.PAID: Account.PAID_OUT,
}
PAYOUT_ACCOUNTS = (Account.CLEARING, Account.PAID_OUT)
PAYOUT_ENDS = (PayoutStatus.PAID, PayoutStatus.REJECTED, PayoutStatus.RETURNED)
# What the books have of one that ended so.
PAYOUT_POSTINGS: Mapping[str, tuple[str, ...]] = {
    PayoutStatus.PAID: ("paid",),
    PayoutStatus.REJECTED: ("rejected",),
    PayoutStatus.RETURNED: ("paid", "returned"),
}

# The steps of a row in their order: the status before and after.
History = Sequence[tuple[str, str]]


class Owner(NamedTuple):
    """The owner of the money."""

    brand_id: int
    affiliate_id: int
    currency: str


class StoredSale(NamedTuple):
    """A sale with its reversals and commissions. Amounts are thousandths.

    ``line_total`` is that of its payment's lines, None where they cannot be read.
    """

    id: int
    brand_id: int
    currency: str
    net: int
    payment_brand_id: int
    affiliate_brand_id: int
    line_total: int | None
    reversed_total: int
    foreign_count: int
    live_commission_count: int


class CommissionMoney(NamedTuple):
    """A commission's sums in the ledger: by kinds of posting, and by account."""

    earned: int = 0
    reversed: int = 0
    restored: int = 0
    pending: int = 0
    held: int = 0
    payable: int = 0


class PayoutMoney(NamedTuple):
    """A payout's sums in the ledger: by kind of posting, and by account."""

    requested: int = 0
    paid: int = 0
    rejected: int = 0
    returned: int = 0
    clearing: int = 0
    paid_out: int = 0


class CommissionFacts(NamedTuple):
    """The total that refunds took, and what their cancellations restored."""

    id: int
    owner: Owner
    amount: int
    status: str
    sale: tuple[int, str]
    line_total: int
    reversed_total: int
    restored_total: int
    foreign_count: int
    payout: tuple[str, Owner] | None
    credited_id: int | None
    money: CommissionMoney
    history: History


class PayoutFacts(NamedTuple):
    """``missing_statement``: its number, where the payout names one that is not there.

    ``actors``: the status after each of its steps, and who took it.
    """

    id: int
    owner: Owner
    amount: int
    status: str
    destination_affiliate_id: int
    missing_statement: str
    prepared_by_id: Any
    approved_by_id: Any
    money: PayoutMoney
    history: History
    actors: Set[tuple[str, Any]]


class BalanceFacts(NamedTuple):
    """An account of an affiliate: what is kept, None for no row, and what entries say."""

    affiliate_id: int
    currency: str
    account: str
    kept: int | None
    posted: int


def judge_sale(facts: StoredSale) -> Iterator[str]:
    if not facts.brand_id == facts.payment_brand_id == facts.affiliate_brand_id:
        yield "has its payment or its affiliate from another brand."
    if facts.foreign_count:
        yield "has its payment or reversals in another currency than its own."
    if facts.line_total is None:
        yield "has a payment whose lines cannot be read."
    elif facts.line_total != facts.net:
        yield (
            f"has lines of {_units(facts.line_total, facts)} but a net amount of "
            f"{_units(facts.net, facts)}."
        )
    if facts.reversed_total > max(facts.net, 0):
        yield (
            f"has reversals of {_units(facts.reversed_total, facts)}, more than its "
            f"net amount of {_units(facts.net, facts)}."
        )
    if facts.reversed_total < 0:
        yield f"was given {_units(-facts.reversed_total, facts)} more than was taken back."
    if facts.live_commission_count > 1:
        yield f"is credited {facts.live_commission_count} times."


def _units(thousandths: int, facts: StoredSale) -> str:
    sign = "-" if thousandths < 0 else ""
    units, rest = divmod(abs(thousandths), 1000)
    return f"{sign}{units}.{rest:03} {facts.currency}"


def judge_commission(facts: CommissionFacts) -> Iterator[str]:
    if facts.sale != (facts.owner.brand_id, facts.owner.currency):
        yield "is of another brand or currency than its sale."
    owner = facts.owner.affiliate_id
    if facts.status != CommissionStatus.REJECTED and owner != facts.credited_id:
        credited = facts.credited_id or "nobody"
        yield f"is of affiliate {owner}, but its order is credited to {credited}."
    if facts.foreign_count:
        yield "has reversals that belong to another sale."
    if facts.line_total != facts.amount:
        sums = f"is {facts.amount}, but its lines sum to {facts.line_total}"
        yield f"{sums}: nothing explains the difference."
    if not 0 <= facts.reversed_total - facts.restored_total <= facts.amount:
        taken = facts.reversed_total - facts.restored_total
        yield f"is {facts.amount}, but {taken} was taken back of it."
    yield from _judge_history(facts.history, facts.status)
    yield from _judge_commission_money(facts)
    yield from _judge_commission_payout(facts)


def _judge_commission_money(facts: CommissionFacts) -> Iterator[str]:
    money, status = facts.money, facts.status
    taken = facts.reversed_total - facts.restored_total
    if money.earned != facts.amount:
        yield f"is {facts.amount}, but the books have {money.earned} as earned."
    if money.reversed != facts.reversed_total:
        yield (
            f"has reversals of {facts.reversed_total}, but the books took "
            f"{money.reversed} back."
        )
    if money.restored != facts.restored_total:
        yield (
            f"was given {facts.restored_total} back, but by the books {money.restored}."
        )
    if status == CommissionStatus.REVERSED and taken != facts.amount:
        yield f"is reversed, but only {taken} of {facts.amount} is."
    left = facts.amount - taken
    target = STANDS_ON.get(status)
    for account in COMMISSION_ACCOUNTS:
        expected = left if account == target else 0
        found = getattr(money, account)
        if found != expected:
            must = f"is {status} with {left} left, so {expected} must be {account}"
            yield f"{must}, but {found} is."


def _judge_commission_payout(facts: CommissionFacts) -> Iterator[str]:
    if facts.payout is None:
        if facts.status == CommissionStatus.PAID:
            yield "is paid, but names no payout."
        return
    status, owner = facts.payout
    if owner != facts.owner:
        yield "is in a payout of another brand, affiliate or currency."
    if facts.status in NOT_IN_PAYOUTS:
        yield f"is {facts.status}, but in a payout."
    if facts.status == CommissionStatus.PAID and status != PayoutStatus.PAID:
        yield f"is paid, but its payout is {status}."
    if facts.status == CommissionStatus.APPROVED and status in PAYOUT_ENDS:
        yield f"is approved, but its payout is {status} already."


def judge_payout(facts: PayoutFacts) -> Iterator[str]:
    if facts.destination_affiliate_id != facts.owner.affiliate_id:
        yield "goes to the destination of another affiliate."
    if facts.missing_statement:
        yield f"was stated as {facts.missing_statement}: that statement is missing."
    yield from _judge_history(facts.history, facts.status)
    for person, status in (
        (facts.prepared_by_id, PayoutStatus.REQUESTED),
        (facts.approved_by_id, PayoutStatus.APPROVED),
    ):
        if person is not None and (status, person) not in facts.actors:
            yield f"names who made it {status}, but has no such step of that person."
    money, target = facts.money, PAYOUT_TARGETS.get(facts.status)
    if money.requested != facts.amount:
        yield f"is {facts.amount}, but the books have {money.requested} as requested."
    for status in PAYOUT_ENDS:
        is_due = status in PAYOUT_POSTINGS.get(facts.status, ())
        expected = facts.amount if is_due else 0
        ended = getattr(money, status)
        if ended != expected:
            must = f"is {facts.status}, so {expected} must be {status}"
            yield f"{must}, but the books have {ended}."
    for account in PAYOUT_ACCOUNTS:
        expected = facts.amount if account == target else 0
        found = getattr(money, account)
        if found != expected:
            must = f"is {facts.status}, so {expected} must be {account}"
            yield f"{must}, but {found} is."


def judge_balance(facts: BalanceFacts) -> Iterator[str]:
    if (facts.kept or 0) != facts.posted:
        kept = f"is kept as {facts.kept}, but its entries sum to {facts.posted}"
        yield f"{kept}: rebuild the balances."


def _judge_history(history: History, status: str) -> Iterator[str]:
    last = ""
    for before, after in history:
        if before != last:
            yield f"went on from {before or 'nothing'} when it was {last or 'nothing'}."
        last = after
    if last != status:
        yield f"is {status}, but its last step made it {last or 'nothing'}."
