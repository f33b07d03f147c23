"""Clicks, visitors and transactions, and what the tracking scripts make of a call."""

from __future__ import annotations

import secrets
import string
import threading
import time
from collections import deque
from decimal import Decimal, InvalidOperation

from portal.demo.network.options import Affiliate, Options
from portal.demo.network.paypal_books import PayPalBooks
from portal.demo.network.records import (
    CENT,
    Click,
    Event,
    LoggedRequest,
    Transaction,
    VisitorAffiliate,
)
from portal.demo.network.wire import (
    LEAD,
    SALE,
    TrackingVisit,
    WrongActions,
    read_actions,
    read_click,
)
from portal.demo.network.wise_books import WiseBooks

ALPHANUMERIC = string.ascii_letters + string.digits
TRANSACTION_ID_LENGTH = 8
STATUSES = ("A", "P", "D")
DECLINED = "D"
YES = "Y"
HOUR_S = 3600
EVENT_LIMIT = 1000


class State:
    """One installation. Every public method may be called from any thread."""

    def __init__(self, options: Options | None = None) -> None:
        self.lock = threading.RLock()
        self.options = options or Options()
        self.reset()

    def reset(self) -> None:
        """Forget everything but the settings."""
        with self.lock:
            self.clicks: list[Click] = []
            self.transactions: list[Transaction] = []
            self.visitors: dict[str, list[VisitorAffiliate]] = {}
            self.events: deque[Event] = deque(maxlen=EVENT_LIMIT)
            self.pending: deque[TrackingVisit] = deque()
            self.sessions: dict[str, float] = {}
            self.paypal = PayPalBooks()
            self.wise = WiseBooks()
            self.log: deque[LoggedRequest] = deque(maxlen=self.options.log_limit)
            self._transactions_of_order: dict[str, list[Transaction]] = {}

    def now(self) -> float:
        clock = self.options.clock
        return time.time() if clock is None else clock

    def record(self, request: LoggedRequest) -> None:
        with self.lock:
            if self.log.maxlen != self.options.log_limit:
                self.log = deque(self.log, maxlen=self.options.log_limit)
            self.log.append(request)

    def new_visitor_id(self) -> str:
        return _random(self.options.visitor_id_length)

    def track(self, visit: TrackingVisit) -> None:
        """Process the visit or, offline, keep it for cron."""
        with self.lock:
            if self.options.mode == "offline":
                self.pending.append(visit)
            else:
                self._process(visit)

    def cron(self) -> int:
        """Process what arrived while offline; the number of visits."""
        with self.lock:
            count = len(self.pending)
            while self.pending:
                self._process(self.pending.popleft())
            return count

    def of_order(self, orderid: str) -> list[Transaction]:
        with self.lock:
            return list(self._transactions_of_order.get(orderid, []))

    def add_transaction(self, transaction: Transaction) -> None:
        with self.lock:
            self.transactions.append(transaction)
            of_order = self._transactions_of_order.setdefault(transaction.orderid, [])
            of_order.append(transaction)

    def note(self, text: str) -> None:
        with self.lock:
            self.events.append(Event(at=self.now(), text=text))

    # The click comes first: a sale in the same call is then its affiliate's.
    def _process(self, visit: TrackingVisit) -> None:
        self._process_click(visit)
        if not visit.actions:
            return
        try:
            actions = read_actions(visit.actions)
        except WrongActions:
            self.note("Invalid action format")
            return
        for action in actions:
            self._process_action(visit, action)

    def _process_click(self, visit: TrackingVisit) -> None:
        click = read_click(visit.query, visit.anchor, self.options)
        if click is None:
            return
        name, beside = click
        affiliate = self.options.find_affiliate(name)
        if affiliate is None:
            self.note(f"Click of an unknown affiliate: {name}")
            return
        now = self.now()
        self.clicks.append(
            Click(
                visitorid=visit.visitor_id,
                accountid=visit.account_id,
                userid=affiliate.userid,
                refid=affiliate.refid,
                ip=visit.ip,
                useragent=visit.user_agent,
                url=visit.url,
                referrer=visit.referrer,
                at=now,
                **beside,
            )
        )
        self._tie(visit, affiliate, now)

    def _tie(self, visit: TrackingVisit, affiliate: Affiliate, now: float) -> None:
        """First click is actual; a later one if it overwrites or the first is over."""
        ties = self.visitors.setdefault(visit.visitor_id.lower(), [])
        actual = next((tie for tie in ties if tie.actual), None)
        is_actual = (
            actual is None
            or actual.userid == affiliate.userid
            or self.options.overwrite
            or not actual.is_valid(now)
        )
        ties[:] = [tie for tie in ties if tie.userid != affiliate.userid]
        if is_actual:
            for tie in ties:
                tie.actual = False
        lifetime = self.options.cookie_lifetime_s
        ties.append(
            VisitorAffiliate(
                visitorid=visit.visitor_id,
                userid=affiliate.userid,
                ip=visit.ip,
                actual=is_actual,
                at=now,
                valid_until=now + lifetime if lifetime else None,
            )
        )

    def _process_action(self, visit: TrackingVisit, action: dict[str, str]) -> None:
        now = self.now()
        orderid, code = action.get("o", ""), action.get("ac", "")
        kind = LEAD if code else SALE
        at = _number(action.get("ts", "")) or now
        is_repeated = self._is_repeated(orderid, kind, at)
        if is_repeated and self.options.dup_order == "drop":
            self.note(f"Repeated order id, not saved: {orderid}")
            return
        affiliate = self._affiliate_of(visit, action.get("a", ""), now)
        if affiliate is None:
            self.note(f"Nobody referred the sale: {orderid}")
            return
        currency = action.get("cr", "") or self.options.currencies[0]
        if currency not in self.options.currencies:
            self.note(f"Unknown currency {currency}, not saved: {orderid}")
            return
        if code and code not in self.options.action_codes:
            self.note(f"Unknown action code {code}, not saved: {orderid}")
            return
        total = _amount(action.get("t", ""))
        self.add_transaction(
            Transaction(
                transid=_random(TRANSACTION_ID_LENGTH).lower(),
                type=kind,
                status=DECLINED if is_repeated else self._status(action.get("s", "")),
                orderid=orderid,
                productid=action.get("p", ""),
                totalcost=total,
                currency=currency,
                commission=self._commission(kind, total, action.get("cc", "")),
                userid=affiliate.userid,
                refid=affiliate.refid,
                visitorid=visit.visitor_id,
                ip=visit.ip,
                useragent=visit.user_agent,
                accountid=visit.account_id,
                at=at,
                action=code,
                coupon=action.get("cp", ""),
                campaign=action.get("c", ""),
                banner=action.get("b", ""),
                channel=action.get("ch", ""),
                **{f"data{n}": action.get(f"d{n}", "") for n in range(1, 6)},
            )
        )
        if self.options.delete_cookie and action.get("dndc") != YES:
            self.visitors.pop(visit.visitor_id.lower(), None)

    def _is_repeated(self, orderid: str, kind: str, at: float) -> bool:
        if not orderid or self.options.dup_order == "off":
            return False
        within = self.options.dup_order_hours * HOUR_S
        return any(
            transaction.type == kind and abs(at - transaction.at) < within
            for transaction in self.of_order(orderid)
        )

    def _affiliate_of(
        self, visit: TrackingVisit, forced: str, now: float
    ) -> Affiliate | None:
        """Forced, else the visitor's, else the address's, else the default one."""
        options = self.options
        ties = self.visitors.get(visit.visitor_id.lower(), [])
        by_visitor = next((t for t in ties if t.actual and t.is_valid(now)), None)
        return (
            options.find_affiliate(forced)
            or (by_visitor and options.find_affiliate(by_visitor.userid))
            or self._affiliate_of_ip(visit.ip, now)
            or options.find_affiliate(options.default_affiliate)
        )

    def _affiliate_of_ip(self, ip: str, now: float) -> Affiliate | None:
        if not self.options.ip_fallback:
            return None
        ties = [
            tie
            for ties in self.visitors.values()
            for tie in ties
            if tie.actual and tie.ip == ip and tie.is_valid(now)
        ]
        if not ties:
            return None
        latest = max(ties, key=lambda tie: tie.at)
        return self.options.find_affiliate(latest.userid)

    def _status(self, wanted: str) -> str:
        return wanted if wanted in STATUSES else self.options.default_status

    def _commission(self, kind: str, total: Decimal, custom: str) -> Decimal:
        """The custom commission, ``10`` or ``%10`` or ``10%``, else the setting's."""
        first = custom.partition(";")[0].strip()
        if first:
            amount = _amount(first.strip("%"))
            return (total * amount / 100).quantize(CENT) if "%" in first else amount
        if kind == LEAD:
            return Decimal(self.options.lead_commission)
        percent = Decimal(self.options.sale_commission_percent)
        return (total * percent / 100).quantize(CENT)


def _random(length: int) -> str:
    return "".join(secrets.choice(ALPHANUMERIC) for _ in range(length))


def _amount(text: str) -> Decimal:
    # PHP reads what is no number as 0.
    try:
        amount = Decimal(text)
        return amount.quantize(CENT) if amount.is_finite() else Decimal("0.00")
    except InvalidOperation:
        return Decimal("0.00")


def _number(text: str) -> float | None:
    return float(text) if text.isascii() and text.isdigit() else None
