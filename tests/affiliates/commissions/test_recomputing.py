"""A receipt gives the same minor units for ever."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.plans.services import publish_plan
from tests.factories.books import CommissionFactory, CommissionLineFactory


def recompute(*arguments: str) -> list[str]:
    out = StringIO()
    call_command("recompute_commission", *arguments, stdout=out)
    return out.getvalue().splitlines()


def test_prints_formula_and_amount_of_each_line(plan, order, till):
    till.pay("90.00", "10.55")
    plan.rules.update(percent=50)
    publish_plan(plan, now=Commission.objects.get().earned_at)

    lines = recompute(str(Commission.objects.get().pk))

    assert lines[0].endswith(": €10.06")
    assert [line for line in lines if line.startswith("    =")] == [
        "    = €9.00",
        "    = €1.06",
    ]
    assert any("10 %" in line for line in lines)
    assert lines[-1] == "1 commissions, 0 differ."


def test_all_prints_only_what_differs(plan, order, till):
    till.pay()

    assert recompute("--all") == ["1 commissions, 0 differ."]


@pytest.mark.parametrize(("stored", "of_line"), [(1001, 1000), (1000, 999)])
def test_fails_when_a_minor_unit_differs(stored, of_line, plan, order, till):
    till.pay()
    kept = Commission.objects.get().lines.get()
    Commission.objects.update(status=CommissionStatus.REJECTED)
    off = CommissionFactory(
        sale=kept.commission.sale, affiliate=kept.commission.affiliate, amount=stored
    )
    CommissionLineFactory(commission=off, amount=of_line, receipt=kept.receipt)
    out = StringIO()

    with pytest.raises(CommandError, match="do not follow"):
        call_command("recompute_commission", "--all", stdout=out)

    assert "DIFFERS" in out.getvalue()
    assert "2 commissions, 1 differ." in out.getvalue()


@pytest.mark.parametrize("arguments", [(), ("1", "--all")])
def test_wants_ids_or_all(arguments, db):
    with pytest.raises(CommandError, match="or pass --all"):
        recompute(*arguments)


@pytest.mark.parametrize("unknown", ["999999", "-1", "9" * 30])
def test_unknown_commission_is_refused(unknown, db):
    with pytest.raises(CommandError, match="There is no commission"):
        recompute("--", unknown)
