"""A program with a million entries in its books. Django must be set up by now.

A first row of each table is written by hand, the others are copies with other numbers:
that takes a minute, writing them by the services would take an hour.
"""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from django.contrib.auth import get_user_model
from django.db import connection
from django.db.models import Model
from moneyed import Money

from affiliates.brands.models.brand import Brand
from affiliates.commissions.amounts import paid_lines
from affiliates.commissions.models import Commission, CommissionEvent, CommissionLine
from affiliates.ledger.models import LedgerEntry, LedgerPosting
from affiliates.ledger.rules import Account, Movement, PostingKind
from affiliates.ledger.services import post
from affiliates.payouts.models import (
    Payout,
    PayoutDestination,
    PayoutEvent,
    PayoutTerms,
)
from affiliates.plans.rules.computation import compute_commission
from affiliates.plans.rules.matching import SaleFacts
from affiliates.plans.rules.terms import PlanTerms, RuleTerms
from affiliates.program.models import Affiliate
from affiliates.referrals.models import OrderReferral
from affiliates.sales.models import InvoicePayment, Sale

# Each commission is earned and approved, each payout requested and paid: four entries.
BIG_COMMISSIONS = 25_000
COMMISSIONS = 245_000
AFFILIATES = 5_001
PAYOUTS = AFFILIATES - 1
AMOUNT = 1_000
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
LINE = {
    "description": "Business",
    "product_ref": "1",
    "kind": "hosting",
    "billing_cycle": "annually",
    **dict.fromkeys(("tld", "operation"), ""),
    "quantity": 1,
    "net": "100.00",
    **dict.fromkeys(("discount", "credit"), "0"),
}
CLICK = {
    "verdict": "won",
    "rule": "click_order",
    "carrier": "cookie",
    "affiliate_id": 1,
}
DECISION = {"outcome": "credited", "candidates": [CLICK]}


def make_rows() -> None:
    """The affiliate with the key 1 has a tenth of the entries."""
    _make_affiliates()
    _make_first_rows()
    if connection.vendor == "postgresql":
        _alter_books("DISABLE TRIGGER USER")
        _copy_rows()
        _alter_books("ENABLE TRIGGER USER")
    else:
        connection.disable_constraint_checking()
        _copy_rows()
        connection.enable_constraint_checking()


def _alter_books(action: str) -> None:
    """A copy writes one table after another: no posting sums to zero before the end."""
    with connection.cursor() as cursor:
        for model in (LedgerPosting, LedgerEntry):
            cursor.execute(f"ALTER TABLE {model._meta.db_table} {action}")


def _make_affiliates() -> None:
    brand = Brand.objects.create(
        name="Benchmark", default_redirect_url="https://shop.example.com/"
    )
    users = get_user_model().objects.bulk_create(
        get_user_model()(brand=brand, email=f"affiliate{number}@example.com")
        for number in range(AFFILIATES)
    )
    Affiliate.objects.bulk_create(
        Affiliate(pk=number, brand=brand, user=user, status="active")
        for number, user in enumerate(users, start=1)
    )


def _make_first_rows() -> None:
    """A commission of the first affiliate's and a payout of the second's, each number 1."""
    first, second = Affiliate.objects.filter(pk__lte=2).order_by("pk")
    net = Money("100.00", "EUR")
    referral = OrderReferral.objects.create(
        pk=1,
        brand=first.brand,
        client=first.user,
        affiliate=first,
        order_ref="1",
        invoice_ref="1",
        outcome="credited",
        reason="last_click",
        converted_at=NOW,
        decision=DECISION,
    )
    payment = InvoicePayment.objects.create(
        pk=1,
        brand=first.brand,
        invoice_ref="1",
        order_ref="1",
        payment_ref="1",
        gross=net,
        lines=[LINE],
        paid_at=NOW,
        received_at=NOW,
    )
    sale = Sale.objects.create(
        pk=1,
        brand=first.brand,
        order_referral=referral,
        payment=payment,
        invoice_ref="1",
        position=0,
        affiliate=first,
        status="recorded",
        reason="credited",
        net=net,
        paid_at=NOW,
        recorded_at=NOW,
    )
    commission = Commission.objects.create(
        pk=1,
        brand=first.brand,
        sale=sale,
        affiliate=first,
        currency="EUR",
        amount=AMOUNT,
        status="approved",
        earned_at=NOW,
        matures_at=NOW,
    )
    CommissionLine.objects.create(
        pk=1, commission=commission, position=1, amount=AMOUNT, receipt=_receipt(sale)
    )
    PayoutTerms.objects.create(brand_id=sale.brand_id)
    payout = Payout.objects.create(
        pk=1,
        brand=second.brand,
        affiliate=second,
        destination=PayoutDestination.objects.create(
            pk=1, affiliate=second, kind="offline", usable_from=NOW, created_at=NOW
        ),
        currency="EUR",
        amount=AMOUNT,
        status="paid",
        requested_at=NOW,
        finished_at=NOW,
    )
    steps = [("", "pending"), ("pending", "approved"), ("approved", "paid")]
    for pk, (before, after) in enumerate(steps[:2], start=1):
        CommissionEvent.objects.create(
            pk=pk, commission=commission, before=before, after=after, at=NOW
        )
    for pk, (before, after) in enumerate([("", "requested"), ("requested", "paid")]):
        PayoutEvent.objects.create(
            pk=pk + 1, payout=payout, before=before, after=after, at=NOW
        )
    ways = [
        (PostingKind.EARNED, Account.EXPENSE, Account.PENDING),
        (PostingKind.APPROVED, Account.PENDING, Account.PAYABLE),
        (PostingKind.PAYOUT_REQUESTED, Account.PAYABLE, Account.CLEARING),
        (PostingKind.PAYOUT_PAID, Account.CLEARING, Account.PAID_OUT),
    ]
    for number, (kind, source, target) in enumerate(ways):
        is_payout = number > 1
        owner = second if is_payout else first
        movement = Movement(
            kind=kind,
            key=f"{kind}:1",
            source=source,
            target=target,
            affiliate_id=owner.pk,
            brand_id=owner.brand_id,
            currency="EUR",
            amount=AMOUNT,
            commission_id=None if is_payout else 1,
            payout_id=1 if is_payout else None,
        )
        post([movement], now=NOW)


