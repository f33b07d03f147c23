"""Erasing empties what is personal; books, seals and decisions stay provable."""

from __future__ import annotations

from io import StringIO

import pytest
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import DatabaseError, transaction

from affiliates.brands.models.change import ConfigChange
from affiliates.commissions.models import CommissionLine
from affiliates.core.ids import ERASED_VERSION
from affiliates.db.seals import seal_field
from affiliates.errors import InvalidInput, NotAllowed, NotFound, StateConflict
from affiliates.host_events import client_erased
from affiliates.outbox.models.delivery import Delivery
from affiliates.payouts.models import PayoutDestination
from affiliates.privacy.erasure.models import Erasure
from affiliates.privacy.erasure.services import agree, ask, erase, withdraw
from affiliates.program.models import Affiliate, AffiliateLink
from affiliates.program.rules import AffiliateStatus
from affiliates.program.services import change_status
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.sales.models import InvoicePayment
from affiliates.visits.models import Click
from tests.affiliates.verification.finding import (
    everything_found,
    found_after,
    is_found,
    prove,
)
from tests.factories.integrations import WebhookFactory
from tests.guard.markers import marker

pytestmark = pytest.mark.django_db
ORDER = "restored"


@pytest.fixture
def client(program):
    """Of an order that was paid, refunded, and not."""
    return get_user_model()._base_manager.get(pk=program.referral(ORDER).client_id)


def erased(client, program, **options):
    return erase(
        brand=program.world.brand,
        accounts=[str(client.pk)],
        email="",
        reason=marker("staff", "erasure"),
        now=program.world.now,
        **options,
    )


def payments_of(program):
    return InvoicePayment.objects.filter(order_ref=program.referral(ORDER).order_ref)


def lines_of(client):
    return CommissionLine.objects.filter(
        commission__sale__order_referral__client_id=client.pk
    )


def test_books_and_decisions_are_proved_before_and_after(program, client):
    seals = list(payments_of(program).values_list("seal", flat=True))
    found = everything_found()

    act = erased(client, program)

    assert (found, everything_found()) == ([], [])
    assert list(payments_of(program).values_list("seal", flat=True)) == seals
    call_command("replay_decisions", stdout=StringIO())
    assert act.done_at == program.world.now
    assert act.changed["affiliates.InvoicePayment"] == {"emptied": 1}


def test_what_is_personal_is_gone_and_the_number_stays(program, client):
    bound = ClientReferral.objects.get(client=client)
    visitor_id = Click.objects.get(pk=bound.click_id).visitor_id
    amounts = [line["net"] for line in payments_of(program).get().lines]

    erased(client, program)

    referral, payment = program.referral(ORDER), payments_of(program).get()
    assert referral.client_id == client.pk
    assert referral.referral_cookie == ""
    assert [line["description"] for line in payment.lines] == ["", ""]
    assert [line["net"] for line in payment.lines] == amounts
    assert {line.receipt["line"]["description"] for line in lines_of(client)} == {""}
    bound.refresh_from_db()
    assert bound.visitor_id is None
    click = Click.objects.get(pk=bound.click_id)
    assert (click.user_agent, click.ip_prefix) == ("", "")
    assert click.visitor_id != visitor_id
    assert click.visitor_id.version == ERASED_VERSION


def test_a_tampering_beside_an_erasure_is_found(program, client):
    orders = OrderReferral.objects.filter(client=client)
    tamperings = [
        (orders, {"referral_cookie": "again"}),
        (payments_of(program), {"lines": []}),
        (payments_of(program), {"payment_ref": "another"}),
        (payments_of(program), {"salt": "e1.00"}),
        (ClientReferral.objects.filter(client=client), {"step": "another"}),
        (Erasure.objects.all(), {"changed": {}}),
    ]
    erased(client, program)
    prove()

    changed, unseen = [], []
    for rows, values in tamperings:
        named = rows.model._base_manager.filter(pk__in=[row.pk for row in rows])

        def corrupt(named=named, values=values):
            changed.append(named.update(**values))

        if not is_found(corrupt, model=rows.model):
            unseen.append(values)

    assert (changed, unseen) == ([1] * len(tamperings), [])


