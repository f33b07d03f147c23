"""The sums of an affiliate's postings, for its pages."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from affiliates.api.http.requests import utc_now
from affiliates.api.serializers import read
from affiliates.contrib.area.api.lists import (
    DayField,
    Query,
    SpanQuerySerializer,
    readable_faults,
)
from affiliates.contrib.statistics.types import Span
from affiliates.core.days import span_of
from affiliates.core.money import decimal_text
from affiliates.errors import InvalidInput
from affiliates.ledger.rules import PATHS, Account, PostingKind
from affiliates.ledger.selectors import balances_at, moved_between
from affiliates.program.models import Affiliate

DAYS_BY_DEFAULT = 30
# Shown even if nothing of the kind was posted.
ALWAYS = (
    PostingKind.EARNED,
    PostingKind.HELD,
    PostingKind.RELEASED,
    PostingKind.APPROVED,
    PostingKind.PAYOUT_PAID,
    PostingKind.REVERSED,
)
SHOWN = [one for one in Account if one is not Account.EXPENSE]


class BalancesOnQuerySerializer(serializers.Serializer[Any]):
    day = DayField(required=False)


def balances_on_data(affiliate: Affiliate, query: Query) -> dict[str, Any]:
    """Balances at the end of a day in the brand's time zone, by default today.

    Raises InvalidInput for an invalid day.
    """
    zone = affiliate.brand.zone()
    with readable_faults():
        asked = read(BalancesOnQuerySerializer, query)
    now = utc_now()
    day = asked.get("day") or now.astimezone(zone).date()
    _, end = span_of(day, day, zone)
    found = balances_at(affiliate.pk, end, now=now)
    balances = [
        {
            "currency": currency,
            "accounts": [
                {"account": one, "amount": decimal_text(amounts[one], currency)}
                for one in SHOWN
            ],
        }
        for currency, amounts in sorted(found.items())
    ]
    return {"day": day, "balances": balances}


def waterfall_data(affiliate: Affiliate, query: Query) -> dict[str, Any]:
    """By default for the last 30 days. Each amount is the sum of the postings of its
    kind on its account, or on all accounts if the account is empty.

    Raises InvalidInput for an invalid span.
    """
    zone = affiliate.brand.zone()
    with readable_faults():
        asked = read(SpanQuerySerializer, query)
    last = asked.get("last") or utc_now().astimezone(zone).date()
    first = asked.get("first") or Span.last_days(DAYS_BY_DEFAULT, until=last).first
    if last < first:
        raise InvalidInput("span_is_empty", "It begins after its end.", field="first")
    found = moved_between(affiliate.pk, *span_of(first, last, zone))
    return {
        "first": first,
        "last": last,
        "currencies": [
            {"currency": currency, "flows": _flows(kinds, currency)}
            for currency, kinds in sorted(found.items())
        ],
    }


def _flows(kinds: dict[PostingKind, int], currency: str) -> list[dict[str, str]]:
    return [
        {
            "kind": kind,
            "account": account,
            "amount": decimal_text(amount, currency),
        }
        for kind, amount in kinds.items()
        if amount or kind in ALWAYS
        for account in (_account_of(kind),)
    ]


def _account_of(kind: PostingKind) -> str:
    targets = PATHS[kind].targets
    is_one = len(targets) == 1 and targets[0] is not Account.EXPENSE
    return targets[0] if is_one else ""
