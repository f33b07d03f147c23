"""One client is given to another affiliate from its own page."""

from __future__ import annotations

from uuid import uuid4

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone

from affiliates.errors import InvalidInput
from affiliates.membership.transfers import Transfer, TransferPart, transfer
from affiliates.program.history_models import AffiliateTransfer
from affiliates.program.models import Affiliate
from affiliates.referrals.models import ClientReferral
from tests.database import nothing_written
from tests.factories.ledger import ClientReferralFactory


@pytest.fixture
def bound(affiliate, buyer):
    return ClientReferralFactory(affiliate=affiliate, client=buyer)


@pytest.fixture
def stays(affiliate, host):
    other = host.client(affiliate.brand, email="stays@example.com")
    return ClientReferralFactory(affiliate=affiliate, client=other)


def page(bound):
    return reverse("admin:affiliates_clientreferral_give", args=[bound.pk])


def answers(target):
    return {"target": target, "reason": "Came by a call", "key": str(uuid4())}


def test_asks_shows_and_gives_this_client_alone(
    admin_client, admin_user, affiliate, rival, bound, stays
):
    given = answers(rival.pk)

    with nothing_written():
        asked = admin_client.get(page(bound)).content.decode()
        shown = admin_client.post(page(bound), given).content.decode()
    for _ in range(2):
        admin_client.post(page(bound), {**given, "confirmed": "yes"})

    assert "Orders decided so far (0)" in asked
    assert "Came by a call" in shown
    owners = dict(ClientReferral.objects.values_list("pk", "affiliate__code"))
    assert owners == {bound.pk: rival.code, stays.pk: affiliate.code}
    done = AffiliateTransfer.objects.get()
    assert (done.source, done.target, done.given) == (affiliate, rival, {"clients": 1})
    assert (done.reason, done.actor) == ("Came by a call", admin_user)
    call_command("verify_ledger", "--deep", verbosity=0)


@pytest.mark.parametrize("whose", ["nobody", "source", "suspended"])
def test_takes_no_other_affiliate(admin_client, bound, affiliate, rival, whose):
    Affiliate.objects.filter(pk=rival.pk).update(status="suspended")
    target = {"nobody": 0, "source": affiliate.pk, "suspended": rival.pk}[whose]

    with nothing_written():
        answer = admin_client.post(page(bound), {**answers(target), "confirmed": "yes"})

    said = "Choose an active affiliate of this brand."
    assert said in answer.content.decode()


@pytest.mark.parametrize("whose", ["rival", "stranger"])
def test_a_client_that_is_not_the_sources_or_is_the_target_stays(
    affiliate, rival, host, bound, whose
):
    stranger = host.client(affiliate.brand, email="new@example.com")
    client = rival.user if whose == "rival" else stranger
    if whose == "rival":
        ClientReferralFactory(affiliate=affiliate, client=client)
    wanted = Transfer(
        source_id=affiliate.pk,
        target_id=rival.pk,
        parts=[TransferPart.CLIENTS],
        merges=False,
        reason="Mistake",
        key=uuid4(),
        client_id=client.pk,
    )

    with nothing_written(), pytest.raises(InvalidInput) as refused:
        transfer(wanted, actor_id=None, now=timezone.now())

    assert refused.value.code == "invalid_client"


def test_needs_the_permission_to_transfer(admin_user, admin_client, bound, rival):
    admin_user.is_superuser = False
    admin_user.save()

    with nothing_written():
        answer = admin_client.post(
            page(bound), {**answers(rival.pk), "confirmed": "yes"}
        )

    assert answer.status_code == 403
