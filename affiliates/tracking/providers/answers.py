"""Reads a provider's answer by plain texts and JSON fields.

Regular expressions of users are never run: a bad one can block a worker for hours.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from affiliates.outbox import rules
from affiliates.outbox.http.types import Response
from affiliates.outbox.types import CallOutcome, Operation, OutcomeKind, rejected

MAX_MARKS = 10
MAX_MARK = 200
JSON_PREFIX = "json:"
BODY = "body"
_PATH = re.compile(r"[A-Za-z0-9_-]{1,64}(?:\.[A-Za-z0-9_-]{1,64}){0,9}")
IDENTIFIER = re.compile(r"[A-Za-z0-9_.:~|-]{1,128}")
_PAGE_STARTS = ("<!doctype", "<html", "<head", "<body")


class MarkFault(ValueError):
    """The text cannot be a mark of an answer; the message says what to write."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A text in the body, in any case, or the value of one JSON field."""

    text: str
    path: str = ""

    def is_in(self, response: Response) -> bool:
        if self.path:
            return json_text(read_json(response), self.path) == self.text
        return self.text.lower() in response.text.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRules:
    """How to read a 2xx answer.

    Without ``success`` every 2xx answer is a success, except a web page. ``identifier``
    is the place of the visitor's identifier in a click's answer: ``body``,
    ``json:path`` or "".
    """

    success: tuple[Mark, ...] = ()
    duplicate: tuple[Mark, ...] = ()
    refused: tuple[Mark, ...] = ()
    identifier: str = ""


def parse_marks(text: str) -> tuple[Mark, ...]:
    """Reads one mark per line: a text or ``json:path=value``. Raises MarkFault."""
    lines = [line for part in text.splitlines() if (line := part.strip())]
    if len(lines) > MAX_MARKS or any(len(line) > MAX_MARK for line in lines):
        raise MarkFault(
            f"Enter at most {MAX_MARKS} lines of at most {MAX_MARK} characters."
        )
    return tuple(_parse_mark(line) for line in lines)


def _parse_mark(line: str) -> Mark:
    if not line.startswith(JSON_PREFIX):
        return Mark(text=line)
    path, equals, value = line.removeprefix(JSON_PREFIX).partition("=")
    if not equals or not value.strip() or not _PATH.fullmatch(path.strip()):
        raise MarkFault("Write a JSON field as json:path=value, e.g. json:status=1.")
    return Mark(path=path.strip(), text=value.strip())


def check_identifier_place(place: str) -> None:
    """Raises MarkFault unless it is "", ``body`` or ``json:path``."""
    if place in {"", BODY}:
        return
    path = place.removeprefix(JSON_PREFIX)
    if not place.startswith(JSON_PREFIX) or not _PATH.fullmatch(path):
        raise MarkFault("Write json: and the field's name, or the word body.")


def judge(
    operation: Operation,
    response: Response,
    answers: AnswerRules,
    *,
    is_partial: bool = False,
) -> CallOutcome:
    """The outcome of an answer. Its detail contains nothing of the body."""
    status = rules.judge_status(operation, response, is_partial=is_partial)
    if response.status < 500 and _any(answers.duplicate, response):
        return CallOutcome(OutcomeKind.DUPLICATE, "The provider has it already.")
    if status is not None:
        return _unknown_there(operation, response) or status
    if _any(answers.refused, response):
        return rejected("The provider received it and refused it: look at its own log.")
    if not _is_success(answers, response):
        return _unrecognised(operation, response, is_partial=is_partial)
    if operation is Operation.CLICK and answers.identifier:
        return _with_identifier(response, answers.identifier)
    return CallOutcome(OutcomeKind.OK)


def _unknown_there(operation: Operation, response: Response) -> CallOutcome | None:
    """A 404 by an API: the address is right, but the named object is missing."""
    is_named = operation in {Operation.CLICK, Operation.REVERSAL, Operation.ERASURE}
    if response.status == 404 and is_named and isinstance(read_json(response), dict):
        return CallOutcome(
            OutcomeKind.NOT_FOUND,
            "The provider does not know what was named (status 404).",
        )
    return None


def _any(marks: Iterable[Mark], response: Response) -> bool:
    return any(mark.is_in(response) for mark in marks)


def _is_success(answers: AnswerRules, response: Response) -> bool:
    if answers.success:
        return _any(answers.success, response)
    return not is_page(response)


def is_page(response: Response) -> bool:
    """Whether it is a whole web page, the usual answer of a wrong address."""
    return response.text.lstrip("\ufeff \t\r\n").lower().startswith(_PAGE_STARTS)


def _unrecognised(
    operation: Operation, response: Response, *, is_partial: bool
) -> CallOutcome:
    # A provider that answers 2xx may have counted it, so an operation that would count
    # twice is not sent again. Only a page shows a wrong address, which pauses the
    # integration; a visitor's made-up affiliate can cause a refusal, which must not.
    if not rules.is_repeatable(operation, is_partial=is_partial):
        kind = OutcomeKind.AMBIGUOUS
    elif is_page(response):
        kind = OutcomeKind.CONFIG
    else:
        kind = OutcomeKind.REJECTED
    return CallOutcome(
        kind,
        f"The provider answered with status {response.status}, but not with what "
        "means success. Check the tracking address and what success looks like.",
    )


def _with_identifier(response: Response, place: str) -> CallOutcome:
    if place == BODY:
        identifier = response.text.strip()
    else:
        identifier = json_text(read_json(response), place.removeprefix(JSON_PREFIX))
    if IDENTIFIER.fullmatch(identifier):
        return CallOutcome(OutcomeKind.OK, visitor_id=identifier)
    return rejected(
        "The provider's answer to the click has no identifier where the settings "
        "look for it. Check the affiliate, the offer and that setting."
    )


def read_json(response: Response) -> object:
    """The body as JSON; None for anything else, including deep or broken JSON."""
    try:
        document: object = json.loads(response.text)
    except (ValueError, RecursionError):
        return None
    return document


def json_text(document: object, path: str) -> str:
    """The field at the dotted path as text; "" if absent or not a plain value."""
    for step in path.split("."):
        if isinstance(document, dict):
            document = document.get(step)
        elif isinstance(document, list) and step.isdecimal():
            index = int(step)
            document = document[index] if index < len(document) else None
        else:
            return ""
    if isinstance(document, bool):
        return "true" if document else "false"
    return str(document) if isinstance(document, str | int | float) else ""
