"""Who sent the client, whom the order went to, and what was sent to the integration."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from djmoney.money import Money

from affiliates.core.language import inside_sentence
from affiliates.order_story.types import EventKind, TimelineEvent
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.queue.rules import QueueState
from affiliates.outbox.types import Operation
from affiliates.referrals.models import ClientReferral, DecisionOverride, OrderReferral
from affiliates.referrals.rules import trace
from affiliates.sales.models import InvoicePayment
from affiliates.visits.consent.rules import Consent
from affiliates.visits.models import Click


def visits(referral: OrderReferral, decision: Mapping[str, Any]) -> list[TimelineEvent]:
    """The candidate clicks, from the decision where the click row is gone."""
    stored = decision["candidates"]
    external = decision.get("external") or {}
    ids = [touch["click_id"] for touch in [*stored, external] if touch.get("click_id")]
    pages = {
        str(pk): f" on {url}{_consent_text(Consent(consent))}"
        for pk, url, consent in Click.objects.filter(
            brand_id=referral.brand_id, id__in=ids
        ).values_list("id", "visit_url", "consent")
    }
    explanation = trace.explain(decision)
    events = [
        TimelineEvent(
            line.touched_at,
            EventKind.VISIT,
            _visit_text(
                line, pages.get(candidate["click_id"], ""), explanation.outcome
            ),
        )
        for candidate, line in zip(stored, explanation.candidates, strict=True)
        # A coupon code and staff's assignment bring no click.
        if candidate.get("click_id")
    ]
    if explanation.external is not None:
        page = pages.get(external["click_id"], "")
        events.append(_external_visit(explanation.external, page))
    return events


def _consent_text(consent: Consent) -> str:
    if consent is Consent.NOT_ASKED:
        return ""
    return f", consent {inside_sentence(consent)}"


def _visit_text(line: trace.CandidateLine, page: str, outcome: str) -> str:
    verdict = outcome if line.is_winner else line.verdict
    return f"Click of affiliate {line.affiliate_code}{page}. {verdict}."


def _external_visit(line: trace.ExternalLine, page: str) -> TimelineEvent:
    return TimelineEvent(
        line.touched_at,
        EventKind.VISIT,
        f"Click of {_external_name(line.affiliate)}{page}. {line.verdict}.",
    )


def _external_name(affiliate: str) -> str:
    return f"the tracking integration's affiliate {affiliate}".rstrip()


def signup(referral: OrderReferral) -> list[TimelineEvent]:
    binding = (
        ClientReferral.objects.filter(
            brand_id=referral.brand_id, client_id=referral.client_id
        )
        .select_related("affiliate")
        .first()
    )
    if binding is None:
        return []
    return [
        TimelineEvent(
            binding.bound_at,
            EventKind.SIGNUP,
            f"{binding.get_step_display()}: the client was bound to "
            f"{_bound_to(binding)}.",
        )
    ]


def _bound_to(binding: ClientReferral) -> str:
    names = []
    if binding.affiliate is not None:
        names.append(f"affiliate {binding.affiliate.code}")
    if binding.integration_id is not None:
        names.append(_external_name(binding.external_affiliate))
    return " and ".join(names)


def conversion(
    referral: OrderReferral, decision: Mapping[str, Any]
) -> list[TimelineEvent]:
    explanation = trace.explain(decision)
    return [
        TimelineEvent(
            referral.converted_at,
            EventKind.CONVERSION,
            f"Order converted to invoice {referral}. "
            f"{explanation.outcome}{_winner(explanation)}. {explanation.reason} "
            f"{_claim_text(explanation)}"
            f"{explanation.cookie}. Policy: {explanation.policy}.",
        )
    ]


def _winner(explanation: trace.Explanation) -> str:
    for line in explanation.candidates:
        if line.is_winner:
            return f": {line.affiliate_code}"
    external = explanation.external
    if external is not None and external.is_credited and external.affiliate:
        return f": {external.affiliate}"
    return ""


def _claim_text(explanation: trace.Explanation) -> str:
    """The tracking integration's part in the decision, where it has any."""
    if explanation.external is None:
        return ""
    return (
        f"Tracking integration: {explanation.external.verdict}. "
        f"When both claim the client: {explanation.preference}. "
    )


def assignments(overrides: Sequence[DecisionOverride]) -> list[TimelineEvent]:
    return [
        TimelineEvent(
            override.at,
            EventKind.ASSIGNED,
            f"{override.actor} gave the order to {override.affiliate or 'nobody'}: "
            f"{override.reason}",
        )
        for override in overrides
    ]


def deliveries(
    referral: OrderReferral,
    decision: Mapping[str, Any],
    payments: Sequence[InvoicePayment],
) -> list[TimelineEvent]:
    """The sale and its reversals as they were sent to the tracking integration.

    Also to one that ``decision``, of before staff's word, names: they may have taken the
    order from it.
    """
    integration_id = referral.integration_id
    if integration_id is None and decision.get("external"):
        integration_id = decision["external"]["integration_id"]
    if integration_id is None:
        return []
    sent = Delivery.objects.filter(
        brand_id=referral.brand_id,
        integration_id=integration_id,
        order_ref__in=[
            referral.invoice_ref,
            *(payment.invoice_ref for payment in payments),
        ],
    ).order_by("id")
    return [_delivery(delivery) for delivery in sent]


def _delivery(delivery: Delivery) -> TimelineEvent:
    state = QueueState(delivery.state)
    is_lost = state in (QueueState.FAILED, QueueState.GIVEN_UP)
    detail = f" {delivery.detail}" if delivery.detail else ""
    return TimelineEvent(
        delivery.finished_at or delivery.created_at,
        EventKind.NOT_SENT if is_lost else EventKind.SENT,
        f"{_what(delivery)} for the integration: {state.label}.{detail}",
    )


def _what(delivery: Delivery) -> str:
    amount, currency = delivery.payload["amount"], delivery.payload["currency"]
    of = "the whole sale" if amount is None else str(Money(amount, currency))
    return f"{Operation(delivery.operation).label} of {of}"
