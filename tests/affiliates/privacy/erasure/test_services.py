"""Erasing empties what is personal; books, seals and decisions stay provable."""

from __future__ import annotations

from io import StringIO

import pytest
from django.contrib.auth import get_user_model
from django.core.management import CommandError, call_command
from django.db import DatabaseError, transaction
from django.db.models import ProtectedError

from affiliates.brands.models.change import ConfigChange
from affiliates.commissions.models import CommissionLine
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
from tests.affiliates.verification.finding import everything_found, prove
from tests.affiliates.verification.program import make_program
from tests.factories.integrations import WebhookFactory
from tests.factories.ledger import ClientReferralFactory, OrderReferralFactory
from tests.guard.markers import marker
from tests.races import at_once, needs_postgresql

pytestmark = pytest.mark.django_db
ORDER = "restored"


@pytest.fixture
def program():
    return make_program()


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
    assert (click.visitor_id, click.user_agent, click.ip_prefix) == (None, "", "")


@pytest.mark.parametrize(
    ("model", "values"),
    [
        (OrderReferral, {"referral_cookie": "again"}),
        (InvoicePayment, {"lines": []}),
        (InvoicePayment, {"payment_ref": "another"}),
        (InvoicePayment, {"salt": "e1.00"}),
        (ClientReferral, {"step": "another"}),
        (Erasure, {"changed": {}}),
    ],
)
def test_a_tampering_beside_an_erasure_is_found(model, values, program, client):
    erased(client, program)
    prove()
    rows = model.objects.all()
    if model is InvoicePayment:
        rows = payments_of(program)
    elif model is not Erasure:
        rows = rows.filter(client=client)

    model._base_manager.filter(pk__in=[row.pk for row in rows]).update(**values)

    assert everything_found() != []


def test_personal_data_put_back_is_found(program, client):
    """By somebody who has kept a copy: a seal that holds again, or none that does."""
    kept = payments_of(program).get().lines
    erased(client, program)
    prove()

    payments_of(program).update(lines=kept)

    assert [one for one in everything_found() if "although it was erased" in one] != []


def test_an_erasure_that_is_recorded_nowhere_is_found(program, client):
    erased(client, program)
    prove()

    Erasure.objects.all()._raw_delete("default")

    assert [one for one in everything_found() if "recorded nowhere" in one] != []


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


def test_a_dry_run_says_what_would_change(program, client):
    email = getattr(client, client.get_email_field_name())
    said = StringIO()

    call_command(
        "affiliates_erase_person", f"--email={email}", "--dry-run", stdout=said
    )

    assert "  affiliates.InvoicePayment: 1 emptied" in said.getvalue().splitlines()
    assert said.getvalue().endswith("Nothing was changed.\n")
    assert Erasure.objects.count() == 0
