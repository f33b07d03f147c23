"""The changes in a draft of the rules, checked in one place for every caller."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from datetime import date
from types import MappingProxyType
from typing import Any

from django.core.exceptions import ValidationError

from affiliates.brands.models.brand import Brand
from affiliates.brands.rules import AttributionTerms
from affiliates.contrib.what_if.selectors import (
    configuration_of,
    plans_in_force,
)
from affiliates.contrib.what_if.types import (
    Configuration,
    Draft,
    DraftedPlan,
    PlanInForce,
)
from affiliates.errors import InvalidInput
from affiliates.plans.models.plan import CommissionPlan
from affiliates.plans.models.rule import PlanRule
from affiliates.program.models import Affiliate

PLAN, INSTEAD_OF = "plan", "instead_of"
# A brand's fields of its attribution policy, as simulate_policy names them.
TERM_OPTIONS: Mapping[str, str] = MappingProxyType(
    {
        "attribution_policy": "--policy",
        "attribution_window_days": "--window-days",
        "bound_clients": "--bound-clients",
        "stand_down_minutes": "--stand-down-minutes",
        "claim_policy": "--claim-policy",
        "coupon_over_link": "--coupon-over-link",
        "existing_clients_earn": "--existing-clients-earn",
        "own_program": "--own-program",
    }
)
OPTIONS: Mapping[str, str] = MappingProxyType(
    {**TERM_OPTIONS, PLAN: "--plan", INSTEAD_OF: "--instead-of"}
)


def drafted_plan(plan: CommissionPlan, rules: Sequence[PlanRule]) -> DraftedPlan:
    """The plan as filled in by a valid form: the next version unless terms are equal.

    The rows need not be saved.
    """
    terms = plan.to_terms([rule.to_terms() for rule in rules])
    latest = plans_in_force(plan.brand).get(plan.pk)
    if latest is None or latest.terms.digest != terms.digest:
        number = 1 if latest is None else latest.number + 1
        latest = PlanInForce(name=plan.name, number=number, terms=terms)
    return DraftedPlan(plan.pk, latest, is_default=plan.is_default)


def draft_of(
    brand: Brand,
    *,
    changes: Mapping[str, Any],
    plan: CommissionPlan | None = None,
    instead_of: CommissionPlan | None = None,
    drafted: DraftedPlan | None = None,
) -> Draft:
    """The current rules, and the rules with these fields of the brand changed.

    With ``plan`` every affiliate is on it, or those who are on ``instead_of`` today.
    With ``drafted`` that plan is as it is drafted, for those who are on it.
    Raises InvalidInput for a value that the brand could not have, for a plan of another
    brand or without a version, and for ``instead_of`` alone.
    """
    if instead_of is not None and plan is None:
        raise _refusal(INSTEAD_OF, "It needs the plan to put in its place.")
    today = configuration_of(brand)
    rules = today if drafted is None else configuration_of(brand, drafted)
    rules = replace(rules, terms=_terms(brand, changes))
    if plan is not None:
        plans = _assigned(brand, today, plan, instead_of, drafted)
        rules = replace(rules, plans={**rules.plans, **plans})
    return Draft(today=today, drafted=rules)


def command_for(
    brand: Brand,
    *,
    first_day: date,
    last_day: date,
    changes: Mapping[str, Any],
    plan: CommissionPlan | None = None,
    instead_of: CommissionPlan | None = None,
) -> str:
    """The command that simulates the same draft without a limit of orders."""
    named = {**changes, PLAN: plan, INSTEAD_OF: instead_of}
    words = [
        *("python", "manage.py", "simulate_policy", f"--brand={brand}"),
        *(f"--from={first_day}", f"--to={last_day}"),
        *(
            _option(OPTIONS[name], value)
            for name, value in named.items()
            if value is not None and value != getattr(brand, name, None)
        ),
    ]
    return shlex.join(words)


def _terms(brand: Brand, changes: Mapping[str, Any]) -> AttributionTerms:
    drafted = copy(brand)
    for name in TERM_OPTIONS.keys() & changes.keys():
        setattr(drafted, name, changes[name])
    others = {field.name for field in Brand._meta.fields} - TERM_OPTIONS.keys()
    try:
        drafted.clean_fields(exclude=others)
    except ValidationError as error:
        name, messages = next(iter(error.message_dict.items()))
        raise _refusal(name, messages[0]) from None
    return drafted.terms()


def _assigned(
    brand: Brand,
    today: Configuration,
    plan: CommissionPlan,
    instead_of: CommissionPlan | None,
    drafted: DraftedPlan | None,
) -> Mapping[int, PlanInForce]:
    """``plan`` by the affiliates that would get it."""
    known = plans_in_force(brand)
    offered = plans_in_force(brand, drafted)
    for name, drafted_row, versions in (
        (PLAN, plan, offered),
        (INSTEAD_OF, instead_of, known),
    ):
        if drafted_row is not None and drafted_row.pk not in versions:
            raise _refusal(name, f"{brand} has no version of this plan: save it first.")
    left = None if instead_of is None else known[instead_of.pk]
    ids = Affiliate.objects.filter(brand=brand).values_list("pk", flat=True)
    return {
        affiliate_id: offered[plan.pk]
        for affiliate_id in ids.iterator()
        if left is None or today.plans.get(affiliate_id) == left
    }


def _option(option: str, value: Any) -> str:
    if isinstance(value, bool):
        return option if value else option.replace("--", "--no-", 1)
    return f"{option}={value}"


def _refusal(field: str, detail: str) -> InvalidInput:
    return InvalidInput("invalid_draft", detail, field=field)