def test_an_erasure_excuses_only_the_rows_of_its_person(program, client):
    """By somebody who empties further rows and names an erasure that took place."""
    act = erased(client, program)
    other = InvoicePayment.objects.exclude(pk__in=payments_of(program)).first()
    destination = PayoutDestination.objects.first()

    def empty(row):
        names = seal_field(type(row)).erase(row, number=act.pk)
        row.save(update_fields=names)

    assert found_after(lambda: empty(other))[-2:] == [
        f"Invoice payment {other.pk} is empty by erasure {act.pk}, which was of another "
        "person.",
        f"Erasure {act.pk} emptied 1 rows of affiliates.InvoicePayment, but 2 name it.",
    ]
    assert len(found_after(lambda: empty(destination))) == 2


def test_an_erasure_that_was_undone_or_is_recorded_nowhere_is_named(program, client):
    """By somebody who has kept a copy: a seal that holds again, or none that does."""
    lines = payments_of(program).get().lines
    erased(client, program)
    prove()

    undone = found_after(lambda: payments_of(program).update(lines=lines))
    unrecorded = found_after(lambda: Erasure.objects.all()._raw_delete("default"))

    assert [text for text in undone if "although it was erased" in text] != []
    assert [text for text in unrecorded if "recorded nowhere" in text] != []


@pytest.mark.parametrize(
    "values",
    [
        {"receipt": {}},
        {"receipt": {}, "salt": "s1"},
        {"receipt": {}, "salt": "e1.00", "amount": 1},
    ],
)
def test_rows_that_are_only_added_change_by_erasing_alone(values, program, client):
    before = list(lines_of(client).values())

    with pytest.raises(DatabaseError, match="only ever added"), transaction.atomic():
        CommissionLine._base_manager.filter(pk=before[0]["id"]).update(**values)

    assert list(lines_of(client).values()) == before


def test_a_repeat_changes_nothing(program, client):
    event = {"brand_id": program.world.brand.pk, "client_id": str(client.pk)}
    client_erased(**event, now=program.world.now)
    once = list(Erasure.objects.values())

    client_erased(**event, now=program.world.now)

    assert list(Erasure.objects.values()) == once


def test_of_an_unknown_brand_nothing_is_erased(client, now):
    with pytest.raises(NotFound):
        client_erased(brand_id=0, client_id=str(client.pk), now=now)

    assert Erasure.objects.count() == 0


def test_webhooks_are_told_without_a_name(program, client):
    WebhookFactory(brand=program.world.brand)

    erased(client, program)

    [told] = Delivery.objects.filter(key__startswith="person.erased")
    assert told.payload["data"] == {"client_ref": str(client.pk), "affiliates": []}


def test_an_active_affiliate_with_a_balance_is_not_erased(program):
    affiliate = program.world.affiliates[0]
    before = list(AffiliateLink.objects.values())

    with pytest.raises(StateConflict) as refusal:
        erased(affiliate.user, program)

    assert f"{affiliate.code} takes part in the program" in refusal.value.detail
    assert "pay it out or take it back first" in refusal.value.detail
    assert Erasure.objects.count() == 0
    assert list(AffiliateLink.objects.values()) == before


def test_a_sale_that_is_not_sent_yet_must_be_first(program, client):
    WebhookFactory(brand=program.world.brand)
    referral = program.referral(ORDER)
    Delivery.objects.create(
        brand=referral.brand,
        integration_id=WebhookFactory(brand=referral.brand).pk,
        operation="sale",
        key="sale:1",
        order_ref=referral.invoice_ref,
        payload={"order": 1},
        next_at=program.world.now,
        created_at=program.world.now,
    )

    with pytest.raises(StateConflict, match="1 notifications of sales are not sent"):
        erased(client, program)

    assert Delivery.objects.get(key="sale:1").payload == {"order": 1}


