"""The facts about a sale when it is judged: plain values."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, NamedTuple

WINDOW = timedelta(hours=24)
CLICK_DAYS = 30
MIN_CLICKS = 20
NEAR_MINUTES = 10


class SignalEvidence(NamedTuple):
    """The facts that show a signal. ``often_innocent`` ones do no more than flag."""

    facts: dict[str, Any]
    often_innocent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class PeopleFacts:
    """The affiliate and the client, by key and by e-mail address."""

    affiliate_user_id: str
    affiliate_email: str
    client_id: str
    client_email: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkFacts:
    """Other conversions and visits from the order's network, within 24 hours of it.

    ``own_orders`` are the affiliate's as a client, ``own_visits`` those of a browser of
    its own. ``clients`` counts the affiliate's different clients, this one included.
    ``prefix`` is empty where it is not known.
    """

    prefix: str = ""
    own_orders: int = 0
    own_visits: int = 0
    clients: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ClickFacts:
    """The winning click, and the affiliate's clicks around it and of the last 30 days.

    ``age`` is the time from the winning click to the order; None where no click won.
    ``embedding`` is the winning click's, and so is ``is_own_browser``: the affiliate
    registered or ordered as a client in its browser. ``near`` counts the affiliate's
    clicks from the winning click's network within 10 minutes of it, itself included.
    """

    age: timedelta | None = None
    is_own_browser: bool = False
    visit_url: str = ""
    embedding: str = ""
    near: int = 0
    total: int = 0
    by_bots: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReferrerFacts:
    """The referrer of the winning click; where a code won, of the client's last click.

    ``banned`` are the brand's banned domains.
    """

    url: str = ""
    banned: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class CodeFacts:
    """The coupon code that won the order, "" where none did.

    ``has_click``: a click of the client took part in the decision. ``clients`` counts the
    different clients without one who used the code in the 24 hours up to the order.
    """

    code: str = ""
    has_click: bool = False
    clients: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherAffiliates:
    """How many other affiliates of the brand share something with this one.

    ``by_destination``: they have, or had, its payout destination. ``by_browser``: their
    client account was registered in the browser that its own was registered in.
    """

    by_destination: int = 0
    by_browser: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewedOrder:
    """The order as converted.

    ``orders`` counts the affiliate's in the 24 hours up to it; of very many, a part that
    is above the signal's threshold.
    """

    orders: int = 0
    network: NetworkFacts = field(default_factory=NetworkFacts)
    click: ClickFacts = field(default_factory=ClickFacts)
    referrer: ReferrerFacts = field(default_factory=ReferrerFacts)
    code: CodeFacts = field(default_factory=CodeFacts)
    others: OtherAffiliates = field(default_factory=OtherAffiliates)


@dataclass(frozen=True, slots=True, kw_only=True)
class FraudFacts:
    """All facts for judging a sale. ``order``: only for the first with an amount."""

    people: PeopleFacts
    order: ReviewedOrder | None
    paid_ads_allowed: bool = True
