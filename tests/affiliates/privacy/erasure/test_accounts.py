"""What of an account may be deleted or erased, and who is heard."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command
from django.db.models import ProtectedError

from affiliates.errors import StateConflict
from affiliates.host_events import client_erased
from affiliates.privacy.erasure.models import Erasure
from affiliates.privacy.erasure.services import ask
from affiliates.referrals.models import ClientReferral, OrderReferral
from tests.factories.ledger import ClientReferralFactory, OrderReferralFactory
from tests.guard.markers import marker
from tests.races import at_once, needs_postgresql

pytestmark = pytest.mark.django_db


def test_the_account_can_be_deleted_once_it_is_erased(brand, affiliate, host, now):
    client = host.client(brand, email="ada@example.com")
    ClientReferralFactory(client=client, affiliate=affiliate)
    order = OrderReferralFactory(brand=brand, client=client)
    event = {"brand_id": brand.pk, "client_id": str(client.pk)}
    with pytest.raises(ProtectedError):
        client.delete()

    client_erased(**event, now=now)
    client.delete()

    assert OrderReferral.objects.select_related("client").get().client is None
    found = OrderReferral.objects.get(binding__affiliate=affiliate)
    assert (found.pk, found.client_id, found.client) == (
        order.pk,
        order.client_id,
        None,
    )
    assert str(ClientReferral.objects.get()) == "An erased client by partner"


def test_a_client_without_an_order_is_deleted_with_its_binding(
    brand, affiliate, host, now
):
    client = host.client(brand, email="ada@example.com")
    ClientReferralFactory(client=client, affiliate=affiliate)

    client.delete()

    assert ClientReferral.objects.count() == 0


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_of_staff_who_ask_at_once_one_is_heard(brand, host, now):
    client = host.client(brand, email="ada@example.com")
    staff = [host.client(brand, email=f"{number}@example.com") for number in range(8)]

    def ask_once(number):
        try:
            ask(
                brand=brand,
                accounts=[str(client.pk)],
                email="ada@example.com",
                reason=marker("staff", "erasure"),
                asked_by_id=staff[number].pk,
                now=now,
            )
        except StateConflict as refusal:
            return refusal.code
        return "asked"

    said = at_once(len(staff), ask_once)

    assert sorted(said) == ["already_asked"] * 7 + ["asked"]
    assert Erasure.objects.count() == 1


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        (["--email=nobody@example.com", "--yes"], "Nothing is stored of"),
        (["--email=nobody", "--yes"], "nobody is no e-mail address"),
        (["--email=a@b.example"], "Give either --dry-run or --yes"),
        (["--email=a@b.example", "--yes", "--dry-run"], "Give either"),
        (["--email=a@b.example", "--yes", "--brand=none"], "none"),
    ],
)
def test_refusals_of_the_command(options, fault, brand):
    with pytest.raises(CommandError, match=fault):
        call_command("affiliates_erase_person", *options)

    assert Erasure.objects.count() == 0
