"""Asks VIES, the European Commission's service, whether a VAT ID is valid."""

from __future__ import annotations

from typing import Any, NamedTuple

import orjson

from affiliates.contrib.tax_identity.models import MAX_REFERENCE
from affiliates.contrib.tax_identity.rules import ViesAnswerKind
from affiliates.outbox.http.types import Call, CallFailed
from affiliates.outbox.sending.exchange import CallSender

URL = "https://ec.europa.eu/taxation_customs/vies/rest-api/check-vat-number"
# Other errors are of the service, or of the member state that it asks.
SAID_INVALID = ("INVALID", "INVALID_INPUT")
_NO_ANSWER = {"userError": "NO_ANSWER"}


class ViesReply(NamedTuple):
    kind: ViesAnswerKind
    reference: str = ""


def ask_vies(vat_id: str, *, requester: str, sender: CallSender) -> ViesReply:
    """A failure of any kind is the answer UNAVAILABLE."""
    question = {"countryCode": vat_id[:2], "vatNumber": vat_id[2:]}
    if requester:
        question |= {
            "requesterMemberStateCode": requester[:2],
            "requesterNumber": requester[2:],
        }
    call = Call(
        method="POST",
        url=URL,
        headers=(("Content-Type", "application/json"), ("Accept", "application/json")),
        body=orjson.dumps(question),
        secrets=(vat_id[2:],),
    )
    return _reply_of(_answer_to(call, sender))


def _answer_to(call: Call, sender: CallSender) -> dict[str, Any]:
    try:
        response = sender.send(call)
        answer = orjson.loads(response.body)
    except (CallFailed, orjson.JSONDecodeError):
        return _NO_ANSWER
    is_readable = response.status == 200 and isinstance(answer, dict)  # noqa: PLR2004 - OK
    return answer if is_readable else _NO_ANSWER


def _reply_of(answer: dict[str, Any]) -> ViesReply:
    reference = str(answer.get("requestIdentifier") or "")[:MAX_REFERENCE]
    if answer.get("valid") is True:
        return ViesReply(ViesAnswerKind.VALID, reference)
    if answer.get("userError") in SAID_INVALID:
        return ViesReply(ViesAnswerKind.INVALID, reference)
    return ViesReply(ViesAnswerKind.UNAVAILABLE)
