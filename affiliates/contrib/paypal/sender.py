"""PayPal Payouts: a batch is created, then read by pages until each item is decided.

Written after PayPal's documentation; never tried against the real service.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Generator, Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any, TypeGuard

from affiliates.contrib.paypal.items import read_item, refused_item
from affiliates.core.money import decimal_text
from affiliates.core.urls import parse_http_url
from affiliates.outbox.http.types import Call, CallFailed, Response
from affiliates.outbox.protocol import ConfigField, ProviderSettings
from affiliates.outbox.rules import judge_failure, judge_status
from affiliates.outbox.types import CallOutcome, Operation, OutcomeKind
from affiliates.payouts.providers.paypal import MAX_NOTE
from affiliates.payouts.providers.protocol import Transfer
from affiliates.payouts.providers.registry import register_sender
from affiliates.payouts.providers.sender import (
    Batch,
    BatchAnswer,
    BatchRun,
    ItemAnswer,
    PayoutSender,
)

CLIENT_ID, CLIENT_SECRET = "client_id", "client_secret"
CREATE = "/v1/payments/payouts"
TOKEN = "/v1/oauth2/token"  # noqa: S105 - a path
# An item has 700 to 1,300 bytes, and an answer is cut at 64 KiB.
PAGE_SIZE = 25
BATCH_ID = "payout_batch_id"
DUPLICATE = "SENDER_BATCH_ID"
REFUSED = frozenset({"DENIED", "CANCELED"})
UNAUTHORIZED, NOT_FOUND, ERROR = 401, 404, 500
WRONG_CREDENTIALS = "PayPal refuses the client ID and the secret: enter them again."
UNKNOWN = "PayPal does not know the batch: look at your PayPal account."
UNREADABLE = "PayPal's answer cannot be read."

Parsed = Mapping[str, Any]
Step = Generator[Call, Response, Response]


class _Stopped(Exception):  # noqa: N818 - says what happened
    """No token: nothing of the batch was sent."""

    def __init__(self, answer: BatchAnswer) -> None:
        super().__init__(answer.detail)
        self.answer = answer


@register_sender
class PayPalPayouts(PayoutSender):
    code = "paypal_payouts"
    kind = "paypal"
    name = "PayPal Payouts"
    about = (
        "Approved payouts to PayPal are sent by PayPal's API from your business account, "
        "and their results are read by themselves. PayPal has to allow Payouts for the "
        "account. Its fee is yours and is not taken from the affiliate."
    )
    default_address = "https://api-m.paypal.com"
    address_help = (
        "To try it: https://api-m.sandbox.paypal.com with its own credentials."
    )
    fields = (
        ConfigField(
            CLIENT_ID,
            "client ID",
            "Of the REST app at developer.paypal.com.",
            is_required=True,
        ),
        ConfigField(
            CLIENT_SECRET, "secret", "Of that app.", is_required=True, is_secret=True
        ),
    )
    most = 500
    # PayPal knows our number for 30 days.
    repeatable_for = timedelta(days=29)

    def named_in(self, body: bytes) -> str:
        resource = _dict(_parsed(body), "resource")
        number = resource.get(BATCH_ID) or _batch_header(resource).get(BATCH_ID)
        return number if _is_number(number) else ""

    def send(self, batch: Batch, settings: ProviderSettings) -> BatchRun:
        session = _Session(settings)
        try:
            response = yield from session.call(
                "POST", CREATE, _body(batch), headers=(_request_id(batch),)
            )
        except _Stopped as stop:
            return stop.answer
        outcome = judge_status(Operation.SALE, response)
        content = _parsed(response.body)
        if outcome is None:
            return _taken(_batch_header(content).get(BATCH_ID))
        if remote_id := _known_as(content):
            return _taken(remote_id)
        if response.status >= ERROR:
            # It may have been taken: PayPal asks to repeat it under the same number.
            outcome = replace(outcome, kind=OutcomeKind.AMBIGUOUS)
        return _said(outcome, content)

    def look_up(self, batch: Batch, settings: ProviderSettings) -> BatchRun:
        session = _Session(settings)
        transfers = {transfer.reference: transfer for transfer in batch.transfers}
        items: list[ItemAnswer] = []
        header: Parsed = {}
        page = pages = 1
        while page <= pages:
            path = (
                f"{CREATE}/{batch.remote_id}?page={page}&page_size={PAGE_SIZE}"
                "&total_required=true"
            )
            try:
                response = yield from session.call("GET", path)
            except _Stopped as stop:
                return stop.answer
            content = _parsed(response.body)
            if response.status == NOT_FOUND:
                unknown = CallOutcome(OutcomeKind.NOT_FOUND, UNKNOWN)
                return _said(unknown, content)
            if outcome := judge_status(Operation.LOOKUP, response):
                return _said(outcome, content)
            header = _batch_header(content)
            read = [read_item(item, transfers) for item in _list(content, "items")]
            items += [item for item in read if item is not None]
            pages = _whole(content.get("total_pages"))
            page += 1
        if (status := str(header.get("batch_status"))) in REFUSED:
            decided = {item.reference for item in items}
            undecided = (transfers[name] for name in transfers if name not in decided)
            items += [refused_item(transfer, status) for transfer in undecided]
        return BatchAnswer(kind=OutcomeKind.OK, remote_id=batch.remote_id, items=items)


class _Session:
    """Calls with a token, which is fetched anew once where it has expired."""

    def __init__(self, settings: ProviderSettings) -> None:
        self._address = settings.address.rstrip("/")
        self._client_id = settings.text(CLIENT_ID)
        self._secret = settings.secrets.get(CLIENT_SECRET, "")
        self._token = ""

    def call(
        self,
        method: str,
        path: str,
        body: bytes = b"",
        *,
        headers: tuple[tuple[str, str], ...] = (),
    ) -> Step:
        """Raises _Stopped without a token, CallFailed without an answer."""
        for is_last in (False, True):
            if not self._token:
                self._token = yield from self._fetch()
            response = yield Call(
                method=method,
                url=self._address + path,
                headers=(
                    ("Authorization", f"Bearer {self._token}"),
                    ("Content-Type", "application/json"),
                    *headers,
                ),
                body=body,
                secrets=(self._token,),
            )
            if response.status != UNAUTHORIZED or is_last:
                break
            self._token = ""
        return response

    def _fetch(self) -> Generator[Call, Response, str]:
        pair = b64encode(f"{self._client_id}:{self._secret}".encode()).decode()
        try:
            response = yield Call(
                method="POST",
                url=self._address + TOKEN,
                headers=(
                    ("Authorization", f"Basic {pair}"),
                    ("Content-Type", "application/x-www-form-urlencoded"),
                ),
                body=b"grant_type=client_credentials",
                secrets=(self._secret, pair),
            )
        except CallFailed as failure:
            raise _Stopped(_answer(judge_failure(Operation.LOOKUP, failure))) from None
        outcome = judge_status(Operation.LOOKUP, response)
        if response.status == UNAUTHORIZED:
            outcome = CallOutcome(OutcomeKind.CONFIG, WRONG_CREDENTIALS)
        if outcome is not None:
            is_final = outcome.kind is OutcomeKind.REJECTED
            kind = OutcomeKind.CONFIG if is_final else outcome.kind
            raise _Stopped(BatchAnswer(kind=kind, detail=outcome.detail))
        token = _parsed(response.body).get("access_token")
        if not (isinstance(token, str) and token.isascii() and token.isprintable()):
            raise _Stopped(BatchAnswer(kind=OutcomeKind.RETRY, detail=UNREADABLE))
        return token


def _body(batch: Batch) -> bytes:
    content = {
        "sender_batch_header": {
            "sender_batch_id": batch.reference,
            "recipient_type": "EMAIL",
        },
        "items": [_item(transfer) for transfer in batch.transfers],
    }
    return json.dumps(content, separators=(",", ":")).encode()


def _item(transfer: Transfer) -> Parsed:
    return {
        "recipient_type": "EMAIL",
        "receiver": transfer.details["email"],
        "amount": {
            "currency": transfer.currency,
            "value": decimal_text(transfer.amount, transfer.currency),
        },
        "sender_item_id": transfer.reference,
        "note": transfer.text[:MAX_NOTE],
    }


def _request_id(batch: Batch) -> tuple[str, str]:
    return ("PayPal-Request-Id", batch.reference)


def _taken(remote_id: object) -> BatchAnswer:
    if not _is_number(remote_id):
        return BatchAnswer(kind=OutcomeKind.AMBIGUOUS, detail=UNREADABLE)
    return BatchAnswer(kind=OutcomeKind.OK, remote_id=remote_id)


def _is_number(value: object) -> TypeGuard[str]:
    """Whether it can be PayPal's number of a batch, and no path."""
    return isinstance(value, str) and value.isalnum()


