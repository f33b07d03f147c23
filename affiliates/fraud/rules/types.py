"""The facts about a sale when it is judged: plain values."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta

WINDOW = timedelta(hours=24)
CLICK_DAYS = 30
MIN_CLICKS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleFacts:
    """The affiliate and the client, by key and by e-mail address."""

    affiliate_user_id: str
    affiliate_email: str
    client_id: str
    client_email: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkFacts:
    """Other conversions from the order's network, within 24 hours of it.

    ``own_orders`` are the affiliate's as a client. ``clients`` counts the affiliate's
    different clients, this one included. ``prefix`` is empty where it is not known.
    """

    prefix: str = ""
    own_orders: int = 0
    clients: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ClickFacts:
    """The winning click, and the affiliate's clicks of the last 30 days.

    ``age`` is the time from the winning click to the order; None where no click won.
    """

    age: timedelta | None = None
    visit_url: str = ""
    total: int = 0
    by_bots: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedOrder:
    """The order as converted.

    ``orders`` counts the affiliate's in the 24 hours up to it; of very many, a part that
    is above the signal's threshold.
    """

    orders: int = 0
    network: NetworkFacts = field(default_factory=NetworkFacts)
    click: ClickFacts = field(default_factory=ClickFacts)


@dataclass(frozen=True, slots=True, kw_only=True)
class FraudFacts:
    """All facts for judging a sale. ``order``: only for the first with an amount."""

    people: PeopleFacts
    order: ReviewedOrder | None
    paid_ads_allowed: bool = True
