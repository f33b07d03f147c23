"""From the visit to the refund, as a customer's browser does it."""

from io import StringIO

from django.contrib import admin
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import Client, TestCase, override_settings
from django.urls import reverse
from django.utils import timezone

from affiliates.models import Brand, Commission, OrderReferral
from hosting import services
from hosting.models import Invoice, Order

BROWSER = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36"
)


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


def earned() -> list[tuple[str, int]]:
    """The status of each commission, and what is left of it in cents."""
    return [
        (row.status, row.amount + sum(one.amount for one in row.reversals.all()))
        for row in Commission.objects.order_by("pk")
    ]


@override_settings(
    AFFILIATES_CONFIG_REFRESH_SECONDS=0, AFFILIATES_CLICK_WRITER="direct"
)
class Shop(TestCase):
    @classmethod
    def setUpTestData(cls) -> None:
        start = ("affiliates_start", "Example Hosting", "--domain", "localhost:8000")
        run(*start, "--percent", "20", "--hold-days", "0")
        # Ada's visitors order at once, a sign that staff have three days to look at.
        Brand.objects.update(flagged_hold_days=0)
        brand_id = Brand.objects.get().pk
        cls.enterClassContext(override_settings(BRAND_ID=brand_id))
        ada = sign_up(browser(), "ada")
        run("affiliates_enrol", str(ada.pk), "--code", "ada")

    def tearDown(self) -> None:
        assert "differ" not in run("verify_ledger", "--deep")

    def order(self, client: Client) -> Invoice:
        client.post("/order/business")
        return Invoice.objects.latest("pk")

    def sent_by_ada(self) -> Client:
        client = browser()
        arrived = client.get("/?ref=ada")
        assert arrived.status_code == 302
        assert "referral_cookie" in client.cookies
        sign_up(client, "bob")
        return client

    def test_a_paid_order_of_whom_she_sent_earns(self) -> None:
        client = self.sent_by_ada()
        invoice = self.order(client)
        assert earned() == []

        for _ in range(2):
            client.post(f"/invoices/{invoice.pk}")

        assert earned() == [("approved", 4800)]

    def test_who_came_alone_earns_nobody_anything(self) -> None:
        client = browser()
        sign_up(client, "eve")
        invoice = self.order(client)

        client.post(f"/invoices/{invoice.pk}")

        assert earned() == []
        assert OrderReferral.objects.get().affiliate is None

    def test_a_renewal_earns_too_and_a_refund_takes_back(self) -> None:
        client = self.sent_by_ada()
        invoice = self.order(client)
        client.post(f"/invoices/{invoice.pk}")
        renewal = services.bill(Order.objects.get())
        client.post(f"/invoices/{renewal.pk}")
        assert earned() == [("approved", 4800), ("approved", 4800)]

        for _ in range(2):
            services.refund(renewal.pk, now=timezone.now())

        assert [cents for _, cents in earned()] == [4800, 0]

    def test_a_test_brand_and_a_second_brand_change_nothing(self) -> None:
        Brand.objects.create(name="Test", is_test=True)
        Brand.objects.create(name="Second")

        client = self.sent_by_ada()
        client.post(f"/invoices/{self.order(client).pk}")

        assert earned() == [("approved", 4800)]

    def test_nobody_pays_the_invoice_of_another(self) -> None:
        invoice = self.order(self.sent_by_ada())
        stranger = browser()
        sign_up(stranger, "eve")

        answer = stranger.post(f"/invoices/{invoice.pk}")

        assert answer.status_code == 404
        assert earned() == []

    def test_a_code_within_an_offer_takes_something_off_until_it_ends(self) -> None:
        staff, ada = browser(), browser()
        staff.force_login(User.objects.create_superuser("staff"))
        ada.force_login(User.objects.get(username="ada"))
        offer = {"brand": Brand.objects.get().pk, "name": "Ten off", "is_active": "on"}
        terms = {"text": "10 % off", "host_terms": '{"percent_off": "10"}'}
        shares = {"max_codes": 1, "affiliate_funds_percent": 50, "prefix": "get-"}
        staff.post("/admin/affiliates_offers/offer/add/", offer | terms | shares)
        [listed] = ada.get("/api/affiliate/offers").json()["data"]["offers"]
        body, coupons = {"offer_id": listed["id"]}, "/api/affiliate/coupons"
        made = ada.post(coupons, body, "application/json").json()["data"]
        bob = browser()
        sign_up(bob, "bob")

        bob.post("/order/business", {"code": "get-ada"})
        first = Invoice.objects.latest("pk")
        bob.post(f"/invoices/{first.pk}")
        ada.delete(f"{coupons}/{made['id']}")
        bob.post("/order/business", {"code": "get-ada"})
        second = Invoice.objects.latest("pk")
        bob.post(f"/invoices/{second.pk}")

        assert made["code"] == "GET-ADA"
        assert [first.net, second.net] == [216, 240]
        # 20 % of 216.00, less half of the discount of 24.00.
        assert earned() == [("approved", 3120)]

    def test_every_page_of_the_admin_opens_without_a_theme(self) -> None:
        client = self.sent_by_ada()
        client.post(f"/invoices/{self.order(client).pk}")
        client.force_login(User.objects.create_superuser("staff"))
        for model in admin.site._registry:
            name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
            with self.subTest(name):
                page = client.get(reverse(f"{name}_changelist"))
                assert page.status_code == 200
                for row in model._default_manager.all()[:1]:
                    page = client.get(reverse(f"{name}_change", args=[row.pk]))
                    assert page.status_code == 200

    def test_nothing_is_missing(self) -> None:
        assert "no issues" in run("check")
        run("makemigrations", "--check", "--dry-run")
