"""/api/affiliate/balances and postings, and their sums for the affiliate's pages."""

from __future__ import annotations

from typing import Any, ClassVar

from django.db.models import F
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.api.descriptions import described_as
from affiliates.api.http.requests import utc_now
from affiliates.api.serializers import MAX_ID, TextField, read
from affiliates.contrib.area.api.base import (
    AffiliateViewSet,
    AmountField,
    DayField,
    MomentField,
    OrderingField,
    PageQuerySerializer,
    SpanQuerySerializer,
    affiliate_of,
    described,
)
from affiliates.contrib.area.api.lists import (
    Listing,
    Query,
    Rows,
    page_answer,
    readable_faults,
    whole_list,
)
from affiliates.contrib.area.api.payouts import NextPayoutSerializer
from affiliates.contrib.area.keys.rules import Scope
from affiliates.contrib.statistics.types import Span
from affiliates.core.days import span_of
from affiliates.core.money import decimal_text
from affiliates.errors import InvalidInput
from affiliates.ledger.models import LedgerEntry
from affiliates.ledger.rules import PATHS, Account, PostingKind
from affiliates.ledger.selectors import balances_at, moved_between, of_posting
from affiliates.payouts.selectors import Balances, balances, offers_of
from affiliates.program.models import Affiliate

DAYS_BY_DEFAULT = 30
SHOWN = [account for account in Account if account is not Account.EXPENSE]


class BalanceSerializer(serializers.Serializer[Any]):
    """Decimal numbers as text. ``payable`` is below zero after late refunds."""

    currency = serializers.CharField()
    pending = AmountField(help_text="Earned, the hold is not over.")
    held = AmountField(help_text="Being looked at.")
    payable = AmountField(help_text="What a payout would take.")
    being_paid = AmountField(help_text="In an open payout.")
    paid_out = AmountField()
    in_hold = AmountField(
        source="hold.amount", help_text="Of pending. The rest waits for staff."
    )
    next_maturity_at = MomentField(
        source="hold.next_at",
        allow_null=True,
        help_text="When the next hold is over.",
    )
    next_maturity_amount = AmountField(
        source="hold.next_amount", help_text="Whose hold is over on that day."
    )
    last_maturity_at = MomentField(
        source="hold.last_at",
        allow_null=True,
        help_text="When the last hold is over.",
    )
    payout = serializers.SerializerMethodField()

    @described_as(NextPayoutSerializer())
    def get_payout(self, balance: Balances) -> Any:
        return NextPayoutSerializer(self.context["offers"][balance.currency]).data


class BalancesViewSet(AffiliateViewSet):
    scopes: ClassVar = {"list": Scope.MONEY}

    @described(
        "list_balances",
        "What the affiliate has in each currency",
        page_answer("Balances", "balances", BalanceSerializer),
        parameters=[PageQuerySerializer],
        description=(
            "Pending, held, payable, being paid and paid out, for each currency."
        ),
    )
    def list(self, request: Request) -> Response:
        balances = balances_data(affiliate_of(request))
        query = request.query_params.dict()
        return Response({"data": whole_list("balances", balances, query)})


def balances_data(affiliate: Affiliate) -> Any:
    found = balances(affiliate.pk, zone=affiliate.zone())
    payable = {balance.currency: balance.payable for balance in found}
    offers = offers_of(affiliate, payable, now=utc_now())
    return BalanceSerializer(found, many=True, context={"offers": offers}).data


class BalancesOnQuerySerializer(serializers.Serializer[Any]):
    day = DayField(required=False)


class PostingQuerySerializer(SpanQuerySerializer):
    ordering = OrderingField("-id", "amount")
    currency = TextField(required=False, max_length=3)
    account = serializers.ChoiceField(
        choices=[choice for choice in Account.choices if choice[0] != Account.EXPENSE],
        required=False,
    )
    kind = serializers.ChoiceField(
        choices=PostingKind.choices, required=False, source="its_kind"
    )
    commission = serializers.IntegerField(
        required=False, min_value=1, max_value=MAX_ID, source="posting__commission_id"
    )
    payout = serializers.IntegerField(
        required=False, min_value=1, max_value=MAX_ID, source="posting__payout_id"
    )


class PostingDataSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    at = MomentField()
    kind = serializers.CharField(help_text="Such as earned, approved, payout_paid.")
    account = serializers.CharField(
        help_text="pending, held, payable, clearing (being paid) or paid_out."
    )
    currency = serializers.CharField()
    amount = AmountField(help_text="Below zero: it leaves the account.")
    commission = serializers.IntegerField(allow_null=True)
    payout = serializers.IntegerField(allow_null=True)


def _postings(affiliate: Affiliate, query: Query) -> Rows:
    entries = LedgerEntry.objects.filter(affiliate=affiliate)
    own = entries.exclude(account=Account.EXPENSE).alias(
        its_kind=of_posting("kind"), posted_at=of_posting("posted_at")
    )
    shown = entries.annotate(
        at=F("posting__posted_at"),
        kind=F("posting__kind"),
        commission=F("posting__commission_id"),
        payout=F("posting__payout_id"),
    )
    return Rows(own=[own], shown=shown)


POSTINGS = Listing(
    name="postings",
    rows=_postings,
    shape=PostingDataSerializer,
    query=PostingQuerySerializer,
    moment="posted_at",
)


class PostingViewSet(AffiliateViewSet):
    scopes: ClassVar = {"list": Scope.MONEY}

    list = POSTINGS.view(
        "list_postings",
        "Every movement on the affiliate's accounts: their sums are the balances",
        answer="Postings",
        description="The books behind the balances. Rows are only ever added.",
    )


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
                {"account": account, "amount": decimal_text(amounts[account], currency)}
                for account in SHOWN
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
    movements = moved_between(affiliate.pk, *span_of(first, last, zone))
    return {
        "first": first,
        "last": last,
        "currencies": [
            {"currency": currency, "flows": _flows(kinds, currency)}
            for currency, kinds in sorted(movements.items())
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
        if amount
        for account in (_account_of(kind),)
    ]


def _account_of(kind: PostingKind) -> str:
    targets = PATHS[kind].targets
    is_one = len(targets) == 1 and targets[0] is not Account.EXPENSE
    return targets[0] if is_one else ""
