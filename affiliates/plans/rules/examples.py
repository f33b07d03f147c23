"""A plan's earnings on products at the host's prices, and their words. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from affiliates.core.days import BillingCycle
from affiliates.core.language import inside_sentence
from affiliates.plans.rules.computation import compute_commission
from affiliates.plans.rules.matching import (
    Counted,
    LineFacts,
    SaleFacts,
    choose_rule,
    months_after,
)
from affiliates.plans.rules.messages import money
from affiliates.plans.rules.terms import PlanTerms, Recurrence, RuleTerms, TierBasis

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


@dataclass(frozen=True, slots=True, kw_only=True)
class EarningExample:
    """The commission on a product's first payment and on each renewal, in minor units.

    ``renewals`` is how many earn it; None: all of them.
    """

    product: str
    billing_cycle: str
    currency: str
    price: int
    commission: int
    renewal_commission: int
    renewals: int | None

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
        if not self.commission and not self.renewal_commission:
            return _("nothing")
        return money(self.commission, self.currency)

    @property
    def cycle(self) -> str:
        if self.billing_cycle not in BillingCycle.values:
            return self.billing_cycle
        return inside_sentence(BillingCycle(self.billing_cycle))

    @property
    def payments(self) -> str:
        """The payments that earn, after the amount; empty if there is only one ever."""
        if not self.renewal_commission:
            if not self.commission:
                return ""
            is_renewed = self.billing_cycle not in ("", BillingCycle.ONE_TIME)
            return _("for the first payment only") if is_renewed else ""
        if self.renewal_commission == self.commission:
            if self.renewals is None:
                return _("each time")
            text = _("for each of the first {count} payments")
            return text.format(count=self.renewals + 1)
        amount = money(self.renewal_commission, self.currency)
        if self.renewals is None:
            return _("first, then {amount} for each renewal").format(amount=amount)
        return ngettext(
            "first, then {amount} for {count} renewal",
            "first, then {amount} for each of {count} renewals",
            self.renewals,
        ).format(amount=amount, count=self.renewals)


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

    def earned(line: LineFacts, position: int, paid_at: datetime) -> int:
        sale = SaleFacts(
            currency=priced.currency,
            renewal_number=position,
            position=position,
            ordered_at=at,
            paid_at=paid_at,
            affiliate_id=affiliate_id,
            counted=counted,
            lines=(line,),
        )
        return compute_commission(
            sale, terms=terms, plan_name="", version_number=0
        ).amount

    commission, renewal_commission, renewals = earned(priced.first, 0, at), 0, None
    if priced.renewal is not None:
        paid_at = months_after(at, priced.months)
        renewal_commission = earned(priced.renewal, 1, paid_at)
        place = choose_rule(
            terms.rules, priced.renewal, affiliate_id=affiliate_id, position=1
        )
        if place is not None:
            renewals = _renewals(terms.rules[place], priced.months)
    return EarningExample(
        product=priced.name,
        billing_cycle=priced.first.billing_cycle,
        currency=priced.currency,
        price=priced.first.net,
        commission=commission,
        renewal_commission=renewal_commission,
        renewals=renewals if renewal_commission else 0,
    )


def _renewals(rule: RuleTerms, months: int) -> int | None:
    limit = rule.recurrence_limit or 0
    if rule.recurrence is Recurrence.MONTHS:
        return limit // months
    return limit if rule.recurrence is Recurrence.RENEWALS else None


def best_example(examples: Sequence[EarningExample]) -> EarningExample | None:
    """The highest commission in the first product's currency, if it earns anything."""
    comparable = [
        example for example in examples if example.currency == examples[0].currency
    ]
    best = max(comparable, key=lambda example: example.commission, default=None)
    return best if best is not None and best.commission else None
