"""Post Affiliate Pro's server.php: requests that need a merchant's login.

Always status 200. One answer per request, ``{"e": text}`` if it failed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Generator
from typing import Any
from urllib.parse import urlencode

from affiliates.outbox.http.types import Call, CallFailed, Response
from affiliates.outbox.protocol import ProviderSettings
from affiliates.outbox.rules import judge_failure, judge_status
from affiliates.outbox.types import (
    CallOutcome,
    Operation,
    OutcomeKind,
    broken,
    rejected,
)
from affiliates.tracking.providers.pap.tracking import FORM_TYPE

RPC_SCRIPT = "/scripts/server.php"
# Older installs use the second name.
AUTH_CLASSES = ("Pap_Api_AuthService", "Gpf_Api_AuthService")
YES, NO = "Y", "N"

_MAX_TEXT = 255
_SESSION_WORDS = re.compile(r"session|log ?in|logged|authenticat", re.IGNORECASE)
_UNKNOWN_WORDS = re.compile(r"not exist|unknown|undefined|not found", re.IGNORECASE)

Request = dict[str, Any]
Reply = dict[str, Any]
Dialogue = Generator[Call, Response, Reply | CallOutcome]


def log_in(settings: ProviderSettings) -> Generator[Call, Response, str | CallOutcome]:
    """Returns the session, or why there is none. Nothing else is done before."""
    if not settings.secrets.get("password"):
        return broken("Enter the merchant's password again.")
    for auth_class in AUTH_CLASSES:
        try:
            response = yield _login_call(auth_class, settings)
        except CallFailed as failure:
            return judge_failure(Operation.LOOKUP, failure)
        if outcome := judge_status(Operation.LOOKUP, response):
            return outcome
        reply = _parse(response)
        if not (isinstance(reply, dict) and _UNKNOWN_WORDS.search(_error_of(reply))):
            return _read_session(reply)
    return broken(
        "The install knows no login for programs: it is too old or not whole."
    )


def ask(
    request: Request,
    settings: ProviderSettings,
    *,
    operation: Operation,
    is_partial: bool = False,
) -> Dialogue:
    """Sends one request in its own session; once more if that session ended."""
    for is_last in (False, True):
        session = yield from log_in(settings)
        if isinstance(session, CallOutcome):
            return session
        response = yield _run_call(request, session, settings)
        if outcome := judge_status(operation, response, is_partial=is_partial):
            return outcome
        replies = _parse(response)
        reply = (
            replies[0] if isinstance(replies, list) and len(replies) == 1 else replies
        )
        if not isinstance(reply, dict):
            return not_understood(is_partial=is_partial)
        if "e" not in reply:
            return reply
        if is_last or not _SESSION_WORDS.search(_error_of(reply)):
            return rejected(_refusal(reply))
    raise AssertionError("unreachable")


def _login_call(auth_class: str, settings: ProviderSettings) -> Call:
    username, password = settings.text("username"), settings.secrets["password"]
    fields = [
        ["name", "value", "values", "error"],
        ["username", username, None, ""],
        ["password", password, None, ""],
        ["roleType", "M", None, ""],
        ["isFromApi", YES, None, ""],
        ["apiVersion", "", None, ""],
    ]
    request = {"C": auth_class, "M": "authenticate", "fields": fields}
    return _call(request, settings, secrets=(password,))


def _run_call(request: Request, session: str, settings: ProviderSettings) -> Call:
    envelope = {"C": "Gpf_Rpc_Server", "M": "run", "requests": [request], "S": session}
    return _call(envelope, settings, secrets=(session,))


def _call(
    request: Request, settings: ProviderSettings, *, secrets: tuple[str, ...]
) -> Call:
    text = json.dumps(request, separators=(",", ":"))
    body = urlencode({"D": text})
    return Call(
        method="POST",
        url=f"{settings.address}{RPC_SCRIPT}",
        headers=(("Content-Type", FORM_TYPE),),
        body=body.encode(),
        secrets=(body, text, *secrets),
    )


def _parse(response: Response) -> object:
    try:
        return json.loads(response.text.lstrip("\ufeff"))
    except (ValueError, RecursionError):
        return None


def _error_of(reply: Reply) -> str:
    error = reply.get("e")
    return error if isinstance(error, str) else ""


def _read_session(reply: object) -> str | CallOutcome:
    if not isinstance(reply, dict):
        return not_understood()
    if "e" in reply or reply.get("success") == NO:
        return broken(
            "Post Affiliate Pro refused the merchant's login: check user name and "
            "password."
        )
    rows = reply.get("fields")
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, list) and len(row) > 1 and row[0] == "S":
            return plain_text(row[1]) or not_understood()
    return not_understood()


def plain_text(value: object) -> str:
    """One line of the install's text; a number as text, "" for other values."""
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return ""
    if isinstance(value, int) and abs(value) >= 10**18:
        return ""
    return "".join(
        sign for sign in str(value)[:_MAX_TEXT] if sign.isprintable()
    ).strip()


def _refusal(reply: Reply) -> str:
    if _SESSION_WORDS.search(_error_of(reply)):
        return (
            "Post Affiliate Pro ended the session at once, twice: check what the "
            "merchant's login may do."
        )
    if _UNKNOWN_WORDS.search(_error_of(reply)):
        return "This install does not know the request: it may be too old for it."
    return "Post Affiliate Pro refused the request with an error of its own."


def not_understood(*, is_partial: bool = False) -> CallOutcome:
    detail = (
        "server.php did not answer as Post Affiliate Pro does: check the tracking "
        "address, and the error log of the install."
    )
    # A partial reversal done twice counts twice, so a person checks it.
    kind = OutcomeKind.AMBIGUOUS if is_partial else OutcomeKind.CONFIG
    return CallOutcome(kind, detail)
