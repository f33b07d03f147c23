"""Staff's assignment releases what only the decision held."""

from __future__ import annotations

import pytest

from affiliates.commissions.models import Commission
from affiliates.commissions.services.staff import hold, release
from affiliates.fraud.rules.policy import FraudAction, Signal
from affiliates.settlement.services import override_attribution
from tests.affiliates.till import PAID_AT, order_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def staff(admin_user):
    return {"actor_id": admin_user.pk, "reason": "Checked.", "now": PAID_AT}


def statuses() -> list[tuple[str, str]]:
    return list(Commission.objects.order_by("pk").values_list("status", "reason"))


def test_what_staff_hold_stays_held(plan, affiliate, buyer, till, staff):
    order = order_of(
        affiliate, buyer, is_self=True, order_ref="order-1", invoice_ref="invoice-1"
    )
    till.pay()
    till.pay(invoice="invoice-2", renewal=1)
    second = [Commission.objects.latest("pk").pk]
    release(commission_ids=second, **staff)
    hold(commission_ids=second, **staff)
    assert statuses() == [("held", "decision_held"), ("held", "staff")]

    override_attribution(referral_id=order.pk, affiliate_id=affiliate.pk, **staff)

    assert statuses() == [("pending", "staff"), ("held", "staff")]


def test_what_a_signal_would_hold_stays_held(brand, plan, affiliate, host, till, staff):
    brand.fraud_policies.create(signal=Signal.DISPOSABLE_EMAIL, action=FraudAction.HOLD)
    order = order_of(
        affiliate,
        host.client(brand, email="buyer@mailinator.com"),
        is_self=True,
        order_ref="order-1",
        invoice_ref="invoice-1",
    )
    till.pay()

    override_attribution(referral_id=order.pk, affiliate_id=affiliate.pk, **staff)

    assert statuses() == [("held", "decision_held")]
