"""From the visit to the payout and the removal, as customers and staff do it."""

from decimal import Decimal
from io import StringIO
from unittest.mock import patch

from django.contrib.auth.models import Group, User
from django.core import mail
from django.core.management import call_command
from django.db import connection
from django.test import (
    Client,
    TestCase,
    TransactionTestCase,
    override_settings,
)
from oscar.apps.address.models import Country
from oscar.apps.order.models import Order, PaymentEventType
from oscar.test.factories import (
    ConditionalOfferFactory,
    RangeFactory,
    VoucherFactory,
    create_product,
)

from affiliates.models import (
    Brand,
    ClientReferral,
    Commission,
    OrderReferral,
    Payout,
)

BROWSER = (
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36"
)
ADDRESS = {
    "first_name": "Bob",
    "last_name": "Buyer",
    "line1": "1 Street",
    "line4": "London",
    "postcode": "N1 9RT",
    "country": "GB",
}


def browser() -> Client:
    return Client(HTTP_HOST="localhost:8000", HTTP_USER_AGENT=BROWSER)


def sent_by_ada() -> Client:
    client = browser()
    arrived = client.get("/?ref=ada")
    assert (arrived.status_code, arrived.url) == (302, "http://localhost:8000/")
    assert client.cookies["referral_cookie"].value
    return client


def sign_up(client: Client, name: str) -> User:
    password = {"password1": "correct-horse", "password2": "correct-horse"}
    form = {"email": f"{name}@example.com", **password}
    answer = client.post("/accounts/register/", form)
    assert answer.status_code == 302
    return User.objects.get(email=f"{name}@example.com")


def sign_up_socially(client: Client, name: str) -> User:
    """As at a provider: allauth's dummy asks what a real one would answer."""
    provider = client.post("/social/dummy/login/").url
    form = {"id": 17, "email": f"{name}@example.com", "email_verified": "on"}
    answer = client.post(provider, form)
    assert answer.status_code == 302, answer.content
    return User.objects.get(email=f"{name}@example.com")


def fill_basket(client: Client, product) -> None:
    answer = client.post(f"/basket/add/{product.pk}/", {"quantity": 2})
    assert answer.status_code == 302


def check_out(client: Client) -> Order:
    """From the shipping address to the page that says thank you."""
    shipped = client.post("/checkout/shipping-address/", ADDRESS, follow=True)
    assert shipped.redirect_chain[-1][0] == "/checkout/payment-details/"
    placed = client.post("/checkout/preview/", {"action": "place_order"}, follow=True)
    assert placed.redirect_chain == [("/checkout/thank-you/", 302)], placed.content
    assert placed.status_code == 200
    return placed.context["order"]


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


def open_shop(case) -> None:
    start = ("affiliates_start", "Example Shop", "--domain", "localhost:8000")
    run(*start, "--percent", "20", "--hold-days", "0")
    # Ada's visitors order at once, a sign that staff have three days to look at.
    Brand.objects.update(flagged_hold_days=0)
    case.enterContext(override_settings(BRAND_ID=Brand.objects.get().pk))
    case.ada = sign_up(browser(), "ada")
    run("affiliates_enrol", str(case.ada.pk), "--code", "ada")
    Country.objects.create(iso_3166_1_a2="GB", name="UK", is_shipping_country=True)
    case.book = create_product(title="A book", price=Decimal(150), num_in_stock=99)
    case.staff = browser()
    case.staff.force_login(User.objects.create_superuser("staff"))


