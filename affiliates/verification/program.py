"""Versions of policies, plans and coupons, affiliates themselves, and orders."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import orjson
from django.db.models import Exists, F, Model, OuterRef, Q, QuerySet, Sum

from affiliates.brands.models.brand import Brand
from affiliates.brands.models.versions import AttributionPolicyVersion
from affiliates.core.versions import digest_of
from affiliates.ledger.models import AccountBalance, LedgerEntry
from affiliates.plans.models.coupon import CouponCode, CouponCodeVersion
from affiliates.plans.models.plan import CommissionPlan, CommissionPlanVersion
from affiliates.program.models import Affiliate
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules.choices import Verdict
from affiliates.verification.faults import (
    DOCUMENTS_AT_ONCE,
    Check,
    Faults,
    RowFaults,
    Rule,
    every,
    json_text,
    within,
)

BALANCE = "The {account} balance of affiliate {affiliate_id} in {currency}"


def versions_agree(
    model: type[Model], owner: str, name: str, terms: Callable[[Any], Any]
) -> Rule:
    """The versions of each ``owner`` are complete, and the latest has its terms."""

    def find(rows: QuerySet[Any], ids: range) -> RowFaults:
        versions = defaultdict(list)
        of_owners = within(every(model), ids, f"{owner}_id")
        for version in of_owners.order_by("number"):
            versions[getattr(version, f"{owner}_id")].append(version)
        for row in rows:
            yield name.format(row), _version_faults(row, versions[row.pk], terms)

    return find


def _version_faults(
    owner: Any, versions: Sequence[Any], terms: Callable[[Any], Any]
) -> Iterator[str]:
    if not versions:
        yield "has no version of its terms."
        return
    numbers = [version.number for version in versions]
    if numbers != list(range(1, len(numbers) + 1)):
        yield f"has the versions {', '.join(map(str, numbers))}: not one after another."
    begins = [version.effective_from for version in versions]
    if begins != sorted(begins):
        yield "has a version that takes effect before an earlier one."
    for version in versions:
        if digest_of(version.terms) != version.digest:
            yield f"has other terms in version {version.number} than it was made with."
    latest = versions[-1].digest, getattr(versions[-1], "affiliate_id", None)
    if latest != (terms(owner).digest, getattr(owner, "affiliate_id", None)):
        yield "has other terms than its latest version: save it again."


def _accounts_without_balance(rows: QuerySet[Any]) -> Any:
    account = ("affiliate_id", "currency", "account")
    kept = every(AccountBalance).filter(
        **{column: OuterRef(column) for column in account}
    )
    entries = every(LedgerEntry).filter(affiliate__in=rows)
    sums = entries.values(*account).annotate(posted=Sum("amount"))
    return sums.filter(~Exists(kept))


def _decisions(rows: QuerySet[Any], ids: range) -> RowFaults:
    for order_ref, *columns in rows.values_list(
        "order_ref", "outcome", "affiliate_id", json_text("decision")
    ):
        yield f"Order {order_ref}", _decision_faults(*columns)


def _decision_faults(
    outcome: str, affiliate_id: int | None, document: str
) -> Iterator[str]:
    decision = orjson.loads(document)
    won = (
        candidate.get("affiliate_id")
        for candidate in decision.get("candidates", ())
        if candidate.get("verdict") == Verdict.WON
    )
    winner = next(won, None)
    if winner != affiliate_id:
        yield f"is credited to affiliate {affiliate_id}, by its decision to {winner}."
    decided = decision.get("outcome")
    if decided != outcome:
        yield f"is {outcome}, by its decision {decided}."


CHECKS = [
    Check(
        label="brands",
        model=Brand,
        rules=(
            versions_agree(
                AttributionPolicyVersion,
                "brand",
                "The policy of brand {0}",
                lambda brand: brand.terms(),
            ),
        ),
        brand="pk",
        at_once=DOCUMENTS_AT_ONCE,
    ),
    Check(
        label="plans",
        model=CommissionPlan,
        rules=(
            versions_agree(
                CommissionPlanVersion,
                "plan",
                "Plan {0.pk} ({0})",
                lambda plan: plan.to_terms(),
            ),
        ),
        at_once=DOCUMENTS_AT_ONCE,
    ),
    Check(
        label="coupons",
        model=CouponCode,
        rules=(
            versions_agree(
                CouponCodeVersion,
                "coupon",
                "Coupon {0.pk} ({0})",
                lambda coupon: coupon.to_terms(),
            ),
        ),
        at_once=DOCUMENTS_AT_ONCE,
    ),
    Check(
        label="affiliates",
        model=Affiliate,
        rules=(
            Faults(
                "Affiliate {pk} ({code})",
                {
                    "was recruited by affiliate {recruiter_id}, of another brand.": (
                        ~Q(recruiter__brand=F("brand"))
                    ),
                    "was recruited by affiliate {recruiter_id}, which it recruited.": (
                        Q(recruiter__recruiter=F("pk"))
                    ),
                },
                lambda rows: rows.filter(recruiter__isnull=False),
            ),
            Faults(
                BALANCE,
                {
                    "is missing, but its entries sum to {posted}: rebuild the "
                    "balances.": ~Q(posted=0)
                },
                _accounts_without_balance,
            ),
        ),
    ),
    Check(
        label="orders",
        model=OrderReferral,
        rules=(_decisions,),
        at_once=DOCUMENTS_AT_ONCE,
    ),
]
