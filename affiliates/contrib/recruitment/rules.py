"""Decides approval without staff, and keeps an application's answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

from affiliates.errors import InvalidInput
from affiliates.plans.rules.terms import RateKind, RuleTerms

MAX_QUESTIONS = 20
MAX_QUESTION = 255
MAX_ANSWER = 2_000


# To confirm an application, or an address.
CONFIRM_WITHIN = timedelta(days=2)
INVITED_FOR = timedelta(days=30)
# Faster than anybody fills in a form; a page left open longer is shown anew.
FASTEST, SLOWEST = timedelta(seconds=3), timedelta(hours=12)


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """The best rate of a plan, and the rule that pays it.

    ``is_of_everything``: no other rule and no condition limits it.
    """

    percent: Decimal
    rule: RuleTerms
    is_best_of_many: bool
    is_of_everything: bool


def headline_of(rules: Sequence[RuleTerms]) -> Headline | None:
    """None if no rule pays a percentage for new orders."""
    rates = [
        (percent, rule)
        for rule in rules
        if rule.rate_kind is RateKind.PERCENT and rule.position_from == 0
        for percent in (rule.percent, *(tier.percent for tier in rule.tiers))
        if percent
    ]
    if not rates:
        return None
    best, rule = max(rates, key=lambda rate: rate[0])
    return Headline(
        percent=best,
        rule=rule,
        is_best_of_many=len({percent for percent, _rule in rates}) > 1,
        is_of_everything=[*rules] == [RuleTerms(percent=best)],
    )


class Pace(TextChoices):
    """How long somebody took to fill in a form."""

    HUMAN = "human"
    TOO_FAST = "too_fast", _("That was very quick. Please send it once more.")
    TOO_SLOW = (
        "too_slow",
        _("This page was open for a long time. Please send it again."),
    )


def pace_of(shown_at: datetime | None, *, now: datetime) -> Pace:
    """``shown_at`` is None where it was not signed by us."""
    if shown_at is None or now - shown_at > SLOWEST:
        return Pace.TOO_SLOW
    return Pace.TOO_FAST if now - shown_at < FASTEST else Pace.HUMAN


class Approval(TextChoices):
    NEVER = "never", "Nobody: staff decide each application"
    PAID = "paid", "Clients who have paid an invoice and verified their e-mail address"
    EVERYBODY = "everybody", "Everybody"


class Decision(TextChoices):
    APPROVED = "approved", "Approved"
    DECLINED = "declined", "Declined"


@dataclass(frozen=True, slots=True)
class Question:
    id: int
    text: str
    is_required: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """An applicant's input: answers by question id, and the terms they have read.

    ``by`` is the code of the recruiter whose link was used, if any.
    """

    answers: Mapping[str, str] = field(default_factory=dict)
    terms: int | None = None
    code: str = ""
    by: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Person:
    email: str
    firstname: str
    lastname: str


def invitation_ended(
    *, is_used: bool, is_revoked: bool, expires_at: datetime, now: datetime
) -> bool:
    return is_used or is_revoked or expires_at <= now


def is_approved(approval: Approval, *, is_verified: bool, has_paid: bool) -> bool:
    """Whether staff need not judge the application. Only a verified address counts."""
    if approval is Approval.PAID:
        return is_verified and has_paid
    return approval is Approval.EVERYBODY


def keep_answers(
    questions: Sequence[Question], answers: Mapping[str, str]
) -> list[dict[str, str]]:
    """Each question as it was asked, with its answer: later changes do not reach them.

    Raises InvalidInput, naming the question, for one that is required and left out and
    for an answer that is too long.
    """
    kept = []
    for question in questions:
        answer = answers.get(str(question.id), "").strip()
        name = field_of(question)
        if question.is_required and not answer:
            raise InvalidInput("required", "Answer this question.", field=name)
        if len(answer) > MAX_ANSWER:
            said = f"At most {MAX_ANSWER} characters are kept."
            raise InvalidInput("max_length", said, field=name)
        kept.append({"question": question.text, "answer": answer})
    return kept


def field_of(question: Question) -> str:
    return f"question_{question.id}"
