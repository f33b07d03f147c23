"""What the canary has found: for the doctor, the first page and the guide."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from affiliates.brands.models.brand import Brand
from affiliates.canary.models import CanaryRun
from affiliates.canary.rules import is_overdue


class CanaryHealth(NamedTuple):
    """How a test brand's last walk ended. ``problem`` is "" where all is well."""

    brand: Brand
    last: CanaryRun | None
    problem: str


def canary_health(now: datetime) -> list[CanaryHealth]:
    """Of each active test brand, by name; empty where there is none."""
    brands = Brand.objects.filter(is_active=True, is_test=True)
    return [health_of(brand, now=now) for brand in brands]


def health_of(brand: Brand, *, now: datetime) -> CanaryHealth:
    last = CanaryRun.objects.filter(brand=brand).first()
    problem = ""
    if last is not None and not last.is_ok:
        problem = f"{last.get_step_display()}: {last.fault}"
    elif last is None:
        problem = "The canary has not been run yet."
    elif is_overdue(last.ran_at, now=now):
        problem = "The canary has not been run for more than a day."
    return CanaryHealth(brand=brand, last=last, problem=problem)