def _receipt(sale: Sale) -> dict[str, Any]:
    """Of the sale's only line, by no version of any plan."""
    facts = SaleFacts(
        currency="EUR",
        renewal_number=0,
        position=0,
        ordered_at=NOW,
        paid_at=NOW,
        affiliate_id=sale.affiliate_id,
        lines=paid_lines([LINE], sale.net.currency),
    )
    terms = PlanTerms(rules=(RuleTerms(percent=Decimal(10)),))
    made = compute_commission(facts, terms=terms, plan_name="", version_number=0)
    return {**made.lines[0].receipt, "plan": {"name": "", "version": None}}


def _copy_rows() -> None:
    big = f"n.i <= {BIG_COMMISSIONS}"
    # The first affiliate has many commissions, the others share the rest.
    owner = f"CASE WHEN {big} THEN 1 ELSE 2 + n.i % {PAYOUTS} END"
    invoice = {"invoice_ref": "CAST(n.i AS varchar(20))"}
    own = {"order_ref": "CAST(n.i AS varchar(20))", **invoice}
    commission = {"affiliate_id": owner}
    _copy(
        OrderReferral, COMMISSIONS,
        id="n.i", decision=_of_owner("decision", owner), **own, **commission,
    )  # fmt: skip
    _copy(InvoicePayment, COMMISSIONS, id="n.i", **own)
    _copy(
        Sale, COMMISSIONS,
        id="n.i", payment_id="n.i", order_referral_id="n.i", **invoice, **commission,
    )  # fmt: skip
    _copy(PayoutDestination, PAYOUTS, id="n.i", affiliate_id="n.i + 1")
    _copy(Payout, PAYOUTS, id="n.i", affiliate_id="n.i + 1", destination_id="n.i")
    _copy(
        Commission, COMMISSIONS, id="n.i", sale_id="n.i", **commission,
        status=f"CASE WHEN {big} THEN 'approved' ELSE 'paid' END",
        payout_id=f"CASE WHEN {big} THEN NULL ELSE 1 + n.i % {PAYOUTS} END",
    )  # fmt: skip
    _copy(
        CommissionLine, COMMISSIONS,
        id="n.i", commission_id="n.i",
        receipt=_of_owner("receipt", owner),
    )  # fmt: skip
    for template, before in enumerate(("''", "'pending'"), start=1):
        _copy(
            CommissionEvent, COMMISSIONS, template,
            id=f"2 * n.i + {template}", commission_id="n.i", before=before,
            after="'pending'" if template == 1
            else f"CASE WHEN {big} THEN 'approved' ELSE 'paid' END",
        )  # fmt: skip
        _copy(
            PayoutEvent, PAYOUTS, template, id=f"2 * n.i + {template}", payout_id="n.i"
        )
    for template in (1, 2, 3, 4):
        is_payout = template > 2
        count = PAYOUTS if is_payout else COMMISSIONS
        # Far enough for no number to be given twice.
        offset = 4 * COMMISSIONS if is_payout else 0
        column = "payout_id" if is_payout else "commission_id"
        posting = f"{offset} + 2 * n.i + {template}"
        key = "t.kind || ':' || CAST(n.i AS varchar(20))"
        _copy(LedgerPosting, count, template, id=posting, key=key, **{column: "n.i"})
        for entry in (2 * template - 1, 2 * template):
            _copy(
                LedgerEntry, count, entry,
                id=f"{2 * offset} + 4 * n.i + {entry}", posting_id=posting,
                affiliate_id="n.i + 1" if is_payout else owner,
            )  # fmt: skip


def _of_owner(column: str, owner: str) -> str:
    """The template's document, of another affiliate."""
    is_postgresql = connection.vendor == "postgresql"
    text = f't."{column}"' + ("::text" if is_postgresql else "")
    changed = (
        f"""replace({text}, '"affiliate_id": 1', '"affiliate_id": ' || ({owner}))"""
    )
    return f"({changed})::jsonb" if is_postgresql else changed


def _copy(model: type[Model], count: int, template: int = 1, /, **changes: str) -> None:
    """Number 2 to ``count`` of a table, like the row with the template's key."""
    columns = [str(field.column) for field in model._meta.concrete_fields]
    quoted = ", ".join(f'"{column}"' for column in columns)
    values = ", ".join(changes.get(column, f't."{column}"') for column in columns)
    table = model._meta.db_table
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} ({quoted})"  # noqa: S608 - no value from outside
            f" WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n"
            f" WHERE i < {count}) SELECT {values} FROM {table} t, n"
            f" WHERE t.id = {template}"
        )
