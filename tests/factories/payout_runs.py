"""Runs of payouts, answers and statements, as rows and no more."""

from __future__ import annotations

import factory
from factory.django import DjangoModelFactory

from affiliates.contrib.payout_runs.models import (
    PayoutAnswer,
    PayoutAnswerLine,
    PayoutRun,
    PayoutRunLine,
)
from affiliates.contrib.payout_runs.rules import LineOutcome, RunStatus, Step
from affiliates.contrib.payout_runs.types import Said
from affiliates.payouts.rules import StatementKind
from affiliates.payouts.statement_models import (
    PayoutStatement,
    StatementGap,
    StatementSeries,
)
from tests.factories.ledger import NOW
from tests.guard.markers import marker


class RunFactory(DjangoModelFactory):
    """``brand`` must be given."""

    class Meta:
        model = PayoutRun

    status = RunStatus.DRAFT
    created_at = NOW


class RunLineFactory(DjangoModelFactory):
    """``affiliate`` must be given."""

    class Meta:
        model = PayoutRunLine

    run = factory.SubFactory(
        RunFactory, brand=factory.SelfAttribute("..affiliate.brand")
    )
    currency = "EUR"
    amount = 1000
    outcome = LineOutcome.SET_ASIDE
    drafted_at = NOW


class AnswerFactory(DjangoModelFactory):
    """``brand`` must be given."""

    class Meta:
        model = PayoutAnswer

    kind = "bank"
    name = f"{marker('staff', 'answer')}.xml"
    content = ""
    digest = "0" * 64
    entry_count = 1
    uploaded_at = NOW


class AnswerLineFactory(DjangoModelFactory):
    """``answer__brand`` must be given."""

    class Meta:
        model = PayoutAnswerLine

    answer = factory.SubFactory(AnswerFactory)
    position = 1
    said = Said.PAID
    step = Step.CONFIRM
    at = NOW


class SeriesFactory(DjangoModelFactory):
    """``brand`` must be given."""

    class Meta:
        model = StatementSeries


class GapFactory(DjangoModelFactory):
    """The first number of its series. ``series__brand`` must be given."""

    class Meta:
        model = StatementGap

    series = factory.SubFactory(SeriesFactory, last_number=1)
    first_number = last_number = 1
    restored_at = NOW


class StatementFactory(DjangoModelFactory):
    """The first of its series. ``payout`` must be given."""

    class Meta:
        model = PayoutStatement

    brand = factory.SelfAttribute("payout.brand")
    kind = StatementKind.PAID
    series = factory.SubFactory(SeriesFactory, brand=factory.SelfAttribute("..brand"))
    number = 1
    name = "1"
    currency = factory.SelfAttribute("payout.currency")
    amount = factory.SelfAttribute("payout.amount")
    document = factory.LazyAttribute(
        lambda row: {
            "issuer": row.brand.name,
            "tax_note": "",
            "affiliate": row.payout.affiliate.code,
            "recipient": "",
            "destination": {
                "kind": row.payout.destination.kind,
                "hint": row.payout.destination.hint,
            },
            "reference": row.payout.remote_ref,
            "paid_at": NOW.isoformat(),
            "lines": [],
            "carried": row.amount,
        }
    )
    issued_at = NOW


class PayoutRunFactory(DjangoModelFactory):
    """A draft of nobody's. ``brand`` must be given."""

    class Meta:
        model = PayoutRun

    status = RunStatus.DRAFT
    created_at = NOW
