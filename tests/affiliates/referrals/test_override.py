"""Staff give an order to an affiliate, or to nobody."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest

from affiliates.conf import conf
from affiliates.contracts import OrderConversion
from affiliates.errors import InvalidInput, NotFound, StateConflict
from affiliates.program.rules import AffiliateStatus
from affiliates.referrals.models import DecisionOverride, OrderCandidate, OrderReferral
from affiliates.referrals.rules.redaction import redact
from affiliates.referrals.rules.replay import ReplayResult, replay
from affiliates.referrals.services import override_order
from affiliates.settlement.services import convert_order
from affiliates.visits.cookie import ReferralCookie, seal_cookie
from tests.factories.affiliates import AffiliateFactory, BrandFactory, ClickFactory
from tests.factories.integrations import TrackingIntegrationFactory
from tests.guard.markers import marker
from tests.races import at_once, needs_postgresql

DAY = timedelta(days=1)
REASON = marker("staff", "reason")
VISITOR_REF = "0f3c9a7be2d14c55a1b2c3d4e5f60718"


@pytest.fixture
def integration(brand):
    return TrackingIntegrationFactory(brand=brand)


@pytest.fixture
def ordered(host, brand, affiliate, now):
    """An order by way of a click of the affiliate, or also of an integration's."""

    def ordered(*, integration=None) -> OrderReferral:
        click = ClickFactory(
            affiliate=affiliate,
            integration=integration,
            external_affiliate="" if integration is None else "testaff",
            visitor_id=UUID(int=7),
            created_at=now - DAY,
        )
        client = host.client(brand, email="client@example.com")
        order_ref = host.order(client)
        convert_order(
            conversion=OrderConversion(
                order_ref=order_ref,
                client_id=str(client.pk),
                payment_details_id=host.payment_details_id(client),
            ),
            origin_brand_id=None,
            referral_cookie=seal_cookie(
                ReferralCookie(
                    visitor_id=click.visitor_id,
                    click_id=click.pk,
                    affiliate_id=affiliate.pk,
                    issued_at=click.created_at,
                    expires_at=now + DAY,
                    external_visitor_id="" if integration is None else VISITOR_REF,
                ),
                brand_id=brand.pk,
                ring=conf.cookie_keys,
                nonce=b"n" * 12,
            ),
            ip_prefix="203.0.113.0/24",
            now=now,
        )
        return OrderReferral.objects.get(order_ref=order_ref)

    return ordered


def override(referral, affiliate, staff, now, reason=REASON):
    return override_order(
        referral_id=referral.pk,
        affiliate_id=None if affiliate is None else affiliate.pk,
        reason=reason,
        actor_id=staff.pk,
        now=now,
    )


def verdicts(referral) -> list[tuple[str, str]]:
    return [
        (one["affiliate_code"], one["verdict"])
        for one in referral.decision["candidates"]
    ]


def test_order_is_given_to_the_affiliate_and_the_old_decision_is_kept(
    ordered, rival, staff, now
):
    before = ordered()

    answer = override(before, rival, staff, now + DAY)

    after = OrderReferral.objects.get()
    assert answer == after
    assert (after.outcome, after.reason) == ("credited", "staff")
    assert after.affiliate == rival
    assert (after.click_id, after.touched_at) == (None, None)
    assert verdicts(after) == [("partner", "staff_assigned"), ("rival", "won")]
    assert after.decision["decided_at"] == before.decision["decided_at"]
    assert after.converted_at == before.converted_at
    assert after.policy_version == before.policy_version
    assert after.ip_prefix == "203.0.113.0/24"
    made = DecisionOverride.objects.get()
    assert (made.referral, made.affiliate, made.actor) == (after, rival, staff)
    assert (made.reason, made.at) == (REASON, now + DAY)
    assert made.replaced == before.decision
    assert replay(after.decision).result is ReplayResult.SAME


def test_order_is_given_to_nobody_and_back(ordered, affiliate, staff, now):
    referral = ordered()

    override(referral, None, staff, now)
    nobody = OrderReferral.objects.get()
    override(referral, affiliate, staff, now)

    assert (nobody.outcome, nobody.reason) == ("nobody", "staff")
    assert nobody.affiliate is None
    back = OrderReferral.objects.get()
    assert (back.outcome, back.affiliate) == ("credited", affiliate)
    assert DecisionOverride.objects.count() == 2


def test_whoever_had_the_order_until_staff_decided_still_reads_it(
    ordered, affiliate, rival, staff, now
):
    referral = ordered()
    assert not OrderCandidate.objects.exists()
    for given_to in (rival, None, affiliate, rival):
        override(referral, given_to, staff, now)

    named = OrderCandidate.objects.values_list("affiliate__code", flat=True)
    assert sorted(named) == ["partner", "rival"]
    override(referral, None, staff, now)
    after = OrderReferral.objects.get()
    reading = redact(after.decision, affiliate_id=rival.pk)
    assert reading.reason == "staff_assigned"
    assert reading.summary == (
        "This order was decided by staff and is not credited to you."
    )