@override_settings(
    AFFILIATES_CONFIG_REFRESH_SECONDS=0, AFFILIATES_CLICK_WRITER="direct"
)
class Shop(TestCase):
    def setUp(self) -> None:
        open_shop(self)

    def tearDown(self) -> None:
        assert "differ" not in run("verify_ledger", "--deep")

    def pay_event(self, order: Order, kind: str, amount: str) -> None:
        """As staff do it on the order's page of the dashboard."""
        PaymentEventType.objects.get_or_create(name=kind)
        form = {"order_action": "create_order_payment_event", "amount": amount}
        page = f"/dashboard/orders/{order.number}/"
        self.staff.post(page, form | {"payment_event_type": kind.lower()})

    def bound(self) -> list[tuple[str, str]]:
        rows = ClientReferral.objects.values_list("client__email", "affiliate__code")
        return [*rows]

    def test_a_client_who_signs_up_by_the_form_is_bound_and_earns(self) -> None:
        bob = sent_by_ada()
        sign_up(bob, "bob")
        fill_basket(bob, self.book)

        order = check_out(bob)

        assert self.bound() == [("bob@example.com", "ada")]
        assert mail.outbox[-1].to == ["bob@example.com"]
        assert earned() == [("approved", 6000)]
        assert OrderReferral.objects.get().invoice_ref == order.number

    def test_a_client_who_signs_up_socially_is_bound_and_earns(self) -> None:
        bob = sent_by_ada()
        sign_up_socially(bob, "bob")
        fill_basket(bob, self.book)

        check_out(bob)

        assert self.bound() == [("bob@example.com", "ada")]
        assert earned() == [("approved", 6000)]

    def test_a_client_who_has_an_account_is_not_bound_by_a_social_login(self) -> None:
        sign_up_socially(browser(), "bob")

        sign_up_socially(sent_by_ada(), "bob")

        assert self.bound() == []

    def test_a_guest_earns_and_is_no_user(self) -> None:
        eve = sent_by_ada()
        fill_basket(eve, self.book)
        eve.post("/checkout/", {"username": "eve@example.com", "options": "anonymous"})

        order = check_out(eve)

        assert (order.user, order.guest_email) == (None, "eve@example.com")
        assert earned() == [("approved", 6000)]
        page = self.staff.get(
            f"/admin/affiliates/orderreferral/{OrderReferral.objects.get().pk}/change/"
        )
        self.assertContains(page, f"/dashboard/orders/{order.number}/")

    def test_an_affiliate_order_as_a_guest_is_held_for_staff(self) -> None:
        ada = sent_by_ada()
        fill_basket(ada, self.book)
        with override_settings(OSCAR_ALLOW_GUEST_CHECKOUT_WITH_ACCOUNT=True):
            ada.post(
                "/checkout/", {"username": "ada@example.com", "options": "anonymous"}
            )

        check_out(ada)

        assert earned() == [("held", 6000)]

    def test_a_client_who_came_alone_earns_nobody_anything(self) -> None:
        bob = browser()
        sign_up(bob, "bob")
        fill_basket(bob, self.book)

        check_out(bob)

        assert earned() == []
        assert OrderReferral.objects.get().affiliate is None

    def test_a_voucher_that_is_an_affiliate_code_credits_and_lowers_the_amount(
        self,
    ) -> None:
        books = RangeFactory(includes_all_products=True)
        offer = ConditionalOfferFactory(
            offer_type="Voucher",
            condition__range=books,
            condition__value=1,
            benefit__range=books,
        )
        VoucherFactory(code="ADA10").offers.add(offer)
        affiliate = Brand.objects.get().affiliates.get()
        form = {"brand": affiliate.brand_id, "affiliate": affiliate.pk, "code": "ADA10"}
        terms = {"is_active": "on", "affiliate_funds_percent": 0}
        self.staff.post("/admin/affiliates/couponcode/add/", form | terms)
        bob = browser()
        sign_up(bob, "bob")
        fill_basket(bob, self.book)
        bob.post("/basket/vouchers/add/", {"code": "ADA10"})

        order = check_out(bob)

        assert order.total_excl_tax == Decimal(270)
        assert earned() == [("approved", 5400)]

    def test_a_refund_by_staff_takes_its_part_back(self) -> None:
        bob = sent_by_ada()
        sign_up(bob, "bob")
        fill_basket(bob, self.book)
        order = check_out(bob)

        self.pay_event(order, "Refunded", "75.00")

        assert earned() == [("approved", 4500)]

    def test_an_order_that_is_paid_later_in_parts_earns_once(self) -> None:
        bob = sent_by_ada()
        sign_up(bob, "bob")
        fill_basket(bob, self.book)
        with patch("shop.checkout.views.PaymentDetailsView.handle_payment"):
            order = check_out(bob)
        assert earned() == []

        self.pay_event(order, "Paid", "100.00")
        assert earned() == []
        self.pay_event(order, "Paid", "200.00")

        assert earned() == [("approved", 6000)]

    def test_affiliates_never_stops_a_customer(self) -> None:
        bob = sent_by_ada()
        with (
            override_settings(BRAND_ID=4711),
            self.assertLogs("shop.affiliate_events", "ERROR") as log,
        ):
            sign_up(bob, "bob")
            fill_basket(bob, self.book)
            order = check_out(bob)

        assert order.user.email == "bob@example.com"
        assert len(log.records) == 3
        assert earned() == []

    def test_a_changed_password_ends_the_keys_of_an_affiliate(self) -> None:
        ada = browser()
        ada.force_login(self.ada, "django.contrib.auth.backends.ModelBackend")
        form = {"oldpassword": "correct-horse"}
        new = {"password1": "battery-staple", "password2": "battery-staple"}

        answer = ada.post("/social/password/change/", form | new)

        assert answer.status_code == 302
        affiliate = Brand.objects.get().affiliates.get()
        assert affiliate.cools_off_until is not None

    def test_staff_pay_what_was_earned(self) -> None:
        bob = sent_by_ada()
        sign_up(bob, "bob")
        fill_basket(bob, self.book)
        check_out(bob)
        affiliate = Brand.objects.get().affiliates.get()
        page = f"/admin/affiliates/affiliate/{affiliate.pk}"
        bank = {"account_holder": "Ada", "iban": "DE89370400440532013000"}

        self.confirm(f"{page}/destination/", {"kind": "bank", **bank})
        self.confirm(f"{page}/payout/", {"currency": "EUR"})
        payout = Payout.objects.get()
        self.confirm(f"/admin/affiliates/payout/{payout.pk}/approve/", {})
        self.confirm(
            f"/admin/affiliates/payout/{payout.pk}/confirm/", {"reference": "TX-1"}
        )

        payout.refresh_from_db()
        assert (payout.status, payout.amount) == ("paid", 6000)
        assert earned() == [("paid", 6000)]

    def confirm(self, page: str, answers: dict[str, str]) -> None:
        answer = self.staff.post(page, {"confirm": "yes", **answers})
        assert answer.status_code == 302

    def test_nothing_is_missing(self) -> None:
        assert "no issues" in run("check")
        run("makemigrations", "--check", "--dry-run")


@override_settings(
    AFFILIATES_CONFIG_REFRESH_SECONDS=0, AFFILIATES_CLICK_WRITER="direct"
)
class Removal(TransactionTestCase):
    """Django runs it last: no table of affiliates is left."""

    def test_removal_leaves_the_orders_and_no_table(self) -> None:
        open_shop(self)
        bob = sent_by_ada()
        sign_up(bob, "bob")
        fill_basket(bob, self.book)
        check_out(bob)

        run("affiliates_remove", "affiliates", "--yes")

        tables = connection.introspection.table_names()
        assert [name for name in tables if "affiliates" in name] == []
        assert Order.objects.count() == 1
        groups = Group.objects.values_list("name", flat=True)
        assert [*groups] == ["All Oscar Dashboard Permissions"]
