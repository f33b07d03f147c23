"""Predicts every commission and balance of a random program, after each step.

The statuses of commissions and payouts and the purposes of adjustments are read: they are
no amounts. Amounts are compared as decimals of their currency.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

from django.db.models import Sum

from affiliates.commissions.models import Adjustment, Commission
from affiliates.core.money import from_minor
from affiliates.db.sums import from_thousandths, thousandths
from affiliates.ledger.selectors import account_balances
from affiliates.payouts.models import Payout
from affiliates.sales.models import Sale
from tests.affiliates.verification.money_model import (
    PLANS,
    SHARE,
    ModelPlan,
    ReportedRefund,
    earned_by_line,
    half_up,
    taken_back,
)
from tests.factories.world import Invoice, World

Key = tuple[int, str, str]
DECIMALS = {"EUR": 2, "JPY": 0, "KWD": 3}
ACCOUNTS = {
    "pending": "pending",
    "matured": "pending",
    "held": "held",
    "approved": "payable",
    "paid": "payable",
}
PAYOUT_ACCOUNTS = {
    "requested": "clearing",
    "approved": "clearing",
    "exported": "clearing",
    "paid": "paid_out",
}
# By kind of adjustment: the accounts that it lowers and raises.
ADJUSTED = {
    "bonus": ((), ("payable",)),
    "bonus_held": ((), ("held",)),
    "bonus_released": (("held",), ("payable",)),
    "bonus_withdrawn": (("held",), ()),
    "deduction": (("payable",), ()),
}


@dataclass(kw_only=True)
class PredictedBooks:
    world: World
    refunds: dict[str, ReportedRefund] = field(default_factory=dict)
    cancellations: dict[str, tuple[str, int | None, str]] = field(default_factory=dict)
    by_line: dict[int, list[int]] = field(default_factory=dict)
    accounts: Counter[Key] = field(default_factory=Counter)
    payouts: set[int] = field(default_factory=set)
    adjustments: set[int] = field(default_factory=set)

    def live_part(self, ref: str) -> Fraction:
        """The part of the refund that its cancellations leave."""
        refund = self.refunds[ref]
        left = refund.gross
        for refund_ref, gross, currency in self.cancellations.values():
            if refund_ref == ref and currency in ("", refund.currency):
                left -= left if gross is None else min(gross, left)
        return Fraction(left, refund.gross)

    def cancel(
        self, ref: str, refund_ref: str, gross: int | None, currency: str
    ) -> bool:
        """Whether the cancellation is accepted: unless it is more than is left."""
        facts = (refund_ref, gross, "" if gross is None else currency)
        if ref in self.cancellations:
            return self.cancellations[ref] == facts
        refund = self.refunds.get(refund_ref)
        if refund is not None and gross is not None:
            left = refund.gross * self.live_part(refund_ref)
            if currency != refund.currency or gross > left:
                return False
        self.cancellations[ref] = facts
        return True

    def compare(self) -> int:
        """Compares all amounts with the product's. Returns the number of commissions."""
        before, self.accounts = self.accounts, Counter()
        left = self._compare_sales()
        adjusted = list(Adjustment.objects.order_by("pk"))
        for row in adjusted:
            lowered, raised = ADJUSTED[row.kind]
            for account in lowered:
                self._add(row, account, -row.amount)
            for account in raised:
                self._add(row, account, row.amount)
        payouts = list(Payout.objects.order_by("pk"))
        for payout in payouts:
            if account := PAYOUT_ACCOUNTS.get(payout.status):
                self._add(payout, "payable", -payout.amount)
                self._add(payout, account, payout.amount)
        for (affiliate, _, currency), amount in list(self.accounts.items()):
            self.accounts[affiliate, "expense", currency] -= amount
        stored = {
            (row.affiliate_id, row.account, row.currency): from_minor(
                row.balance, row.currency
            ).amount
            for row in account_balances()
            if row.balance
        }
        assert stored == {
            key: decimal(amount, key[2])
            for key, amount in self.accounts.items()
            if amount
        }
        self._compare_payouts(
            [row for row in payouts if row.pk not in self.payouts], before
        )
        self._compare_adjustments(
            [row for row in adjusted if row.pk not in self.adjustments], before
        )
        self.payouts |= {row.pk for row in payouts}
        self.adjustments |= {row.pk for row in adjusted}
        return left

    def _add(self, row: Any, account: str, amount: int) -> None:
        self.accounts[row.affiliate_id, account, row.currency] += amount

    def _compare_sales(self) -> int:
        invoices = {invoice.ref: invoice for invoice in self.world.invoices}
        refunds = defaultdict(list)
        for ref, refund in self.refunds.items():
            refunds[refund.invoice_ref].append((refund, self.live_part(ref)))
        for sale in Sale.objects.annotate(
            back=Sum(thousandths("reversals__net"), default=0)
        ):
            invoice = invoices[sale.invoice_ref]
            nets = [net for _, _, net in invoice.lines]
            taken = taken_back(sum(nets), nets, invoice, refunds[invoice.ref])
            assert -from_thousandths(sale.back) == decimal(taken, invoice.currency), (
                sale
            )
        rows = Commission.objects.select_related("sale").order_by("pk")
        rows = list(rows.annotate(back=Sum("reversals__amount")))
        left: dict[int, int] = {}
        for place, row in enumerate(rows):
            invoice = invoices[row.sale.invoice_ref]
            if row.share_of_id is not None:
                by_line = self.by_line[row.share_of_id]
                amount = half_up(sum(by_line) * SHARE)
            else:
                if row.pk not in self.by_line:
                    self.by_line[row.pk] = self._earned(
                        row, invoice, rows[:place], left
                    )
                by_line = self.by_line[row.pk]
                amount = sum(by_line)
            assert row.amount == amount, row
            if row.status == "rejected":
                continue
            taken = taken_back(amount, by_line, invoice, refunds[invoice.ref])
            assert -(row.back or 0) == taken, row
            left[row.pk] = amount - taken
            require_status(row, left[row.pk])
            if row.status in ACCOUNTS:
                self._add(row, ACCOUNTS[row.status], left[row.pk])
        return len(rows)

    def _earned(
        self,
        row: Commission,
        invoice: Invoice,
        earlier: Sequence[Commission],
        left: Mapping[int, int],
    ) -> list[int]:
        month = (row.earned_at.year, row.earned_at.month)
        same = [
            other
            for other in earlier
            if (other.affiliate_id, other.currency) == (row.affiliate_id, row.currency)
            and (other.earned_at.year, other.earned_at.month) == month
            and other.share_of_id is None
            and other.status != "rejected"
        ]
        return earned_by_line(
            self._plan(row.affiliate_id),
            invoice.lines,
            currency=row.currency,
            position=row.sale.position,
            sold_before=sum(
                sum(net for _, _, net in self._lines(other))
                for other in same
                if other.status != "reversed" and other.earned_at <= row.earned_at
            ),
            earned_before=sum(left[other.pk] for other in same),
        )

    def _lines(self, row: Commission) -> Sequence[tuple[str, str, int]]:
        by_ref = (one for one in self.world.invoices if one.ref == row.sale.invoice_ref)
        return next(by_ref).lines

    def _plan(self, affiliate_id: int) -> ModelPlan:
        return PLANS[[one.pk for one in self.world.affiliates].index(affiliate_id)]

    def _compare_payouts(
        self, new: Sequence[Payout], before: Mapping[Key, int]
    ) -> None:
        """Each takes the whole payable balance."""
        for payout in new:
            payable = before[payout.affiliate_id, "payable", payout.currency]
            assert payout.amount == payable, payout

    def _compare_adjustments(
        self, new: Sequence[Adjustment], before: Mapping[Key, int]
    ) -> None:
        """A transfer moves whole payable balances; a plan gives its joining bonus."""
        moved: Counter[str] = Counter()
        for row in new:
            purpose, _, of = row.key.partition(":")
            amount = -row.amount if row.kind == "deduction" else row.amount
            if purpose == "joining":
                plan = self._plan(row.affiliate_id)
                assert amount == plan.bonus[row.currency], row
            if purpose == "transfer":
                moved[of.rpartition(":")[0]] += amount
                payables = {
                    abs(before[one.pk, "payable", row.currency])
                    for one in self.world.affiliates
                }
                assert abs(amount) in payables, row
        assert not any(moved.values())


def decimal(amount: int, currency: str) -> Decimal:
    return Decimal(amount).scaleb(-DECIMALS[currency])


def require_status(row: Commission, left: int) -> None:
    """Refunds that take a whole unpaid commission make it *Reversed*, and only those."""
    if row.status == "reversed":
        assert row.amount > 0 == left, row
    if row.status in ("pending", "matured", "held") and row.amount:
        assert left > 0, row
