"""Plans, groups and coupons, each with its version as saving it in the admin makes."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import factory
from factory.django import DjangoModelFactory

from affiliates.plans.models.coupon import CouponCode
from affiliates.plans.models.group import AffiliateGroup
from affiliates.plans.models.plan import CommissionPlan
from affiliates.plans.models.rule import PlanRule
from affiliates.plans.services import publish_coupon, publish_plan

# Before anything that tests order or pay.
PUBLISHED_AT = datetime(2026, 1, 1, tzinfo=UTC)


class CommissionPlanFactory(DjangoModelFactory):
    """A published plan of ``brand``: 10 % of everything, or its ``rules``.

    Each of ``rules`` is the fields of a ``PlanRule``. ``rules__at`` is when its version
    takes effect.
    """

    class Meta:
        model = CommissionPlan
        skip_postgeneration_save = True

    name = factory.Sequence(lambda number: f"Plan {number}")

    @factory.post_generation
    def rules(
        self: CommissionPlan,
        create: bool,
        extracted: list[dict[str, Any]] | None,
        at: datetime = PUBLISHED_AT,
        **_: object,
    ) -> None:
        for fields in [{"percent": 10}] if extracted is None else extracted:
            PlanRuleFactory(plan=self, **fields)
        publish_plan(self, now=at)


class PlanRuleFactory(DjangoModelFactory):
    """A rule of ``plan``, which is to be published after it."""

    class Meta:
        model = PlanRule


class AffiliateGroupFactory(DjangoModelFactory):
    class Meta:
        model = AffiliateGroup

    name = factory.Sequence(lambda number: f"Group {number}")


class CouponCodeFactory(DjangoModelFactory):
    """A published coupon of ``affiliate``."""

    class Meta:
        model = CouponCode
        skip_postgeneration_save = True

    brand = factory.SelfAttribute("affiliate.brand")
    code = factory.Sequence(lambda number: f"COUPON{number}")

    @factory.post_generation
    def published(
        self: CouponCode, create: bool, extracted: datetime | None, **_: object
    ) -> None:
        publish_coupon(self, now=extracted or PUBLISHED_AT)
