"""Stripe's events, signed as Stripe signs them, late, twice and in any order."""

import json
import os
import subprocess
import sys
from io import StringIO
from itertools import permutations
from time import time
from unittest.mock import patch

import stripe
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import transaction
from django.test import Client, TestCase, override_settings

from affiliates.models import (
    Brand,
    Commission,
    InvoicePayment,
    InvoiceRefund,
    OrderReferral,
)
from saas.models import Payment, Subscription

BROWSER = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36"
)
SECRET = "whsec_of_these_tests"


def browser() -> Client:
    return Client(HTTP_HOST="localhost:8000", HTTP_USER_AGENT=BROWSER)


def sign_up(client: Client, name: str) -> User:
    fields = {"username": name, "email": f"{name}@example.com"}
    password = {"password1": "correct-horse", "password2": "correct-horse"}
    client.post("/sign-up", fields | password)
    return User.objects.get(username=name)


def run(*command: str) -> str:
    out = StringIO()
    call_command(*command, stdout=out, stderr=StringIO())
    return out.getvalue()


def event(kind: str, thing: dict, **before: int) -> dict:
    data = {"object": thing, "previous_attributes": before}
    return {"id": "evt_1", "type": kind, "created": int(time()), "data": data}


def checkout(user: User, cookie: str) -> dict:
    session = {
        "id": "cs_1",
        "mode": "subscription",
        "subscription": "sub_1",
        "invoice": "in_1",
        "client_reference_id": str(user.pk),
        "metadata": {"referral_cookie": cookie},
        "created": int(time()) + 1,  # A second after the click, at least.
    }
    return event("checkout.session.completed", session)


def invoice(number: int, cents: int, reason: str, *more: int, paid: int = -1) -> dict:
    """Its lines are what ``more`` says, and the rest."""
    price = {"product": "prod_pro", "recurring": {"interval": "month"}}
    amounts = [*more, cents - sum(more)]
    lines = [{"description": "Pro", "amount": one, "price": price} for one in amounts]
    total = cents * 120 // 100
    facts = {
        "id": f"in_{number}",
        "subscription": "sub_1",
        "billing_reason": reason,
        "charge": f"ch_{number}",
        "currency": "eur",
        "total": total,
        "total_excluding_tax": cents,
        "amount_paid": total if paid < 0 else paid,
        "lines": {"data": lines},
        "status_transitions": {"paid_at": int(time())},
    }
    return event("invoice.paid", facts)


def refund(number: int, cents: int, *, before: int = 0) -> dict:
    charge = {
        "id": f"ch_{number}",
        "invoice": f"in_{number}",
        "amount_refunded": before + cents,
        "currency": "eur",
    }
    return event("charge.refunded", charge, amount_refunded=before)


def dispute(number: int, cents: int) -> dict:
    facts = {"id": "dp_1", "charge": f"ch_{number}", "amount": cents, "currency": "eur"}
    return event("charge.dispute.funds_withdrawn", facts)


def tell(told: dict, *, secret: str = SECRET, at: int | None = None) -> int:
    body, moment = json.dumps(told), int(time()) if at is None else at
    signature = stripe.WebhookSignature._compute_signature(f"{moment}.{body}", secret)
    return (
        Client()
        .post(
            "/stripe",
            body,
            content_type="application/json",
            headers={"Stripe-Signature": f"t={moment},v1={signature}"},
        )
        .status_code
    )


def earned() -> list[int]:
    """What is left of each invoice's commission, in cents."""
    rows = Commission.objects.order_by("sale__invoice_ref")
    taken = [sum(one.amount for one in row.reversals.all()) for row in rows]
    return [row.amount + one for row, one in zip(rows, taken, strict=True)]


