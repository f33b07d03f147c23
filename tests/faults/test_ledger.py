"""Processes that die in the midst of money: nothing is lost, nothing is paid twice."""

from __future__ import annotations

import io
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import datetime, timedelta
from fractions import Fraction
from random import Random
from typing import NamedTuple

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db.models import Sum

from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.core.money import to_minor
from affiliates.payouts.models import Payout
from affiliates.payouts.rules import PayoutStatus
from affiliates.sales.models import Sale
from affiliates.sales.refunded import InvoiceAmounts, Refunded, taken_of
from affiliates.verification import receipts
from tests.database import nothing_written
from tests.factories.world import Invoice
from tests.faults.ledger_acts import DAYS_A_SECOND, REFUNDS, Act, Player, Stage
from tests.faults.ledger_stand import at_work, await_no_session, make_stage
from tests.lengths import times
from tests.races import needs_postgresql

pytestmark = [
    pytest.mark.long,
    needs_postgresql,
    pytest.mark.django_db(transaction=True),
]

KILLS = times(8, long=200)
# Longer than any act takes, by the clock that all of them are told.
SURELY_SEEN_AFTER = timedelta(days=60 * DAYS_A_SECOND)


class Told(NamedTuple):
    """A paid invoice, and which of the refunds it got."""

    invoice: Invoice
    refunds: frozenset[int]

    @property
    def refunded(self) -> int:
        return sum(self.invoice.gross * REFUNDS[one][0] // 100 for one in self.refunds)


def test_processes_killed_again_and_again_lose_nothing_and_pay_nothing_twice(
    tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(receipts, "SURELY_SEEN_AFTER", SURELY_SEEN_AFTER)
    stage = make_stage()
    chance = Random(20_260_301)  # noqa: S311 - moments, not secrets
    with at_work(stage, tmp_path) as crew:
        for _ in range(KILLS):
            crew.replace_one(chance)
    await_no_session()
    assert [text for one in crew.journals for text in one.notes("failed")] == []
    acts = [act for one in crew.journals for act in one.acts()]
    interrupted = [act for one in crew.journals if (act := one.under_way())]
    with capsys.disabled():
        counts = Counter(act.name for act in interrupted)
        sys.stdout.write(f"\nunder way when killed, of {len(acts)}: {dict(counts)}")
    assert _findings() == []

    later = stage.now() + timedelta(days=1)
    conversions = [
        Act(name="convert", given={"number": number}, at=later.isoformat())
        for number in range(len(stage.baskets))
    ]
    player = Player(stage)
    _repeat(player, [*conversions, *interrupted], at=later)

    assert _findings() == []
    told = _told(stage, acts)
    assert _sales() == sorted(_expected_sales(told))
    _assert_commissions_fell_by_their_part(told)
    assert not Sale.objects.filter(commissions__isnull=True).exists()
    assert not Payout.objects.filter(status=PayoutStatus.EXPORTED).exists()
    assert _credited() == _paid_out_as_credit()


def _repeat(player: Player, acts: list[Act], *, at: datetime) -> None:
    """Do the acts again, whether or not they were done. Once more changes nothing."""
    kinds = defaultdict(list)
    for act in acts:
        # Two that contradict each other would undo each other for ever.
        wanted = act.given.get("act"), act.given.get("affiliate_id")
        kinds[act.name, wanted].append(act.again(at))
    for alike in kinds.values():
        for act in alike:
            player.do(act)
        with nothing_written():
            for act in alike:
                player.do(act)


def _findings() -> list[str]:
    """What the command prints unless it ends well."""
    printed = io.StringIO()
    try:
        call_command("verify_ledger", "--deep", stdout=printed)
    except SystemExit:
        return printed.getvalue().splitlines()
    return []


def _told(stage: Stage, acts: list[Act]) -> dict[str, Told]:
    refunds: dict[str, set[int]] = defaultdict(set)
    for act in acts:
        if act.name == "refund":
            refunds[act.given["ref"]].add(act.given["which"])
    return {
        ref: Told(
            stage.baskets[act.given["number"]].invoice(ref, act.given["renewal"]),
            frozenset(refunds[ref]),
        )
        for act in acts
        if act.name == "pay" and (ref := act.given["ref"])
    }


# An invoice, its net amount, what was taken back of it, and by how many refunds.
SaleRow = tuple[str, int, int, int]


def _expected_sales(told: dict[str, Told]) -> Iterator[SaleRow]:
    """One sale for each payment, less its part of all refunds, in whatever order."""
    for ref, (invoice, refunds) in told.items():
        net = sum(amount for _, _, amount in invoice.lines)
        yield ref, net, _taken(net, told[ref]), len(refunds)


def _taken(amount: int, told: Told) -> int:
    return taken_of(
        amount,
        (),
        invoice=InvoiceAmounts(Fraction(told.invoice.gross)),
        refunded=Refunded(gross=Fraction(told.refunded)),
    )


def _sales() -> list[SaleRow]:
    return sorted(
        (
            sale.invoice_ref,
            to_minor(sale.net),
            -sum(to_minor(one.net) for one in sale.reversals.all()),
            len(sale.reversals.all()),
        )
        for sale in Sale.objects.prefetch_related("reversals")
    )


def _assert_commissions_fell_by_their_part(told: dict[str, Told]) -> None:
    live = Commission.objects.exclude(status=CommissionStatus.REJECTED)
    for commission in live.annotate(back=Sum("reversals__amount")).select_related(
        "sale"
    ):
        paid = told[commission.sale.invoice_ref]
        assert -(commission.back or 0) == _taken(commission.amount, paid)


def _credited() -> list[tuple[str, str, int, str]]:
    """Every entry of account credit: for what, whose, how much."""
    entries = apps.get_model("portal", "WalletEntry").objects.values_list(
        "reference", "client_id", "amount", "currency"
    )
    return sorted((ref, str(client_id), *rest) for ref, client_id, *rest in entries)


def _paid_out_as_credit() -> list[tuple[str, str, int, str]]:
    paid = Payout.objects.filter(
        destination__kind="wallet",
        status=PayoutStatus.PAID,
    ).select_related("affiliate")
    return sorted(
        (
            f"payout:payout-{payout.pk}",
            str(payout.affiliate.user_id),
            payout.amount,
            payout.currency,
        )
        for payout in paid
    )
