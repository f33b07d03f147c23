"""The queue of suspicious sales in Django admin."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest
from django.contrib.auth.models import Permission
from django.urls import reverse
from django.utils import timezone

from affiliates.adapter import get_adapter
from affiliates.admin_tools.lists.queues import BY_MONEY
from affiliates.commissions.models import Commission
from affiliates.fraud.models import FraudReview
from affiliates.fraud.rules.policy import FraudAction, ReviewOutcome
from tests.factories.books import CommissionFactory
from tests.factories.fraud import FraudReviewFactory, sale_of
from tests.factories.payouts import DestinationFactory
from tests.guard.markers import marker

LIST = "admin:affiliates_fraudreview_changelist"


@pytest.fixture
def held(affiliate, buyer):
    """The open review of a sale whose commission is held."""
    return suspicious(affiliate, buyer, invoice_ref="INV-1")


def suspicious(affiliate, client, **order):
    sale = sale_of(affiliate, client, **order)
    CommissionFactory(affiliate=affiliate, sale=sale, status="held")
    return FraudReviewFactory(sale=sale, action=FraudAction.HOLD)


def page(review, name="change"):
    if name == "change":
        return reverse("admin:affiliates_fraudreview_change", args=[review.pk])
    return f"{reverse(LIST)}{review.pk}/{name}/"


def test_open_reviews_come_first(admin_client, affiliate, buyer, held, staff, now):
    closed = suspicious(affiliate, buyer, invoice_ref="INV-2")
    FraudReview.objects.filter(pk=closed.pk).update(
        outcome=ReviewOutcome.RELEASED, reviewed_by=staff, reviewed_at=now
    )

    body = admin_client.get(reverse(LIST)).content.decode()

    assert 0 < body.index("INV-1") < body.index("INV-2")
    assert "throw-away" in body


def test_a_review_shows_its_evidence(admin_client, held):
    body = admin_client.get(page(held)).content.decode()

    assert "e-mail address is at mailinator.com, which gives out" in body
    assert "10.00, held" in body
    order = held.sale.order_referral
    assert reverse("admin:affiliates_orderreferral_change", args=[order.pk]) in body


def test_a_review_names_who_shares_a_payout_destination(
    admin_client, affiliate, rival, held
):
    FraudReview.objects.update(
        findings=[
            {
                "signal": "shared_destination",
                "action": "hold",
                "facts": {"affiliates": 1},
            }
        ]
    )

    before = admin_client.get(page(held)).content.decode()
    for one in (affiliate, rival):
        DestinationFactory(affiliate=one)
    after = admin_client.get(page(held)).content.decode()

    assert "is, or was, this affiliate&#x27;s: 1." in before
    assert "Now:" not in before
    link = reverse("admin:affiliates_affiliate_change", args=[rival.pk])
    assert f'Now: <a href="{link}" class="text-link">rival</a>.' in after


@pytest.mark.parametrize(
    ("name", "outcome", "status"),
    [("release", "released", "approved"), ("reject", "rejected", "rejected")],
)
def test_an_outcome_is_asked_for_and_confirmed(
    name, outcome, status, admin_client, held, admin_user
):
    question = admin_client.get(page(held, name))
    held.refresh_from_db()
    assert (question.status_code, held.outcome) == (200, "open")

    done = admin_client.post(
        page(held, name),
        {"confirmed": "yes", "note": marker("staff", "review")},
        follow=True,
    )

    held.refresh_from_db()
    assert (held.outcome, held.note, held.reviewed_by) == (
        outcome,
        marker("staff", "review"),
        admin_user,
    )
    assert Commission.objects.get().status == status
    assert f"Reviews {outcome}: 1." in done.content.decode()


def test_the_question_names_an_invoice_by_its_number(admin_client, held, monkeypatch):
    known = {"INV-1": "2026-0042"}
    monkeypatch.setattr(type(get_adapter()), "invoice_numbers", lambda *_, **__: known)

    question = admin_client.get(page(held, "reject"))

    [[invoice, *_]] = question.context["listing"].rows
    assert ">2026-0042<" in invoice


def test_many_are_judged_at_once(admin_client, affiliate, buyer, held):
    other = suspicious(affiliate, buyer)
    chosen = {
        "action": "reject_selected",
        "_selected_action": [held.pk, other.pk],
    }

    question = admin_client.post(reverse(LIST), chosen)
    assert "Reject 2" in question.content.decode()
    assert not FraudReview.objects.exclude(outcome="open").exists()

    admin_client.post(
        reverse(LIST), {**chosen, "confirmed": "yes", "note": marker("staff", "review")}
    )

    assert set(FraudReview.objects.values_list("outcome", flat=True)) == {"rejected"}
    assert set(Commission.objects.values_list("status", flat=True)) == {"rejected"}


def test_all_that_are_found_are_those_that_were_shown(
    admin_client, affiliate, buyer, held
):
    chosen = {"action": "reject_selected", "_selected_action": [held.pk]}
    question = admin_client.post(reverse(LIST), {**chosen, "select_across": "1"})
    unseen = suspicious(affiliate, buyer)

    fields = question.context
    answer = {name: fields[name] for name in ("action", "select_across")}
    admin_client.post(
        reverse(LIST),
        {
            **answer,
            "_selected_action": fields["selected"],
            "confirmed": "yes",
            "note": marker("staff", "review"),
        },
    )

    assert [held.pk] == fields["selected"]
    held.refresh_from_db()
    unseen.refresh_from_db()
    assert (held.outcome, unseen.outcome) == ("rejected", "open")


def close(review, staff, now):
    FraudReview.objects.filter(pk=review.pk).update(
        outcome=ReviewOutcome.RELEASED, reviewed_by=staff, reviewed_at=now
    )


def test_only_an_open_review_offers_an_outcome(admin_client, held, staff, now):
    offered = [page(held, "release"), page(held, "reject")]

    before = admin_client.get(page(held)).content.decode()
    close(held, staff, now)
    after = admin_client.get(page(held)).content.decode()

    assert [url in before for url in offered] == [True, True]
    assert [url in after for url in offered] == [False, False]


@pytest.mark.parametrize("name", ["release", "reject"])
@pytest.mark.parametrize("method", ["get", "post"])
def test_who_judges_second_is_told(method, name, admin_client, held, staff, now):
    close(held, staff, now)
    before = FraudReview.objects.values().get()

    told = getattr(admin_client, method)(
        page(held, name), {"confirmed": "yes", "note": "Mine"}, follow=True
    )

    assert told.redirect_chain == [(page(held), 302)]
    review = FraudReview.objects.get()
    assert f"{review}: Released already by {staff}." in told.content.decode()
    assert FraudReview.objects.values().get() == before
    assert Commission.objects.get().status == "held"


def test_of_many_those_that_were_judged_meanwhile_are_told(
    admin_client, affiliate, buyer, held, staff, now
):
    reviewed = suspicious(affiliate, buyer)
    close(reviewed, staff, now)
    answer = {
        "action": "reject_selected",
        "_selected_action": list(FraudReview.objects.values_list("pk", flat=True)),
        "confirmed": "yes",
        "note": marker("staff", "review"),
    }

    told = admin_client.post(reverse(LIST), answer, follow=True).content.decode()

    assert "Reviews rejected: 1." in told
    assert f"{reviewed}: Released already by {staff}." in told
    assert set(FraudReview.objects.values_list("outcome", flat=True)) == {
        "released",
        "rejected",
    }


def test_who_may_only_look_judges_nothing(admin_client, admin_user, held):
    admin_user.is_superuser = False
    admin_user.save(update_fields=["is_superuser"])
    admin_user.user_permissions.set(
        Permission.objects.filter(codename="view_fraudreview")
    )

    body = admin_client.get(page(held)).content.decode()
    refused = admin_client.post(page(held, "reject"), {"confirmed": "yes"})

    assert page(held, "reject") not in body
    assert refused.status_code == 403
    assert FraudReview.objects.get().outcome == "open"


@pytest.mark.parametrize("object_id", ["zzz", UUID(int=7), 999_999])
@pytest.mark.parametrize(
    ("name", "status"), [("change", 302), ("release", 404), ("reject", 404)]
)
def test_a_review_that_is_not_is_not_found(name, status, object_id, admin_client):
    answer = admin_client.get(f"{reverse(LIST)}{object_id}/{name}/")

    assert answer.status_code == status


def test_nothing_is_rejected_without_a_reason(admin_client, affiliate, buyer, held):
    other = suspicious(affiliate, buyer)
    chosen = {"action": "reject_selected", "_selected_action": [held.pk, other.pk]}

    again = admin_client.post(
        reverse(LIST), {**chosen, "confirmed": "yes", "note": " "}
    )

    assert again.context["form"].errors == {"note": ["This field is required."]}
    assert not FraudReview.objects.exclude(outcome="open").exists()


def test_each_rejected_review_may_have_a_reason_of_its_own(
    admin_client, affiliate, buyer, held
):
    other = suspicious(affiliate, buyer)
    chosen = {"action": "reject_selected", "_selected_action": [held.pk, other.pk]}
    question = admin_client.post(reverse(LIST), chosen).content.decode()
    answer = {
        "note": marker("staff", "review"),
        f"reason-of-{other.pk}": "His own card",
    }

    admin_client.post(reverse(LIST), {**chosen, "confirmed": "yes", **answer})

    assert f'name="reason-of-{held.pk}"' in question
    assert dict(FraudReview.objects.values_list("pk", "note")) == {
        held.pk: marker("staff", "review"),
        other.pk: "His own card",
    }


def test_the_queue_has_what_waits_too_long_first_and_then_the_most_money(
    admin_client, affiliate, buyer, now
):
    """And says so; a list of everything is as it was."""
    amounts = {"small": (100, 0), "large": (900, 0), "late": (50, 8)}
    for name, (amount, days) in amounts.items():
        sale = sale_of(affiliate, buyer, invoice_ref=f"INV-{name}")
        CommissionFactory(affiliate=affiliate, sale=sale, status="held", amount=amount)
        found = timezone.now() - timedelta(days=days)
        FraudReviewFactory(sale=sale, action=FraudAction.HOLD, found_at=found)

    queue = admin_client.get(reverse(LIST), {"outcome__exact": "open"})
    body = queue.content.decode()
    whole = admin_client.get(reverse(LIST)).content.decode()

    found = [row.sale.invoice_ref for row in queue.context["cl"].result_list]
    assert found == ["INV-late", "INV-large", "INV-small"]
    assert str(BY_MONEY) in body
    assert str(BY_MONEY) not in whole
