"""The functions of ``host_events`` by the events API, with the same answers."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from functools import partial
from threading import local
from typing import Any

import pytest
from django.test import Client
from moneyed import Money

from affiliates import host_events
from affiliates.adapter import get_adapter
from affiliates.contrib.events_api.api import base, reports
from affiliates.contrib.events_api.events import EVENTS
from affiliates.contrib.events_api.models import BrandKey
from affiliates.contrib.events_api.rules import (
    KEY_PREFIX,
    KNOWN_OTHERWISE,
    BrandScope,
)
from affiliates.errors import InvalidInput, NotAllowed, NotFound, StateConflict
from affiliates.referrals.rules.types import CookieUse, EventResult

REFUSALS: dict[int, Callable[..., Exception]] = {
    400: InvalidInput,
    403: NotAllowed,
    404: NotFound,
    409: StateConflict,
}
_clock = local()


def report_by_http(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replaces the functions in all test modules until the test ends."""
    monkeypatch.setattr(base, "find_brand_key", _key)
    monkeypatch.setattr(reports, "utc_now", lambda: _clock.now)
    for name in EVENTS:
        function = getattr(host_events, name)
        for module in list(sys.modules.values()):
            is_test = module.__name__.startswith("tests.affiliates.")
            if is_test and getattr(module, name, None) is function:
                monkeypatch.setattr(module, name, partial(_report, name))


def _key(secret: str) -> BrandKey:
    """A key of the brand that it names, which is not stored: uses write nothing."""
    brand_id = int(secret.removeprefix(KEY_PREFIX))
    used_at = datetime.max.replace(tzinfo=UTC)
    scopes = list(BrandScope)
    return BrandKey(brand_id=brand_id, scopes=scopes, last_used_at=used_at)


def _report(
    name: str, event: Any = None, *, now: datetime, **values: Any
) -> EventResult | None:
    if event is not None:
        values |= {field.name: getattr(event, field.name) for field in fields(event)}
    sent = {field: as_json(value) for field, value in values.items()}
    brand_id = sent.pop("brand_id", None)
    if brand_id is None:
        brand_id = _brand_of(values["client_id"])
    _clock.now = now
    response = Client().post(
        "/api/operator/events",
        {"events": [{"event": name, **sent}]},
        content_type="application/json",
        headers={"authorization": f"Bearer {KEY_PREFIX}{brand_id}"},
    )
    [result] = response.json()["data"]["results"]
    if result["status"] == 200:
        return (
            EventResult(cookie=CookieUse(result["cookie"]))
            if result["cookie"]
            else None
        )
    error = result["errors"][0]
    conflicts = error["code"] in KNOWN_OTHERWISE
    raise (InvalidInput if conflicts else REFUSALS[result["status"]])(
        error["code"], error["detail"]
    )


def _brand_of(client_id: str) -> int:
    client = get_adapter().get_client(client_id)
    return 0 if client is None else client.brand_id


def as_json(value: Any) -> Any:
    if isinstance(value, Money):
        return {"amount": f"{value.amount:f}", "currency": value.currency.code}
    if isinstance(value, datetime):
        return value.isoformat()
    if is_dataclass(value):
        return {row.name: as_json(getattr(value, row.name)) for row in fields(value)}
    if isinstance(value, tuple):
        return [as_json(item) for item in value]
    return value
