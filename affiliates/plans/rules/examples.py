"""A plan's earnings on products at the host's prices, and their words. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from affiliates.core.days import BillingCycle
from affiliates.core.language import inside_sentence
from affiliates.plans.rules.computation import compute_commission
from affiliates.plans.rules.matching import (
    Counted,
    LineFacts,
    SaleFacts,
    months_after,
)
from affiliates.plans.rules.messages import money
from affiliates.plans.rules.terms import PlanTerms, RuleTerms, TierBasis

# A host may sell domains of a thousand TLDs.
MAX_EXAMPLES = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class PricedProduct:
    """A product at a price: its first invoice line and, if any, that of a renewal.

    Renewals are ``months`` apart.
    """

    name: str
    currency: str
    first: LineFacts
    renewal: LineFacts | None = None
    months: int = 0


class EarningStage(NamedTuple):
    """Payments in a row that earn the same, in minor units; None: all that follow."""

    commission: int
    payments: int | None
    currency: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EarningExample:
    """The commission on each payment for a product; none after the last stage."""

    product: str
    billing_cycle: str
    currency: str
    price: int
    stages: tuple[EarningStage, ...]

    @property
    def commission(self) -> int:
        """Of the first payment."""
        return self.stages[0].commission if self.stages else 0

    @property
    def text(self) -> str:
        """Such as "Agency, yearly €240.00: you earn €48.00 each time."."""
        text = _("{product}, {cycle} {price}: you earn {earned}.")
        if not self.billing_cycle:
            text = _("{product}, {price}: you earn {earned}.")
        return text.format(
            product=self.product,
            cycle=self.cycle,
            price=money(self.price, self.currency),
            earned=" ".join(filter(None, (self.amount, self.payments))),
        )

    @property
    def amount(self) -> str:
        return money(self.commission, self.currency) if self.stages else _("nothing")

    @property
    def cycle(self) -> str:
        if self.billing_cycle not in BillingCycle.values:
            return self.billing_cycle
        return inside_sentence(BillingCycle(self.billing_cycle))

    @property
    def payments(self) -> str:
        """The payments that earn, after the amount; empty if there is only one ever."""
        match self.stages:
            case []:
                return ""
            case [EarningStage(payments=None)]:
                return _("each time")
            case [EarningStage(payments=1)]:
                is_renewed = self.billing_cycle not in ("", BillingCycle.ONE_TIME)
                return _("for the first payment only") if is_renewed else ""
            case [EarningStage(payments=1), EarningStage(amount, payments=None)]:
                text = _("first, then {amount} for each renewal")
                return text.format(amount=money(amount, self.currency))
        first, *later = self.stages
        text = _("for each of the first {count} payments")
        text = _("first") if first.payments == 1 else text.format(count=first.payments)
        return ", ".join([text, *map(self._then, later)])

    def _then(self, stage: EarningStage) -> str:
        text = _("then {amount} each time")
        if stage.payments is not None:
            text = ngettext(
                "then {amount} for {count} renewal",
                "then {amount} for each of {count} renewals",
                stage.payments,
            )
        amount = money(stage.commission, self.currency)
        return text.format(amount=amount, count=stage.payments)


def examples_of(
    products: Sequence[PricedProduct],
    *,
    terms: PlanTerms,
    affiliate_id: int = 0,
    counted: Mapping[str, Mapping[TierBasis, Counted]] | None = None,
    at: datetime,
) -> tuple[EarningExample, ...]:
    """At the tiers of the sales ``counted`` by currency; without them at the start."""
    uncounted = {basis: Counted(at, 0) for basis in terms.tier_bases}
    return tuple(
        _example_of(
            product,
            terms=terms,
            affiliate_id=affiliate_id,
            counted=(counted or {}).get(product.currency, uncounted),
            at=at,
        )
        for product in products[:MAX_EXAMPLES]
    )


def _example_of(
    priced: PricedProduct,
    *,
    terms: PlanTerms,
    affiliate_id: int,
    counted: Mapping[TierBasis, Counted],
    at: datetime,
) -> EarningExample:
    """With nothing earned yet in the cap's period."""

    def earned(position: int) -> int:
        sale = SaleFacts(
            currency=priced.currency,
            renewal_number=position,
            position=position,
            ordered_at=at,
            paid_at=months_after(at, position * priced.months),
            affiliate_id=affiliate_id,
            counted=counted,
            lines=((priced.renewal if position else None) or priced.first,),
        )
        return compute_commission(
            sale, terms=terms, plan_name="", version_number=0
        ).amount

    starts = [0] if priced.renewal is None else _starts(terms.rules, priced.months)
    return EarningExample(
        product=priced.name,
        billing_cycle=priced.first.billing_cycle,
        currency=priced.currency,
        price=priced.first.net,
        stages=_stages(
            {start: earned(start) for start in starts},
            end=1 if priced.renewal is None else None,
            currency=priced.currency,
        ),
    )


def _starts(rules: Sequence[RuleTerms], months: int) -> list[int]:
    """The positions at which a rule may begin or end, of payments ``months`` apart."""
    ends = [rule.position_to for rule in rules if rule.position_to is not None]
    ends += [rule.months // months for rule in rules if rule.months]
    begins = (rule.position_from for rule in rules)
    return sorted({0, 1, *begins, *(end + 1 for end in ends)})


def _stages(
    amounts: Mapping[int, int], *, end: int | None, currency: str
) -> tuple[EarningStage, ...]:
    """Of amounts by first position. Payments at the end that earn nothing are left out."""
    runs = [
        (next(starts), amount)
        for amount, starts in groupby(amounts, key=amounts.__getitem__)
    ]
    ends = [*(start for start, _amount in runs[1:]), end]
    stages = tuple(
        EarningStage(amount, None if end is None else end - start, currency)
        for (start, amount), end in zip(runs, ends, strict=True)
    )
    return stages if stages[-1].commission else stages[:-1]


def best_example(examples: Sequence[EarningExample]) -> EarningExample | None:
    """The highest commission in the first product's currency, if it earns anything."""
    comparable = [
        example for example in examples if example.currency == examples[0].currency
    ]
    best = max(comparable, key=lambda example: example.commission, default=None)
    return best if best is not None and best.commission else None