def test_an_affiliate_is_known_by_a_number_and_does_not_come_back(program):
    affiliate = program.world.affiliates[0]
    other = Affiliate.objects.create(
        brand=program.world.brand,
        user=program.world.host.client(program.world.brand, email="gone@example.com"),
        code="gone-with-me",
        status=AffiliateStatus.PENDING,
    )
    AffiliateLink.objects.create(affiliate=other, name="My blog", target_url="")

    erased(other.user, program)
    others = Affiliate.objects.filter(pk=other.pk)
    changed = change_status(others, status=AffiliateStatus.ACTIVE)

    gone, link = others.get(), AffiliateLink.objects.get(affiliate=other)
    assert changed == []
    assert (gone.code, gone.status) == (f"erased-{gone.pk}", AffiliateStatus.SUSPENDED)
    assert gone.erased_at == program.world.now
    assert (link.name, link.is_active) == ("", False)
    # Changes of the configuration name codes and slugs.
    assert [one.kind for one in ConfigChange.objects.all()] == ["everything"]
    assert PayoutDestination.objects.filter(affiliate=affiliate).first().hint != ""


def test_two_persons_erase(program, client):
    first, second = (
        program.world.host.client(program.world.brand, email=f"{name}@example.com").pk
        for name in ("first", "second")
    )
    wanted = {
        "brand": program.world.brand,
        "accounts": [str(client.pk)],
        "email": "ada@example.com",
        "now": program.world.now,
    }
    with pytest.raises(InvalidInput):
        ask(**wanted, reason=" ", asked_by_id=first)

    act = ask(**wanted, reason=marker("staff", "erasure"), asked_by_id=first)
    with pytest.raises(StateConflict, match="agree to it, or withdraw it"):
        ask(**wanted, reason="Again.", asked_by_id=second)
    assert Erasure.objects.get().reason == marker("staff", "erasure")
    with pytest.raises(NotAllowed):
        agree(erasure_id=act.pk, agreed_by_id=first, now=program.world.now)
    assert payments_of(program).get().lines[0]["description"] != ""

    agree(erasure_id=act.pk, agreed_by_id=second, now=program.world.now)

    done = Erasure.objects.get()
    assert (done.asked_by_id, done.agreed_by_id, done.email) == (first, second, "")
    assert payments_of(program).get().lines[0]["description"] == ""
    for refused in (
        lambda: agree(erasure_id=act.pk, agreed_by_id=second, now=program.world.now),
        lambda: withdraw(erasure_id=act.pk),
    ):
        with pytest.raises(NotFound):
            refused()


def test_a_command_erases_what_staff_have_asked_for(program, client):
    act = ask(
        brand=program.world.brand,
        accounts=[str(client.pk)],
        email="",
        reason=marker("staff", "erasure"),
        asked_by_id=client.pk,
        now=program.world.now,
    )

    done = erased(client, program)

    assert done.done_at == program.world.now
    assert list(Erasure.objects.filter(done_at=None)) == [act]


def test_what_was_asked_for_can_be_withdrawn(program, client):
    act = ask(
        brand=program.world.brand,
        accounts=[str(client.pk)],
        email="",
        reason=marker("staff", "erasure"),
        asked_by_id=client.pk,
        now=program.world.now,
    )

    withdraw(erasure_id=act.pk)

    assert Erasure.objects.count() == 0
    assert everything_found() == []


def test_a_dry_run_says_what_would_change(program, client):
    email = getattr(client, client.get_email_field_name())
    said = StringIO()

    call_command(
        "affiliates_erase_person", f"--email={email}", "--dry-run", stdout=said
    )

    assert "  affiliates.InvoicePayment: 1 emptied" in said.getvalue().splitlines()
    assert said.getvalue().endswith("Nothing was changed.\n")
    assert Erasure.objects.count() == 0
