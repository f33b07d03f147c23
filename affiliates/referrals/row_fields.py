"""Converts decisions and integrations' visits to columns of a row."""

from __future__ import annotations

from typing import Any

from affiliates.contracts import Client
from affiliates.db.accounts import key_of
from affiliates.referrals.external_fields import ExternalTouchFields
from affiliates.referrals.rules.stored import to_json
from affiliates.referrals.rules.types import Decision, ExternalTouch


def decision_fields(decision: Decision) -> dict[str, Any]:
    """The decision on the own program; a time of click only if a click won."""
    winner = decision.winner
    clicked = None if winner is None or winner.click_id is None else winner
    return {
        "coupon_code": decision.inputs.order.code,
        "outcome": decision.outcome,
        "reason": decision.reason,
        "affiliate_id": None if winner is None else winner.affiliate_id,
        "click_id": None if clicked is None else clicked.click_id,
        "touched_at": None if clicked is None else clicked.touched_at,
        "decision": to_json(decision),
    }


def external_fields(touch: ExternalTouch | None) -> dict[str, Any]:
    """The integration's data on the visitor; without a touch the columns are empty."""
    if touch is None:
        fields = ExternalTouchFields._meta.fields
        return {field.attname: field.get_default() for field in fields}
    return {
        "integration_id": touch.integration_id,
        "external_visitor_id": touch.visitor_id,
        "external_affiliate": touch.affiliate,
        "external_click_id": touch.click_id,
        "external_touched_at": touch.touched_at,
        "external_ip": touch.ip,
        "external_user_agent": touch.user_agent,
    }


def client_fields(client: Client) -> dict[str, Any]:
    """The account, or the reference of a guest without one."""
    key = key_of(client.id)
    return {"client_id": key} if key is not None else {"guest_ref": client.id}