def _known_as(content: Parsed) -> str:
    """PayPal's number of the batch that was sent under our number before; "" if none."""
    for detail in _list(content, "details"):
        if detail.get("field") != DUPLICATE:
            continue
        for link in _list(detail, "link"):
            url = parse_http_url(str(link.get("href")))
            if url is not None and f"{CREATE}/" in url.pathname:
                return url.pathname.rpartition("/")[2]
    return ""


def _said(outcome: CallOutcome, content: Parsed) -> BatchAnswer:
    """The outcome with PayPal's own words."""
    details = _list(content, "details")
    issues = [str(detail["issue"]) for detail in details if detail.get("issue")]
    words = [str(content[name]) for name in ("name", "message") if content.get(name)]
    text = ": ".join([outcome.detail.rstrip("."), *words, *issues])
    return BatchAnswer(kind=outcome.kind, detail=text)


def _answer(outcome: CallOutcome) -> BatchAnswer:
    return BatchAnswer(kind=outcome.kind, detail=outcome.detail)


def _parsed(body: bytes) -> Parsed:
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def _batch_header(content: Parsed) -> Parsed:
    return _dict(content, "batch_header")


def _dict(content: Parsed, name: str) -> Parsed:
    value = content.get(name)
    return value if isinstance(value, dict) else {}


def _list(content: Parsed, name: str) -> list[Parsed]:
    rows = content.get(name)
    return (
        [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    )


def _whole(number: object) -> int:
    return number if isinstance(number, int) else 1
