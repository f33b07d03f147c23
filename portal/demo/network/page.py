"""The page for people: clicks and transactions as they arrive."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from html import escape
from pathlib import Path
from string import Template

from portal.demo.network.answers import Answer
from portal.demo.network.records import Click, Transaction
from portal.demo.network.state import State

ROWS = 25
TYPES = {"S": "Sale", "A": "Action", "R": "Refund", "H": "Chargeback"}
STATUSES = {"A": "approved", "P": "pending", "D": "declined"}
PAGE = Template((Path(__file__).parent / "page.html").read_text("utf-8"))
NOTHING = '<tr class="empty"><td colspan="{columns}">{text}</td></tr>'


def render(state: State) -> Answer:
    """The newest rows first; the page asks for itself again every second."""
    with state.lock:
        clicks, transactions = state.clicks[-ROWS:], state.transactions[-ROWS:]
        counts = {
            "click_count": len(state.clicks),
            "visitor_count": len(state.visitors),
            "transaction_count": len(state.transactions),
        }
    text = PAGE.substitute(
        counts,
        click_rows=_table(map(_click, reversed(clicks)), 5, "No click has arrived."),
        transaction_rows=_table(
            map(_transaction, reversed(transactions)), 7, "No sale has arrived."
        ),
    )
    headers = (
        ("Content-Type", "text/html; charset=utf-8"),
        ("Cache-Control", "no-store"),
    )
    return Answer(headers=headers, body=text.encode())


def _table(rows: Iterable[str], columns: int, nothing: str) -> str:
    return "".join(rows) or NOTHING.format(columns=columns, text=nothing)


def _click(click: Click) -> str:
    return _row(
        f"{click.at}{click.visitorid}",
        _time(click.at),
        f"<b>{escape(click.refid)}</b>",
        _visitor(click.visitorid),
        escape(click.url),
        f"{escape(click.ip)} <small>{escape(click.useragent)}</small>",
    )


def _transaction(transaction: Transaction) -> str:
    status = STATUSES[transaction.status]
    return _row(
        transaction.transid,
        _time(transaction.at),
        TYPES[transaction.type],
        f"<b>{escape(transaction.refid)}</b>",
        f"{escape(transaction.orderid)} <small>Visitor {_visitor(transaction.visitorid)}</small>",
        f"{transaction.totalcost} {escape(transaction.currency)}",
        f"{transaction.commission} {escape(transaction.currency)}",
        f'<span class="status {status}">{status}</span>',
    )


def _row(key: str, *cells: str) -> str:
    inside = "".join(f"<td>{cell}</td>" for cell in cells)
    return f'<tr data-key="{escape(key)}">{inside}</tr>'


def _visitor(visitor_id: str) -> str:
    return f"<code>{escape(visitor_id)}</code>"


def _time(at: float) -> str:
    when = datetime.fromtimestamp(at, tz=UTC)
    return f'<time datetime="{when.isoformat()}">{when:%H:%M:%S}</time>'
