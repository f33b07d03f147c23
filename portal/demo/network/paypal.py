"""A small PayPal: tokens, batches of payouts, and their items by pages.

Written after PayPal's documentation and answers of its sandbox that others have shown.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from portal.demo.network.answers import Answer, json_answer
from portal.demo.network.paypal_books import Item, SentBatch
from portal.demo.network.records import LoggedRequest
from portal.demo.network.state import State

TOKEN = "/v1/oauth2/token"  # noqa: S105 - a path
PAYOUTS = "/v1/payments/payouts"
MAX_ITEMS = 15_000


def is_for(path: str) -> bool:
    return path == TOKEN or path.startswith(PAYOUTS)


def kind_of(path: str, method: str) -> str:
    """The call that a fault is aimed at."""
    if path == TOKEN:
        return "paypal_token"
    return "paypal_create" if method == "POST" else "paypal_look_up"


def answer(state: State, request: LoggedRequest) -> Answer:
    path = urlsplit(request.target).path
    with state.lock:
        if path == TOKEN:
            return _token(state, request)
        token = _header(request, "authorization").removeprefix("Bearer ")
        if token not in state.paypal.tokens:
            return _error(401, "AUTHENTICATION_FAILURE", "The token is not valid.")
        if request.method == "POST":
            return _create(state, request)
        return _show(state, request, path.removeprefix(f"{PAYOUTS}/"))


def _token(state: State, request: LoggedRequest) -> Answer:
    is_basic = _header(request, "authorization").startswith("Basic ")
    if not is_basic or request.body != b"grant_type=client_credentials":
        return json_answer({"error": "invalid_client"}, status=401)
    return json_answer(
        {
            "access_token": state.paypal.token(),
            "token_type": "Bearer",
            "expires_in": 32_400,
        }
    )


def _create(state: State, request: LoggedRequest) -> Answer:
    try:
        content = json.loads(request.body)
        sender_batch_id = content["sender_batch_header"]["sender_batch_id"]
        items = content["items"]
        amounts = [float(one["amount"]["value"]) for one in items]
    except (ValueError, KeyError, TypeError):
        return _error(400, "VALIDATION_ERROR", "Invalid request - see details.")
    if not (0 < len(items) <= MAX_ITEMS) or min(amounts) <= 0:
        return _error(400, "VALIDATION_ERROR", "Invalid request - see details.")
    known = state.paypal.known_as(sender_batch_id, now=state.now())
    if known is not None:
        issue = {
            "field": "SENDER_BATCH_ID",
            "location": "body",
            "issue": "Batch with given sender_batch_id already exists",
            "link": [_link(request, known)],
        }
        return _error(400, "USER_BUSINESS_ERROR", "User business error.", issue)
    batch = state.paypal.create(sender_batch_id, items, now=state.now())
    content = {"batch_header": _header_of(batch), "links": [_link(request, batch)]}
    return json_answer(content, status=201)


def _show(state: State, request: LoggedRequest, batch_id: str) -> Answer:
    batch = state.paypal.batches.get(batch_id)
    if batch is None:
        return _error(
            404, "INVALID_RESOURCE_ID", "Requested resource ID was not found."
        )
    query = dict(parse_qsl(urlsplit(request.target).query))
    page, size = int(query.get("page", 1)), int(query.get("page_size", 1000))
    shown = batch.items[(page - 1) * size : page * size]
    settles_after = state.options.paypal_settles_after_s
    return json_answer(
        {
            "total_items": len(batch.items),
            "total_pages": -(-len(batch.items) // size),
            "batch_header": _header_of(batch),
            "items": [
                _item(
                    batch,
                    item,
                    item.status(now=state.now(), settles_after=settles_after),
                )
                for item in shown
            ],
            "links": [_link(request, batch)],
        }
    )


def _item(batch: SentBatch, item: Item, status: str) -> Mapping[str, Any]:
    content = {
        "payout_item_id": item.id,
        "transaction_status": status,
        "payout_item_fee": {
            "currency": item.sent["amount"]["currency"],
            "value": "0.25",
        },
        "payout_batch_id": batch.id,
        "payout_item": item.sent,
    }
    if status in ("SUCCESS", "RETURNED", "REVERSED", "UNCLAIMED"):
        content["transaction_id"] = item.transaction_id
    if status == "UNCLAIMED":
        content["errors"] = {
            "name": "RECEIVER_UNREGISTERED",
            "message": "Receiver is unregistered",
        }
    return content


def _header_of(batch: SentBatch) -> Mapping[str, Any]:
    return {
        "payout_batch_id": batch.id,
        "batch_status": batch.status,
        "sender_batch_header": {"sender_batch_id": batch.sender_batch_id},
    }


def _link(request: LoggedRequest, batch: SentBatch) -> Mapping[str, str]:
    host = _header(request, "host")
    href = f"http://{host}{PAYOUTS}/{batch.id}"
    return {"href": href, "rel": "self", "method": "GET"}


def _error(status: int, name: str, message: str, *details: Any) -> Answer:
    content = {"name": name, "message": message, "details": list(details)}
    return json_answer(content, status=status)


def _header(request: LoggedRequest, name: str) -> str:
    return next((value for key, value in request.headers if key.lower() == name), "")
