"""Asking a provider whether it works and what it holds."""

from __future__ import annotations

import pytest

from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.types import Operation, OutcomeKind
from affiliates.tracking.inquiry import look_up, probe, why_no_look_up
from tests.affiliates.outbox.outbox import BUSY, FOUND, MISSING, NOT_SENT, REFUSED, Wire


@pytest.mark.parametrize(
    ("_case", "answer", "kind"),
    [
        ("found", FOUND, OutcomeKind.OK),
        ("missing", MISSING, OutcomeKind.NOT_FOUND),
        ("busy", BUSY, OutcomeKind.RETRY),
        ("refused", REFUSED, OutcomeKind.REJECTED),
        ("no connection", NOT_SENT, OutcomeKind.RETRY),
    ],
)
def test_look_up_is_one_call_that_writes_nothing(_case, answer, kind, integration):
    wire = Wire(answer)

    outcome = look_up(integration, "invoice-1", sender=wire)

    assert outcome.kind is kind
    (url,) = wire.calls
    assert "lookup" in url
    assert "invoice-1" in url
    assert not Delivery.objects.exists()


def test_probe_is_one_call_that_writes_nothing(integration, now):
    wire = Wire()

    outcome = probe(integration, now=now, sender=wire)

    assert outcome.kind is OutcomeKind.OK
    (url,) = wire.calls
    assert "probe" in url
    assert not Delivery.objects.exists()


def test_a_probe_that_would_track_something_is_not_made(integration, adapter, now):
    adapter.offered.remove(Operation.PROBE)
    wire = Wire()

    outcome = probe(integration, now=now, sender=wire)

    assert outcome.kind is OutcomeKind.NOT_FOUND
    assert "Send a test sale and look for it there." in outcome.detail
    assert wire.calls == []


def test_a_provider_without_look_up_is_not_called(integration, adapter):
    adapter.offered.remove(Operation.LOOKUP)
    wire = Wire()

    outcome = look_up(integration, "invoice-1", sender=wire)

    assert outcome.kind is OutcomeKind.CONFIG
    assert outcome.detail == why_no_look_up(integration)
    assert outcome.detail.startswith("With its present settings Fake cannot be asked")
    assert wire.calls == []


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"provider": "of_tomorrow"}, "No tracking provider is called 'of_tomorrow'"),
        ({"secrets": "of another server"}, "The stored credentials cannot be read"),
    ],
)
def test_an_integration_that_cannot_be_opened_is_not_called(
    fields, reason, integration, now
):
    for name, value in fields.items():
        setattr(integration, name, value)
    wire = Wire()

    for outcome in (
        look_up(integration, "invoice-1", sender=wire),
        probe(integration, now=now, sender=wire),
    ):
        assert outcome.kind is OutcomeKind.CONFIG
        assert outcome.detail.startswith(reason)
    assert why_no_look_up(integration).startswith(reason)
    assert wire.calls == []


def test_a_provider_that_can_be_asked_has_no_obstacle(integration):
    assert why_no_look_up(integration) == ""
