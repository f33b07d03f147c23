"""Events of Stripe, written after its documented schema, before and since basil.

Older: API version 2025-02-24.acacia. Basil: 2025-03-31.basil and later, in which an
invoice names no payment, and a line only the ids of its price and product.
"""

from __future__ import annotations

import hashlib
import hmac
import itertools
from datetime import datetime
from typing import Any

SHAPES = ("older", "basil")
Event = dict[str, Any]
_numbers = itertools.count(1)


def sign(body: bytes, secret: str, *, timestamp: int) -> str:
    """The header Stripe-Signature, after Stripe's documentation."""
    signed = b"%d.%b" % (timestamp, body)
    digest = hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    return f"t={timestamp},v1={digest}"


def event(kind: str, thing: dict[str, Any], at: datetime, **fields: Any) -> Event:
    return {
        "id": f"evt_{next(_numbers)}",
        "object": "event",
        "account": None,
        "api_version": "2025-03-31.basil",
        "created": seconds(at),
        "livemode": True,
        "type": kind,
        "data": {"object": thing},
        "request": {"id": None, "idempotency_key": None},
        **fields,
    }


def seconds(at: datetime) -> int:
    return int(at.timestamp())


def after(start: datetime, months: int) -> datetime:
    years, month = divmod(start.month - 1 + months, 12)
    return start.replace(year=start.year + years, month=month + 1)


def session(client_id: str, cookie: str, at: datetime, **fields: Any) -> Event:
    """A session in which a subscription was bought."""
    thing = {
        "id": "cs_test_" + "a" * 58,
        "object": "checkout.session",
        "mode": "subscription",
        "subscription": "sub_1",
        "invoice": "in_1",
        "payment_intent": None,
        "payment_status": "paid",
        "customer": "cus_1",
        "client_reference_id": client_id,
        "customer_details": {"email": "bob@example.com", "name": "Bob Buyer"},
        "metadata": {"referral_cookie": cookie, "basket": "Bob's"},
        "created": seconds(at),
        "currency": "eur",
        "amount_total": 1200,
        "total_details": {"amount_tax": 200, "amount_discount": 0},
        **fields,
    }
    return event("checkout.session.completed", thing, at)


