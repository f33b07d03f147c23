"""Each kind of row: imported, imported again, refused, and proved by verify_ledger."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import call_command

from affiliates.commissions.models import Adjustment, Commission
from affiliates.contracts import InvoiceLine, PaidInvoice
from affiliates.contrib.imports.files.rows import Source
from affiliates.contrib.imports.models import ImportedRow
from affiliates.contrib.imports.services import check_import, run_import
from affiliates.emails.models import Email
from affiliates.ledger.rules import Account
from affiliates.outbox.models.delivery import Delivery
from affiliates.plans.models.coupon import CouponCode
from affiliates.plans.models.group import AffiliateGroup
from affiliates.program.models import Affiliate, AffiliateLink
from affiliates.program.selectors import find_link
from affiliates.referrals.models import ClientReferral, DecisionOverride, OrderReferral
from affiliates.settlement.services import record_payment
from tests.database import nothing_written
from tests.factories.affiliates import AffiliateLinkFactory, BrandFactory
from tests.factories.integrations import WebhookFactory

HASH = "0123456789abcdef" * 2 + "01234567"
COUNTS = ("new_count", "matched_count", "same_count", "bad_count")


def counts(file) -> tuple[int, ...]:
    return tuple(getattr(file, name) for name in COUNTS)


def faults(file) -> list[tuple[int, str, str]]:
    return list(file.faults.values_list("row_number", "column", "code"))


def verified() -> str:
    said = StringIO()
    call_command("verify_ledger", "--deep", stdout=said)
    return said.getvalue()


def twice(imported, *args, **options):
    """Import it; again it changes nothing, whatever the file is called."""
    first = imported(*args, **options)
    before = Affiliate.objects.count(), ImportedRow.objects.count()
    second = imported(*args, **options)
    assert second.new_count + second.matched_count + second.bad_count == 0
    assert (Affiliate.objects.count(), ImportedRow.objects.count()) == before
    return first


def test_affiliates(imported, brand, clients):
    first, second = clients(2)
    AffiliateGroup.objects.create(brand=brand, name="Gold")
    lines = (
        "email,code,status,old_id,group",
        "A-0@example.com,Anna,pending,17,Gold",
        "a-1@example.com,,,18,",
    )

    file = twice(imported, "affiliates", *lines)

    assert (file.state, counts(file)) == ("done", (2, 0, 0, 0))
    anna = Affiliate.objects.get(code="anna")
    assert (anna.user_id, anna.status, anna.group.name) == (first.pk, "pending", "Gold")
    other = Affiliate.objects.get(user=second)
    assert (other.status, len(other.code)) == ("active", 8)
    assert file.content == ""
    assert find_link(brand_id=brand.pk, token="anna").affiliate_id == anna.pk


def test_affiliates_that_we_have_are_matched_once(imported, affiliate):
    lines = ("email,old_id", f"{affiliate.user.email},17")

    file = twice(imported, "affiliates", *lines)

    assert counts(file) == (0, 1, 0, 0)
    row = ImportedRow.objects.get()
    assert (row.key, row.affiliate, row.file) == ("17", affiliate, file)
    assert imported("affiliates", "email", affiliate.user.email).same_count == 1


def test_affiliates_are_refused(upload, affiliate, brand, host, clients):
    clients(4)
    other = BrandFactory(name="Other", client_area="other.example")
    host.client(other, email="theirs@example.com")
    file = upload(
        "affiliates",
        "email,code,old_id,group",
        "nobody@example.com,,,",
        "theirs@example.com,,,",
        f"{affiliate.user.email},another,,",
        f"a-0@example.com,{affiliate.code},,",
        "a-1@example.com,same,1,",
        "a-2@example.com,same,2,",
        "a-3@example.com,other,1,",
        "a-1@example.com,third,,",
        "a-2@example.com,fourth,4,Gold",
    )

    assert faults(file) == [
        (2, "client", "unknown_client"),
        (3, "client", "unknown_client"),
        (4, "code", "affiliate_has_other_code"),
        (5, "code", "affiliate_code_taken"),
        (7, "", "repeats_row"),
        (8, "", "repeats_row"),
        (9, "", "repeats_row"),
        (10, "", "repeats_row"),
    ]
    assert counts(file) == (1, 0, 0, 8)


def test_links(imported, affiliate, brand):
    lines = (
        "affiliate_code,hash,old_code,name,target_url",
        f"partner,{HASH},,Blog,https://shop.example.com/plans",
        "partner,,7,Old,",
        # Its own code finds it already.
        "partner,,Partner,,",
    )

    file = twice(imported, "links", *lines)

    assert counts(file) == (2, 0, 1, 0)
    by_hash = find_link(brand_id=brand.pk, token=HASH)
    assert by_hash.target_url == "https://shop.example.com/plans"
    by_code = find_link(brand_id=brand.pk, token="7")
    assert by_code.link_id == AffiliateLink.objects.get(old_code="7").pk
    assert by_code.affiliate_id == affiliate.pk


def test_links_are_refused(upload, affiliate, rival):
    AffiliateLinkFactory(affiliate=rival, hash=HASH)
    file = upload(
        "links",
        "affiliate_code,hash,old_code,target_url",
        f"partner,{HASH},,",
        "nobody,,7,",
        "partner,,7,https://evil.example/",
        "partner,,rival,",
        "partner,,a/b,",
        "partner,,Undefined,",
    )

    assert faults(file) == [
        (2, "hash", "link_of_other"),
        (3, "affiliate", "unknown_affiliate"),
        (4, "target_url", "target_refused"),
        (5, "old_code", "link_code_taken"),
        (6, "old_code", "link_code_unusable"),
        (7, "old_code", "reserved_code"),
    ]


def test_value_of_broken_links_names_nobody(affiliate, brand):
    """A code of that name may have been stored before it was reserved."""
    AffiliateLinkFactory(affiliate=affiliate, old_code="null")

    assert find_link(brand_id=brand.pk, token="NULL") is None


def test_clients_bring_their_next_order(imported, affiliate, buyer, plan, now):
    lines = (
        "client_email,affiliate_code,bound_at",
        "buyer@example.com,partner,2026-02-20",
    )

    file = twice(imported, "clients", *lines)

    assert counts(file) == (1, 0, 0, 0)
    bound = ClientReferral.objects.get()
    assert (bound.client, bound.affiliate, bound.step) == (buyer, affiliate, "import")
    assert bound.bound_at == bound.touched_at == datetime(2026, 2, 20, tzinfo=UTC)
    assert _placed(buyer, "order-9", now) == (affiliate.pk, "last_click")


def test_clients_are_refused(upload, affiliate, rival, buyer, imported):
    imported("clients", "client_email,affiliate_code", "buyer@example.com,rival")
    file = upload(
        "clients",
        "client_email,affiliate_code,bound_at",
        "buyer@example.com,partner,",
        f"{affiliate.user.email},partner,",
        f"{rival.user.email},partner,2099-01-01",
    )

    assert faults(file) == [
        (2, "client", "client_bound_to_other"),
        (3, "affiliate", "affiliate_is_client"),
        (4, "bound_at", "in_future"),
    ]


def test_balances(imported, affiliate, rival, balance):
    lines = (
        "affiliate_code;amount;currency;reason",
        "partner;1.234,50;EUR;Opening balance",
        "rival;-10;EUR;Opening balance",
        "rival;0;USD;Nothing",
    )

    file = twice(imported, "balances", *lines)

    assert counts(file) == (2, 0, 1, 0)
    assert balance()[Account.PAYABLE] == 123_450
    assert balance(of=rival)[Account.PAYABLE] == -1_000
    assert Adjustment.objects.get(affiliate=affiliate).reason == "Opening balance"
    changed = imported("balances", lines[0], "rival;10;EUR;Opening balance")
    assert faults(changed) == [(2, "amount", "balance_posted_otherwise")]
    assert changed.faults.get().params == {"amount": "-€10.00"}
    assert balance()[Account.PAYABLE] == 123_450
    assert "agree" in verified()


def test_own_balance_is_refused(upload, affiliate):
    file = upload(
        "balances",
        "affiliate_code,amount,currency,reason",
        "partner,1,EUR,Mine",
        by=affiliate.user,
    )

    assert faults(file) == [(2, "affiliate", "own_balance")]


def test_coupons(imported, affiliate, rival):
    file = twice(
        imported,
        "coupons",
        "code,affiliate_code,percent",
        "save10,partner,12.5",
    )

    assert counts(file) == (1, 0, 0, 0)
    coupon = CouponCode.objects.get()
    assert (coupon.code, coupon.affiliate, coupon.percent) == (
        "SAVE10",
        affiliate,
        Decimal("12.5"),
    )
    assert coupon.versions.count() == 1
    other = imported("coupons", "code,affiliate_code", "SAVE10,rival")
    assert faults(other) == [(2, "code", "coupon_of_other")]
    assert "agree" in verified()


ORDERS = (
    "order_ref,invoice_ref,client_email,affiliate_code,placed_at,net,currency,paid_at"
)


def test_order_without_amount_earns_by_what_was_told_before(
    imported, affiliate, buyer, plan, now, balance
):
    renew("o-1", "i-2", affiliate.brand_id, now)
    renew("o-2", "i-3", affiliate.brand_id, now)
    line = "o-1,i-1,buyer@example.com,partner,2025-12-01,,,"

    file = twice(imported, "orders", ORDERS, line)

    assert (file.state, counts(file)) == ("done", (1, 0, 0, 0))
    assert balance()[Account.PENDING] == 1_000
    assert "agree" in verified()


def test_order_without_amount_earns_by_its_renewals_alone(
    imported, affiliate, buyer, plan, now, balance
):
    line = "o-1,i-1,buyer@example.com,partner,2025-12-01,,,"

    file = twice(imported, "orders", ORDERS, line)

    assert counts(file) == (1, 0, 0, 0)
    order = OrderReferral.objects.get()
    assert (order.affiliate, order.reason, order.client) == (affiliate, "staff", buyer)
    assert DecisionOverride.objects.get().reason == "imported"
    assert balance() == {}
    renew("o-1", "i-2", affiliate.brand_id, now)
    assert balance()[Account.PENDING] == 1_000
    assert "agree" in verified()


def test_order_with_an_amount_earns_once(imported, affiliate, buyer, plan, balance):
    line = "o-1,,buyer@example.com,partner,2026-02-27,90.00,EUR,2026-02-28"

    twice(imported, "orders", ORDERS, line)

    assert balance()[Account.PENDING] == 900
    assert Commission.objects.get().sale.paid_at == datetime(2026, 2, 28, tzinfo=UTC)
    assert "agree" in verified()


def test_own_order_of_an_affiliate_is_recorded_as_its_own(imported, affiliate, plan):
    line = f"o-1,,{affiliate.user.email},partner,2026-02-27,,,"

    imported("orders", ORDERS, line)

    # Staff's word credits it all the same.
    order = OrderReferral.objects.get()
    assert (order.outcome, order.decision["candidates"][-1]["is_self"]) == (
        "credited",
        True,
    )


@pytest.mark.parametrize(
    ("gross", "refunded", "left"),
    [("119.00", "59.50", 500), ("119.00", "119.00", 0), ("", "50.00", 500)],
)
def test_refund_of_an_imported_order_takes_its_part(
    imported, affiliate, buyer, plan, balance, till, gross, refunded, left
):
    line = f"o-1,,buyer@example.com,partner,2026-02-27,100.00,{gross},EUR,2026-02-28"
    imported("orders", ORDERS.replace("net", "net,gross"), line)

    till.refund(refunded, invoice="o-1")

    assert balance().get(Account.PENDING, 0) == left
    assert "agree" in verified()


def test_orders_are_refused(upload, imported, affiliate, rival, buyer, plan):
    imported("orders", ORDERS, "o-1,i-1,buyer@example.com,partner,2026-02-27,,,")
    Affiliate.objects.filter(pk=rival.pk).update(status="suspended")
    file = upload(
        "orders",
        ORDERS,
        "o-1,i-2,buyer@example.com,partner,2026-02-27,,,",
        "o-2,i-1,buyer@example.com,partner,2026-02-27,,,",
        "o-3,,buyer@example.com,rival,2026-02-27,,,",
        "o-4,,buyer@example.com,partner,2098-02-27,,,",
        "o-5,,nobody@example.com,partner,2026-02-27,,,",
        "o-6,,buyer@example.com,partner,2026-02-27,,,",
        "o-6,i-7,buyer@example.com,partner,2026-02-27,,,",
        "o-8,,buyer@example.com,partner,2026-02-27,90.00,EUR,2098-02-27",
    )

    assert faults(file) == [
        (2, "order_ref", "order_known_otherwise"),
        (3, "order_ref", "order_known_otherwise"),
        (4, "affiliate", "affiliate_not_active"),
        (5, "placed_at", "in_future"),
        (6, "client", "unknown_client"),
        (8, "", "repeats_row"),
        (9, "placed_at", "in_future"),
    ]


def test_orders_need_somebody_of_staff(upload, affiliate, buyer):
    line = "o-1,,buyer@example.com,partner,2026-02-27,,,"

    assert faults(upload("orders", ORDERS, line, by=None)) == [(2, "", "staff_needed")]


def test_nobody_is_told(imported, affiliate, buyer, plan, brand, clients, mailoutbox):
    WebhookFactory(brand=brand)
    clients(1)

    imported("affiliates", "email", "a-0@example.com")
    imported("clients", "client_email,affiliate_code", "a-0@example.com,partner")
    imported("balances", "affiliate_code,amount,currency,reason", "partner,1,EUR,x")
    line = "o-1,,buyer@example.com,partner,2026-02-27,90.00,EUR,2026-02-28"
    imported("orders", ORDERS, line)

    assert Commission.objects.count() == 1
    assert (Delivery.objects.count(), Email.objects.count(), mailoutbox) == (0, 0, [])


def test_other_files_name_affiliates_by_what_they_were_called(
    imported, clients, brand, balance
):
    clients(1)
    imported("affiliates", "email,old_id", "a-0@example.com,3")

    file = imported(
        "balances", "id,balance", "3,5.00", source=Source.WHMCS,
        currency="EUR", reason="From WHMCS",
    )  # fmt: skip
    assert counts(file) == (1, 0, 0, 0)
    assert (
        balance(of=Affiliate.objects.get(user__email="a-0@example.com"))[
            Account.PAYABLE
        ]
        == 500
    )
    other = BrandFactory(name="Other", client_area="other.example")
    theirs = imported(
        "links", "affiliate_id,old_code", "3,x", of=other
    )  # fmt: skip
    assert faults(theirs) == [(2, "affiliate", "unknown_affiliate")]


def test_check_writes_nothing_but_what_it_says(upload, brand, clients, staff, now):
    clients(1)
    file = upload("affiliates", "email", "a-0@example.com")
    with nothing_written():
        check_import(file.pk, now=now + timedelta(days=1))
        run_import(file.pk, now=now)

    assert not Affiliate.objects.exists()


def test_deleted_affiliate_can_be_imported_again(imported, clients):
    clients(1)
    lines = ("email,old_id,code", "a-0@example.com,3,anna")
    imported("affiliates", *lines)
    Affiliate.objects.get(code="anna").delete()

    assert imported("affiliates", *lines).new_count == 1
    assert Affiliate.objects.filter(code="anna").count() == 1


def _placed(buyer, order_ref, now):
    from affiliates.contracts import OrderPlaced
    from affiliates.host_events import order_placed

    placed = OrderPlaced(
        brand_id=ClientReferral.objects.get().brand_id,
        order_ref=order_ref,
        invoice_ref=f"{order_ref}-invoice",
        client_id=str(buyer.pk),
        placed_at=now,
        client_paid_before=False,
    )
    order_placed(placed, referral_cookie=None, now=now)
    order = OrderReferral.objects.get(order_ref=order_ref)
    return order.affiliate_id, order.reason


def renew(order_ref, invoice_ref, brand_id, now):
    from moneyed import Money

    line = InvoiceLine(
        description="Hosting",
        product_ref="hosting",
        kind="hosting",
        billing_cycle="annually",
        quantity=1,
        net=Money(100, "EUR"),
    )
    paid = PaidInvoice(
        brand_id=brand_id,
        invoice_ref=invoice_ref,
        order_ref=order_ref,
        payment_ref=invoice_ref,
        gross=Money(119, "EUR"),
        lines=(line,),
        paid_at=now,
        renewal_number=1,
    )
    record_payment(paid, now=now)
