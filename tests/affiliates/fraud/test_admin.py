"""The brand's policies about signs of fraud, in Django admin."""

from __future__ import annotations

import pytest
from django.urls import reverse

from affiliates.fraud.models import FraudPolicy
from affiliates.fraud.rules.policy import Signal
from tests.factories.fraud import FraudPolicyFactory


def test_a_policy_with_a_threshold_that_does_not_fit_is_refused(brand):
    policy = FraudPolicyFactory.build(
        brand=brand, signal=Signal.BOT_SHARE, threshold=101
    )

    with pytest.raises(Exception, match="percentage from 1 to 100"):
        policy.full_clean()

    assert not FraudPolicy.objects.exists()


def test_the_brands_page_has_its_policies(admin_client, brand):
    FraudPolicyFactory(brand=brand, signal=Signal.VELOCITY, threshold=7)

    body = admin_client.get(
        reverse("admin:affiliates_brand_change", args=[brand.pk])
    ).content.decode()

    assert "fraud_policies-0-threshold" in body
    assert 'value="7"' in body