def line(
    amount: int,
    start: datetime,
    *,
    shape: str = "basil",
    number: int = 1,
    product: str = "prod_pro",
    months: int = 1,
    until: datetime | None = None,
    quantity: int | None = 1,
    discount: int = 0,
    inclusive_tax: int = 0,
    is_proration: bool = False,
) -> dict[str, Any]:
    """A line of the subscription for a term from ``start``."""
    end = until or after(start, months)
    tax = {"amount": inclusive_tax}
    shared = {
        "id": f"il_{number}",
        "object": "line_item",
        "amount": amount,
        "currency": "eur",
        "description": f"1 x {product}",
        "quantity": quantity,
        "discount_amounts": [{"amount": discount, "discount": "di_1"}],
        "period": {"start": seconds(start), "end": seconds(end)},
    }
    if shape == "older":
        interval, count = (
            ("year", months // 12) if months % 12 == 0 else ("month", months)
        )
        return shared | {
            "type": "subscription",
            "subscription": "sub_1",
            "proration": is_proration,
            "price": {
                "id": "price_1",
                "product": product,
                "recurring": {"interval": interval, "interval_count": count},
            },
            "tax_amounts": [tax | {"inclusive": True, "tax_rate": "txr_1"}],
        }
    return shared | {
        "parent": {
            "type": "subscription_item_details",
            "invoice_item_details": None,
            "subscription_item_details": {
                "invoice_item": None,
                "proration": is_proration,
                "subscription": "sub_1",
                "subscription_item": "si_1",
            },
        },
        "pricing": {
            "type": "price_details",
            "price_details": {"price": "price_1", "product": product},
        },
        "taxes": [tax | {"tax_behavior": "inclusive", "type": "tax_rate_details"}],
    }


def invoice(
    number: int,
    lines: list[dict[str, Any]],
    at: datetime,
    *,
    shape: str = "basil",
    reason: str = "subscription_cycle",
    **fields: Any,
) -> Event:
    """A paid invoice of the subscription, with 20 % tax upon its lines."""
    net = sum(row["amount"] - row["discount_amounts"][0]["amount"] for row in lines)
    thing = {
        "id": f"in_{number}",
        "object": "invoice",
        "customer": "cus_1",
        "customer_email": "bob@example.com",
        "customer_name": "Bob Buyer",
        "billing_reason": reason,
        "created": seconds(at),
        "currency": "eur",
        "status": "paid",
        "total": net * 120 // 100,
        "total_excluding_tax": net,
        "amount_paid": net * 120 // 100,
        "starting_balance": 0,
        "ending_balance": 0,
        "lines": {"object": "list", "data": lines, "has_more": False},
        "status_transitions": {"paid_at": seconds(at)},
    }
    if shape == "older":
        thing |= {
            "subscription": "sub_1",
            "charge": f"ch_{number}",
            "payment_intent": f"pi_{number}",
        }
    else:
        details = {"subscription": "sub_1", "metadata": {}}
        thing["parent"] = {
            "type": "subscription_details",
            "subscription_details": details,
        }
    return event("invoice.paid", thing | fields, at)


def invoice_payment(number: int, at: datetime) -> Event:
    thing = {
        "id": f"inpay_{number}",
        "object": "invoice_payment",
        "invoice": f"in_{number}",
        "status": "paid",
        "payment": {"type": "payment_intent", "payment_intent": f"pi_{number}"},
    }
    return event("invoice_payment.paid", thing, at)


def refund(
    number: int, amount: int, at: datetime, kind: str = "created", **fields: Any
) -> Event:
    """A refund of the payment of invoice ``number``."""
    thing = {
        "id": "re_1",
        "object": "refund",
        "amount": amount,
        "charge": f"ch_{number}",
        "payment_intent": f"pi_{number}",
        "created": seconds(at),
        "currency": "eur",
        "status": "succeeded",
        **fields,
    }
    return event(f"refund.{kind}", thing, at)


def dispute(number: int, amount: int, at: datetime, kind: str, **fields: Any) -> Event:
    thing = {
        "id": "du_1",
        "object": "dispute",
        "amount": amount,
        "charge": f"ch_{number}",
        "payment_intent": f"pi_{number}",
        "created": seconds(at),
        "currency": "eur",
        "status": "needs_response",
        **fields,
    }
    return event(f"charge.dispute.{kind}", thing, at)


def credit_note(
    number: int,
    amounts: dict[str, int],
    at: datetime,
    kind: str = "created",
    *,
    shape: str = "basil",
    refund: tuple[str, int] | None = None,
    **fields: Any,
) -> Event:
    """A credit note of lines of the invoice, with 20 % tax upon them."""
    net = sum(amounts.values())
    rows = [
        {
            "id": f"cnli_{line_id}",
            "object": "credit_note_line_item",
            "type": "invoice_line_item",
            "invoice_line_item": line_id,
            "amount": amount,
            "description": "Credited",
            "discount_amounts": [],
            "quantity": 1,
        }
        for line_id, amount in amounts.items()
    ]
    thing: dict[str, Any] = {
        "id": "cn_1",
        "object": "credit_note",
        "invoice": f"in_{number}",
        "created": seconds(at),
        "currency": "eur",
        "total": net * 120 // 100,
        "total_excluding_tax": net,
        "lines": {"object": "list", "data": rows, "has_more": False},
        "status": "issued",
    }
    if shape == "older":
        thing["refund"] = refund and refund[0]
    else:
        parts = [{"refund": refund[0], "amount_refunded": refund[1]}] if refund else []
        thing["refunds"] = parts
    return event(f"credit_note.{kind}", thing | fields, at)