@override_settings(
    AFFILIATES_CONFIG_REFRESH_SECONDS=0,
    AFFILIATES_CLICK_WRITER="direct",
    STRIPE_WEBHOOK_SECRET=SECRET,
)
class Service(TestCase):
    def setUp(self) -> None:
        start = ("affiliates_start", "Pro", "--domain", "localhost:8000")
        run(*start, "--percent", "20", "--hold-days", "0")
        brand_id = Brand.objects.get().pk
        self.enterContext(override_settings(BRAND_ID=brand_id))
        ada = sign_up(browser(), "ada")
        run("affiliates_enrol", str(ada.pk), "--code", "ada")
        self.client = browser()
        self.client.get("/?ref=ada")
        self.cookie = self.client.cookies["referral_cookie"].value
        self.bob = sign_up(self.client, "bob")

    def tearDown(self) -> None:
        run("verify_ledger", "--deep")

    def test_stripe_is_given_the_cookie(self) -> None:
        with patch("stripe.checkout.Session.create") as create:
            create.return_value.url = "https://checkout.stripe.com/c/pay/cs_1"
            answer = self.client.post("/subscribe")

        given = create.call_args.kwargs
        assert answer.url == "https://checkout.stripe.com/c/pay/cs_1"
        assert given["client_reference_id"] == str(self.bob.pk)
        assert given["metadata"] == {"referral_cookie": self.cookie}

    def test_any_order_and_any_repeat_come_to_the_same(self) -> None:
        told = [
            checkout(self.bob, self.cookie),
            invoice(1, 1000, "subscription_create"),
            invoice(2, 1000, "subscription_cycle"),
            refund(1, 600),
        ]
        for order in permutations(told):
            with self.subTest([one["type"] for one in order]), transaction.atomic():
                assert [tell(one) for one in order] == [200] * 4
                assert [tell(one) for one in order] == [200] * 4
                assert earned() == [100, 200]
                assert OrderReferral.objects.get().affiliate.code == "ada"
                transaction.set_rollback(True)

    def test_an_upgrade_earns_by_what_it_costs_more(self) -> None:
        tell(checkout(self.bob, self.cookie))
        tell(invoice(1, 1000, "subscription_create"))

        tell(invoice(2, 1500, "subscription_update", -500))

        assert earned() == [200, 300]

    def test_a_test_brand_and_a_second_brand_change_nothing(self) -> None:
        Brand.objects.create(name="Test", is_test=True)
        Brand.objects.create(name="Second")

        tell(checkout(self.bob, self.cookie))
        tell(invoice(1, 1000, "subscription_create"))

        assert earned() == [200]

    def test_a_trial_and_a_downgrade_earn_nothing(self) -> None:
        tell(checkout(self.bob, self.cookie))

        tell(invoice(1, 0, "subscription_create"))
        tell(invoice(2, -500, "subscription_update", -1000))

        assert earned() == []
        assert Payment.objects.count() == 0

    def test_refunds_add_up_and_a_dispute_takes_all(self) -> None:
        tell(checkout(self.bob, self.cookie))
        tell(invoice(1, 1000, "subscription_create"))
        tell(invoice(2, 1000, "subscription_cycle"))

        tell(refund(1, 300, before=600))
        tell(refund(1, 600))
        tell(dispute(2, 1200))

        assert earned() == [50, 0]

    def test_a_dispute_of_what_is_not_known_yet_is_asked_for_again(self) -> None:
        tell(checkout(self.bob, self.cookie))

        assert tell(dispute(1, 1200)) == 409
        tell(invoice(1, 1000, "subscription_create"))
        assert tell(dispute(1, 1200)) == 200

        assert earned() == [0]

    def test_what_stripe_has_not_signed_changes_nothing(self) -> None:
        told = checkout(self.bob, self.cookie)

        assert tell(told, secret="whsec_of_somebody_else") == 400
        assert tell(told, at=int(time()) - 3600) == 400
        assert Client().post("/stripe", told, "application/json").status_code == 400

        tables = (Subscription, Payment, OrderReferral, InvoicePayment, InvoiceRefund)
        assert [table.objects.count() for table in tables] == [0] * 5

    def test_an_empty_secret_proves_nothing(self) -> None:
        told = checkout(self.bob, self.cookie)

        with override_settings(STRIPE_WEBHOOK_SECRET=""):
            assert tell(told, secret="") == 503

        assert Subscription.objects.count() == OrderReferral.objects.count() == 0

    def test_nothing_starts_without_the_secret(self) -> None:
        kept = {name: os.environ[name] for name in os.environ if "STRIPE" not in name}

        started = subprocess.run(
            [sys.executable, "manage.py", "check"],
            cwd=settings.BASE_DIR,
            env=kept,
            capture_output=True,
            text=True,
        )

        assert started.returncode == 1
        assert "KeyError: 'STRIPE_WEBHOOK_SECRET'" in started.stderr

    def test_nothing_is_missing(self) -> None:
        assert "no issues" in run("check")
        run("makemigrations", "--check", "--dry-run")
