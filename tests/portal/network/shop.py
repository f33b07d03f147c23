"""A shop from the visitor's click to the refund, beside a tracker that really answers."""

from __future__ import annotations

import html
from collections import Counter
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import time_machine
from django.contrib.messages import get_messages
from django.urls import reverse
from moneyed import Money
from rest_framework.test import APIClient

from affiliates.admin_tools.naming import page_name
from affiliates.brands.models.brand import Brand
from affiliates.contrib.reconciliation.compare import orders_between, reconcile
from affiliates.contrib.reconciliation.types import ReconciliationLine
from affiliates.outbox.http.client import Transport
from affiliates.outbox.http.types import Call, Response
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.models.integration import TrackingIntegration
from affiliates.outbox.protocol import FieldKind
from affiliates.outbox.queue.rules import QueueState
from affiliates.outbox.registry import ADAPTERS
from affiliates.outbox.sending.deliver import deliver_due
from affiliates.outbox.sending.exchange import CallSender
from portal.billing.models import Invoice, Refund, RefundKind
from portal.billing.services import mark_paid, record_refund
from portal.clients.models import User
from portal.demo.network.records import LoggedRequest
from portal.demo.network.server import Simulator
from tests.affiliates.api.calls import convert, register, visit
from tests.affiliates.outbox.outbox import Clock
from tests.factories.portal import (
    OrderFactory,
    OrderItemFactory,
    PaymentDetailsFactory,
    ProductFactory,
)
from tests.hosts.host import Host

LANDING = "/plans?a_aid=testaff"
VISITOR_ADDRESS = "198.51.100.7"
USERNAME = "merchant@example.com"
PASSWORD = "canary-of-the-merchants-password"
PRICE = Money("9.00", "EUR")


