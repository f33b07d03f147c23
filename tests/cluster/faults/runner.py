"""Runs one fault under load, and tells what became of it."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.client import Shop
from tests.cluster.faults.checker import Verdict, check, check_provider
from tests.cluster.faults.history import Act, Event, History, HistoryRow
from tests.cluster.faults.load import Load
from tests.cluster.faults.stand import Fault, Stand
from tests.cluster.topology import Cluster
from tests.deploy.conftest import await_condition

# Beside the acts: what the provider received.
PROVIDER = "provider"
BEFORE_SECONDS = 5
AFTER_SECONDS = 3
# Until an order and a visit have been acknowledged again.
SERVICE_SECONDS = 60
# A sale waits for its visitor's click for ten minutes.
DRAINED_SECONDS = 660

CLICKS = "SELECT substring(visit_url from 'mark=(\\w+)') FROM affiliates_click"
# Credited ones: a client who came by the link and is nobody's is a loss too.
ORDERS = """
    SELECT client.email, invoice.number FROM portal_invoice AS invoice
    JOIN portal_user AS client ON client.id = invoice.client_id
    JOIN affiliates_orderreferral AS referral
        ON referral.invoice_ref = invoice.id::text AND referral.outcome <> 'nobody'
"""
PAYMENTS = """
    SELECT payment.invoice_ref FROM affiliates_invoicepayment AS payment
    JOIN portal_invoice AS invoice
        ON invoice.id::text = payment.invoice_ref AND invoice.status = 'paid'
"""
OPEN = """
    SELECT count(*) FROM affiliates_delivery
    WHERE operation = 'sale' AND next_at IS NOT NULL
"""


@dataclass(frozen=True, kw_only=True, eq=False)
class Round:
    """One fault and its history. ``tracked`` are invoices of the tracker's visitors."""

    fault: Fault
    rows: Sequence[HistoryRow]
    tracked: Collection[str]
    began_at: float
    ended_at: float


@dataclass(frozen=True, kw_only=True)
class Stored:
    """What the database has of each act, and the number of each client's invoice."""

    acts: Mapping[Act, Mapping[str, int]]
    numbers: Mapping[str, str]
    received: Mapping[str, int]


def run_fault(stand: Stand, fault: Fault, folder: Path) -> Round:
    history = History(fault.name, folder / f"{fault.name}.jsonl".replace(" ", "-"))
    with Load(stand.cluster, history) as load:
        time.sleep(BEFORE_SECONDS)
        began_at = time.time()
        with fault.happens(stand):
            time.sleep(fault.seconds)
        ended_at = time.time()
        await_condition(lambda: _serves(history, ended_at), seconds=SERVICE_SECONDS)
        fault.repair(stand)
        time.sleep(AFTER_SECONDS)
    if stand.promoted_at.timestamp() > began_at:
        with Shop(stand.cluster) as gateway:
            for invoice in _paid(load, history):
                load.pay(gateway, invoice)
    return Round(
        fault=fault,
        rows=history.rows(),
        tracked=load.tracked,
        began_at=began_at,
        ended_at=ended_at,
    )


def _serves(history: History, since: float) -> bool:
    done = {
        row.act for row in history.rows() if row.at > since and row.event is Event.OK
    }
    return done == set(Act)


def _paid(load: Load, history: History) -> list[dict[str, object]]:
    """What a gateway sends again after a loss: all that it was answered for."""
    paid = {row.key for row in history.rows() if row.act is Act.PAYMENT}
    return [invoice for ref, invoice in load.invoices.items() if ref in paid]


def await_drained(cluster: Cluster) -> None:
    """Until each sale is done, or waits for a person."""
    await_condition(lambda: cluster.query(OPEN) == [(0,)], seconds=DRAINED_SECONDS)


def read_stored(stand: Stand) -> Stored:
    query = stand.cluster.query
    orders = query(ORDERS)
    with stand.tracker.state.lock:
        received = Counter(
            one.orderid for one in stand.tracker.state.transactions if one.type == "S"
        )
    return Stored(
        acts={
            Act.VISIT: Counter(mark for (mark,) in query(CLICKS)),
            Act.ORDER: Counter(email for email, _ in orders),
            Act.PAYMENT: Counter(ref for (ref,) in query(PAYMENTS)),
        },
        numbers=dict(orders),
        received=received,
    )


def judge(one: Round, stored: Stored) -> dict[str, Verdict]:
    """A verdict for each kind of act, and for what the provider received."""
    verdicts = {
        str(act): check([row for row in one.rows if row.act is act], stored.acts[act])
        for act in Act
    }
    own = {key: count for key, count in stored.received.items() if key in one.tracked}
    sales = [ref for ref in one.tracked if stored.acts[Act.PAYMENT].get(ref)]
    return {**verdicts, PROVIDER: check_provider(sales, own)}
