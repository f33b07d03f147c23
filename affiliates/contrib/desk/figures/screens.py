"""Statistics shown on each screen, and the lists of the rows behind them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from affiliates.admin_tools.naming import page_name
from affiliates.commissions.rules import CommissionStatus
from affiliates.contrib.statistics import metrics
from affiliates.contrib.statistics.metrics import Metric
from affiliates.contrib.statistics.spans import Chosen
from affiliates.contrib.statistics.types import Dimension
from affiliates.referrals.rules.choices import Outcome

EARNING = [
    status for status in CommissionStatus if status not in ("rejected", "reversed")
]


@dataclass(frozen=True, slots=True)
class Rows:
    """The list of the rows that a metric adds up: when each happened, and which of them.

    ``affiliate``: the lookup of whose they are. A metric of some of the rows alone
    (``is_whole`` is false) leads to none.
    """

    model: str
    moment: str
    lookups: Mapping[str, str]
    currency: str = ""
    affiliate: str = "affiliate"
    is_whole: bool = True

    def path(self, chosen: Chosen, currency: str, affiliate_id: int | None) -> str:
        first, end = chosen.moments
        asked = {
            "brand__id__exact": str(chosen.brand.pk),
            f"{self.moment}__gte": first.isoformat(),
            f"{self.moment}__lt": end.isoformat(),
            **self.lookups,
        }
        if affiliate_id is not None:
            asked[f"{self.affiliate}__id__exact"] = str(affiliate_id)
        if self.currency:
            asked[f"{self.currency}__exact"] = currency
        page = reverse(page_name(self.model, "changelist"))
        return f"{page}?{urlencode(asked)}"


@dataclass(frozen=True, slots=True)
class Ranking:
    """The best of a kind by the last of the metrics. ``model``: whose pages they have."""

    title: str | Promise
    dimension: Dimension
    model: str
    metrics: Sequence[Metric]


def path_of(
    rows: Sequence[Rows], chosen: Chosen, currency: str, affiliate_id: int | None
) -> str:
    """Nowhere where no single list has exactly these rows."""
    if len(rows) != 1 or not rows[0].is_whole:
        return ""
    return rows[0].path(chosen, currency, affiliate_id)


Shown = Sequence[tuple[Metric, Sequence[Rows]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Screen:
    """Metrics of a screen, with the rows from which they are computed.

    ``affiliate_id`` limits them to one affiliate; None means the whole brand.
    """

    tiles: Shown
    states: Shown = ()
    rankings: Sequence[Ranking]
    affiliate_id: int | None = None


def _commissions(asked: Mapping[str, str]) -> Rows:
    return Rows("commission", "earned_at", asked, currency="currency")


# A sale belongs to its order's current affiliate, not the one at payment.
_OF_SALE = "order_referral__affiliate"
_ALL_CLICKS = Rows("click", "created_at", {"affiliate__isnull": "0"})
CLICKS = Rows("click", "created_at", {"affiliate__isnull": "0", "bot_signs__exact": ""})
SIGNUPS = Rows("clientreferral", "bound_at", {"affiliate__isnull": "0"})
ORDERS = Rows(
    "orderreferral",
    "converted_at",
    {"outcome__in": f"{Outcome.CREDITED},{Outcome.HELD}"},
)
SALES = Rows("sale", "paid_at", {}, affiliate=_OF_SALE)
REVENUE = Rows("sale", "paid_at", {}, currency="net_currency", affiliate=_OF_SALE)
COMMISSION = _commissions({"status__in": ",".join(EARNING)})
_FROM_CLICKS: Shown = (
    (metrics.SIGNUPS, [SIGNUPS]),
    (metrics.ORDERS, [ORDERS]),
    (metrics.SALES, [SALES]),
    (metrics.NET_REVENUE, [REVENUE]),
    (metrics.COMMISSION, [COMMISSION]),
)
_TOP_LINKS = Ranking(
    gettext_lazy("Top links"),
    Dimension.LINK,
    "affiliatelink",
    [metrics.ORDERS, metrics.HUMAN_CLICKS],
)
_TOP_PRODUCTS = Ranking(
    gettext_lazy("Top products"),
    Dimension.PRODUCT,
    "",
    [metrics.SALES, metrics.NET_REVENUE],
)
OF_BRAND = Screen(
    tiles=[
        (metrics.HUMAN_CLICKS, [CLICKS]),
        *_FROM_CLICKS,
        (metrics.COST_PERCENT, [REVENUE, COMMISSION]),
        (metrics.CONVERSION_RATE, [CLICKS, ORDERS]),
    ],
    rankings=[
        Ranking(
            gettext_lazy("Top affiliates"),
            Dimension.AFFILIATE,
            "affiliate",
            [metrics.SALES, metrics.COMMISSION],
        ),
        _TOP_LINKS,
        _TOP_PRODUCTS,
    ],
)
OF_AFFILIATE = Screen(
    tiles=[
        (metrics.CLICKS, [_ALL_CLICKS]),
        (metrics.HUMAN_CLICKS, [CLICKS]),
        (metrics.UNIQUE_CLICKS, [replace(CLICKS, is_whole=False)]),
        *_FROM_CLICKS,
        (metrics.CONVERSION_RATE, [CLICKS, ORDERS]),
        (metrics.EPC, [CLICKS, COMMISSION]),
        (metrics.COST_PERCENT, [REVENUE, COMMISSION]),
        (metrics.REVERSALS, [replace(SALES, is_whole=False)]),
    ],
    states=[
        *(
            (metric, [_commissions({"status__exact": status})])
            for metric, status in (
                (metrics.COMMISSION_PENDING, CommissionStatus.PENDING),
                (metrics.COMMISSION_MATURED, CommissionStatus.MATURED),
                (metrics.COMMISSION_HELD, CommissionStatus.HELD),
                (metrics.COMMISSION_DUE, CommissionStatus.APPROVED),
                (metrics.COMMISSION_PAID, CommissionStatus.PAID),
                (metrics.COMMISSION_REJECTED, CommissionStatus.REJECTED),
            )
        ),
        (metrics.COMMISSION_TAKEN_BACK, [replace(COMMISSION, is_whole=False)]),
    ],
    rankings=[
        _TOP_LINKS,
        Ranking(
            gettext_lazy("Sub-ids"),
            Dimension.SUB_ID,
            "",
            [metrics.ORDERS, metrics.HUMAN_CLICKS],
        ),
        Ranking(
            gettext_lazy("Referring sites"),
            Dimension.REFERRER,
            "",
            [metrics.ORDERS, metrics.HUMAN_CLICKS],
        ),
        _TOP_PRODUCTS,
    ],
)
