"""What an affiliate earned, with the receipt, and where the money is."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from affiliates.adapter import CatalogueProduct, get_adapter
from affiliates.commissions.models import Commission
from affiliates.commissions.services.staff import hold
from tests.affiliates.api.calls import refusal
from tests.affiliates.till import order_of
from tests.database import queries_of
from tests.factories.books import CommissionFactory
from tests.factories.ledger import OrderReferralFactory, SaleFactory
from tests.factories.payouts import earn
from tests.guard.markers import marker

COMMISSIONS = "/api/affiliate/commissions"
POSTINGS = "/api/affiliate/postings"


@pytest.fixture(autouse=True)
def _clock(clock):
    """The service's clock stands still."""


@pytest.fixture
def one(partner, commission):
    """Asks for the commission as it is now."""
    return lambda: partner.get(f"{COMMISSIONS}/{commission.pk}").json()["data"]


def test_commission(partner, commission, till):
    till.refund("50.00")

    [found] = partner.get(COMMISSIONS).json()["data"]["commissions"]

    assert found == {
        "id": commission.pk,
        "kind": "sale",
        "order": "order-1",
        "order_number": "order-1",
        "invoice": "invoice-1",
        "renewal": 0,
        "position": 0,
        "status": "pending",
        "reason": "Waits for the end of its hold.",
        "sale_currency": "EUR",
        "sale_amount": "100.00",
        "currency": "EUR",
        "amount": "10.00",
        "taken_back": "-5.00",
        "earned_at": "2026-03-01T12:05:00+00:00",
        "matures_at": "2026-03-31T12:05:00+00:00",
        "payout": None,
    }


def test_commission_with_its_receipt_refunds_and_steps(one, till):
    till.refund("50.00")

    found = one()

    assert [line["amount"] for line in found["lines"]] == ["9.00", "1.00"]
    assert found["lines"][0]["sentences"][-1] == "Commission: €9.00."
    assert found["refunds"][0]["amount"] == "-5.00"
    assert found["steps"][-1]["reason"] == "A refund took €5.00 back."


@pytest.fixture
def share(affiliate, rival):
    """Of what the rival earned by renewal 3 of order-9."""
    order = OrderReferralFactory(
        brand=rival.brand, client=rival.user, order_ref="order-9"
    )
    sale = SaleFactory(
        order_referral=order,
        affiliate=rival,
        invoice_ref="invoice-9",
        renewal_number=3,
    )
    of = CommissionFactory(affiliate=rival, sale=sale)
    return CommissionFactory(affiliate=affiliate, sale=sale, share_of=of, amount=125)


def test_a_share_tells_nothing_of_the_sale(partner, share):
    [listed] = partner.get(COMMISSIONS).json()["data"]["commissions"]
    shown = partner.get(f"{COMMISSIONS}/{share.pk}").json()["data"]

    for found in (listed, shown):
        assert (found["kind"], found["amount"]) == ("share", "1.25")
        assert (found["order"], found["invoice"], found["renewal"]) == ("", "", 0)


def test_orders_of_others_are_not_found_by_the_shares_of_them(
    partner, affiliate, commission, share
):
    def asked(order):
        found = partner.get(COMMISSIONS, {"order": order}).json()["data"]
        return [one["id"] for one in found["commissions"]]

    assert asked("order-9") == asked("order-10") == []
    assert asked("order-1") == [commission.pk]


def test_words_of_the_invoice_are_the_clients(one, brand):
    masked = one()["lines"][0]
    brand.masks_clients = False
    brand.save()
    shown = one()["lines"][0]

    assert masked["description"] == ""
    assert shown["description"] != ""
    assert masked["product"] == shown["product"] != ""


