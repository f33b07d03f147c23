"""A small Wise: quotes, recipients, and transfers in batch groups.

Written after Wise's documentation.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from portal.demo.network.answers import Answer, json_answer
from portal.demo.network.records import LoggedRequest
from portal.demo.network.state import State
from portal.demo.network.wise_books import CANCELLED, WAITING, SentGroup, SentTransfer

_PATH = re.compile(
    r"/v3/profiles/[0-9]+/(?P<of>quotes|batch-groups|batch-payments)"
    r"(?:/(?P<group>[0-9a-f-]{36})(?P<part>/transfers|/payments)?)?"
    r"|/v1/(?P<list>accounts|transfers)(?:/(?P<id>[0-9]+))?"
)
MAX_TRANSFERS = 1_000


def is_for(path: str) -> bool:
    return _PATH.fullmatch(path) is not None


def kind_of(path: str, method: str) -> str:
    """The call that a fault is aimed at."""
    if method != "POST":
        return "wise_close" if method == "PATCH" else "wise_read"
    ends = {"accounts": "recipient", "quotes": "quote", "transfers": "transfer"}
    ends |= {"payments": "fund", "batch-groups": "group"}
    return f"wise_{ends[path.rpartition('/')[2]]}"


def answer(state: State, request: LoggedRequest) -> Answer:
    path = urlsplit(request.target).path
    parts = _PATH.fullmatch(path)
    is_known = any(
        name.lower() == "authorization" and value.startswith("Bearer ")
        for name, value in request.headers
    )
    if parts is None or not is_known:
        return _error(401, "Unauthorized")
    with state.lock:
        try:
            content = json.loads(request.body or b"{}")
            if parts["list"]:
                return _listed(state, request, parts, content)
            if parts["of"] == "quotes":
                return json_answer(state.wise.quote(content))
            if parts["group"] is None:
                group = state.wise.open_group(
                    content["name"], content["sourceCurrency"]
                )
                return json_answer(_group(group), status=201)
            return _of_group(state, request, parts, content)
        except (ValueError, KeyError, TypeError):
            return _error(400, "The request is not valid.")


def _listed(
    state: State, request: LoggedRequest, parts: re.Match[str], content: Any
) -> Answer:
    """Recipients are made, and transfers shown, alone or by pages."""
    if parts["list"] == "accounts":
        if content["accountHolderName"].startswith("Refused"):
            return _error(422, "The account number is not valid.")
        return json_answer({"id": state.wise.add_recipient(content)})
    transfers = list(state.wise.transfers.values())
    if parts["id"]:
        found = [one for one in transfers if one.id == int(parts["id"])]
        return (
            json_answer(_transfer(state, found[0])) if found else _error(404, "None.")
        )
    query = dict(parse_qsl(urlsplit(request.target).query))
    offset, limit = int(query["offset"]), int(query["limit"])
    shown = [
        one
        for one in reversed(transfers)
        if query["createdDateStart"] <= _day(one) <= query["createdDateEnd"]
    ][offset : offset + limit]
    return json_answer([_transfer(state, one) for one in shown])


def _of_group(
    state: State, request: LoggedRequest, parts: re.Match[str], content: Any
) -> Answer:
    group = state.wise.groups.get(parts["group"])
    if group is None:
        return _error(404, "There is no such group.")
    if parts["part"] == "/payments":
        return _fund(state, group)
    if parts["part"] == "/transfers":
        known = content["customerTransactionId"] in state.wise.transfers
        is_full = len(group.transfers) >= MAX_TRANSFERS
        if not known and (group.status != "NEW" or is_full):
            return _error(422, "The group takes no more transfers.")
        transfer = state.wise.add_transfer(group, content, now=state.now())
        return json_answer(_transfer(state, transfer))
    if request.method == "PATCH":
        if content["version"] != group.version:
            return _error(409, "The version is not the present one.")
        state.wise.close(group, content["status"])
    return json_answer(_group(group))


def _fund(state: State, group: SentGroup) -> Answer:
    if state.options.wise_wants_authentication:
        return _error(403, "You are forbidden to send this request")
    words = {
        transfer.status(now=state.now(), settles_after=0)
        for transfer in group.transfers
    }
    if group.status != "COMPLETED" or words - {WAITING, CANCELLED}:
        return _error(422, "The group cannot be funded.")
    state.wise.fund([group], now=state.now())
    return json_answer({"type": "BALANCE", "status": "COMPLETED", "errorCode": None})


def _group(group: SentGroup) -> Mapping[str, Any]:
    return {
        "id": group.id,
        "version": group.version,
        "name": group.name,
        "sourceCurrency": group.currency,
        "status": group.status,
        "transferIds": [transfer.id for transfer in group.transfers],
    }


def _transfer(state: State, transfer: SentTransfer) -> Mapping[str, Any]:
    status = transfer.status(
        now=state.now(), settles_after=state.options.wise_settles_after_s
    )
    quote = transfer.quote
    return {
        "id": transfer.id,
        "targetAccount": transfer.content["targetAccount"],
        "quoteUuid": quote["id"],
        "status": status,
        "rate": quote["rate"],
        "created": _day(transfer),
        "details": transfer.content["details"],
        "hasActiveIssues": False,
        "sourceCurrency": quote["sourceCurrency"],
        "sourceValue": 0 if status == CANCELLED else quote["sourceAmount"],
        "targetCurrency": quote["targetCurrency"],
        "targetValue": quote["targetAmount"],
        "customerTransactionId": transfer.content["customerTransactionId"],
    }


def _day(transfer: SentTransfer) -> str:
    return f"{datetime.fromtimestamp(transfer.created_at, UTC):%Y-%m-%d}"


def _error(status: int, message: str) -> Answer:
    content = {"errors": [{"code": "NOT_VALID", "message": message}]}
    return json_answer(content, status=status)
