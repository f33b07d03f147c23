"""The claim desk in Django admin."""

from __future__ import annotations

from datetime import date, timedelta
from uuid import UUID

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse

from affiliates.admin_tools.lists.queues import BY_AGE
from affiliates.contrib.claims.models import MissingSaleClaim
from affiliates.contrib.claims.rules import ClaimStatus
from affiliates.referrals.models import DecisionOverride
from tests.factories.affiliates import BrandFactory
from tests.factories.claims import MissingSaleClaimFactory
from tests.factories.ledger import OrderReferralFactory

LIST = "admin:affiliates_claims_missingsaleclaim_changelist"


@pytest.fixture
def claim(affiliate):
    return MissingSaleClaimFactory(affiliate=affiliate, order_hint="order-1")


@pytest.fixture
def order(brand, host):
    client = host.client(brand, email="buyer@example.com")
    return OrderReferralFactory(
        brand=brand, client=client, order_ref="order-1", invoice_ref="INV-1"
    )


def page(claim, name="change"):
    return f"{reverse(LIST)}{claim.pk}/{name}/"


def test_open_claims_come_first(admin_client, affiliate):
    for status in (ClaimStatus.OPEN, ClaimStatus.ANSWERED):
        MissingSaleClaimFactory(
            affiliate=affiliate, order_hint=f"is-{status}", status=status
        )

    body = admin_client.get(reverse(LIST)).content.decode()

    assert 0 < body.index("is-open") < body.index("is-answered")


def test_a_claim_shows_the_order_it_may_be_about(admin_client, claim, order):
    body = admin_client.get(page(claim)).content.decode()

    assert reverse("admin:affiliates_orderreferral_change", args=[order.pk]) in body
    assert page(claim, "grant") in body
    assert page(claim, "decline") in body


@pytest.mark.parametrize("name", ["change", "grant", "decline"])
def test_a_claim_of_the_first_day_there_is_can_be_decided(
    admin_client, affiliate, name
):
    claim = MissingSaleClaimFactory(
        affiliate=affiliate,
        order_hint="",
        client_hint="buyer@example.com",
        ordered_on=date.min,
    )

    assert admin_client.get(page(claim, name)).status_code == 200


def test_a_grant_is_asked_for_and_confirmed(
    admin_client, admin_user, claim, order, affiliate
):
    question = admin_client.get(page(claim, "grant"))
    assert "INV-1" in question.content.decode()
    assert not DecisionOverride.objects.exists()

    admin_client.post(
        page(claim, "grant"), {"order": str(order.pk), "reason": "Proved"}
    )

    claim.refresh_from_db()
    assert (claim.status, claim.referral, claim.decided_by) == (
        "granted",
        order,
        admin_user,
    )
    override = DecisionOverride.objects.get()
    assert (override.affiliate, override.reason) == (affiliate, "Proved")


def test_another_order_can_be_named(admin_client, claim, brand, order):
    other = OrderReferralFactory(
        brand=brand, client=order.client, order_ref="order-2", invoice_ref="INV-2"
    )

    admin_client.post(
        page(claim, "grant"), {"other_order": " INV-2 ", "reason": "Proved"}
    )

    claim.refresh_from_db()
    assert (claim.status, claim.referral) == ("granted", other)


@pytest.mark.parametrize(
    ("_case", "fields", "fault"),
    [
        ("no order", {"reason": "Proved"}, "Choose an order, or enter its reference."),
        ("no reason", {"other_order": "order-1"}, "This field is required."),
        (
            "an absent order",
            {"other_order": "order-9", "reason": "Proved"},
            "One order of this brand must have this reference.",
        ),
        (
            "another brand's order",
            {"other_order": "order-of-other", "reason": "Proved"},
            "One order of this brand must have this reference.",
        ),
    ],
)
def test_a_grant_that_cannot_be_says_why(
    _case, fields, fault, admin_client, claim, order, host
):
    other = BrandFactory(client_area="other.example.net")
    client = host.client(other, email="ada@example.net")
    OrderReferralFactory(brand=other, client=client, order_ref="order-of-other")

    answer = admin_client.post(page(claim, "grant"), fields)

    assert fault in answer.content.decode()
    claim.refresh_from_db()
    assert claim.status == "open"
    assert not DecisionOverride.objects.exists()