class Overhearing:
    """The real transport; a test may read the answers afterwards."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.answers: list[Response] = []

    def send(self, call: Call) -> Response:
        answer = self._transport.send(call)
        self.answers.append(answer)
        return answer


@dataclass
class Shop:
    """Everything happens at the clock's time, over the interface where there is one.

    ``operator`` is signed in to the admin, ``transport`` the one of a single worker.
    """

    brand: Brand
    host: Host
    operator: Any
    tracker: Simulator
    transport: Overhearing
    clock: Clock
    origin: str = "https://shop.example.com"

    def integrate(self, *, provider: str = "pap", **fields: str) -> TrackingIntegration:
        """Configure the integration by its form; a field "" is left empty or off."""
        answer = self._posted_form(provider, fields)
        assert answer.status_code == 302, answer.context["adminform"].form.errors
        return TrackingIntegration.objects.get(brand=self.brand)

    def refusals_of_form(self, **fields: str) -> dict[str, list[str]]:
        """What the form says of such settings, which it does not take."""
        answer = self._posted_form("pap", fields)
        assert answer.status_code == 200
        errors: dict[str, list[str]] = answer.context["adminform"].form.errors
        return errors

    def _posted_form(self, provider: str, fields: dict[str, str]) -> Any:
        defaults = {
            one.name: str(one.default) if one.kind is not FieldKind.SWITCH else "on"
            for one in ADAPTERS[provider].fields
            if one.kind is not FieldKind.SWITCH or one.default
        }
        form = {
            **defaults,
            "brand": str(self.brand.pk),
            "is_active": "on",
            "address": self.tracker.address,
            "parameters": "a_aid, aid",
            "ambiguous_sales": "look_up",
            "requests_per_second": "1000",
            "click_max_age_days": "7",
            "sale_max_age_days": "30",
            "username": USERNAME,
            "password": PASSWORD,
            **fields,
        }
        existing = TrackingIntegration.objects.filter(brand=self.brand).first()
        page = reverse("admin:affiliates_trackingintegration_add")
        if existing is not None:
            page = self.page_of(existing)
        filled = {name: value for name, value in form.items() if value}
        with self.at_this_time():
            return self.operator.post(f"{page}?provider={provider}", filled)

    def at_this_time(self) -> Any:
        return time_machine.travel(self.clock.at, tick=False)

    def browser(self, **extra: str) -> APIClient:
        return APIClient(HTTP_ORIGIN=self.origin, REMOTE_ADDR=VISITOR_ADDRESS, **extra)

    def arrive(
        self, page: str = LANDING, *, cookie: str | None = None, **fields: Any
    ) -> str | None:
        """A visit that is answered as ever; the cookie held after it."""
        with self.at_this_time():
            answer = visit(
                self.browser(), self.origin + page, referral_cookie=cookie, **fields
            )
        assert answer.status_code == 200, answer.content
        held: str | None = answer.json()["data"].get("referral_cookie", cookie)
        return held

    def join(self, cookie: str | None) -> User:
        """Registers whoever holds the cookie."""
        number = User.objects.count()
        email = f"visitor{number}@example.org"
        with self.at_this_time():
            answer = register(self.browser(), email=email, referral_cookie=cookie)
        assert answer.status_code == 201, answer.content
        return User.objects.get(email=email)

    def order(
        self, client: User, *, cookie: str | None = None, price: Money = PRICE
    ) -> Invoice:
        with self.at_this_time():
            basket = OrderFactory(client=client)
            product = ProductFactory(brand=self.brand, price=price)
            OrderItemFactory(order=basket, product=product)
            answer = convert(
                self.browser(HTTP_AUTHORIZATION=self.host.authorization(client)),
                basket.pk,
                payment_details_id=PaymentDetailsFactory(client=client).pk,
                referral_cookie=cookie,
            )
        assert answer.status_code == 200, answer.content
        return Invoice.objects.get(pk=answer.json()["data"]["id"])

    def pay(self, invoice: Invoice) -> Delivery | None:
        """The sale as it is queued for the integration, None when it is not."""
        mark_paid(invoice_id=invoice.pk, now=self.clock.at)
        return delivery("sale", invoice)

    def sell(self, page: str = LANDING, *, price: Money = PRICE) -> Invoice:
        """One visitor's way: visit, registration, conversion, payment."""
        cookie = self.arrive(page)
        invoice = self.order(self.join(cookie), cookie=cookie, price=price)
        self.pay(invoice)
        return invoice

    def refund(self, invoice: Invoice, *, reference: str = "refund-1") -> Refund:
        return record_refund(
            invoice_id=invoice.pk,
            gateway="manual",
            reference=reference,
            amount=invoice.gross,
            kind=RefundKind.REFUND,
            now=self.clock.at,
        )

    def deliver(
        self, *, after: timedelta = timedelta(seconds=1), by: CallSender | None = None
    ) -> Counter[QueueState]:
        """What a worker does some time later, in one pass."""
        self.clock.at += after
        return deliver_due(transport=by or self.transport, now=self.clock)

    def reconcile(self) -> list[ReconciliationLine]:
        day = timedelta(days=1)
        integration = TrackingIntegration.objects.get(brand=self.brand)
        orders = orders_between(
            integration, first=self.clock.at - day, last=self.clock.at + day
        )
        ids = list(orders.values_list("pk", flat=True))
        later = self.clock.at + 2 * day
        return list(reconcile(integration, ids, now=later, sender=self.transport))

    def page_of(self, row: Delivery | TrackingIntegration) -> str:
        return reverse(page_name(row._meta.model_name, "change"), args=[row.pk])

    def shown(self, page: str) -> str:
        """A page of the admin as a person reads it."""
        with self.at_this_time():
            answer = self.operator.get(page)
        assert answer.status_code == 200
        return html.unescape(answer.content.decode())

    def verdict_of_test(self, integration: TrackingIntegration) -> str:
        """What the button "Test connection" says."""
        name = "admin:affiliates_trackingintegration_test_connection"
        answer = self.operator.post(reverse(name, args=[integration.pk]))
        *_, verdict = get_messages(answer.wsgi_request)
        return str(verdict)

    def requests(self, kind: str = "track") -> list[LoggedRequest]:
        """What reached one of the tracker's scripts, as it arrived."""
        with self.tracker.state.lock:
            return [
                one
                for one in self.tracker.state.log
                if urlsplit(one.target).path == f"/scripts/{kind}.php"
            ]

    def held(self) -> list[tuple[str, str, str, str]]:
        """The tracker's transactions: type, order, affiliate and status."""
        with self.tracker.state.lock:
            return [
                (one.type, one.orderid, one.refid, one.status)
                for one in self.tracker.state.transactions
            ]


def delivery(operation: str, invoice: Invoice | None = None) -> Delivery | None:
    """The latest of its kind, of the invoice where one is given."""
    rows = Delivery.objects.filter(operation=operation)
    if invoice is not None:
        rows = rows.filter(order_ref=str(invoice.pk))
    return rows.order_by("-id").first()
