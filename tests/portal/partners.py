"""Affiliates, and applicants who are none yet, who live by the pages of the area."""

from __future__ import annotations

from typing import Any

from django.test import Client

from affiliates.commissions.services.maturing import mature_all
from affiliates.contrib.area.looks.services import ask_for_look
from affiliates.contrib.payout_runs.services.answers import (
    apply_answer,
    begin_answer,
    keep_answer,
)
from affiliates.contrib.payout_runs.services.approvals import approve_run
from affiliates.contrib.payout_runs.services.drafts import draft, start_run
from affiliates.payouts.models import Payout
from affiliates.plans.models.coupon import CouponCode
from affiliates.plans.services import publish_coupon
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.program.services import add_note, change_status
from tests.affiliates.api.calls import SHOP
from tests.affiliates.contrib.recruitment.links import links
from tests.affiliates.payouts.bank import paid, statement
from tests.portal.lives import HOST, PASSWORD, Buyer, Life


class Applicant(Life):
    """Somebody whose application nobody has confirmed."""

    def apply(self, questions: list[Any]) -> None:
        said = self.words
        stamp = self.browser.get("/affiliate/apply").context["form"]["stamp"].value()
        self.wait(minutes=2)
        answers = {
            f"question_{one.pk}": f"{said.text()} {said.text()}" for one in questions
        }
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