def test_masked_products_have_their_names_in_the_catalogue(one, partner, monkeypatch):
    before = one()["lines"][0]
    known = CatalogueProduct(
        product_ref=before["product"], name="Business", kind=before["kind"]
    )
    monkeypatch.setattr(type(get_adapter()), "catalogue", lambda *_, brand_id: [known])

    line = one()["lines"][0]
    [order] = partner.get("/api/affiliate/orders").json()["data"]["orders"]

    assert line["description"] == "Business"
    assert order["commissions"][0]["products"] == ["Business"]


def test_what_staff_write_is_not_told(one, commission, staff, now):
    hold(
        commission_ids=[commission.pk],
        reason=marker("staff", "decision"),
        actor_id=staff.pk,
        now=now,
    )

    found = one()

    assert (found["status"], found["reason"]) == ("held", "Decided by staff.")
    assert marker("staff", "decision") not in str(found)


def test_commissions_of_others_are_not_found(partner, rival):
    other = CommissionFactory(affiliate=rival)

    assert partner.get(COMMISSIONS).json()["data"]["commissions"] == []
    answer = partner.get(f"{COMMISSIONS}/{other.pk}")
    assert refusal(answer) == (404, "not_found", None)


def test_commissions_by_what_is_asked(partner, affiliate, commission, now):
    later = CommissionFactory(affiliate=affiliate, earned_at=now + timedelta(days=3))

    def asked(query):
        answer = partner.get(f"{COMMISSIONS}?{query}")
        return [one["id"] for one in answer.json()["data"]["commissions"]]

    assert asked("") == [later.pk, commission.pk]
    assert asked("order=order-1") == [commission.pk]
    assert asked("first=2026-03-02") == [later.pk]
    assert asked("status=paid") == asked("payout=7") == asked("currency=JPY") == []
    assert refusal(partner.get(f"{COMMISSIONS}?status=odd"))[::2] == (400, "status")


def test_postings_sum_to_the_balances(partner, commission, till, affiliate, now):
    till.refund("50.00")
    earn(affiliate, 7_512)

    postings = partner.get(POSTINGS).json()["data"]["postings"]
    [balance] = partner.get("/api/affiliate/balances").json()["data"]["balances"]

    for account in ("pending", "payable"):
        moved = [one["amount"] for one in postings if one["account"] == account]
        assert sum(map(Decimal, moved)) == Decimal(balance[account]) != 0
    found = next(one for one in postings if one["kind"] == "reversed")
    found.pop("id")
    assert found == {
        "at": now.isoformat(),
        "kind": "reversed",
        "account": "pending",
        "currency": "EUR",
        "amount": "-5.00",
        "commission": commission.pk,
        "payout": None,
    } | {"at": found["at"]}


def test_postings_of_others_are_not_listed(partner, rival):
    earn(rival)

    assert partner.get(POSTINGS).json()["data"]["postings"] == []


@pytest.mark.parametrize("path", [COMMISSIONS, POSTINGS, "/api/affiliate/payouts"])
def test_a_page_costs_the_same_however_many_they_are(
    partner, affiliate, commission, path
):
    partner.get(path)
    before = queries_of(lambda: partner.get(path))
    for _ in range(5):
        earn(affiliate)

    assert queries_of(lambda: partner.get(path)) <= before + 1 <= 12


def test_a_commission_costs_the_same_however_often_it_was_refunded(
    partner, commission, till
):
    path = f"{COMMISSIONS}/{commission.pk}"
    till.refund("1.00")
    partner.get(path)
    before = queries_of(lambda: partner.get(path))
    for number in range(5):
        till.refund("1.00", ref=f"another-{number}")

    assert queries_of(lambda: partner.get(path)) == before <= 14
    assert Commission.objects.count() == 1


def test_orders_of_two_affiliates_do_not_mix(partner, rival, buyer, plan, till):
    order_of(rival, buyer, order_ref="order-2", invoice_ref="invoice-2")
    till.pay("50.00", invoice="invoice-2", order="order-2")

    assert partner.get(COMMISSIONS).json()["data"]["commissions"] == []
