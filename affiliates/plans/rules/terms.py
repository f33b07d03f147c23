"""The terms of a plan, as plain values that are stored as JSON permanently."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from typing import Any, NamedTuple, Self

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from affiliates.core.money import plain_text
from affiliates.core.versions import VersionedTerms
from affiliates.plans.rules.rounding import Rounding

MAX_PERCENT = 100
PERCENT_DECIMALS = 3
# The unit of a tier that counts sales.
SALES = "sales"
# The maximum that count, the latest ones: each sale reads them.
MAX_SALES = 10_000


class RateKind(TextChoices):
    PERCENT = "percent", "Percent of the base"
    FIXED = "fixed", "Fixed amount for each unit"
    NONE = "none", "Nothing"


class CapPeriod(TextChoices):
    NONE = "none", "No cap"
    MONTH = "month", _("In a calendar month")
    YEAR = "year", _("In a calendar year")
    LIFETIME = "lifetime", _("In all")


# The sales of an affiliate that count towards its tier.
class TierPeriod(TextChoices):
    MONTH = "month", _("In the calendar month")
    ALWAYS = "always", _("For all time")


@dataclass(frozen=True, slots=True, kw_only=True)
class CouponTerms(VersionedTerms):
    """The effects of an affiliate's coupon. ``percent`` None: the plan's own rate."""

    code: str
    percent: Decimal | None = None
    affiliate_funds_percent: Decimal = Decimal(0)

    def __post_init__(self) -> None:
        _require_percent(self.affiliate_funds_percent)
        if self.percent is not None:
            _require_percent(self.percent)

    def to_json(self) -> dict[str, Any]:
        percent = None if self.percent is None else percent_text(self.percent)
        return {
            "code": self.code,
            "percent": percent,
            "affiliate_funds_percent": percent_text(self.affiliate_funds_percent),
        }

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        percent = stored["percent"]
        return cls(
            code=stored["code"],
            percent=None if percent is None else Decimal(percent),
            affiliate_funds_percent=Decimal(stored["affiliate_funds_percent"]),
        )


class TierBasis(NamedTuple):
    """The measure of an affiliate's sales in a period: their number or their revenue."""

    period: TierPeriod
    is_by_sales: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TierTerms:
    """A rate from a number of sales, or from an amount of revenue in one currency.

    ``unit`` is ``SALES`` or the currency, ``at_least`` a number or minor units.
    """

    unit: str
    at_least: int
    percent: Decimal

    def __post_init__(self) -> None:
        _require_percent(self.percent)
        if self.at_least <= 0:
            raise ValueError("A tier begins above zero.")

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "percent": percent_text(self.percent)}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        return cls(**{**stored, "percent": Decimal(stored["percent"])})


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleTerms:
    """The earnings of lines that meet its conditions. An empty one fits every line.

    ``position_from`` and ``position_to`` are the first and the last position; None: no
    last one. ``months`` is how long renewals earn, since the order; None: always.
    ``fixed_amounts`` are minor units per currency and unit of quantity. The rate of
    the highest tier reached replaces ``percent``.
    """

    affiliate_id: int | None = None
    product_ref: str = ""
    kind: str = ""
    tld: str = ""
    operation: str = ""
    billing_cycle: str = ""
    position_from: int = 0
    position_to: int | None = None
    months: int | None = None
    rate_kind: RateKind = RateKind.PERCENT
    percent: Decimal = Decimal(0)
    fixed_amounts: Mapping[str, int] = field(default_factory=dict)
    tiers: tuple[TierTerms, ...] = ()
    tier_period: TierPeriod = TierPeriod.MONTH

    def __post_init__(self) -> None:
        _require_percent(self.percent)
        _require_amounts(self.fixed_amounts)
        if self.position_from < 0 or (self.months is not None and self.months < 1):
            raise ValueError("Positions begin at 0, months at 1.")
        if self.position_to is not None and self.position_to < self.position_from:
            raise ValueError("The last position is before the first.")
        if self.tiers and self.rate_kind is not RateKind.PERCENT:
            raise ValueError("Only a rate in percent has tiers.")

    @property
    def has_limit(self) -> bool:
        """Whether some payments of an order are beyond the rule."""
        return bool(self.position_from or self.months) or self.position_to is not None

    @property
    def tier_basis(self) -> TierBasis | None:
        if not self.tiers:
            return None
        return TierBasis(self.tier_period, self.tiers[0].unit == SALES)

    def to_json(self) -> dict[str, Any]:
        # Not `asdict()`, which copies deeply: each receipt line stores its rule.
        stored = {name: getattr(self, name) for name in self.__slots__} | {
            "percent": percent_text(self.percent),
            "fixed_amounts": dict(sorted(self.fixed_amounts.items())),
            "tiers": [tier.to_json() for tier in self.tiers],
            "tier_period": self.tiers and self.tier_period,
        }
        return _without_unused(stored, "tiers", "tier_period")

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        tiers = tuple(TierTerms.from_json(tier) for tier in stored.get("tiers", ()))
        return cls(
            **{
                **stored,
                "tiers": tiers,
                "tier_period": TierPeriod(stored.get("tier_period", TierPeriod.MONTH)),
                "rate_kind": RateKind(stored["rate_kind"]),
                "percent": Decimal(stored["percent"]),
            }
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanTerms(VersionedTerms):
    """All terms of a plan that affect money. ``rules`` in the order of the plan.

    ``cap_amounts`` are minor units of each currency; one that is not named has no cap.
    ``joining_bonus`` is in the same form, and given once, in the currency of the first
    approved commission. ``recruiter_percent`` is for the affiliate's recruiter.
    """

    rules: tuple[RuleTerms, ...] = ()
    hold_days: int = 30
    hold_days_by_cycle: Mapping[str, int] = field(default_factory=dict)
    needs_active_service: bool = False
    approves_itself: bool = True
    counts_discount: bool = False
    counts_credit: bool = False
    allows_paid_ads: bool = True
    rounding: Rounding = Rounding.HALF_UP
    cap_period: CapPeriod = CapPeriod.NONE
    cap_amounts: Mapping[str, int] = field(default_factory=dict)
    joining_bonus: Mapping[str, int] = field(default_factory=dict)
    recruiter_percent: Decimal = Decimal(0)

    def __post_init__(self) -> None:
        _require_percent(self.recruiter_percent)
        _require_amounts(self.cap_amounts)
        _require_amounts(self.joining_bonus)

    def cap_in(self, currency: str) -> int | None:
        """The maximum earnings per period, in minor units; None for no cap."""
        if self.cap_period is CapPeriod.NONE:
            return None
        return self.cap_amounts.get(currency)

    @property
    def looks_at_other_orders(self) -> bool:
        """Whether an order's earnings depend on the earnings of other orders."""
        return bool(self.cap_amounts or self.joining_bonus or self.tier_bases)

    @property
    def tier_bases(self) -> frozenset[TierBasis]:
        return frozenset(filter(None, (rule.tier_basis for rule in self.rules)))

    def hold_days_of(self, billing_cycle: str) -> int:
        return self.hold_days_by_cycle.get(billing_cycle, self.hold_days)

    def to_json(self) -> dict[str, Any]:
        stored = {
            **asdict(self),
            "rules": [rule.to_json() for rule in self.rules],
            "hold_days_by_cycle": dict(sorted(self.hold_days_by_cycle.items())),
            "cap_amounts": dict(sorted(self.cap_amounts.items())),
            "joining_bonus": dict(sorted(self.joining_bonus.items())),
            "recruiter_percent": self.recruiter_percent
            and percent_text(self.recruiter_percent),
        }
        return _without_unused(stored, "joining_bonus", "recruiter_percent")

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        return cls(
            **{
                **stored,
                "rules": tuple(RuleTerms.from_json(rule) for rule in stored["rules"]),
                "recruiter_percent": Decimal(stored.get("recruiter_percent", 0)),
                "rounding": Rounding(stored["rounding"]),
                "cap_period": CapPeriod(stored["cap_period"]),
            }
        )


def _without_unused(stored: dict[str, Any], *names: str) -> dict[str, Any]:
    """Keeps older terms unchanged by leaving out newer names without a value."""
    return {name: value for name, value in stored.items() if value or name not in names}


def percent_text(percent: Decimal) -> str:
    """Always in the same form, so that 10 and 10.000 are the same terms."""
    return plain_text(percent)


def _require_percent(percent: Decimal) -> None:
    if not 0 <= percent <= MAX_PERCENT:
        raise ValueError("A rate is from 0 to 100 percent.")
    if percent != round(percent, PERCENT_DECIMALS):
        raise ValueError("A rate has at most three decimals.")


def _require_amounts(amounts: Mapping[str, int]) -> None:
    if any(amount < 0 for amount in amounts.values()):
        raise ValueError("An amount of a plan is never negative.")
