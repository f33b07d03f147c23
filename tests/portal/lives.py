"""Persons who do what persons do, by the ways of the product, with words of their own."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from django.contrib.admin.models import CHANGE, LogEntry
from django.test import Client
from django.utils import timezone
from moneyed import Money
from rest_framework.test import APIClient
from stdnum.iso7064 import mod_97_10

from affiliates.emails.sending import send_due
from affiliates.outbox.sending.deliver import deliver_due
from portal.billing.models import Invoice, InvoiceLine, RefundKind
from portal.billing.services import record_payment, record_refund
from portal.clients.credit import add_credit
from portal.clients.models import User
from portal.orders.services import end_service
from tests.affiliates.api.calls import (
    BROWSER,
    REGISTER,
    SHOP,
    convert,
    registration_body,
    visited,
)
from tests.affiliates.webhooks.receiver import Receiver

PASSWORD = "correct horse battery"  # noqa: S105 of nobody
HOST = {"host": "shop.example.com"}


class Words:
    """Hands out texts that exist once, in which no alphabet and no case is missed."""

    def __init__(self, mark: str) -> None:
        self.mark = mark
        self.said: list[str] = []

    def core(self) -> str:
        """What is searched for: lower-case letters and digits."""
        self.said.append(f"q{self.mark}q{len(self.said):03}z")
        return self.said[-1]

    def text(self) -> str:
        return f"Zoë {self.core()} & <Ü>"

    def email(self) -> str:
        return f"{self.core()}@{self.core()}.example.org"

    def url(self, site: str) -> str:
        return f"{site}?sub2={self.core()}&mail={self.email()}#{self.core()}"

    def iban(self) -> str:
        """A German one, whose account number exists once."""
        account = f"37040044{self.mark.translate(DIGITS)[:4]}{len(self.said):06}"
        check = 98 - mod_97_10.checksum(f"{account}DE00")
        self.said.append(f"de{check:02}{account}")
        return self.said[-1].upper()


DIGITS = str.maketrans("abcdefghij", "0123456789")


class Life:
    """One person's; ``clock`` moves the time of all."""

    def __init__(self, brand: Any, mark: str, *, clock: Any, number: int = 0) -> None:
        self.brand = brand
        self.words = Words(mark)
        self.email = self.words.email()
        self.canaries = [self.email]
        self.addresses = (f"81.77.{number}.9", f"2a01:4f8:{number:x}:9::1")
        self.clock = clock
        self.receiver = Receiver()
        self.browser = Client(headers=HOST, REMOTE_ADDR=self.addresses[0])

    @property
    def now(self) -> datetime:
        return timezone.now()

    def wait(self, **time: int) -> None:
        self.clock.move_to(self.now + timedelta(**time), tick=False)

    def post(self, path: str, data: dict[str, Any], *, status: int = 302) -> Any:
        answer = self.browser.post(path, data)
        assert answer.status_code == status, answer.content.decode()
        return answer

    def sign_in(self) -> None:
        """On the shop's page, which keeps the browser with the session."""
        agent = f"{BROWSER} {self.words.core()}"
        given = {"email": self.email, "password": PASSWORD}
        answer = self.browser.post("/login", given, headers={"user-agent": agent})
        assert answer.status_code == 302, answer.content.decode()

    def tell_others(self) -> None:
        """The worker sends what is due: e-mails and deliveries."""
        send_due(now=timezone.now)
        deliver_due(transport=self.receiver, now=timezone.now)


class Buyer(Life):
    sub_id = "footer"

    def live(self, *, token: str, product: Any, staff: Any) -> None:
        self.buy(token=token, product=product)
        self.sign_in()
        self._ask_for_a_password()
        self._meet(staff)
        self.tell_others()

    def buy(self, *, token: str, product: Any) -> None:
        self._arrive(token)
        self._register()
        self._buy(product)

    def _arrive(self, token: str) -> None:
        said = self.words
        self.api = APIClient(HTTP_ORIGIN=SHOP)
        self.cookie = None
        for number in range(4):
            query = f"ref={token}&redirect=https://{said.core()}.example.net/"
            query += f"&sub1={self.sub_id}&name={said.core()}&to={said.email()}"
            self.api.defaults["REMOTE_ADDR"] = self.addresses[number % 2]
            data = visited(
                self.api,
                f"{SHOP}/aff/{token}?{query}#{said.core()}",
                referrer_url=f"https://blog.example.org/{said.core()}?q={said.core()}",
                user_agent=f"{BROWSER} {said.core()}",
                referral_cookie=self.cookie,
            )
            self.cookie = data["referral_cookie"]
        one, other = self.addresses
        self.canaries += [f"{one.rpartition('.')[0]}.0/", f"{other[:-4]}:/"]

    def _register(self) -> None:
        said = self.words
        headers = {"Idempotency-Key": f'"a-key-of-{said.mark}-that-nobody-guesses"'}
        answer = self.api.post(
            REGISTER,
            registration_body(
                email=self.email,
                firstname=said.text(),
                lastname=said.text(),
                password=PASSWORD,
                referral_cookie=self.cookie,
            ),
            format="json",
            headers=headers,
        ).json()["data"]
        self.api.credentials(HTTP_AUTHORIZATION=f"Bearer {answer['token']}")
        self.user = User.objects.get(pk=answer["id"])

    def _buy(self, product: Any) -> None:
        said = self.words
        order = self._sent("/api/orders", {})
        self._sent(f"/api/orders/{order['id']}/items", {"product_id": product.pk})
        how = {"gateway": "manual", "label": said.text()}
        details = self._sent("/api/payment_details", how)
        answer = convert(
            self.api,
            order["id"],
            payment_details_id=details["id"],
            referral_cookie=self.cookie,
        ).json()["data"]
        # A host that sells domains names the client's.
        lines = InvoiceLine.objects.filter(invoice=answer["id"])
        lines.update(description=f"{said.core()}.example")
        invoice = Invoice.objects.get(pk=answer["id"])
        of = {"invoice_id": invoice.pk, "gateway": "acme", "now": self.now}
        record_payment(**of, reference=said.core(), amount=invoice.gross)
        record_refund(
            **of,
            reference=said.core(),
            amount=Money("1.00", "EUR"),
            kind=RefundKind.REFUND,
        )
        self.order_id = order["id"]

    def _sent(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        answer = self.api.post(path, body, format="json")
        assert answer.status_code == 201, answer.content
        data: dict[str, Any] = answer.json()["data"]
        return data

    def _ask_for_a_password(self) -> None:
        """After a wrong one was refused."""
        for path, given, status in (
            ("login", {"password": "not-mine"}, 400),
            ("password_reset", {}, 200),
        ):
            given = {"email": self.email, **given}
            answer = self.api.post(f"/api/clients/{path}", given, format="json")
            assert answer.status_code == status, answer.content

    def _meet(self, staff: Any) -> None:
        """What staff write of the client, in the admin and for the client."""
        said = self.words
        LogEntry.objects.log_actions(staff.pk, [self.user], CHANGE, said.text())
        add_credit(
            client_id=self.user.pk,
            amount=Money("5.00", "EUR"),
            reason=said.text(),
            reference=said.core(),
            now=self.now,
        )
        end_service(order_id=self.order_id, reason=said.text(), now=self.now)
