"""From the visit to the refund, as a billing system in another language reports them."""

from io import StringIO

from django.core.management import call_command
from django.test import TestCase, override_settings
from django.utils import timezone

from affiliates.commissions.models import Commission
from affiliates.contrib.events_api.models import BrandKey
from affiliates.contrib.events_api.services import give_brand_key
from affiliates.host_events import brand_id_for_origin
from sidecar.models import Client

SHOP = "https://shop.example.com"
BROWSER = "Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0"


def eur(amount):
    return {"amount": amount, "currency": "EUR"}


@override_settings(
    AFFILIATES_CONFIG_REFRESH_SECONDS=0, AFFILIATES_CLICK_WRITER="direct"
)
class SidecarTests(TestCase):
    def setUp(self):
        call_command(
            "affiliates_start",
            "Example Hosting",
            domain="shop.example.com",
            percent=20,
            hold_days=0,
            stdout=StringIO(),
        )
        self.brand_id = brand_id_for_origin(SHOP)
        key = BrandKey(brand_id=self.brand_id, name="WHMCS", scopes=["events:write"])
        self.key = give_brand_key(key, actor_id=None, now=timezone.now()).key

    def report(self, *events, key=None):
        response = self.client.post(
            "/api/operator/events",
            {"events": events},
            content_type="application/json",
            headers={"Authorization": f"Bearer {key or self.key}"},
        )
        return [row["status"] for row in response.json()["data"]["results"]]

    def register(self, client_id, **fields):
        return {
            "event": "client_registered",
            "client_id": client_id,
            "email": f"{client_id}@example.com",
            "registered_at": timezone.now().isoformat(),
            **fields,
        }

    def test_a_client_of_the_biller_earns_its_affiliate_a_commission(self):
        assert self.report(self.register("1", name="Ada")) == [200]
        call_command("affiliates_enrol", "1", code="ada", stdout=StringIO())
        visit = self.client.post(
            "/api/affiliate_link/visit",
            {
                "visit_url": f"{SHOP}/?ref=ada",
                "referrer_url": "",
                "user_agent": BROWSER,
            },
            content_type="application/json",
            headers={"Origin": SHOP},
        )
        cookie = visit.json()["data"]["referral_cookie"]
        now = timezone.now().isoformat()
        order = {
            "event": "order_placed",
            "order_ref": "1001",
            "invoice_ref": "5001",
            "client_id": "2",
            "placed_at": now,
            "client_paid_before": False,
        }
        line = {
            "description": "Business hosting",
            "product_ref": "business",
            "kind": "hosting",
            "billing_cycle": "annually",
            "quantity": 1,
            "net": eur("240.00"),
        }
        paid = {
            "event": "invoice_paid",
            "order_ref": "1001",
            "invoice_ref": "5001",
            "payment_ref": "pay-1",
            "gross": eur("288.00"),
            "paid_at": now,
            "lines": [line],
        }
        refunded = {
            "event": "invoice_refunded",
            "invoice_ref": "5001",
            "refund_ref": "refund-1",
            "gross": eur("144.00"),
            "refunded_at": now,
        }
        registered = self.register("2", referral_cookie=cookie)

        for _ in range(2):
            answered = self.report(registered, order, paid, refunded)
            assert answered == [200] * 4

        commission = Commission.objects.get()
        assert commission.affiliate.user_id == "1"
        assert commission.amount == 4800
        assert [row.amount for row in commission.reversals.all()] == [-2400]

    def test_a_client_is_updated_and_forgotten(self):
        self.report(self.register("7", name="Bob"))
        self.report(self.register("7", name="Robert"))
        assert Client.objects.get().first_name == "Robert"

        erased = {"event": "client_erased", "client_id": "7"}
        assert self.report(erased) == [200]
        assert Client.objects.get().email == ""

        assert self.report(self.register("7", name="Bob")) == [200]
        assert Client.objects.get().email == ""

    def test_nobody_takes_the_id_of_staff_or_of_another_brands_client(self):
        staff = Client.objects.create_superuser("root", "root@example.com", "secret")
        Client.objects.create(pk="8", username="client-8", brand_id=self.brand_id + 1)

        answered = self.report(self.register(staff.pk), self.register("8"))

        assert answered == [403, 403]
        assert Client.objects.get(pk="8").email == ""
        assert Client.objects.get(pk=staff.pk).is_superuser
