"""Tapfiliate's requests and answers."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from decimal import Decimal, InvalidOperation
from urllib.parse import quote, urlencode

from affiliates.extending.providers import (
    IDENTIFIER,
    Call,
    CallFailed,
    CallOutcome,
    Operation,
    OutcomeKind,
    ProviderSettings,
    RemoteSale,
    Response,
    broken,
    json_text,
    judge_failure,
    judge_status,
    read_json,
)

API_KEY = "api_key"
PROGRAM = "program_id"
CURRENCY = "currency"
COMMISSION_TYPE = "commission_type"
SEND_LEADS = "send_leads"
CONVERSIONS = "/conversions/"
CUSTOMERS = "/customers/"
# No sale is larger; beyond a float's range the reduced amount would be invalid JSON.
MAX_AMOUNT = Decimal("1e15")

Found = Generator[Call, Response, "list[Mapping[str, object]] | CallOutcome"]


def find(path: str, reference: str, value: str, settings: ProviderSettings) -> Found:
    """Finds Tapfiliate's objects with our reference, or says why it cannot."""
    query = urlencode({reference: value}, errors="replace")
    response = yield from _read(f"{path}?{query}", settings)
    if isinstance(response, CallOutcome):
        return response
    if outcome := judge_status(Operation.LOOKUP, response):
        return outcome
    document = read_json(response)
    if not isinstance(document, list):
        return broken("The answer is no list: check the tracking address.")
    # Never act on another order, even if the filter is ignored.
    return [
        entry
        for entry in document
        if isinstance(entry, dict)
        and json_text(entry, reference) == value
        and id_of(entry)
    ]


def find_conversion(
    order_ref: str, remote_ref: str, settings: ProviderSettings
) -> Found:
    """The order's conversion, found by its id if known, else by our reference."""
    if not remote_ref:
        return (yield from find(CONVERSIONS, "external_id", order_ref, settings))
    response = yield from _read(conversion(remote_ref), settings)
    if isinstance(response, CallOutcome):
        return response
    document = read_json(response)
    if response.status == 404 and json_text(document, "message"):
        return []
    if refusal := judge_status(Operation.LOOKUP, response):
        return refusal
    if not isinstance(document, dict) or not id_of(document):
        return broken("The answer is no conversion: check the tracking address.")
    return [document]


def _read(
    target: str, settings: ProviderSettings
) -> Generator[Call, Response, Response | CallOutcome]:
    """Reads an answer. Without one, nothing was changed yet."""
    try:
        return (yield call("GET", target, settings))
    except CallFailed as failure:
        return judge_failure(Operation.LOOKUP, failure)


def call(
    method: str,
    target: str,
    settings: ProviderSettings,
    *,
    body: Mapping[str, object] | None = None,
) -> Call:
    """Makes a request, leaving out empty fields of its body."""
    key = settings.secrets[API_KEY]
    headers = (("X-Api-Key", key), ("Accept", "application/json"))
    url = f"{settings.address.rstrip('/')}{target}"
    if body is None:
        return Call(method=method, url=url, headers=headers, secrets=(key,))
    content = {name: value for name, value in body.items() if value != ""}
    return Call(
        method=method,
        url=url,
        headers=(*headers, ("Content-Type", "application/json")),
        body=json.dumps(content).encode(),
        secrets=(key,),
    )


def conversion(remote_ref: str) -> str:
    return f"/conversions/{quote(remote_ref, safe='')}/"


def id_of(document: object) -> str:
    """The object's id, "" if it cannot be written into a path."""
    identifier = json_text(document, "id")
    return (
        identifier if IDENTIFIER.fullmatch(identifier) and identifier.strip(".") else ""
    )


def amount_of(document: object) -> Decimal | None:
    try:
        amount = Decimal(json_text(document, "amount"))
    except InvalidOperation:
        return None
    is_plausible = amount.is_finite() and abs(amount) < MAX_AMOUNT
    return amount if is_plausible else None


def remote_sale(
    conversion: Mapping[str, object], settings: ProviderSettings
) -> RemoteSale:
    return RemoteSale(
        remote_ref=id_of(conversion),
        amount=amount_of(conversion),
        currency=settings.text(CURRENCY),
        status=_status_of(conversion),
        affiliate=json_text(conversion, "affiliate.id"),
    )


def _status_of(conversion: Mapping[str, object]) -> str:
    """The first commission's status: Tapfiliate approves these, not conversions."""
    approved = json_text(conversion, "commissions.0.approved")
    return {"true": "approved", "false": "disapproved"}.get(approved, "pending")


def not_found(order_ref: str) -> CallOutcome:
    return CallOutcome(
        OutcomeKind.NOT_FOUND,
        f"Tapfiliate has no conversion with the external id {order_ref}.",
    )
