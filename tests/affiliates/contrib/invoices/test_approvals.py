"""A payout, alone or in a run, waits for the invoice with its amount."""

from __future__ import annotations

import pytest

from affiliates.contrib.invoices import rules
from affiliates.contrib.payout_runs.services.approvals import approve_run
from affiliates.contrib.payout_runs.services.drafts import draft, start_run
from affiliates.emails.models import Email
from affiliates.errors import StateConflict
from affiliates.payouts.services.confirmations import confirm_payout
from affiliates.payouts.services.decisions import approve_payouts
from tests.database import nothing_written
from tests.factories.payouts import (
    OWN_ACCOUNT,
    DestinationFactory,
    earn,
)

pytestmark = pytest.mark.django_db
MISSING, DIFFERS = rules.MISSING.detail, rules.DIFFERS.detail


@pytest.fixture
def approve(staff, now):
    def approve(*payouts, actor=staff):
        ids = [payout.pk for payout in payouts]
        return approve_payouts(payout_ids=ids, actor_id=actor.pk, now=now)

    return approve


@pytest.fixture
def drafted(affiliate, rival, brand, terms, invoice_terms, staff, now):
    """A run that pays two affiliates 100.00 EUR and 50.00 EUR."""
    for name, value in OWN_ACCOUNT.items():
        setattr(terms, name, value)
    terms.save()
    for owner, amount in ((affiliate, 10_000), (rival, 5_000)):
        DestinationFactory(affiliate=owner, to="bank", usable_from=now)
        earn(owner, amount)
    run = start_run(brand_id=brand.pk, period=None, actor_id=staff.pk, now=now)
    return draft(run, clock=lambda: now, should_stop=lambda: False)


def test_without_one_a_payout_is_not_approved(asked, approve):
    payout = asked()

    with nothing_written():
        outcome = approve(payout)

    assert (outcome.done, outcome.refused) == (0, (f"Payout {payout.pk}: {MISSING}",))


@pytest.mark.parametrize("total", [9_999, 10_001, 11_900])
def test_with_another_total_it_is_not_approved(total, asked, send, approve):
    payout = asked()
    invoice = send(payout, net=total, total=total)

    with nothing_written():
        outcome = approve(payout)

    assert outcome.refused == (f"Payout {payout.pk}: {DIFFERS}",)
    assert invoice.state == "differs"


def test_with_its_amount_it_is_approved(asked, send, approve):
    payout = asked()
    invoice = send(payout, net=8_403, tax=1_597)

    assert approve(payout).done == 1

    invoice.payout.refresh_from_db()
    assert invoice.state == "accepted"


def test_of_several_the_others_are_approved(asked, approve, rival, invoice_terms):
    small, large = asked(5_000), asked(10_000, owner=rival)
    invoice_terms.change(needed_from={"EUR": 10_000})

    outcome = approve(small, large)

    assert outcome.done == 1
    assert outcome.refused == (f"Payout {large.pk}: {MISSING}",)


def test_the_first_of_two_persons_waits_too(asked, approve, terms):
    terms.change(needs_second_person=True)
    payout = asked()

    with nothing_written():
        assert approve(payout).refused == (f"Payout {payout.pk}: {MISSING}",)


def test_other_brands_wait_for_nothing(affiliate, terms, approve, asked, invoice_terms):
    payout = asked()
    invoice_terms.delete()

    assert approve(payout).done == 1


def test_a_run_waits_as_a_whole_and_names_what_is_missing(
    drafted, affiliate, rival, send, second, now
):
    own, others = affiliate.payouts.get(), rival.payouts.get()
    send(others, net=4_000, total=4_000)

    with nothing_written(), pytest.raises(StateConflict) as refused:
        approve_run(run_id=drafted.pk, actor_id=second.pk, now=now)

    assert refused.value.code == "payouts_wait"
    assert refused.value.detail == (
        "2 of its payouts cannot be approved yet: wait, or reject them. "
        f"Payout {own.pk}: {MISSING} Payout {others.pk}: {DIFFERS}"
    )


def test_a_run_with_all_invoices_is_approved(
    drafted, affiliate, rival, send, second, now
):
    send(affiliate.payouts.get())
    send(rival.payouts.get())

    run = approve_run(run_id=drafted.pk, actor_id=second.pk, now=now)

    assert run.status == "approved"
    assert rival.payouts.get().status == "exported"


def test_a_run_asks_each_affiliate_for_its_invoice(drafted, affiliate, rival):
    emails = Email.objects.filter(kind="invoice_needed").order_by("affiliate")

    assert [(email.affiliate, email.values) for email in emails] == [
        (
            owner,
            {
                "payout": owner.payouts.get().pk,
                "amount": {"amount": amount, "currency": "EUR"},
                "reason": "",
            },
        )
        for owner, amount in sorted(
            ((affiliate, 10_000), (rival, 5_000)), key=lambda pair: pair[0].pk
        )
    ]


def test_a_payout_that_needs_none_asks_for_none(asked, invoice_terms):
    invoice_terms.change(needed_from={"EUR": 10_001})

    asked()

    assert not Email.objects.filter(kind="invoice_needed").exists()


def test_its_statement_names_the_invoice_and_is_none(
    asked, send, approve, staff, now, terms
):
    terms.change(tax_note="Self-billing. Reverse charge.")
    payout = asked()
    send(payout)
    approve(payout)

    confirm_payout(payout_id=payout.pk, reference="1", actor_id=staff.pk, now=now)

    assert payout.statements.get().document["tax_note"] == (
        "Pays your invoice 2026-17 of 2026-03-01. This paper is no invoice."
    )


def test_a_statement_without_an_invoice_bills_itself(
    asked, approve, staff, now, terms, invoice_terms
):
    terms.change(tax_note="Self-billing. Reverse charge.")
    invoice_terms.change(needed_from={})
    payout = asked()
    approve(payout)

    confirm_payout(payout_id=payout.pk, reference="1", actor_id=staff.pk, now=now)

    note = payout.statements.get().document["tax_note"]
    assert note == "Self-billing. Reverse charge."


def test_queries_do_not_grow_with_the_payouts(
    asked, rival, approve, django_assert_max_num_queries
):
    payouts = [asked(), asked(owner=rival)]

    with django_assert_max_num_queries(9):
        assert len(approve(*payouts).refused) == 2
