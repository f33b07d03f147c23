"""The sums of an affiliate's postings, for its pages."""

from __future__ import annotations

from typing import Any

from rest_framework import serializers

from affiliates.api.http.requests import utc_now
from affiliates.api.serializers import read
from affiliates.contrib.area.api.lists import DayField, Query, readable_faults
from affiliates.core.days import span_of
from affiliates.core.money import decimal_text
from affiliates.ledger.rules import Account
from affiliates.ledger.selectors import balances_at
from affiliates.program.models import Affiliate

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
