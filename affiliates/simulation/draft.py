"""What a draft of the rules changes: checked in one place, whoever asks."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from copy import copy
from dataclasses import replace
from datetime import date
from types import MappingProxyType
from typing import Any

from django.core.exceptions import ValidationError

from affiliates.brands.models.brand import Brand
from affiliates.brands.rules import AttributionTerms
from affiliates.errors import InvalidInput
from affiliates.plans.models.plan import CommissionPlan
from affiliates.program.models import Affiliate
from affiliates.simulation.selectors import configuration_of, plans_in_force
from affiliates.simulation.types import Configuration, Draft

PLAN, INSTEAD_OF = "plan", "instead_of"
# The fields of a brand that are its attribution policy, as simulate_policy calls them.
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


def draft_of(
    brand: Brand,
    *,
    changes: Mapping[str, Any],
    plan: CommissionPlan | None = None,
    instead_of: CommissionPlan | None = None,
) -> Draft:
    """The rules of today, and those with these fields of the brand changed.

    With ``plan`` every affiliate is on it, or those who are on ``instead_of`` today.
    Raises InvalidInput for a value that the brand could not have, for a plan of another
    brand or without a version, and for ``instead_of`` alone.
    """
    if instead_of is not None and plan is None:
        raise _refusal(INSTEAD_OF, "It needs the plan to put in its place.")
    today = configuration_of(brand)
    drafted = replace(today, terms=_terms(brand, changes))
    if plan is not None:
        drafted = _with_plan(drafted, brand, plan, instead_of)
    return Draft(today=today, drafted=drafted)


def command_for(
    brand: Brand,
    *,
    first_day: date,
    last_day: date,
    changes: Mapping[str, Any],
    plan: CommissionPlan | None = None,
    instead_of: CommissionPlan | None = None,
) -> str:
    """The command that simulates the same draft, however many orders there are."""
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


def _with_plan(
    configuration: Configuration,
    brand: Brand,
    plan: CommissionPlan,
    instead_of: CommissionPlan | None,
) -> Configuration:
    known = plans_in_force(brand)
    for name, one in ((PLAN, plan), (INSTEAD_OF, instead_of)):
        if one is not None and one.pk not in known:
            raise _refusal(name, f"{brand} has no version of this plan: save it first.")
    left = None if instead_of is None else known[instead_of.pk]
    plans = dict(configuration.plans)
    ids = Affiliate.objects.filter(brand=brand).values_list("pk", flat=True)
    for affiliate_id in ids.iterator():
        if left is None or plans.get(affiliate_id) == left:
            plans[affiliate_id] = known[plan.pk]
    return replace(configuration, plans=plans)


def _option(option: str, value: Any) -> str:
    if isinstance(value, bool):
        return option if value else option.replace("--", "--no-", 1)
    return f"{option}={value}"


def _refusal(field: str, detail: str) -> InvalidInput:
    return InvalidInput("invalid_draft", detail, field=field)
