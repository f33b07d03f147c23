"""Where Django finds the models of every part of the portal."""

from __future__ import annotations

from portal.billing.models import Invoice, InvoiceCounter, InvoiceLine, Payment, Refund
from portal.billing.payment_events import PaymentEvent
from portal.clients.models import User, WalletEntry
from portal.orders.catalogue import Coupon, Product
from portal.orders.models import Order, OrderItem, PaymentDetails

__all__ = [
    "Coupon",
    "Invoice",
    "InvoiceCounter",
    "InvoiceLine",
    "Order",
    "OrderItem",
    "Payment",
    "PaymentDetails",
    "PaymentEvent",
    "Product",
    "Refund",
    "User",
    "WalletEntry",
]
