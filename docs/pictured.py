"""What the pictures show: those of how-tos, and what a picture is made of."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import NamedTuple

HEIGHT = 800
# The desk without its sidebar, the same for every task.
SIDEBAR = 288


class Picture(NamedTuple):
    """``row`` is a query for the key of the row whose page is shown.

    ``is_area``: as the affiliate, of its area. Where the page is one that comes after:
    ``fill`` fills fields by their names, and then ``button`` is pressed. ``left`` is cut off.
    """

    path: str
    row: str = ""
    height: int = HEIGHT
    fill: tuple[tuple[str, str], ...] = ()
    button: str = ""
    is_area: bool = False
    left: int = 0


_desk = partial(Picture, height=600, left=SIDEBAR)
_area = partial(Picture, height=640, is_area=True)
_MODEL = "/admin/affiliates"
_ONE = f"{_MODEL}/affiliate/{{}}"
_BRAND = "SELECT min(id) FROM affiliates_brand"
_EARNER = (
    "SELECT affiliate_id FROM affiliates_commission GROUP BY affiliate_id"
    " ORDER BY count(*) DESC LIMIT 1 OFFSET 1"
)


def _first(table: str, condition: str) -> str:
    return f"SELECT min(id) FROM affiliates_{table} WHERE {condition}"  # noqa: S608 - our own names


# By the name of the page in docs/how-to/.
HOW_TOS: Mapping[str, Picture] = {
    "try-with-a-test-brand": _desk(f"{_MODEL}/brand/{{}}/change/", row=_BRAND),
    "add-an-affiliate": _desk(f"{_MODEL}/affiliate/add/"),
    "approve-an-affiliate": _desk(
        f"{_ONE}/change/", row=_first("affiliate", "status = 'pending'")
    ),
    "invite-an-affiliate": _desk("/admin/affiliates_recruitment/invitation/add/"),
    "suspend-an-affiliate": _desk(f"{_ONE}/suspend/", row=_EARNER, height=760),
    "merge-two-affiliates": _desk(f"{_ONE}/transfer/", row=_EARNER, height=760),
    "move-a-client": _desk(
        f"{_MODEL}/clientreferral/{{}}/give/",
        row=_first("clientreferral", "affiliate_id IS NOT NULL"),
    ),
    "assign-an-order": _desk(
        f"{_MODEL}/orderreferral/{{}}/assign/",
        row=_first("orderreferral", "affiliate_id IS NOT NULL"),
    ),
    "give-a-coupon": _desk(
        f"{_MODEL}/couponcode/{{}}/change/", row=_first("couponcode", "1")
    ),
    "change-a-commission-plan": _desk(
        f"{_MODEL}/commissionplan/{{}}/change/",
        row=_first("commissionplan", "is_default"),
        height=900,
    ),
    "approve-a-commission": _desk(f"{_MODEL}/commission/?status__exact=matured"),
    "reject-a-commission": _desk(
        f"{_MODEL}/commission/{{}}/change/", row=_first("commission", "status = 'held'")
    ),
    "give-a-bonus": _desk(f"{_ONE}/adjust/", row=_EARNER, height=760),
    "find-why-an-order-earned-nothing": _desk(
        f"{_MODEL}/brand/unearned/?brand={{}}&span=90", row=_BRAND
    ),
    "review-fraud": _desk(
        f"{_MODEL}/fraudreview/{{}}/change/",
        row=_first("fraudreview", "outcome = 'open'"),
    ),
    "answer-a-claim": _desk(
        "/admin/affiliates_claims/missingsaleclaim/{}/change/",
        row=_first("claims_missingsaleclaim", "status = 'open'"),
    ),
    "pay-by-bank-file": _desk(
        f"{_MODEL}/payoutbatch/{{}}/change/",
        row="SELECT max(id) FROM affiliates_payoutbatch WHERE kind = 'bank'",
    ),
    "pay-by-paypal": _desk(
        f"{_MODEL}/payoutbatch/{{}}/change/",
        row="SELECT max(id) FROM affiliates_payoutbatch WHERE kind = 'paypal'",
    ),
    "record-a-returned-payment": _desk(
        f"{_MODEL}/payout/{{}}/change/",
        row="SELECT max(id) FROM affiliates_payout WHERE status = 'paid'",
    ),
    "see-what-we-owe": _desk(f"{_MODEL}/brand/owed/?brand={{}}", row=_BRAND),
    "rank-affiliates": _desk(
        f"{_MODEL}/brand/ranking/?brand={{}}&span=90", row=_BRAND, height=700
    ),
    "save-a-list": _desk(f"{_MODEL}/payout/?status__exact=paid", height=700),
    "see-what-an-affiliate-sees": _desk(f"{_ONE}/look/", row=_EARNER, height=480),
    "give-staff-a-role": _desk("/admin/auth/group/", height=480),
    "send-an-email-again": _desk(f"{_MODEL}/email/?state__exact=failed"),
    "share-banners": _desk(f"{_MODEL}/creative/add/", height=900),
    "join-the-program": _area("/affiliate/program"),
    "share-a-link": _area("/affiliate/links/new"),
    "get-paid": _area("/affiliate/payouts"),
    "report-a-missing-sale": _area("/affiliate/claims/new"),
    "make-an-api-key": _area("/affiliate/keys/new"),
    "choose-your-emails": _area("/affiliate/notifications#choices"),
}
