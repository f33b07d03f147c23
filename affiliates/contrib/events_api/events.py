"""The seven events of ``host_events``, as another system reports them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, ClassVar, NamedTuple

from affiliates import host_events
from affiliates.adapter import get_adapter
from affiliates.contracts import (
    CancelledRefund,
    ClientRegistered,
    CredentialsChanged,
    OrderPlaced,
    PaidInvoice,
    RefundedInvoice,
)
from affiliates.contrib.events_api.selectors import brands_with
from affiliates.core.checking import Checked, storable
from affiliates.errors import InvalidInput, NotAllowed
from affiliates.extending.clients import ReportedClient, StoresClients
from affiliates.referrals.rules.types import EventResult
from affiliates.sales.invoice_lines import require_references


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientErased(Checked):
    """The arguments of ``host_events.client_erased``."""

    refusal: ClassVar = InvalidInput

    brand_id: int
    client_id: str
    email: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OfKey:
    """The brand of an event that names none."""

    brand_id: int


Fields = dict[str, Any]


class Reportable(NamedTuple):
    """An event: the dataclasses whose fields it has, and what reports it.

    ``report`` is called with a value of each dataclass, and the cookie if it has one.
    """

    shapes: tuple[type[Any], ...]
    report: Callable[..., EventResult | None]
    has_cookie: bool = False


def _register(
    event: ClientRegistered,
    client: ReportedClient,
    *,
    referral_cookie: str | None,
    now: datetime,
) -> EventResult:
    require_references(client.client_id)
    adapter = get_adapter()
    if isinstance(adapter, StoresClients):
        if not client.email:
            raise InvalidInput("required", "Send the client's e-mail.", field="email")
        _require_own(client.client_id, brand_id=client.brand_id)
        name, language = storable(client.name), storable(client.language)
        adapter.store_client(replace(client, name=name, language=language), now=now)
    return host_events.client_registered(
        event, referral_cookie=referral_cookie, now=now
    )


def _change(event: CredentialsChanged, key: OfKey, *, now: datetime) -> None:
    _require_own(event.client_id, brand_id=key.brand_id)
    host_events.credentials_changed(event, now=now)


def _erase(event: ClientErased, *, now: datetime) -> None:
    require_references(event.client_id)
    _require_own(event.client_id, brand_id=event.brand_id)
    host_events.client_erased(
        brand_id=event.brand_id,
        client_id=event.client_id,
        email=event.email,
        reason=storable(event.reason),
        now=now,
    )
    adapter = get_adapter()
    if isinstance(adapter, StoresClients):
        adapter.forget_client(event.client_id, brand_id=event.brand_id)


EVENTS: Mapping[str, Reportable] = {
    "client_registered": Reportable(
        (ClientRegistered, ReportedClient), _register, True
    ),
    "order_placed": Reportable((OrderPlaced,), host_events.order_placed, True),
    "invoice_paid": Reportable((PaidInvoice,), host_events.invoice_paid),
    "invoice_refunded": Reportable((RefundedInvoice,), host_events.invoice_refunded),
    "refund_cancelled": Reportable((CancelledRefund,), host_events.refund_cancelled),
    "credentials_changed": Reportable((CredentialsChanged, OfKey), _change),
    "client_erased": Reportable((ClientErased,), _erase),
}


# What may make a commission, or restore one that a refund had reversed.
EARNING = frozenset({"order_placed", "invoice_paid", "refund_cancelled"})


def report(name: str, fields: Fields, *, brand_id: int, now: datetime) -> str:
    """Reports the event of the brand. Returns how its cookie was read, "" without one.

    Raises as the function of ``host_events``, and NotAllowed for the client of another
    brand. The caller's transaction is to be rolled back then.
    """
    event = EVENTS[name]
    values = {**fields, "brand_id": brand_id}
    cookie = {"referral_cookie": fields.get("referral_cookie")}
    result = event.report(
        *(_of(shape, values) for shape in event.shapes),
        **(cookie if event.has_cookie else {}),
        now=now,
    )
    return "" if result is None else str(result.cookie)


def _of(shape: type[Any], values: Fields) -> Any:
    names = shape.__dataclass_fields__
    return shape(**{name: values[name] for name in names if name in values})


def _require_own(client_id: str, *, brand_id: int) -> None:
    client = get_adapter().get_client(client_id)
    brands = brands_with(client_id) if client is None else {client.brand_id}
    if brands - {brand_id}:
        raise NotAllowed(
            "client_of_another_brand", "This client belongs to another brand."
        )
