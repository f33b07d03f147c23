"""The receipts of commissions: beside their sources, and recomputed from their inputs."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import orjson
from django.db.models import Exists, F, Min, OuterRef, Q, QuerySet
from moneyed import get_currency

from affiliates.commissions.models import (
    Commission,
    CommissionEvent,
    CommissionLine,
)
from affiliates.commissions.selectors import COUNTS_NOT, earlier_sales, tier_sum
from affiliates.core.money import rounded_minor
from affiliates.plans.rules.bases import set_off_follows
from affiliates.plans.rules.computation import is_sound, spread_follows
from affiliates.plans.rules.terms import MAX_SALES
from affiliates.verification.faults import (
    DOCUMENTS_AT_ONCE,
    Check,
    RowFaults,
    Rule,
    every,
    json_text,
    within,
)

# A receipt's data about its line, and its inputs.
WORD_NAMES = (
    "description",
    "product_ref",
    "kind",
    "tld",
    "operation",
    "billing_cycle",
)
AMOUNT_NAMES = ("net", "discount", "credit")
SALE_NAMES = ("currency", "affiliate_id", "renewal_number", "position")
RECEIPT_NAMES = (
    "position",
    *WORD_NAMES,
    "quantity",
    *AMOUNT_NAMES,
    *("currency", "affiliate", "renewal", "position", "payment time", "order time"),
    *("plan version", "amount"),
)
# Longer than any transaction that records sales: an import may take minutes.
SURELY_SEEN_AFTER = timedelta(hours=1)

# A line's position, amount and receipt, the latter as JSON.
Line = tuple[int, int, str]


def _of_commissions(judge: Callable[[Any, Sequence[Line]], Iterator[str]]) -> Rule:
    def find(commissions: QuerySet[Any], ids: range) -> RowFaults:
        lines: defaultdict[int, list[Line]] = defaultdict(list)
        of_range = within(every(CommissionLine), ids, "commission_id")
        for pk, *line in of_range.order_by("commission_id", "position").values_list(
            "commission_id", "position", "amount", json_text("receipt")
        ):
            lines[pk].append((line[0], line[1], line[2]))
        rows = commissions.values_list(
            "pk",
            "currency",
            json_text("sale__payment__lines"),
            "affiliate_id",
            "sale__renewal_number",
            "sale__position",
            "sale__paid_at",
            "sale__order_referral__converted_at",
            "plan_version__number",
        )
        for row in rows:
            yield f"Commission {row[0]}", judge(row[1:], lines[row[0]])

    return find


def _beside_sources(recorded: Sequence[Any], lines: Sequence[Line]) -> Iterator[str]:
    currency_code, paid_lines, *of_sale = recorded
    paid = orjson.loads(paid_lines)
    if [position for position, *_ in lines] != list(range(1, len(paid) + 1)):
        yield f"has {len(lines)} lines for an invoice that was paid of {len(paid)}."
        return
    currency = get_currency(currency_code)
    for line, (position, amount, receipt) in zip(paid, lines, strict=True):
        kept = _receipt_values(orjson.loads(receipt))
        expected = (
            position,
            *[line[name] for name in WORD_NAMES],
            line["quantity"],
            *[rounded_minor(line[name], currency) for name in AMOUNT_NAMES],
            currency_code,
            *of_sale,
            amount,
        )
        if kept == expected:
            continue
        for name, value, must in zip(RECEIPT_NAMES, kept, expected, strict=True):
            if value != must:
                yield (
                    f"has a receipt of line {position} with {name} {value}, but "
                    f"{must} is on record."
                )


def _receipt_values(receipt: Mapping[str, Any]) -> tuple[Any, ...]:
    line, inputs = receipt.get("line", {}), receipt.get("inputs", {})
    return (
        line.get("position"),
        *map(line.get, WORD_NAMES),
        inputs.get("quantity"),
        *map(inputs.get, AMOUNT_NAMES),
        *map(inputs.get, SALE_NAMES),
        _moment(inputs.get("paid_at")),
        _moment(inputs.get("ordered_at")),
        receipt.get("plan", {}).get("version"),
        receipt.get("amount"),
    )


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def _recomputed(_: Sequence[Any], lines: Sequence[Line]) -> Iterator[str]:
    """Each receipt from its own values, and credits from all receipts."""
    receipts = [orjson.loads(receipt) for *_, receipt in lines]
    for (position, *_), receipt in zip(lines, receipts, strict=True):
        if not is_sound(receipt):
            yield f"has a receipt of line {position} that does not follow from its inputs."
    if not set_off_follows(receipts):
        yield "has receipts whose credits are set off otherwise than its lines say."
    if not spread_follows(receipts):
        yield "has receipts that are rounded otherwise than the lines of their rules say."


def _tiers(commissions: QuerySet[Any], ids: range) -> RowFaults:
    rows = (
        within(every(CommissionLine), ids, "commission_id")
        .filter(
            commission__in=commissions.values("pk"), receipt__inputs__tier__isnull=False
        )
        .annotate(recorded_at=Min("commission__events__at"))
        .order_by("commission_id", "position")
        .values_list(
            "commission_id",
            "position",
            json_text("receipt"),
            "recorded_at",
            "commission__affiliate_id",
            "commission__earned_at",
            "commission__sale_id",
        )
    )
    for row in rows:
        yield f"Commission {row[0]}", _tier_faults(*row)


def _tier_faults(
    pk: int, position: int, receipt: str, recorded_at: datetime, *sale: Any
) -> Iterator[str]:
    """Compares what a line's tier counted with its bounds by the current rows.

    Nothing is locked while a sale is counted for a tier, and what was counted may be
    refunded later, or restored. So there are two bounds. At least: what always counted,
    and was recorded long enough before. At most: everything that was recorded before.
    """
    counted = orjson.loads(receipt)["inputs"]["tier"]
    losses = every(CommissionEvent).filter(
        commission=OuterRef("pk"), after__in=COUNTS_NOT
    )
    earlier = (
        earlier_sales(*sale, since=datetime.fromisoformat(counted["since"]))
        .filter(pk__lt=pk, events__before="")
        .annotate(recorded_at=F("events__at"), was_lost=Exists(losses))
    )
    always = Q(was_lost=False, recorded_at__lte=recorded_at - SURELY_SEEN_AFTER)
    fewest = earlier[:MAX_SALES].aggregate(sum=tier_sum(counted["unit"], always))["sum"]
    most = earlier.aggregate(sum=tier_sum(counted["unit"], Q()))["sum"]
    if not fewest <= counted["seen"] <= most:
        yield (
            f"has a receipt of line {position} that counted {counted['seen']} before it, "
            f"but {fewest} to {most} are on record."
        )


# The receipts of shares belong to no invoice line.
_OF_SALES = Q(share_of__isnull=True)

CHECKS = [
    Check(
        label="receipts",
        model=Commission,
        only=_OF_SALES,
        rules=(_of_commissions(_beside_sources),),
        at_once=DOCUMENTS_AT_ONCE,
    ),
]
DEEP_CHECKS = [
    Check(
        label="receipts recomputed",
        model=Commission,
        only=_OF_SALES,
        rules=(_of_commissions(_recomputed),),
        at_once=DOCUMENTS_AT_ONCE,
        reads=((Commission, "id"), (CommissionLine, "commission_id")),
    ),
    Check(
        label="tiers of receipts",
        model=Commission,
        only=_OF_SALES,
        rules=(_tiers,),
        at_once=DOCUMENTS_AT_ONCE,
    ),
]
