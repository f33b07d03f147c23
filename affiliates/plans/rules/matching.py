"""Chooses the rule of a plan for an invoice line. Pure."""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from typing import NamedTuple

from affiliates.core.days import start_of
from affiliates.core.versions import digest_of
from affiliates.plans.rules.terms import (
    CapPeriod,
    CouponTerms,
    RuleTerms,
    TierBasis,
    TierPeriod,
)

MONTHS_IN_YEAR = 12
# The most characters of a label that are stored.
LABEL_LIMITS = {
    "product_ref": 64,
    "kind": 20,
    "billing_cycle": 20,
    "tld": 63,
    "operation": 20,
}
DIGEST_LENGTH = 8
FIRST_MOMENT = datetime(1, 1, 1, tzinfo=UTC)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LAST_MOMENT = datetime.max.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class LineFacts:
    """One invoice line. Amounts are minor units, for the whole quantity.

    ``net`` is after ``discount`` and before tax; ``credit`` is the part of it that the
    client's account credit paid.
    """

    position: int
    description: str = ""
    product_ref: str = ""
    kind: str = ""
    tld: str = ""
    operation: str = ""
    billing_cycle: str = ""
    quantity: int = 1
    net: int
    discount: int = 0
    credit: int = 0


class Counted(NamedTuple):
    """The affiliate's sales before this one, or their revenue in its currency."""

    since: datetime
    seen: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SaleFacts:
    """A paid invoice. ``renewal_number`` is 0 for the order's initial one.

    ``position`` is the number it counts as, where zero invoices use up no renewal.
    ``earned_in_period`` is what the affiliate earned in this currency and the cap's
    period before this sale; used only if the plan has a cap. ``counted`` has an entry
    for each basis that the plan's tiers use.
    """

    currency: str
    renewal_number: int
    position: int
    ordered_at: datetime
    paid_at: datetime
    affiliate_id: int
    coupon: CouponTerms | None = None
    earned_in_period: int = 0
    counted: Mapping[TierBasis, Counted] = field(default_factory=dict)
    lines: tuple[LineFacts, ...]


class Precedence(NamedTuple):
    """How specific a rule is: the most specific wins, of equal ones the plan's first.

    A rule for one affiliate wins over every other, then one for a product, then the one
    with more conditions. A rule without any is the plan's default.
    """

    names_affiliate: bool
    names_product: bool
    conditions: int


def precedence_of(rule: RuleTerms) -> Precedence:
    conditions = (rule.kind, rule.tld, rule.operation, rule.billing_cycle)
    return Precedence(
        names_affiliate=rule.affiliate_id is not None,
        names_product=bool(rule.product_ref),
        conditions=sum(map(bool, conditions)) + rule.has_limit,
    )


def choose_rule(
    rules: Sequence[RuleTerms], line: LineFacts, *, sale: SaleFacts
) -> int | None:
    """The index in ``rules`` of the rule for the line, or None.

    If no fitting rule reaches the payment, the rule whose receipt says so.
    """
    fitting = [
        place
        for place, rule in enumerate(rules)
        if fits(rule, line, affiliate_id=sale.affiliate_id)
    ]
    reaching = [
        place
        for place in fitting
        if reaches(
            rules[place],
            position=sale.position,
            ordered_at=sale.ordered_at,
            paid_at=sale.paid_at,
        )
    ]
    # Of equals, max() keeps the first: of stages that do not reach it, the last.
    return max(
        reaching or reversed(fitting),
        key=lambda place: precedence_of(rules[place]),
        default=None,
    )


def fits(rule: RuleTerms, line: LineFacts, *, affiliate_id: int) -> bool:
    """Whether the line meets all conditions, its payment aside."""
    if rule.affiliate_id not in (None, affiliate_id):
        return False
    conditions = (
        (rule.product_ref, line.product_ref, str),
        (rule.kind, line.kind, normal_word),
        (rule.tld, line.tld, normal_tld),
        (rule.operation, line.operation, normal_word),
        (rule.billing_cycle, line.billing_cycle, normal_word),
    )
    return all(
        not wanted or normal(wanted) in ("", normal(actual))
        for wanted, actual, normal in conditions
    )


def stored_label(name: str, text: str) -> str:
    """A label that fits its column: a longer one ends in a digest of the whole.

    So two long labels with the same beginning remain two.
    """
    most = LABEL_LIMITS[name]
    if len(text) <= most:
        return text
    whole = text if name == "product_ref" else normal_word(text)
    digest = digest_of({"label": whole})[:DIGEST_LENGTH]
    return f"{text[: most - DIGEST_LENGTH - 1]}~{digest}"


def normal_word(word: str) -> str:
    """Ignores case: hosts write Hosting and hosting for the same thing."""
    return word.strip().lower()


def normal_tld(tld: str) -> str:
    return tld.strip().lower().strip(".")


def normal_coupon_code(code: str) -> str:
    """Ignores case, since clients type codes in any case."""
    return code.strip().upper()


def reaches(
    rule: RuleTerms, *, position: int, ordered_at: datetime, paid_at: datetime
) -> bool:
    """Whether the payment is within the rule's positions and months.

    The first payment is within any months.
    """
    if position < rule.position_from:
        return False
    if rule.position_to is not None and position > rule.position_to:
        return False
    return (
        position == 0
        or rule.months is None
        or paid_at <= months_after(ordered_at, rule.months)
    )


def months_after(moment: datetime, months: int) -> datetime:
    """The same day and time in UTC, or the last day of a shorter month."""
    moment = moment.astimezone(UTC)
    year, month = divmod(
        moment.year * MONTHS_IN_YEAR + moment.month - 1 + months, MONTHS_IN_YEAR
    )
    if year > LAST_MOMENT.year:
        return LAST_MOMENT
    day = min(moment.day, monthrange(year, month + 1)[1])
    return moment.replace(year=year, month=month + 1, day=day)


def cap_period_start(period: CapPeriod, *, at: datetime) -> datetime:
    """The first moment of the cap's period around ``at``, in UTC."""
    if period in (CapPeriod.NONE, CapPeriod.LIFETIME):
        return FIRST_MOMENT
    start = at.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    return start.replace(month=1) if period is CapPeriod.YEAR else start


def cap_period_end(period: CapPeriod, *, at: datetime) -> datetime:
    """The first moment after the cap's period around ``at``, in UTC."""
    if period in (CapPeriod.NONE, CapPeriod.LIFETIME):
        return LAST_MOMENT
    months = MONTHS_IN_YEAR if period is CapPeriod.YEAR else 1
    return months_after(cap_period_start(period, at=at), months)


def tier_period_start(period: TierPeriod, *, at: datetime, zone: tzinfo) -> datetime:
    """When a tier's counting period begins; the month is of the time zone."""
    if period is TierPeriod.ALWAYS:
        return EPOCH
    first = at.astimezone(zone).date().replace(day=1)
    return start_of(first, zone).astimezone(UTC)
