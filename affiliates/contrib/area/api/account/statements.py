"""A payout's statements, with all data printed on one."""

from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from rest_framework import serializers

from affiliates.api.descriptions import described_as
from affiliates.contrib.area.api.base import (
    AmountField,
    MomentField,
)
from affiliates.errors import NotFound
from affiliates.payouts.papers.content import paper_of, statement_lines
from affiliates.payouts.papers.pdf import write_pdf
from affiliates.payouts.statement_models import PayoutStatement
from affiliates.program.models import Affiliate

PDF = "application/pdf"


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
        return [
            {
                "name": line.name,
                "day": line.day_cell,
                "amount": f"{line.decimal} {line.currency}",
            }
            for line in statement_lines(statement)
        ]


def statement_of(
    affiliate: Affiliate, payout_id: int, **chosen: str
) -> PayoutStatement:
    """Returns the chosen or newest one. Raises NotFound for another affiliate's."""
    statement = PayoutStatement.objects.filter(
        payout__affiliate=affiliate, payout_id=payout_id, **chosen
    ).first()
    if statement is None:
        raise NotFound
    return statement


def pdf_answer(statement: PayoutStatement) -> HttpResponse:
    """Raises StateConflict if this installation writes no PDF."""
    name = f"statement-{statement.payout_id}-{statement.kind}.pdf"
    return HttpResponse(
        write_pdf(paper_of(statement)),
        content_type=PDF,
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
