"""Visitors, buyers and their gateway, all the time, each act in the history."""

from __future__ import annotations

import time
from collections import deque
from itertools import cycle
from threading import Event as Flag
from threading import Lock, Thread
from typing import Any, NamedTuple, Self
from uuid import uuid4

from tests.cluster.client import UNANSWERED, Answer, Shop
from tests.cluster.faults.history import Act, Event, History
from tests.cluster.topology import Cluster

VISITORS, BUYERS = 2, 2
# Enough to meet every moment of a fault, and little enough to leave it the machine.
VISIT_PAUSE_SECONDS = 0.1
ORDER_PAUSE_SECONDS = 0.6
# As the script, a little faster: it waits for 4 seconds at first.
AGAIN_SECONDS = 2.0
PATIENCE_SECONDS = 60
# So many orders of a buyer wait for their payment: a fault comes between the two.
UNPAID = 3
# The affiliate's own link, and the page of a visitor of the tracker's affiliate.
TRACKED = "third_party_url"
PAGES = ("link_url", TRACKED)


class Unstored(NamedTuple):
    """A visit that is to be sent again."""

    mark: str
    visit_id: str
    due_at: float


class PatientShop(Shop):
    """Sends a step again under its key until it is answered, as the documentation asks."""

    def _data(self, method: str, path: str, body: Any, **headers: str) -> Any:
        key = {"Idempotency-Key": f'"{uuid4()}"', **headers}
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                answer = self._ask(method, path, body, **key)
            except UNANSWERED:
                answer = Answer(0)
            if answer.status in (200, 201):
                return answer.data
            is_passing = answer.status in (0, 409, 429) or answer.status >= 500
            if not is_passing or time.monotonic() > deadline:
                raise Refused(path, answer)
            time.sleep(ORDER_PAUSE_SECONDS)


class Refused(Exception):  # noqa: N818 - an answer
    """Path and last answer of a step. What was begun may be done all the same."""


class Load:
    """Runs until the block ends; by then everything was sent again that has to be."""

    def __init__(self, cluster: Cluster, history: History) -> None:
        self.invoices: dict[str, dict[str, Any]] = {}
        # Those of the tracker's visitors, of which it is to hear.
        self.tracked: set[str] = set()
        self._cluster, self._history = cluster, history
        self._end = Flag()
        self._lock = Lock()
        self._errors: list[Exception] = []
        pages = cycle(PAGES)
        self._threads = [
            Thread(target=self._kept, args=(act, next(pages)))
            for act in [self._visit_again] * VISITORS + [self._buy_again] * BUYERS
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._end.set()
        for thread in self._threads:
            thread.join()
        if self._errors:
            raise ExceptionGroup("load", self._errors)

    def _kept(self, act: Any, page: str) -> None:
        try:
            with PatientShop(self._cluster, page=page) as shop:
                act(shop)
        except Exception as error:  # noqa: BLE001 - raised where the load ends
            self._errors.append(error)

    def _visit_again(self, shop: PatientShop) -> None:
        waiting: deque[Unstored] = deque()
        while not self._end.wait(VISIT_PAUSE_SECONDS):
            self._visit(shop, waiting)
            if waiting and waiting[0].due_at < time.monotonic():
                self._visit(shop, waiting, waiting.popleft())
        deadline = time.monotonic() + PATIENCE_SECONDS
        while waiting and time.monotonic() < deadline:
            self._visit(shop, waiting, waiting.popleft())
            time.sleep(VISIT_PAUSE_SECONDS)

    def _visit(
        self, shop: Shop, waiting: deque[Unstored], before: Unstored | None = None
    ) -> None:
        """A new visit, or one from before once more; ``waiting`` gets it if it must."""
        mark, visit_id, _ = before or Unstored(uuid4().hex, "", 0)
        self._history.add(Act.VISIT, mark, Event.INVOKE)
        began = time.monotonic()
        status, data, again = shop.send_visit(mark, visit_id)
        is_stored = status == 200 and not again
        self._history.add(
            Act.VISIT,
            mark,
            _event(status, is_done=is_stored),
            status=status,
            seconds=time.monotonic() - began,
            is_redirected=status == 200 and bool(data["redirect_url"]),
        )
        visit_id = "" if is_stored else again or visit_id
        if visit_id:
            due_at = time.monotonic() + AGAIN_SECONDS
            waiting.append(Unstored(mark, visit_id, due_at))

    def _buy_again(self, shop: PatientShop) -> None:
        unpaid: deque[dict[str, Any]] = deque()
        while not self._end.wait(ORDER_PAUSE_SECONDS):
            if (invoice := self._order(shop)) is not None:
                unpaid.append(invoice)
            if len(unpaid) > UNPAID:
                self.pay(shop, unpaid.popleft())
        for invoice in unpaid:
            self.pay(shop, invoice)

    def _order(self, shop: PatientShop) -> dict[str, Any] | None:
        """Of a new client, who has followed the affiliate's link until there is a cookie."""
        shop.forget_cookie()
        waiting: deque[Unstored] = deque()
        self._visit(shop, waiting)
        while not shop.has_cookie:
            if self._end.wait(AGAIN_SECONDS):
                return None
            self._visit(shop, waiting, waiting.popleft() if waiting else None)
        email = f"{uuid4().hex}@example.org"
        self._history.add(Act.ORDER, email, Event.INVOKE)
        try:
            invoice = shop.order(email)
        except Refused as refused:
            status = refused.args[1].status
            self._history.add(Act.ORDER, email, Event.UNKNOWN, status=status)
            return None
        number = invoice["number"]
        self._history.add(Act.ORDER, email, Event.OK, status=200, number=number)
        with self._lock:
            self.invoices[invoice["id"]] = invoice
            if shop.page == TRACKED:
                self.tracked.add(invoice["id"])
        return invoice

    def pay(self, shop: Shop, invoice: dict[str, Any]) -> None:
        """One event of the gateway, sent again until it is accepted."""
        event_id = str(uuid4())
        deadline = time.monotonic() + PATIENCE_SECONDS
        is_done = False
        while not is_done and time.monotonic() < deadline:
            self._history.add(Act.PAYMENT, invoice["id"], Event.INVOKE)
            status = shop.send_payment(invoice, event_id).status
            is_done = status == 200
            self._history.add(
                Act.PAYMENT,
                invoice["id"],
                _event(status, is_done=is_done),
                status=status,
            )
            if not is_done:
                time.sleep(ORDER_PAUSE_SECONDS)


def _event(status: int, *, is_done: bool) -> Event:
    if is_done:
        return Event.OK
    return Event.FAIL if 400 <= status < 500 else Event.UNKNOWN
