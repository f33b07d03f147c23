"""A payout's statements, with all data printed on one."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

from rest_framework import serializers

from affiliates.api.descriptions import described_as
from affiliates.contrib.area.api.base import (
    AmountField,
    MomentField,
)
from affiliates.core.money import decimal_text
from affiliates.errors import NotFound
from affiliates.payouts import selectors
from affiliates.payouts.statement_models import PayoutStatement
from affiliates.program.models import Affiliate


class StatementLineSerializer(serializers.Serializer[Any]):
    name = serializers.CharField(help_text="The invoice, or what else it is.")
    day = serializers.CharField(help_text="As YYYY-MM-DD, or empty.")
    amount = serializers.CharField(help_text="With its currency.")


class StatementSerializer(serializers.Serializer[Any]):
    number = serializers.CharField(source="name")
    kind = serializers.CharField(help_text="paid, or returned: it takes one back.")
    currency = serializers.CharField()
    amount = AmountField()
    issued_at = MomentField()
    issuer = serializers.CharField(source="document.issuer")
    tax_note = serializers.CharField(source="document.tax_note")
    lines = serializers.SerializerMethodField()

    @described_as(StatementLineSerializer(many=True))
    def get_lines(self, statement: PayoutStatement) -> list[dict[str, str]]:
        code = statement.currency
        return [
            {"name": name, "day": day, "amount": f"{decimal_text(amount, code)} {code}"}
            for name, day, amount in selectors.statement_amounts(statement)
        ]


def statement_data(affiliate: Affiliate, payout_id: int, kind: str) -> dict[str, Any]:
    """All data printed on one. Raises NotFound for another affiliate's."""
    statement = PayoutStatement.objects.filter(
        payout__affiliate=affiliate, payout_id=payout_id, kind=kind
    ).first()
    if statement is None:
        raise NotFound
    lines = [
        {
            "name": name,
            "day": date.fromisoformat(day) if day else None,
            "amount": decimal_text(amount, statement.currency),
        }
        for name, day, amount in selectors.statement_amounts(statement)
    ]
    data = {**statement.document, **StatementSerializer(statement).data}
    return {
        **data,
        "paid_at": datetime.fromisoformat(data["paid_at"]),
        "lines": lines,
    }