def test_what_the_service_refuses_is_reported(admin_client, claim, order, affiliate):
    type(affiliate).objects.update(status="suspended")

    answer = admin_client.post(
        page(claim, "grant"),
        {"order": str(order.pk), "reason": "Proved"},
        follow=True,
    )

    assert "active affiliate" in answer.content.decode()
    assert MissingSaleClaim.objects.get().status == "open"


def test_a_decline_is_asked_for_and_confirmed(admin_client, claim):
    assert admin_client.get(page(claim, "decline")).status_code == 200

    admin_client.post(page(claim, "decline"), {"answer": "Not within the window."})

    claim.refresh_from_db()
    assert (claim.status, claim.answer) == ("declined", "Not within the window.")


@pytest.fixture
def decided(claim, admin_user, now):
    MissingSaleClaim.objects.update(
        status=ClaimStatus.DECLINED,
        answer="Not yours.",
        decided_by=admin_user,
        decided_at=now,
    )
    claim.refresh_from_db()
    return claim


def test_a_decided_claim_offers_no_decision(admin_client, decided):
    body = admin_client.get(page(decided)).content.decode()

    assert page(decided, "grant") not in body
    assert page(decided, "decline") not in body


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("grant", {"other_order": "order-1", "reason": "Proved"}),
        ("decline", {"answer": "Again"}),
    ],
)
@pytest.mark.parametrize("method", ["get", "post"])
def test_who_decides_second_is_told(method, name, fields, admin_client, decided, order):
    before = MissingSaleClaim.objects.values().get()

    told = getattr(admin_client, method)(page(decided, name), fields, follow=True)

    assert told.redirect_chain == [(page(decided), 302)]
    assert (
        f"{decided}: Declined already by {decided.decided_by}." in told.content.decode()
    )
    assert MissingSaleClaim.objects.values().get() == before
    assert not DecisionOverride.objects.exists()


@pytest.mark.parametrize("object_id", ["zzz", UUID(int=7)])
@pytest.mark.parametrize(
    ("name", "status"), [("change", 302), ("grant", 404), ("decline", 404)]
)
def test_a_claim_that_is_not_is_not_found(name, status, object_id, admin_client):
    answer = admin_client.get(f"{reverse(LIST)}{object_id}/{name}/")

    assert answer.status_code == status


@pytest.mark.parametrize(
    ("_case", "rights", "statuses"),
    [
        ("claims only", ["decide_missingsaleclaim"], {"grant": 403, "decline": 200}),
        (
            "assigning as well",
            ["decide_missingsaleclaim", "assign_orderreferral"],
            {"grant": 200, "decline": 200},
        ),
    ],
)
def test_to_grant_takes_the_right_to_assign_an_order(
    _case, rights, statuses, admin_user, admin_client, claim
):
    names = ["view_missingsaleclaim", *rights]
    admin_user.is_superuser = False
    admin_user.save(update_fields=["is_superuser"])
    admin_user.user_permissions.set(Permission.objects.filter(codename__in=names))

    answered = {
        name: admin_client.get(page(claim, name)).status_code
        for name in ("grant", "decline")
    }

    assert answered == statuses


def test_many_are_declined_with_an_answer_each(admin_client, admin_user, affiliate):
    first, second = (
        MissingSaleClaimFactory(affiliate=affiliate, order_hint=f"order-{number}")
        for number in (1, 2)
    )
    chosen = {
        "action": "decline_selected",
        "_selected_action": [first.pk, second.pk],
        "confirmed": "yes",
    }

    again = admin_client.post(reverse(LIST), chosen)

    assert again.context["form"].errors == {"answer": ["This field is required."]}
    assert set(MissingSaleClaim.objects.values_list("status", flat=True)) == {"open"}

    answers = {"answer": "No such order.", f"reason-of-{second.pk}": "Too old."}
    done = admin_client.post(reverse(LIST), chosen | answers, follow=True)

    assert "Claims declined: 2." in done.content.decode()
    assert dict(MissingSaleClaim.objects.values_list("order_hint", "answer")) == {
        "order-1": "No such order.",
        "order-2": "Too old.",
    }


def test_the_queue_has_the_oldest_first_and_says_so(admin_client, affiliate, now):
    for number in (1, 2):
        MissingSaleClaimFactory(
            affiliate=affiliate,
            order_hint=f"order-{number}",
            created_at=now - timedelta(days=number),
        )

    queue = admin_client.get(reverse(LIST), {"status__exact": "open"})

    found = [claim.order_hint for claim in queue.context["cl"].result_list]
    assert found == ["order-2", "order-1"]
    assert str(BY_AGE) in queue.content.decode()
