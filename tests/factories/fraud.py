"""Signs of fraud: what a brand does about them, and what was found of a sale."""

from __future__ import annotations

import factory
from factory.django import DjangoModelFactory

from affiliates.fraud.models import FraudPolicy, FraudReview
from affiliates.fraud.rules.policy import FraudAction, Signal
from tests.factories.ledger import NOW


class FraudPolicyFactory(DjangoModelFactory):
    """``brand`` and ``signal`` must be given."""

    class Meta:
        model = FraudPolicy

    action = FraudAction.HOLD


class FraudReviewFactory(DjangoModelFactory):
    """An open review of ``sale``, flagged for one sign."""

    class Meta:
        model = FraudReview

    class Params:
        signal = Signal.DISPOSABLE_EMAIL

    brand = factory.SelfAttribute("sale.brand")
    action = FraudAction.FLAG
    findings = factory.LazyAttribute(
        lambda row: [
            {
                "signal": row.signal,
                "action": row.action,
                "facts": {"domain": "mailinator.com"},
            }
        ]
    )
    found_at = NOW
