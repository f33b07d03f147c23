"""One person of staff asks for an erasure, another agrees."""

from __future__ import annotations

import pytest
from django.urls import reverse

from affiliates.privacy.erasure.models import Erasure
from affiliates.referrals.models import OrderReferral
from tests.factories.ledger import ClientReferralFactory, OrderReferralFactory
from tests.guard.markers import marker

pytestmark = pytest.mark.django_db
CONFIRMED = {"confirmed": "yes", "reason": marker("staff", "erasure")}


@pytest.fixture
def person(brand, affiliate, host):
    client = host.client(brand, email="ada@example.com")
    OrderReferralFactory(brand=brand, client=client, referral_cookie="sealed")
    return ClientReferralFactory(brand=brand, client=client, affiliate=affiliate)


def page(name, *args):
    return reverse(f"admin:affiliates_{name}", args=args)


def test_a_second_person_erases(person, admin_client, client, django_user_model):
    asking = page("clientreferral_erase_person", person.pk)

    shown = admin_client.get(asking).content.decode()
    assert "Client referrals" in shown
    assert Erasure.objects.count() == 0
    admin_client.post(asking, CONFIRMED)
    act = Erasure.objects.get()
    assert (act.email, act.reason, act.done_at) == (
        "ada@example.com",
        marker("staff", "erasure"),
        None,
    )

    agreeing = page("erasure_agree", act.pk)
    refused = admin_client.post(agreeing, CONFIRMED).content.decode()
    assert "Somebody else must agree to it." in refused
    assert OrderReferral.objects.get().referral_cookie == "sealed"

    name = django_user_model.USERNAME_FIELD
    second = {name: "second@example.com", "password": "of-the-second"}
    client.force_login(django_user_model.objects.create_superuser(**second))
    client.post(agreeing, CONFIRMED)

    done = Erasure.objects.get()
    assert done.done_at is not None
    assert OrderReferral.objects.get().referral_cookie == ""
    assert (
        "Order referrals: 1 emptied"
        in client.get(page("erasure_change", act.pk)).content.decode()
    )


def test_the_question_takes_few_queries(
    person, admin_client, django_assert_max_num_queries
):
    asking = page("clientreferral_erase_person", person.pk)

    with django_assert_max_num_queries(20):
        shown = admin_client.get(asking).content.decode()

    assert "Client referrals" in shown


def test_what_must_be_settled_is_said(affiliate, admin_client):
    asking = page("affiliate_erase_person", affiliate.pk)

    shown = admin_client.post(asking, CONFIRMED).content.decode()

    assert "takes part in the program: it must leave" in shown
    assert Erasure.objects.count() == 0


def test_it_can_be_withdrawn(person, admin_client):
    admin_client.post(page("clientreferral_erase_person", person.pk), CONFIRMED)
    act = Erasure.objects.get()

    answer = admin_client.post(page("erasure_withdraw", act.pk), CONFIRMED)

    assert answer.url == page("erasure_changelist")
    assert Erasure.objects.count() == 0
