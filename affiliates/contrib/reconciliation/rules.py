"""Compares a tracking provider's record with our decision for an order. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import NamedTuple

from affiliates.contrib.reconciliation.types import (
    MIN_PLACES,
    Agreement,
    ComparedOrder,
    Payment,
    ReconciliationLine,
    money,
)
from affiliates.outbox.types import CallOutcome, OutcomeKind, RemoteSale

# A provider may record an accepted sale only in its next scheduled run.
SETTLING = timedelta(minutes=15)
DECLINED_WORDS = frozenset({"d", "declined", "disapproved", "rejected"})
USUAL_CAUSES = (
    "Usual causes: a currency that it does not know, its rule against repeated orders, "
    "a click that had expired there, an affiliate that it does not know, or its setting "
    "that forgets the visitor's affiliate after a first sale."
)
# The form of a provider's affiliate numbers, unlike a chosen name.
_NUMBERED = re.compile(r"(?=.*[0-9])[0-9a-f-]{4,}")


class _Finding(NamedTuple):
    verdict: Agreement
    reason: str


def compare(
    order: ComparedOrder,
    answer: CallOutcome,
    *,
    names: Mapping[str, str],
    now: datetime,
) -> ReconciliationLine:
    """Compares an order with the provider's answer to its look-up.

    ``names``: to whom the provider credited another order of an affiliate, by the name
    that its link gives. An order that is not paid needs no answer: see ``not_paid``.
    """
    if order.payment is None:
        return not_paid(order)
    if not answer.sales and answer.kind is not OutcomeKind.NOT_FOUND:
        return not_asked(order, answer.detail or "Its answer did not say it.")
    if not order.is_for_integration:
        return _line(order, answer.sales, [_not_for_it(order, answer.sales)])
    if not answer.sales:
        return _line(order, (), [_absent(order, order.payment, now=now)])
    findings = _findings(order, order.payment, answer.sales, names)
    return _line(order, answer.sales, findings)


def not_paid(order: ComparedOrder) -> ReconciliationLine:
    reason = "No invoice with an amount is paid, so there is nothing to send yet."
    return _line(order, (), [_Finding(Agreement.NOT_PAID, reason)])


def not_asked(order: ComparedOrder, why: str) -> ReconciliationLine:
    """The verdict without the provider. ``why``: a sentence on why it was not asked."""
    finding = _unsent(order) if order.is_for_integration else None
    if finding is None:
        reason = f"What the provider holds is not known. {why}"
        finding = _Finding(Agreement.NOT_ASKED, reason)
    return _line(order, (), [finding])


def is_declined(sale: RemoteSale) -> bool:
    return sale.status.lower() in DECLINED_WORDS


def _line(
    order: ComparedOrder, held: Sequence[RemoteSale], findings: Sequence[_Finding]
) -> ReconciliationLine:
    """The first difference gives the verdict; every difference is named."""
    named = [row for row in findings if row.verdict.is_difference] or findings[:1]
    return ReconciliationLine(
        order=order,
        held=tuple(held),
        verdict=named[0].verdict,
        reason=" ".join(finding.reason for finding in named),
    )


def _not_for_it(order: ComparedOrder, held: Sequence[RemoteSale]) -> _Finding:
    who = "nobody"
    if order.own_affiliate:
        who = f"the brand's own affiliate {order.own_affiliate}"
    if all(is_declined(sale) for sale in held):
        reason = f"The order was decided for {who}, and the provider credits nobody."
        return _Finding(Agreement.NOT_OURS_TO_SEND, reason)
    if order.sale is not None:
        return _taken_from_it(order, who, _sales(held))
    return _Finding(
        Agreement.HELD_THERE_TOO,
        f"The order was decided for {who} and no sale was sent, yet the provider "
        f"holds {_sales(held)}. Something else reports sales to it, such as a script "
        "on a page of the shop: switch that off, and decline the sale there.",
    )


def _taken_from_it(order: ComparedOrder, who: str, held: str) -> _Finding:
    reassigned = f"Staff gave the order to {who} after its sale was sent"
    if any(reversal.is_due for reversal in order.reversals):
        reason = f"{reassigned}; that it is taken back is not delivered yet."
        return _Finding(Agreement.WAITING, reason)
    if order.is_reversed_whole:
        reason = f"{reassigned}, and the provider was told to take it back."
        return _Finding(Agreement.NOT_OURS_TO_SEND, reason)
    reason = f"{reassigned}, yet the provider holds {held}: decline the sale there."
    return _Finding(Agreement.HELD_THERE_TOO, reason)


def _unsent(order: ComparedOrder) -> _Finding | None:
    """Why the provider cannot hold the sale; None when it was delivered."""
    sale = order.sale
    if sale is None:
        return _Finding(
            Agreement.FAILED_HERE,
            "The order was decided for the integration and is paid, but no sale was "
            "queued for it: enter it by hand in the provider's panel.",
        )
    if sale.is_due:
        reason = f"The sale is not delivered yet. {sale.why}"
        return _Finding(Agreement.WAITING, reason)
    if sale.is_lost:
        reason = f"The sale was not delivered. {sale.why}"
        return _Finding(Agreement.FAILED_HERE, reason)
    return None


def _absent(order: ComparedOrder, payment: Payment, *, now: datetime) -> _Finding:
    finding = _unsent(order)
    if finding is not None:
        return finding
    have_arrived = all(reversal.has_arrived for reversal in order.reversals)
    if payment.is_taken_back_whole and have_arrived:
        reason = "The sale was taken back whole, and the provider holds it no longer."
        return _Finding(Agreement.AGREES, reason)
    delivered_at = order.sale.finished_at if order.sale else None
    if delivered_at is not None and now - delivered_at < SETTLING:
        reason = (
            "The sale was delivered a moment ago, and some providers take in what they "
            "accepted only after some minutes: ask again later."
        )
        return _Finding(Agreement.WAITING, reason)
    reason = (
        "The sale was delivered, but the provider does not hold it: it accepts a sale "
        f"and may drop it later. {USUAL_CAUSES}"
    )
    return _Finding(Agreement.MISSING_THERE, reason)


def _findings(
    order: ComparedOrder,
    payment: Payment,
    held: Sequence[RemoteSale],
    names: Mapping[str, str],
) -> list[_Finding]:
    counted = [sale for sale in held if not is_declined(sale)]
    if not counted:
        return [_declined(payment, held)]
    findings = []
    if len(held) > 1:
        findings.append(_held_twice(held, counted))
    if len(counted) == 1:
        findings += _amount(order, payment, counted[0])
    findings += [*_reversals(order, payment), *_arrival(order)]
    if len(counted) == 1:
        findings += _affiliate(order.external_affiliate, counted[0].affiliate, names)
    agreement = "The provider holds the sale as it was paid."
    return [*findings, _Finding(Agreement.AGREES, agreement)]


def _declined(payment: Payment, held: Sequence[RemoteSale]) -> _Finding:
    if payment.is_taken_back_whole:
        reason = "The sale was taken back whole, and the provider declined it."
        return _Finding(Agreement.AGREES, reason)
    reason = (
        f"The provider declined the sale: it holds {_sales(held)}. A person did it "
        "there, or a rule such as the one against repeated orders or addresses."
    )
    return _Finding(Agreement.DECLINED_THERE, reason)


def _held_twice(held: Sequence[RemoteSale], counted: Sequence[RemoteSale]) -> _Finding:
    cost = "The affiliate may be paid more than once: decline what is too much there."
    if len(counted) == 1:
        cost = "Its rule against repeated orders declined all but one."
    return _Finding(
        Agreement.HELD_TWICE,
        f"The provider holds the order {len(held)} times: {_sales(held)}. {cost} "
        "Either the sale was sent again, or something else reports it as well, such "
        "as a script on a page of the shop.",
    )


def _amount(order: ComparedOrder, payment: Payment, sale: RemoteSale) -> list[_Finding]:
    net, currency = payment.net.amount, payment.net.currency.code
    if sale.amount is None:
        return []
    is_same_currency = sale.currency.upper() in {"", currency}
    # Some providers lower the sale, others keep it and record the refund separately.
    expected = {net, net - order.reversed_net(net, is_arrived=True)}
    if is_same_currency and any(_is_equal(sale.amount, amount) for amount in expected):
        return []
    hint = "" if is_same_currency else " It may have converted the amount."
    reason = (
        f"The invoice was paid with {money(net, currency)} net, the provider holds "
        f"{money(sale.amount, sale.currency)}.{hint}"
    )
    return [_Finding(Agreement.DIFFERENT_AMOUNT, reason)]


def _is_equal(amount: Decimal, other: Decimal) -> bool:
    """Rounds to common decimals, at least two: a provider may round to cents."""
    exponents = [value.as_tuple().exponent for value in (amount, other)]
    places = min(-each for each in exponents if isinstance(each, int))
    unit = Decimal(1).scaleb(-max(places, MIN_PLACES))
    return abs(amount - other) <= unit / 2


def _affiliate(expected: str, there: str, names: Mapping[str, str]) -> list[_Finding]:
    """A link may use another name for an affiliate than the provider's records."""
    if not expected or not there or expected.casefold() == there.casefold():
        return []
    elsewhere = names.get(expected, there)
    if elsewhere != there:
        reason = (
            f"The provider credits another order of the affiliate {expected} to "
            f"{elsewhere}, this one to {there}: the visitor probably came by another "
            "affiliate's link as well, which the provider preferred."
        )
        return [_Finding(Agreement.DIFFERENT_AFFILIATE, reason)]
    if len(expected) == len(there) and all(map(_NUMBERED.fullmatch, (expected, there))):
        reason = (
            f"The visitor's link named the affiliate {expected}, the provider credits "
            f"{there}: unless both are the same affiliate there, it preferred another "
            "link of the visitor's."
        )
        return [_Finding(Agreement.DIFFERENT_AFFILIATE, reason)]
    reason = (
        f"The provider holds the sale for {there}, which may be its own number of the "
        f"affiliate {expected}: the two cannot be compared here."
    )
    return [_Finding(Agreement.NAMES_UNCLEAR, reason)]


