"""The JSON-RPC of scripts/server.php: what a merchant's programs may ask and do."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterable
from decimal import Decimal, InvalidOperation
from typing import Any

from portal.demo.network.records import CENT, Transaction, moment
from portal.demo.network.state import STATUSES, State

AUTH_CLASSES = ("Pap_Api_AuthService", "Gpf_Api_AuthService")
SERVER_CLASS = "Gpf_Rpc_Server"
GRID_CLASS = "Pap_Merchants_Transaction_TransactionsGrid"
FORM_CLASS = "Pap_Merchants_Transaction_TransactionsForm"
FIELD_NAMES = ["name", "value", "values", "error"]
REFUND, CHARGEBACK = "R", "H"
REVERSALS = (REFUND, CHARGEBACK)
DECLINED = "D"
GRID_LIMIT = 30
TRANSACTION_ID_LENGTH = 8
# What a refund or chargeback has from its sale.
KEPT = (
    "status",
    "orderid",
    "productid",
    "currency",
    "userid",
    "refid",
    "visitorid",
    "ip",
    "useragent",
    "accountid",
)

# Names of the grid's columns; a request may choose among them.
COLUMNS: dict[str, Callable[[Transaction], str]] = {
    "id": lambda row: row.transid,
    "transid": lambda row: row.transid,
    "orderid": lambda row: row.orderid,
    "t_orderid": lambda row: row.orderid,
    "productid": lambda row: row.productid,
    "totalcost": lambda row: str(row.totalcost),
    "commission": lambda row: str(row.commission),
    "rtype": lambda row: row.type,
    "rstatus": lambda row: row.status,
    "tier": lambda row: "1",
    "payoutstatus": lambda row: "U",
    "userid": lambda row: row.userid,
    "refid": lambda row: row.refid,
    "visitorid": lambda row: row.visitorid,
    "ip": lambda row: row.ip,
    "dateinserted": lambda row: moment(row.at),
    "original_currency_code": lambda row: row.currency,
    "originalcurrencyvalue": lambda row: str(row.totalcost),
    "merchantnote": lambda row: row.note,
    "data1": lambda row: row.data1,
    "data2": lambda row: row.data2,
    "data3": lambda row: row.data3,
    "data4": lambda row: row.data4,
    "data5": lambda row: row.data5,
}

Request = dict[str, Any]


class RpcError(Exception):
    """Answered as ``{"e": ...}``, with status 200."""


def answer(state: State, text: str) -> str:
    """The JSON answer to the form field ``D``."""
    try:
        request = json.loads(text)
        if not isinstance(request, dict):
            raise ValueError(text)
    except ValueError:
        return json.dumps({"e": "Invalid request"})
    with state.lock:
        if request.get("C") == SERVER_CLASS and request.get("M") == "run":
            calls = request.get("requests")
            calls = calls if isinstance(calls, list) else []
            session = str(request.get("S") or "")
            return json.dumps([_answer_one(state, call, session) for call in calls])
        return json.dumps(_answer_one(state, request, ""))


def _answer_one(state: State, request: Any, session: str) -> dict[str, Any]:
    try:
        if not isinstance(request, dict):
            raise RpcError("Invalid request")
        name = str(request.get("C")), str(request.get("M"))
        if name[0] in AUTH_CLASSES and name[1] == "authenticate":
            return _authenticate(state, request)
        if name[0] not in (GRID_CLASS, FORM_CLASS):
            raise RpcError("Class does not exist")
        if name not in METHODS:
            raise RpcError("Method does not exist")
        _require_session(state, session or str(request.get("S") or ""))
        return METHODS[name](state, request)
    except RpcError as error:
        return {"e": str(error)}


def _authenticate(state: State, request: Request) -> dict[str, Any]:
    given = {row[0]: row[1] for row in _rows(request.get("fields")) if len(row) > 1}
    options = state.options
    is_right = (
        given.get("roleType") == "M"
        and given.get("username") == options.username
        and given.get("password") == options.password
    )
    fields: list[list[Any]] = [FIELD_NAMES, ["username", given.get("username"), "", ""]]
    if not is_right:
        message = "Wrong username/password combination"
        return {"fields": fields, "success": "N", "message": message}
    session = secrets.token_hex(16)
    state.sessions[session] = state.now() + options.session_lifetime_s
    fields.append(["S", session, None, ""])
    message = "User authenticated. Logging in."
    return {"fields": fields, "success": "Y", "message": message}


def _require_session(state: State, session: str) -> None:
    ends_at = state.sessions.get(session)
    if ends_at is None or state.now() >= ends_at:
        state.sessions.pop(session, None)
        raise RpcError("Session expired. Please log in again.")


def _get_rows(state: State, request: Request) -> dict[str, Any]:
    transactions = _filtered(state, request.get("filters"))
    offset = _whole_number(request.get("offset", 0))
    limit = _whole_number(request.get("limit", GRID_LIMIT))
    names = [row[0] for row in _rows(request.get("columns")) if row] or list(COLUMNS)
    unknown = [name for name in names if name not in COLUMNS]
    if unknown:
        raise RpcError(f"Column {unknown[0]} does not exist")
    rows = [
        [COLUMNS[name](transaction) for name in names]
        for transaction in transactions[offset : offset + limit]
    ]
    return {"rows": [names, *rows], "count": len(transactions)}


def _reverse_by_filters(state: State, request: Request) -> dict[str, Any]:
    filters = _rows(request.get("filters"))
    # The real one would take back every sale it holds.
    if not filters or not all(len(row) == 3 and row[2] for row in filters):
        raise RpcError("Filters must not be empty")
    return _reverse(state, request, _filtered(state, filters))


def _reverse(
    state: State, request: Request, originals: Iterable[Transaction]
) -> dict[str, Any]:
    kind = request.get("status")
    if kind not in REVERSALS:
        raise RpcError("Status must be R or H")
    fee = _fee(request.get("fee", 0))
    sales = [original for original in originals if original.type not in REVERSALS]
    for sale in sales:
        # A sale that is declined or taken back already is passed over, and reported
        # as a success all the same.
        if sale.status != DECLINED and not _is_reversed(state, sale):
            state.add_transaction(
                Transaction(
                    **{name: getattr(sale, name) for name in KEPT},
                    transid=secrets.token_hex(TRANSACTION_ID_LENGTH // 2),
                    type=kind,
                    totalcost=-sale.totalcost,
                    commission=-sale.commission - fee,
                    at=state.now(),
                    parent=sale.transid,
                    note=str(request.get("merchant_note", "")),
                )
            )
    return _done("Selected transactions are refunded" if sales else "")


def _is_reversed(state: State, sale: Transaction) -> bool:
    return any(
        transaction.parent == sale.transid
        for transaction in state.of_order(sale.orderid)
    )


def _change_status_of_order(state: State, request: Request) -> dict[str, Any]:
    orderid = str(request.get("orderid") or "")
    if not orderid:
        raise RpcError("Order id must not be empty")
    return _change(request, state.of_order(orderid))


def _change(request: Request, transactions: list[Transaction]) -> dict[str, Any]:
    status = request.get("status")
    if status not in STATUSES:
        raise RpcError("Status must be A, P or D")
    for transaction in transactions:
        transaction.status = status
        transaction.note = str(request.get("merchant_note", ""))
    return _done("Status of selected transactions is changed" if transactions else "")


METHODS: dict[tuple[str, str], Callable[[State, Request], dict[str, Any]]] = {
    (GRID_CLASS, "getRows"): _get_rows,
    (FORM_CLASS, "makeRefundChargebackByParams"): _reverse_by_filters,
    (FORM_CLASS, "makeRefundChargeback"): lambda state, request: _reverse(
        state, request, _by_ids(state, request)
    ),
    (FORM_CLASS, "changeStatusPerOrderId"): _change_status_of_order,
    (FORM_CLASS, "changeStatus"): lambda state, request: _change(
        request, _by_ids(state, request)
    ),
}


def _filtered(state: State, filters: Any) -> list[Transaction]:
    rows = _rows(filters)
    for row in rows:
        if len(row) != 3 or row[0] not in COLUMNS or row[1] not in ("E", "IN"):
            raise RpcError(f"Filter {row} is not known")
    by_order = [row for row in rows if row[0] == "orderid" and row[1] == "E"]
    transactions = (
        state.of_order(str(by_order[0][2])) if by_order else state.transactions
    )
    return [
        transaction
        for transaction in transactions
        if all(_fits(transaction, row) for row in rows)
    ]


def _fits(transaction: Transaction, row: list[Any]) -> bool:
    name, operator, wanted = row
    value = COLUMNS[name](transaction)
    if operator == "E":
        return value == str(wanted)
    several = wanted if isinstance(wanted, list) else str(wanted).split(",")
    return value in several


def _by_ids(state: State, request: Request) -> list[Transaction]:
    ids = request.get("ids")
    if not isinstance(ids, list) or not ids:
        raise RpcError("Ids must not be empty")
    return [
        transaction for transaction in state.transactions if transaction.transid in ids
    ]


def _rows(value: Any) -> list[list[Any]]:
    if not isinstance(value, list):
        return []
    return [row for row in value if isinstance(row, list)]


def _whole_number(value: Any) -> int:
    try:
        return max(int(value), 0)
    except (TypeError, ValueError):
        return 0


def _fee(value: Any) -> Decimal:
    try:
        return Decimal(str(value or 0)).quantize(CENT)
    except InvalidOperation:
        raise RpcError("Fee must be a number") from None


def _done(info: str) -> dict[str, Any]:
    return {"success": "Y", "finished": "Y", "errorMessage": "", "infoMessage": info}
