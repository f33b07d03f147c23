"""Reads the answers of Post Affiliate Pro's track.php: short, and in JavaScript."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto

from affiliates.outbox.http.types import Response
from affiliates.outbox.rules import is_repeatable, judge_status
from affiliates.outbox.types import CallOutcome, Operation, OutcomeKind, broken
from affiliates.tracking.providers.answers import is_page

_VISITOR = re.compile(r"setVisitor\('([A-Za-z0-9]{1,128})'\);")
_STATEMENTS = re.compile(r"(?:[A-Za-z_]\w*\([^()<>]*\);\s*)+")
_COMMENT = re.compile(r"^[ \t]*//", re.MULTILINE)


class AnswerKind(Enum):
    TAKEN = auto()
    FAILED = auto()
    PAGE = auto()
    OTHER = auto()


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of track.php; ``visitor_id`` is its replacement for our identifier."""

    kind: AnswerKind
    visitor_id: str = ""


def judge_answer(
    operation: Operation, response: Response, visitor_id: str
) -> CallOutcome:
    if outcome := judge_status(operation, response):
        return outcome
    answer = read_answer(response, visitor_id)
    is_once = not is_repeatable(operation)
    match answer.kind:
        case AnswerKind.TAKEN:
            # Called with an unknown identifier, the install makes its own.
            return CallOutcome(
                OutcomeKind.OK,
                visitor_id=answer.visitor_id if visitor_id else "",
                detail="Accepted; the provider does not say what it did with it.",
            )
        case AnswerKind.FAILED:
            return CallOutcome(
                OutcomeKind.AMBIGUOUS if is_once else OutcomeKind.RETRY,
                "Post Affiliate Pro met an error of its own while it tracked.",
            )
        case AnswerKind.PAGE:
            detail = (
                "A web page answered instead of Post Affiliate Pro's tracking: check "
                "the tracking address."
            )
        case AnswerKind.OTHER:
            detail = (
                "The answer is not Post Affiliate Pro's: check the tracking address, "
                "and the error log of the install."
            )
            # It may be PHP's warning beside a sale that was counted.
            if is_once:
                return CallOutcome(OutcomeKind.AMBIGUOUS, detail)
    return broken(detail)


def read_answer(response: Response, visitor_id: str) -> Answer:
    text = response.text.lstrip("\ufeff").strip()
    if is_page(response):
        return Answer(AnswerKind.PAGE)
    if _COMMENT.search(text):
        return Answer(AnswerKind.FAILED)
    if not text:
        return Answer(AnswerKind.TAKEN)
    if not _STATEMENTS.fullmatch(text):
        return Answer(AnswerKind.OTHER)
    visitor = _VISITOR.match(text)
    if visitor is None:
        is_known = not text.startswith("setVisitor")
        return Answer(AnswerKind.TAKEN if is_known else AnswerKind.OTHER)
    # The install's database compares identifiers case-insensitively.
    is_ours = visitor[1].lower() == visitor_id.lower()
    return Answer(AnswerKind.TAKEN, "" if is_ours else visitor[1])