def _reversals(order: ComparedOrder, payment: Payment) -> list[_Finding]:
    findings = [
        _Finding(
            Agreement.REVERSAL_DIFFERS,
            f"A refund of {reversal.what} was not taken back there. {reversal.why}",
        )
        for reversal in order.reversals
        if reversal.is_lost
    ]
    net, taken = payment.net.amount, payment.taken_back.amount
    if order.sale is not None and order.reversed_net(net) < taken:
        reason = (
            f"{money(taken, payment.net.currency.code)} net was refunded, but the "
            "provider was not notified of all of it: correct the sale by hand there."
        )
        findings.append(_Finding(Agreement.REVERSAL_DIFFERS, reason))
    return findings + [
        _Finding(
            Agreement.WAITING,
            f"A refund of {reversal.what} is not delivered yet. {reversal.why}",
        )
        for reversal in order.reversals
        if reversal.is_due
    ]


def _arrival(order: ComparedOrder) -> list[_Finding]:
    if order.sale is not None and order.sale.has_arrived:
        return []
    reason = (
        "The provider holds the sale as it was paid, though its delivery does not say "
        "so: look at the delivery, and mark it as arrived if it has been given up."
    )
    return [_Finding(Agreement.AGREES, reason)]


def _sales(held: Sequence[RemoteSale]) -> str:
    return ", ".join(_sale(sale) for sale in held)


def _sale(sale: RemoteSale) -> str:
    who = f" for {sale.affiliate}" if sale.affiliate else ""
    status = f" (status {sale.status})" if sale.status else ""
    return f"{money(sale.amount, sale.currency)}{who}{status}"
