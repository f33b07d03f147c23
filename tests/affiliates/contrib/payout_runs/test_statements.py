"""Statements: what they hold, and numbers without gaps whatever happens."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import DatabaseError, transaction

from affiliates.adapter import get_adapter
from affiliates.payouts.services.confirmations import confirm_payout
from affiliates.payouts.services.decisions import approve_payouts
from affiliates.payouts.services.requests import request_payout
from affiliates.payouts.services.returns import return_payout
from affiliates.payouts.statement_models import PayoutStatement, StatementSeries
from affiliates.sales.models import Sale
from tests.database import nothing_written
from tests.factories.books import CommissionReversalFactory
from tests.factories.payouts import earn, earn_share, take_back
from tests.guard.markers import marker
from tests.races import at_once, needs_postgresql


@pytest.fixture
def approved(staff, now):
    def approved(affiliate):
        payout = request_payout(affiliate_id=affiliate.pk, currency="EUR", now=now)
        approve_payouts(payout_ids=[payout.pk], actor_id=staff.pk, now=now)
        return payout

    return approved


def confirm(payout, *, staff, now):
    return confirm_payout(
        payout_id=payout.pk, reference="BANK-1", actor_id=staff.pk, now=now
    )


def names() -> list[str]:
    return list(PayoutStatement.objects.order_by("pk").values_list("name", flat=True))


def test_holds_all_that_is_printed(earner, approved, terms, staff, now, monkeypatch):
    terms.issuer, terms.tax_note = "Demo GmbH\nBerlin", "Self-billing"
    terms.number_prefix = "SB-2026-"
    terms.save()
    affiliate = earner("good")
    commission = affiliate.commissions.get()
    known = {commission.sale.invoice_ref: "2026-0042"}
    monkeypatch.setattr(type(get_adapter()), "invoice_numbers", lambda *_, **__: known)
    later = now + timedelta(days=1)

    confirm(approved(affiliate), staff=staff, now=later)

    statement = PayoutStatement.objects.get()
    assert (statement.name, statement.amount, statement.issued_at) == (
        "SB-2026-1",
        10_000,
        later,
    )
    assert statement.document == {
        "issuer": "Demo GmbH\nBerlin",
        "tax_note": "Self-billing",
        "affiliate": "good",
        "recipient": "good@example.com",
        "destination": {"kind": "bank", "hint": "DE… 3000"},
        "reference": "BANK-1",
        "requested_at": now.isoformat(),
        "paid_at": later.isoformat(),
        "currency": "EUR",
        "lines": [
            {
                "commission": commission.pk,
                "invoice": commission.sale.invoice_ref,
                "number": "2026-0042",
                "order": commission.sale.order_referral.order_ref,
                "earned_at": commission.earned_at.isoformat(),
                "earned": 10_000,
                "amount": 10_000,
            }
        ],
        "carried": 0,
        "total": 10_000,
    }


def test_line_is_of_what_refunds_left_before_the_payout(earner, approved, staff, now):
    affiliate = earner("good")
    take_back(affiliate, 2_500)
    CommissionReversalFactory(commission=affiliate.commissions.get(), amount=-2_500)

    confirm(approved(affiliate), staff=staff, now=now)

    document = PayoutStatement.objects.get().document
    [line] = document["lines"]
    assert (line["earned"], line["amount"]) == (10_000, 7_500)
    assert (document["carried"], document["total"]) == (0, 7_500)


@pytest.mark.parametrize(("own", "asked"), [(0, []), (10_000, [{"1"}])])
def test_host_is_asked_for_no_invoice_of_a_share(
    earner, approved, staff, now, monkeypatch, own, asked
):
    recruiter, recruited = earner("recruiter", own), earner("recruited")
    Sale.objects.filter(affiliate=recruiter).update(invoice_ref="1")
    earn_share(recruiter, recruited.commissions.get(), 5_000)
    refs = []

    def invoice_numbers(self, invoice_refs, *, brand_id):
        refs.append(set(invoice_refs))
        return {ref: f"2026-{int(ref)}" for ref in invoice_refs}

    monkeypatch.setattr(type(get_adapter()), "invoice_numbers", invoice_numbers)
    payout = approved(recruiter)
    confirm(payout, staff=staff, now=now)

    payout.refresh_from_db()
    assert (payout.status, refs) == ("paid", asked)
    lines = PayoutStatement.objects.get().document["lines"]
    assert [line["number"] for line in lines][-1] == ""


def test_each_affiliate_has_a_series_where_the_brand_says_so(
    earner, approved, terms, staff, now
):
    terms.numbering = "affiliate"
    terms.save()
    one, other = earner("one"), earner("other")

    for affiliate in (one, other, one):
        confirm(approved(affiliate), staff=staff, now=now)
        earn(affiliate)

    assert names() == ["one-1", "other-1", "one-2"]


def test_repeat_takes_no_number(earner, approved, staff, now):
    payout = approved(earner("good"))
    confirm(payout, staff=staff, now=now)

    with nothing_written():
        confirm(payout, staff=staff, now=now)

    return_payout(
        payout_id=payout.pk,
        reason=marker("affiliate", "payout"),
        actor_id=staff.pk,
        now=now,
    )
    with nothing_written():
        return_payout(
            payout_id=payout.pk,
            reason=marker("affiliate", "payout"),
            actor_id=staff.pk,
            now=now,
        )
    assert names() == ["1", "2"]


def test_number_that_is_rolled_back_is_given_again(earner, approved, staff, now):
    one, other = approved(earner("one")), approved(earner("other"))

    with transaction.atomic():
        confirm(one, staff=staff, now=now)
        transaction.set_rollback(True)
    confirm(other, staff=staff, now=now)
    confirm(one, staff=staff, now=now)

    assert names() == ["1", "2"]
    assert StatementSeries.objects.get().last_number == 2


def test_statements_are_only_added(earner, approved, staff, now):
    confirm(approved(earner("good")), staff=staff, now=now)

    for change in (
        lambda: PayoutStatement.objects.update(number=7),
        lambda: PayoutStatement.objects.all()._raw_delete("default"),
    ):
        with pytest.raises(DatabaseError), transaction.atomic():
            change()

    assert names() == ["1"]


@needs_postgresql
@pytest.mark.django_db(transaction=True)
def test_many_at_once_with_failures_leave_no_gap(earner, approved, staff, now):
    payouts = [approved(earner(f"earner-{number}")) for number in range(12)]

    def act(number):
        try:
            with transaction.atomic():
                confirm(payouts[number], staff=staff, now=now)
                if number % 3 == 0:
                    raise RuntimeError
        except RuntimeError:
            return "rolled back"
        return "paid"

    answers = at_once(12, act)

    numbers = PayoutStatement.objects.order_by("number").values_list(
        "number", flat=True
    )
    assert answers.count("paid") == 8
    assert list(numbers) == list(range(1, 9))
