"""What waits for a person: counted, and one click from its rows."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest
from django.contrib import admin
from django.contrib.auth.models import Permission
from django.test import RequestFactory

from affiliates.admin_tools.lists import changelist
from affiliates.commissions.rules import CommissionStatus
from affiliates.contrib.claims.rules import ClaimStatus
from affiliates.contrib.desk import queues
from affiliates.contrib.desk.queues import QUEUES, waiting
from affiliates.contrib.payout_runs.rules import RunStatus
from affiliates.outbox.queue.rules import QueueState
from affiliates.payouts.rules import PayoutStatus
from affiliates.privacy.erasure.models import Erasure
from tests.factories.affiliates import AffiliateFactory, BrandFactory
from tests.factories.books import CommissionFactory, PayoutFactory
from tests.factories.claims import MissingSaleClaimFactory
from tests.factories.emails import EmailFactory
from tests.factories.fraud import FraudReviewFactory
from tests.factories.integrations import DeliveryFactory, TrackingIntegrationFactory
from tests.factories.payout_runs import PayoutRunFactory

COUNTS = {
    "affiliates": 2,
    "fraud_reviews": 1,
    "claims": 1,
    "erasures": 1,
    "approvals": 1,
    "held": 2,
    "payouts": 1,
    "payout_runs": 1,
    "to_pay": 2,
    "deliveries": 2,
    "emails": 2,
}


@pytest.fixture
def work(affiliate, host):
    """One of everything that waits and of everything that does not."""
    brand = affiliate.brand
    for number in range(2):
        user = host.client(brand, email=f"new-{number}@example.com")
        AffiliateFactory(brand=brand, user=user, status="pending")
    held, *_ = (
        CommissionFactory(affiliate=affiliate, status=status)
        for status in (CommissionStatus.HELD, *CommissionStatus)
        if status != CommissionStatus.PAID
    )
    FraudReviewFactory(sale=held.sale)
    for done_at in (None, held.earned_at):
        asked = {"asked_at": held.earned_at, "done_at": done_at}
        Erasure.objects.create(brand=brand, **asked)
    for status in (ClaimStatus.OPEN, ClaimStatus.ANSWERED):
        MissingSaleClaimFactory(affiliate=affiliate, status=status)
    integration = TrackingIntegrationFactory(brand=brand)
    for state in QueueState:
        DeliveryFactory(integration=integration, state=state)
    for state in ("waiting", "sent", "failed", "unclear"):
        EmailFactory(brand=brand, state=state)
    # Emptied for its age: nobody can send it again.
    EmailFactory(brand=brand, state="failed", recipient="")
    for number, status in enumerate(PayoutStatus):
        user = host.client(brand, email=f"paid-{number}@example.com")
        payee = AffiliateFactory(brand=brand, user=user)
        PayoutFactory(affiliate=payee, status=status)
    for status in RunStatus:
        PayoutRunFactory(brand=brand, status=status)
    return brand


@pytest.fixture
def ask(admin_user):
    def ask(user=admin_user):
        request = RequestFactory().get("/")
        request.user = user
        return request

    return ask


def counts(rows) -> dict[str, int]:
    return {one.queue.name: one.count for one in rows}


def test_counts_what_waits(work, ask):
    assert counts(waiting(ask())) == COUNTS
    assert counts(waiting(ask(), work.pk)) == COUNTS


def test_another_brand_has_nothing_waiting(work, ask):
    other = BrandFactory(name="Other", client_area="other.example.com")

    assert set(counts(waiting(ask(), other.pk)).values()) == {0}


def test_one_query_for_all_of_them_once_a_request(work, ask, django_assert_num_queries):
    request = ask()

    with django_assert_num_queries(1):
        assert waiting(request) == waiting(request)


def test_more_than_can_be_counted_are_said_to_be_more(
    work, ask, admin_client, monkeypatch
):
    monkeypatch.setattr(queues, "MAX_COUNTED", 1)
    monkeypatch.setattr(queues, "MAX_COUNTED_ROWS", 1)
    monkeypatch.setattr(changelist, "MAX_COUNTED_ROWS", 1)

    texts = {one.queue.name: one.text for one in waiting(ask())}
    of_brand = {one.queue.name: one for one in waiting(ask(), work.pk)}
    listed = admin_client.get(of_brand["held"].path).context["cl"]

    assert (texts["affiliates"], texts["held"]) == ("more than 1", "more than 1")
    assert of_brand["held"].text == listed.paginator.text == "more than 1"
    assert (texts["approvals"], texts["payout_runs"]) == ("1", "1")


@pytest.mark.parametrize("queue", QUEUES, ids=lambda queue: queue.name)
def test_list_it_leads_to_has_exactly_the_counted_rows(work, ask, admin_client, queue):
    [tile] = [one for one in waiting(ask(), work.pk) if one.queue is queue]

    page = admin_client.get(tile.path)

    assert page.status_code == 200
    shown = page.context["cl"]
    assert shown.paginator.text == tile.text
    assert shown.result_count == COUNTS[queue.name]
    asked = parse_qs(urlsplit(queue.path(work.pk)).query)
    assert asked["brand__id__exact"] == [str(work.pk)]


def test_only_queues_whose_rows_one_may_see(work, ask, django_user_model, host):
    user = host.client(work, email="helper@example.com")
    user.user_permissions.set(
        Permission.objects.filter(codename__in=["view_payout", "view_email"])
    )
    helper = django_user_model.objects.get(pk=user.pk)

    assert [one.queue.name for one in waiting(ask(helper))] == [
        "payouts",
        "to_pay",
        "emails",
    ]


def test_every_queue_has_a_list():
    lists = set(admin.site._registry)

    assert {queue.model for queue in QUEUES} <= lists