def test_same_assignment_again_changes_nothing(ordered, rival, staff, now):
    referral = ordered()
    first = override(referral, rival, staff, now)

    again = override(referral, rival, staff, now + DAY, reason="Clicked twice")

    assert again.decision == first.decision
    assert DecisionOverride.objects.count() == 1


def test_order_of_the_affiliates_own_may_be_given_to_it(
    ordered, host, brand, staff, now
):
    referral = ordered()
    buyer = AffiliateFactory(brand=brand, user=referral.client, code="buyer")

    after = override(referral, buyer, staff, now)

    assert (after.outcome, after.affiliate) == ("credited", buyer)
    assert after.decision["candidates"][-1]["is_self"] is True


@pytest.mark.parametrize(
    ("claim_policy", "stays"), [("both", True), ("third_party", False)]
)
def test_integration_stays_told_only_where_the_brand_credits_both(
    ordered, integration, brand, rival, staff, now, claim_policy, stays
):
    brand.claim_policy = claim_policy
    brand.save()
    referral = ordered(integration=integration)
    assert referral.integration == integration

    after = override(referral, rival, staff, now)

    assert after.affiliate == rival
    after.refresh_from_db()
    assert (after.integration == integration) is stays
    assert after.external_visitor_id == (VISITOR_REF if stays else "")


def test_what_the_integration_matches_by_does_not_come_back(
    ordered, integration, brand, rival, staff, now
):
    brand.claim_policy = "both"
    brand.save()
    referral = ordered(integration=integration)

    override(referral, None, staff, now)
    after = override(referral, rival, staff, now)

    assert after.integration is None
    assert after.decision["external"]["verdict"] == "no_identifier"
    assert replay(after.decision).result is ReplayResult.SAME


@pytest.fixture
def unchanged():
    """The order's referral before; call it to see that nothing was written."""

    def unchanged(referral: OrderReferral) -> bool:
        stored = OrderReferral.objects.filter(pk=referral.pk).values().get()
        same = all(getattr(referral, name) == value for name, value in stored.items())
        return same and not DecisionOverride.objects.exists()

    return unchanged


@pytest.mark.parametrize("reason", ["", "   ", "x" * 256])
def test_assignment_needs_a_reason(ordered, rival, staff, now, unchanged, reason):
    referral = ordered()

    with pytest.raises(InvalidInput) as refusal:
        override(referral, rival, staff, now, reason=reason)

    assert refusal.value.code == "reason_required"
    assert unchanged(referral)


@pytest.mark.parametrize("whose", ["suspended", "another brand's", "absent"])
def test_only_an_active_affiliate_of_the_brand_can_be_named(
    ordered, rival, host, staff, now, unchanged, whose
):
    referral = ordered()
    named = rival
    if whose == "suspended":
        rival.status = AffiliateStatus.SUSPENDED
        rival.save()
    elif whose == "another brand's":
        other = BrandFactory(client_area="other.example.com")
        user = host.client(other, email="other@example.com")
        named = AffiliateFactory(brand=other, user=user)
    else:
        rival.pk = 10**9

    with pytest.raises(InvalidInput) as refusal:
        override(referral, named, staff, now)

    assert refusal.value.code == "affiliate_not_active"
    assert unchanged(referral)


def test_absent_order_is_not_found(db, staff, now):
    with pytest.raises(NotFound):
        override_order(
            referral_id=1, affiliate_id=None, reason="x", actor_id=staff.pk, now=now
        )

    assert not DecisionOverride.objects.exists()


def test_decision_that_lacks_its_inputs_is_refused(ordered, rival, staff, now):
    referral = ordered()
    OrderReferral.objects.update(decision={})

    with pytest.raises(StateConflict) as refusal:
        override(referral, rival, staff, now)

    assert refusal.value.code == "decision_not_replayable"
    assert not DecisionOverride.objects.exists()


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_two_staff_at_once_leave_one_after_the_other(
    ordered, affiliate, rival, staff, now
):
    referral = ordered()
    original = referral.decision
    choices = [affiliate, rival] * 4

    at_once(8, lambda number: override(referral, choices[number], staff, now))

    after = OrderReferral.objects.get()
    made = list(DecisionOverride.objects.order_by("id"))
    assert made[0].replaced == original
    # Each replaced what the one before had made, and the last one stands.
    for earlier, later in zip(made, made[1:], strict=False):
        named = later.replaced["order"]["assignment"]["sender"]["affiliate_id"]
        assert named == earlier.affiliate_id
        assert later.affiliate_id != earlier.affiliate_id
    assert after.affiliate_id == made[-1].affiliate_id
    assert replay(after.decision).result is ReplayResult.SAME
