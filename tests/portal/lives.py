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

from affiliates.commissions.services.maturing import mature_all
from affiliates.contrib.area.looks.services import ask_for_look
from affiliates.contrib.payout_runs.services.answers import (
    apply_answer,
    begin_answer,
    keep_answer,
)
from affiliates.contrib.payout_runs.services.approvals import approve_run
from affiliates.contrib.payout_runs.services.drafts import draft, start_run
from affiliates.emails.sending import send_due
from affiliates.outbox.sending.deliver import deliver_due
from affiliates.payouts.models import Payout
from affiliates.plans.models.coupon import CouponCode
from affiliates.plans.services import publish_coupon
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.program.services import add_note, change_status
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
from tests.affiliates.contrib.recruitment.links import links
from tests.affiliates.payouts.bank import paid, statement
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


class Applicant(Life):
    """Somebody whose application nobody has confirmed."""

    def apply(self, questions: list[Any]) -> None:
        said = self.words
        stamp = self.browser.get("/affiliate/apply").context["form"]["stamp"].value()
        self.wait(minutes=2)
        answers = {f"question_{one.pk}": said.text() for one in questions}
        given = {
            "email": self.email,
            "firstname": said.core(),
            "lastname": said.core(),
            "stamp": stamp,
            "terms": "1",
            "accepts": "on",
        }
        self.post("/affiliate/apply", given | answers)
        self.link = "/" + links()[self.email].split("/", 3)[3]


class Partner(Applicant):
    """An applicant who became an affiliate, earned, was paid and left."""

    def live(self, *, questions: list[Any], buyer: Buyer, **given: Any) -> None:
        said, staff = self.words, given["staff"]
        self.apply(questions)
        self.tell_others()
        self.code = said.core()
        self.post(self.link, {"password": PASSWORD, "code": self.code})
        affiliates = Affiliate.objects.filter(brand=self.brand, code=self.code)
        change_status(affiliates, status=AffiliateStatus.ACTIVE)
        self.affiliate = affiliates.get()
        self.user = self.affiliate.user
        self._use_the_area()
        self._be_looked_after(staff)
        buyer.sub_id = self.sub_id = said.core()
        buyer.buy(token=self.slug, product=given["product"])
        self._be_paid(staff, given["second"])
        self.sign_in()
        self.post("/affiliate/leave/confirm", {"is_confirmed": "on"})
        self.tell_others()

    def _use_the_area(self) -> None:
        said = self.words
        self.sign_in()
        for _ in range(2):
            self.slug = said.core()
            link = {"name": said.text(), "target_url": said.url(f"{SHOP}/plans")}
            self.post("/affiliate/links/new", link | {"slug": self.slug})
        claim = {"order": said.core(), "client_email": said.email()}
        self.post("/affiliate/claims/new", claim | {"note": said.text()})
        hook = {"address": f"https://hooks.example.com/{said.core()}"}
        self.post("/affiliate/webhook", hook | {"is_active": "on"}, status=200)
        key = {"name": said.text(), "scopes": ["money"], "days": "30"}
        self.post("/affiliate/keys/new", key, status=200)
        for to, details in (
            ("paypal", {"email": said.email()}),
            ("bank", {"account_holder": f"Jo {said.core()}", "iban": said.iban()}),
        ):
            self.post(f"/affiliate/destination/{to}", details | {"is_confirmed": "on"})
        self.wait(days=40)

    def _be_looked_after(self, staff: Any) -> None:
        said = self.words
        add_note(
            affiliate_id=self.affiliate.pk,
            text=said.text(),
            author_id=staff.pk,
            now=self.now,
        )
        address = ask_for_look(
            self.affiliate, reason="A question.", actor_id=staff.pk, now=self.now
        )
        looker = Client(headers=HOST)
        looker.get("/" + address.split("/", 3)[3])
        looker.get("/affiliate/links")
        coupon = CouponCode.objects.create(
            brand=self.brand, affiliate=self.affiliate, code=said.core().upper()
        )
        publish_coupon(coupon, now=self.now)

    def _be_paid(self, staff: Any, second: Any) -> None:
        """By a run, its file and the bank's answer."""
        said = self.words
        self.wait(days=40)
        mature_all(now=lambda: self.now)
        run = start_run(
            brand_id=self.brand.pk, period=None, actor_id=staff.pk, now=self.now
        )
        draft(run, clock=lambda: self.now, should_stop=lambda: False)
        approve_run(run_id=run.pk, actor_id=second.pk, now=self.now)
        payout = Payout.objects.get(affiliate=self.affiliate)
        content = statement(
            paid(f"PAYOUT-{payout.pk}", payout.amount, number=payout.pk),
            head=f"<!-- {said.text()} -->",
        )
        answer = keep_answer(
            brand_id=self.brand.pk,
            name=f"{said.core()}.xml",
            content=content,
            actor_id=staff.pk,
            now=self.now,
        )
        begin_answer(answer_id=answer.pk, actor_id=staff.pk)
        apply_answer(
            answer_id=answer.pk, clock=lambda: self.now, should_stop=lambda: False
        )
        payout.refresh_from_db()
        assert payout.status == "paid"
