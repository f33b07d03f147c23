"""What each sale earned, how, and what became of it."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal

import pytest

from affiliates.commissions.models import Commission
from affiliates.commissions.services.staff import hold
from affiliates.contracts import RefundKind
from tests.affiliates.till import SOLD, order_of
from tests.factories.books import CommissionFactory
from tests.factories.plans import CommissionPlanFactory
from tests.guard.markers import marker

pytestmark = pytest.mark.django_db
COMMISSIONS = "/affiliate/commissions"


def test_each_with_its_status_and_reason(browser, commission):
    page = browser.get(COMMISSIONS).text

    assert '<span class="badge wait">Pending</span>' in page
    assert "Waits for the end of its hold." in page
    assert "€10.00" in page
    assert f'href="{COMMISSIONS}/{commission.pk}"' in page


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
    assert "Refund refund-1 took €5.00 back." in page
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
    assert "5,00\xa0€ wurden wegen der Erstattung refund-1 storniert." in page
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
