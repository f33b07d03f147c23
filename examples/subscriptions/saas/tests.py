"""Stripe's events, signed as Stripe signs them, late, twice and in any order."""

import json
import os
import subprocess
import sys
from io import StringIO
from itertools import count, permutations
from time import time
from unittest.mock import patch

import stripe
from django.conf import settings
from django.contrib.auth.models import User
from django.core.management import call_command
from django.db import transaction
from django.test import Client, TestCase, override_settings

from affiliates.models import Brand, Commission, OrderReferral

BROWSER = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36"
)
SECRET = "whsec_of_these_tests"
NUMBERS = count(1)
MONTH = 30 * 86_400


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


def event(kind: str, thing: dict) -> dict:
    facts = {"id": f"evt_{next(NUMBERS)}", "type": kind, "created": int(time())}
    return facts | {"livemode": False, "data": {"object": thing}}


def checkout(user: User, cookie: str) -> dict:
    session = {
        "mode": "subscription",
        "subscription": "sub_1",
        "invoice": "in_1",
        "client_reference_id": str(user.pk),
        "metadata": {"referral_cookie": cookie},
        "payment_status": "paid",
        "created": int(time()) + 1,  # A second after the click, at least.
    }
    return event("checkout.session.completed", session)


def invoice(number: int, reason: str) -> dict:
    """10.00 and 20 % tax, for a month."""
    start = int(time()) + (number - 1) * MONTH
    line = {
        "id": f"il_{number}",
        "amount": 1000,
        "description": "Pro",
        "parent": {"subscription_item_details": {"subscription": "sub_1"}},
        "pricing": {"price_details": {"product": "prod_pro"}},
        "period": {"start": start, "end": start + MONTH + 60},
    }
    facts = {
        "id": f"in_{number}",
        "parent": {"subscription_details": {"subscription": "sub_1"}},
        "billing_reason": reason,
        "created": start,
        "currency": "eur",
        "total": 1200,
        "total_excluding_tax": 1000,
        "lines": {"data": [line]},
    }
    return event("invoice.paid", facts)


def payment(number: int) -> dict:
    facts = {"payment_intent": f"pi_{number}"}
    return event("invoice_payment.paid", {"invoice": f"in_{number}", "payment": facts})


def refund(number: int, cents: int) -> dict:
    facts = {"id": "re_1", "payment_intent": f"pi_{number}", "amount": cents}
    return event("refund.created", facts | {"currency": "eur", "created": int(time())})


def tell(told: dict, *, secret: str = SECRET, at: int | None = None) -> int:
    body, moment = json.dumps(told), int(time()) if at is None else at
    signature = stripe.WebhookSignature._compute_signature(f"{moment}.{body}", secret)
    return (
        Client()
        .post(
            f"/api/stripe/{settings.BRAND_ID}",
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
)
class Service(TestCase):
    def setUp(self) -> None:
        start = ("affiliates_start", "Pro", "--domain", "localhost:8000")
        run(*start, "--percent", "20", "--hold-days", "0")
        brand_id = Brand.objects.get().pk
        secrets = {brand_id: [SECRET]}
        own = {"BRAND_ID": brand_id, "AFFILIATES_STRIPE_SECRETS": secrets}
        self.enterContext(override_settings(**own))
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
            invoice(1, "subscription_create"),
            payment(1),
            invoice(2, "subscription_cycle"),
            refund(1, 600),
        ]
        for order in permutations(told):
            with self.subTest([one["type"] for one in order]), transaction.atomic():
                assert [tell(one) for one in order * 2] == [200] * 10
                assert earned() == [100, 200]
                assert OrderReferral.objects.get().affiliate.code == "ada"
                transaction.set_rollback(True)

    def test_what_stripe_has_not_signed_changes_nothing(self) -> None:
        told = checkout(self.bob, self.cookie)

        assert tell(told, secret="whsec_of_somebody_else") == 400
        assert tell(told, at=int(time()) - 3600) == 400

        assert OrderReferral.objects.count() == 0

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
