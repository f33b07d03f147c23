"""What each sale earned, how, and what became of it."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from affiliates.adapter import get_adapter
from affiliates.commissions.models import Commission
from affiliates.commissions.rules import CommissionStatus
from affiliates.commissions.services.staff import hold, reject
from affiliates.contracts import RefundKind
from affiliates.emails.models import Email
from affiliates.emails.rendering import write
from affiliates.emails.types import EmailKind
from tests.affiliates.till import SOLD, order_of
from tests.factories.books import CommissionFactory
from tests.factories.plans import CommissionPlanFactory
from tests.guard.markers import marker

pytestmark = pytest.mark.django_db
COMMISSIONS = "/affiliate/commissions"


def test_each_with_its_status_and_reason(browser, commission):
    page = browser.get(COMMISSIONS).text

    assert '<span class="badge wait">Pending</span>' in page
    assert "until 31 Mar 2026" in page
    assert "€10.00" in page
    assert f'href="{COMMISSIONS}/{commission.pk}"' in page


def test_a_pending_one_says_until_when_also_in_german(browser, commission):
    german = {"accept-language": "de"}
    paths = COMMISSIONS, f"{COMMISSIONS}/{commission.pk}"

    for page in (browser.get(path, headers=german).text for path in paths):
        assert '<span class="badge wait">In der Wartefrist</span>' in page
        assert "bis 31. März 2026" in page
        assert "Wartet auf das Ende der Wartefrist." not in page.partition("<ol")[0]


@pytest.mark.parametrize(
    ("status", "figure"),
    [
        (CommissionStatus.REVERSED, "<s>€10.00</s>"),
        (CommissionStatus.REJECTED, "<s>€10.00</s>"),
        (CommissionStatus.APPROVED, "€10.00"),
    ],
)
def test_the_amount_of_a_lost_one_is_struck_out(browser, affiliate, status, figure):
    lost = CommissionFactory(affiliate=affiliate, status=status)

    page = browser.get(f"{COMMISSIONS}/{lost.pk}").text

    assert f'<p class="figure">{figure}</p>' in page


def test_a_held_one_has_no_date_but_says_who_decides(browser, affiliate):
    CommissionFactory(affiliate=affiliate, status=CommissionStatus.HELD)

    page = browser.get(COMMISSIONS).text

    assert "Our team decides." in page
    assert "until" not in page


def test_by_status_and_days(browser, affiliate, commission, now):
    later = CommissionFactory(affiliate=affiliate, earned_at=now + timedelta(days=3))

    def asked(query):
        found = browser.get(f"{COMMISSIONS}?{query}").context["found"]["commissions"]
        return [one["id"] for one in found]

    assert asked("") == [later.pk, commission.pk]
    assert asked("status=pending&last=2026-03-02") == [commission.pk]
    assert asked("status=paid") == []


def test_one_with_its_receipt_refunds_and_steps(browser, commission, till):
    till.refund("50.00")

    page = browser.get(f"{COMMISSIONS}/{commission.pk}").text

    assert "Commission: €9.00." in page
    assert "Commission: €1.00." in page
    assert "Refund, -€5.00" in page
    assert "A refund took €5.00 back." in page
    assert f'href="/affiliate/postings?commission={commission.pk}"' in page


def test_renewal_after_a_trial_says_what_it_counts_as(browser, plan, order, till):
    till.pay("0.00")
    till.pay("20.00", invoice="renewal-1", renewal=1)
    earned = Commission.objects.latest("pk")

    german = {"accept-language": "de"}
    page = browser.get(f"{COMMISSIONS}/{earned.pk}").text
    translated = browser.get(f"{COMMISSIONS}/{earned.pk}", headers=german).text

    assert "renewal-1 (renewal 1, counted as the first invoice)" in page
    assert "(Verlängerung 1, gezählt als erste Rechnung)" in translated


def test_amounts_in_sentences_are_written_as_beside_them(browser, commission, till):
    till.refund("50.00")

    page = browser.get(
        f"{COMMISSIONS}/{commission.pk}", headers={"accept-language": "de"}
    ).text

    assert "Provision: 9,00\xa0€." in page
    assert "5,00\xa0€ wurden wegen einer Erstattung storniert." in page
    assert "EUR" not in page


def test_what_staff_write_is_not_told(browser, commission, staff, now):
    hold(
        commission_ids=[commission.pk],
        reason=marker("staff", "decision"),
        actor_id=staff.pk,
        now=now,
    )

    page = browser.get(f"{COMMISSIONS}/{commission.pk}").text

    assert "Decided by staff." in page
    assert marker("staff", "decision") not in page


def test_what_staff_write_for_the_affiliate_is_told_in_its_place(
    browser, commission, staff, now
):
    reject(
        commission_ids=[commission.pk],
        reason=marker("staff", "decision"),
        for_affiliate="The order was a test.",
        actor_id=staff.pk,
        now=now,
    )

    page = browser.get(f"{COMMISSIONS}/{commission.pk}").text
    rows = browser.get(COMMISSIONS).text
    email = Email.objects.get(kind="reversal")

    for shown in (page, rows):
        assert "The order was a test." in shown
        assert "Decided by staff." not in shown
        assert marker("staff", "decision") not in shown
    text = write(EmailKind.REVERSAL, email.values, brand=commission.brand, language="")
    assert "\n\nReason: The order was a test.\n" in text.text
    assert marker("staff", "decision") not in text.text


def test_a_commission_of_others_is_not_there(browser, rival):
    other = CommissionFactory(affiliate=rival)

    assert browser.get(f"{COMMISSIONS}/{other.pk}").status_code == 404
    assert "Your first commission appears here when" in browser.get(COMMISSIONS).text


def test_a_share_tells_nothing_of_the_sale_that_it_is_of(
    browser, brand, affiliate, rival, buyer, till
):
    CommissionPlanFactory(
        brand=brand, name="Secret", is_default=True, recruiter_percent=Decimal(20)
    )
    rival.recruiter = affiliate
    rival.save()
    order_of(rival, buyer, order_ref="order-9", invoice_ref="invoice-9")
    till.pay(order="order-9", invoice="invoice-9", renewal=3)
    till.refund("50.00", ref="R-77", invoice="invoice-9")
    till.refund("25.00", ref="R-78", invoice="invoice-9", kind=RefundKind.CHARGEBACK)
    share = affiliate.commissions.get()

    pages = [
        browser.get(path).content.decode()
        for path in ("/affiliate/commissions", f"/affiliate/commissions/{share.pk}")
    ]

    assert "Share of an affiliate you recruited" in pages[0]
    assert f"Commission {share.pk} for an affiliate you recruited" in pages[1]
    assert "20 % of €10.00 = €2.00." in pages[1]
    assert "Earned by an affiliate that you recruited." in pages[1]
    assert "A refund took €1.00 back." in pages[1]
    assert "A chargeback took €0.50 back." in pages[1]
    secrets = "order-9", "invoice-9", "R-77", "R-78", "renewal", "Secret", SOLD
    for page in pages:
        for secret in (*secrets, rival.code):
            assert secret not in page


def test_the_head_says_what_refunds_left(browser, commission, till):
    page = f"{COMMISSIONS}/{commission.pk}"
    till.refund("50.00")
    half = browser.get(page).text
    till.refund("50.00", ref="refund-2")
    nothing = browser.get(page).text

    assert '<p class="figure"><s>€10.00</s> €5.00</p>' in half
    assert '<p class="figure"><s>€10.00</s> €0.00</p>' in nothing


def test_what_is_taken_back_has_a_column_where_there_is_any(browser, commission, till):
    before = browser.get(COMMISSIONS).text
    till.refund("50.00")

    after = browser.get(COMMISSIONS).text

    assert "Taken back" not in before
    assert ">Taken back</th>" in after
    assert "-€5.00</td>" in after


@pytest.fixture
def numbered(monkeypatch):
    """A host whose invoices have numbers: INV-1 of invoice-1."""

    def numbers(adapter, refs, *, brand_id):
        return {ref: ref.replace("invoice", "INV") for ref in refs}

    def refs(adapter, number, *, brand_id=None):
        return [number.replace("INV", "invoice")]

    adapter = type(get_adapter())
    monkeypatch.setattr(adapter, "invoice_numbers", numbers)
    monkeypatch.setattr(adapter, "invoice_refs", refs)
    monkeypatch.setattr(adapter, "order_refs", lambda *_, **__: [])


@pytest.mark.parametrize(
    ("number", "found"),
    [("INV-1", True), (" invoice-1 ", True), ("order-1", True), ("INV-2", False)],
)
def test_commissions_and_orders_are_found_by_the_number_people_know(
    browser, order, commission, numbered, affiliate, number, found
):
    CommissionFactory(affiliate=affiliate)

    commissions = browser.get(COMMISSIONS, {"number": number})
    orders = browser.get("/affiliate/orders", {"number": number})

    assert [one["id"] for one in commissions.context["found"]["rows"]] == [
        commission.pk
    ] * found
    assert [one["id"] for one in orders.context["found"]["rows"]] == [order.pk] * found


def test_an_unpaid_order_is_found_by_the_number_of_its_invoice(
    browser, order, numbered
):
    orders = browser.get("/affiliate/orders", {"number": "INV-1"})

    assert [one["id"] for one in orders.context["found"]["rows"]] == [order.pk]


def test_pages_name_the_number_instead_of_the_reference(
    browser, order, commission, numbered
):
    shown = browser.get(f"{COMMISSIONS}/{commission.pk}").text
    page = browser.get(f"/affiliate/orders/{order.pk}").text

    assert '<a href="/affiliate/orders?order=order-1">INV-1</a>' in shown
    assert "<dd>INV-1</dd>" in page
    assert ">order-1<" not in shown + page


def test_a_number_finds_no_share_and_nothing_of_others(
    browser, brand, affiliate, rival, buyer, till, numbered
):
    CommissionPlanFactory(brand=brand, is_default=True, recruiter_percent=Decimal(20))
    rival.recruiter = affiliate
    rival.save()
    order_of(rival, buyer, order_ref="order-9", invoice_ref="invoice-9")
    till.pay(order="order-9", invoice="invoice-9")

    assert affiliate.commissions.count() == 1
    for number in ("INV-9", "order-9"):
        for path in (COMMISSIONS, "/affiliate/orders"):
            found = browser.get(path, {"number": number}).context["found"]
            assert found["rows"] == []
