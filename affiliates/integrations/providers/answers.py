"""What a provider's answer means, read by plain texts and JSON fields.

No regular expression of a user's is ever run: a bad one can hold a worker for hours.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass

from affiliates.integrations import rules
from affiliates.integrations.types import (
    CallOutcome,
    Operation,
    OutcomeKind,
    Response,
    rejected,
)

MAX_MARKS = 10
MAX_MARK = 200
JSON_PREFIX = "json:"
BODY = "body"
_PATH = re.compile(r"[A-Za-z0-9_-]{1,64}(?:\.[A-Za-z0-9_-]{1,64}){0,9}")
IDENTIFIER = re.compile(r"[A-Za-z0-9_.:~|-]{1,128}")
_PAGE_STARTS = ("<!doctype", "<html", "<head", "<body")


class MarkFault(ValueError):
    """The text cannot mark an answer; the message says what to write."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A text the body contains, capitals or not, or what one JSON field is."""

    text: str
    path: str = ""

    def is_in(self, response: Response) -> bool:
        if self.path:
            return json_text(read_json(response), self.path) == self.text
        return self.text.lower() in response.text.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerRules:
    """How to read a 2xx answer.

    Without ``success`` every such answer is one, except a web page. ``identifier`` is
    where a click's answer has the visitor's identifier: ``body``, ``json:path`` or "".
    """

    success: tuple[Mark, ...] = ()
    duplicate: tuple[Mark, ...] = ()
    refused: tuple[Mark, ...] = ()
    identifier: str = ""


def parse_marks(text: str) -> tuple[Mark, ...]:
    """One mark a line: a plain text, or ``json:path=value``. Raises MarkFault."""
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
    """Raises MarkFault when it is neither "", ``body`` nor ``json:path``."""
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
    """The outcome of an answer. Nothing of the body gets into its detail."""
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
    """A 404 that an API wrote: what was named is not there, the address is."""
    is_named = operation in {Operation.CLICK, Operation.REVERSAL}
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
    """Whether it is a whole web page, as a wrong address answers."""
    return response.text.lstrip("\ufeff \t\r\n").lower().startswith(_PAGE_STARTS)


def _unrecognised(
    operation: Operation, response: Response, *, is_partial: bool
) -> CallOutcome:
    # Whoever answers 2xx may have counted it: what counts twice is not sent again. Only
    # a page tells of a wrong address, which pauses the integration; any visitor can make
    # a provider answer no by a made-up affiliate, and that must not.
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
        found = response.text.strip()
    else:
        found = json_text(read_json(response), place.removeprefix(JSON_PREFIX))
    if IDENTIFIER.fullmatch(found):
        return CallOutcome(OutcomeKind.OK, visitor_id=found)
    return rejected(
        "The provider's answer to the click has no identifier where the settings "
        "look for it. Check the affiliate, the offer and that setting."
    )


def read_json(response: Response) -> object:
    """The body as JSON; None for anything else, however deep, long or broken."""
    try:
        document: object = json.loads(response.text)
    except (ValueError, RecursionError):
        return None
    return document


def json_text(document: object, path: str) -> str:
    """The field at the dotted path as text; "" when there is none, or no plain value."""
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
