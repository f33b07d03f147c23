"""Orders of another system: credited in bulk by staff, with no notification."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import transaction

from affiliates.brands.rules import BrandConfig
from affiliates.brands.selectors import get_brand
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.models import DecisionOverride, OrderReferral
from affiliates.referrals.row_fields import decision_fields, external_fields
from affiliates.referrals.rules import decision as rules
from affiliates.referrals.rules.choices import CookieState
from affiliates.referrals.rules.stored import to_json
from affiliates.referrals.rules.types import (
    Assignment,
    Inputs,
    OrderInputs,
    Policy,
    Sender,
)

AT_ONCE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class PastOrder:
    """An order that another system credited to the affiliate, who is active."""

    order_ref: str
    invoice_ref: str
    client_id: Any
    affiliate_id: int
    affiliate_code: str
    is_self: bool
    placed_at: datetime


@transaction.atomic
def record_past_orders(
    orders: Sequence[PastOrder],
    *,
    brand_id: int,
    reason: str,
    actor_id: Any,
    now: datetime,
) -> None:
    """Records them as decided for nobody, then assigned, as staff would one by one.

    Raises IntegrityError if an order is already known.
    """
    brand = get_brand(brand_id)
    decided = [_inputs(order, brand) for order in orders]
    referrals = OrderReferral.objects.bulk_create(
        [
            OrderReferral(
                brand_id=brand_id,
                order_ref=past_order.order_ref,
                invoice_ref=past_order.invoice_ref,
                client_id=past_order.client_id,
                policy_version_id=brand.policy_version_id,
                converted_at=past_order.placed_at,
                **decision_fields(
                    rules.decide(_assigned(past_order, inputs, reason, now))
                ),
                **external_fields(None),
            )
            for past_order, inputs in zip(orders, decided, strict=True)
        ],
        batch_size=AT_ONCE,
    )
    DecisionOverride.objects.bulk_create(
        [
            DecisionOverride(
                referral=referral,
                affiliate_id=referral.affiliate_id,
                reason=reason,
                replaced=to_json(rules.decide(inputs)),
                actor_id=actor_id,
                at=now,
            )
            for referral, inputs in zip(referrals, decided, strict=True)
        ],
        batch_size=AT_ONCE,
    )


def _inputs(order: PastOrder, brand: BrandConfig) -> Inputs:
    return Inputs(
        touches=(),
        external=(),
        binding=None,
        order=OrderInputs(basket_at=None, client_paid_before=False),
        cookie=CookieState.ABSENT,
        policy=Policy(
            terms=brand.terms,
            version_id=brand.policy_version_id,
            version=brand.policy_version,
        ),
        now=order.placed_at,
    )


def _assigned(order: PastOrder, inputs: Inputs, reason: str, now: datetime) -> Inputs:
    sender = Sender(
        affiliate_id=order.affiliate_id,
        affiliate_code=order.affiliate_code,
        status=AffiliateStatus.ACTIVE,
        is_self=order.is_self,
    )
    assignment = Assignment(sender=sender, reason=reason, at=now)
    return replace(inputs, order=inputs.order._replace(assignment=assignment))
