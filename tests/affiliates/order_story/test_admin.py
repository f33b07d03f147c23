"""The story of an order in Django admin."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from moneyed import Money

from affiliates.adapter import Reference, get_adapter
from affiliates.referrals.models import OrderReferral
from affiliates.referrals.rules.decision import decide
from affiliates.referrals.rules.types import Coupon
from affiliates.sales.models import Sale
from affiliates.visits.models import Click
from tests.factories.affiliates import AffiliateFactory, ClickFactory
from tests.factories.decisions import make_inputs, make_sender
from tests.factories.ledger import (
    NOW,
    ClientReferralFactory,
    InvoicePaymentFactory,
    OrderReferralFactory,
    SaleFactory,
    SaleReversalFactory,
    decision_of,
    touch_of,
)


@pytest.fixture
def client_of_shop(brand, host):
    return host.client(brand, email="ada@example.com")


@pytest.fixture
def credited(affiliate, brand, host, client_of_shop) -> OrderReferral:
    """Sent by two affiliates, credited to the later one."""
    rival = AffiliateFactory(
        brand=brand, user=host.client(brand, email="r@example.com"), code="rival"
    )
    clicks = [
        ClickFactory(
            affiliate=one,
            visitor_id=UUID(int=7),
            created_at=NOW - timedelta(days=days),
            visit_url=f"https://shop.example.com/?ref={one.code}",
        )
        for one, days in [(rival, 3), (affiliate, 2)]
    ]
    ClientReferralFactory(
        affiliate=affiliate,
        client=client_of_shop,
        click_id=clicks[1].pk,
        bound_at=NOW - timedelta(days=1),
    )
    return OrderReferralFactory(
        brand=brand,
        client=client_of_shop,
        order_ref="order-a",
        invoice_ref="invoice-a",
        made=decision_of(*map(touch_of, clicks)),
    )


@pytest.fixture
def sale(credited) -> Sale:
    sale = SaleFactory(order_referral=credited, payment__payment_ref="payment-a")
    SaleReversalFactory(
        sale=sale, refund__refund_ref="refund-a", refund__named={"net": "20.00"}
    )
    return sale


def order_page(client, referral: OrderReferral):
    return client.get(
        reverse("admin:affiliates_orderreferral_change", args=[referral.pk])
    )


def timeline(page) -> list[tuple[str, str]]:
    return [(event.title, event.text) for event in page.context["story"].events]


def test_story_tells_every_step_from_the_first_click_to_the_refund(admin_client, sale):
    page = order_page(admin_client, sale.order_referral)

    assert timeline(page) == [
        (
            "Visit",
            "Click of affiliate rival on https://shop.example.com/?ref=rival. "
            "A later click won.",
        ),
        (
            "Visit",
            "Click of affiliate partner on https://shop.example.com/?ref=partner. "
            "Credited.",
        ),
        ("Signup", "Registration: the client was bound to affiliate partner."),
        (
            "Conversion",
            "Order converted to invoice invoice-a. Credited: partner. The last click "
            "inside the window wins. A valid referral cookie was sent. Policy: Last "
            "click wins, within 90 days.",
        ),
        ("Payment", "€119.00 paid, reference payment-a."),
        (
            "Sale",
            "Recorded: €100.00 net for affiliate partner. The order's decision "
            "credits this affiliate.",
        ),
        (
            "No commission",
            "The affiliate was on no plan, so this sale earns no commission.",
        ),
        (
            "Refund",
            "€23.80 returned (20.00 net), reference refund-a. Reverses €20.00 of the "
            "sale.",
        ),
    ]
    assert page.context["story"].outlook == ""


def test_story_names_the_zone_of_its_times(admin_client, sale, settings):
    settings.TIME_ZONE = "Europe/Madrid"

    page = order_page(admin_client, sale.order_referral)

    assert "1 Mar 2026, 13:05 CET" in page.content.decode()


def test_story_shows_every_candidate_with_its_verdict(admin_client, credited):
    text = order_page(admin_client, credited).content.decode()

    table = text[text.index("affiliates-table") : text.index("</table>")]
    assert "rival" in table
    assert "A later click won" in table
    assert "partner" in table
    assert "Referral cookie" in table


def test_story_outlives_the_click_rows(admin_client, credited):
    Click.objects.all().delete()

    page = order_page(admin_client, credited)

    assert timeline(page)[0] == (
        "Visit",
        "Click of affiliate rival. A later click won.",
    )


def test_story_calls_no_coupon_a_click(admin_client, affiliate, brand, client_of_shop):
    sender = make_sender(affiliate.pk, affiliate_code=affiliate.code)
    made = decide(make_inputs(coupon=Coupon(code="SUMMER", sender=sender)))
    referral = OrderReferralFactory(
        brand=brand, client=client_of_shop, invoice_ref="invoice-c", made=made
    )

    page = order_page(admin_client, referral)

    assert [title for title, _ in timeline(page)] == ["Conversion"]
    [candidate] = page.context["story"].decision.candidates
    assert candidate.carrier == "Coupon code on the order"
    assert candidate.evidence == "Code SUMMER"
    assert "<th>When</th>" in page.content.decode()


def test_story_of_an_order_without_a_touch(admin_client, brand, client_of_shop):
    referral = OrderReferralFactory(
        brand=brand, client=client_of_shop, invoice_ref="invoice-b"
    )
    unpaid = order_page(admin_client, referral)
    InvoicePaymentFactory(brand=brand, invoice_ref="invoice-b", payment_ref="p")
    paid = order_page(admin_client, referral)

    assert "No affiliate's click is known for this client." in unpaid.content.decode()
    assert timeline(unpaid) == [
        (
            "Conversion",
            "Order converted to invoice invoice-b. Nobody credited. No affiliate is "
            "known to have sent this client. No referral cookie was sent. Policy: "
            "Last click wins, within 90 days.",
        )
    ]
    assert unpaid.context["story"].outlook == (
        "Not paid yet. A payment will make no sale: nobody is credited."
    )
    assert timeline(paid)[1:] == [
        ("Payment", "€119.00 paid, reference p."),
        (
            "No sale",
            "Nobody is credited for this order, so its payment makes no sale.",
        ),
    ]


def test_story_of_an_unpaid_order_says_what_is_to_come(admin_client, credited):
    page = order_page(admin_client, credited)

    assert page.context["story"].outlook == (
        "Not paid yet. The sale is recorded when the invoice is paid."
    )
    assert page.context["story"].outlook in page.content.decode()


def test_story_of_a_held_order_credits_nobody_yet(admin_client, affiliate, brand):
    click = ClickFactory(
        affiliate=affiliate, visitor_id=UUID(int=7), created_at=NOW - timedelta(days=1)
    )
    referral = OrderReferralFactory(
        brand=brand,
        client=affiliate.user,
        made=decision_of(touch_of(click, is_self=True)),
    )

    page = order_page(admin_client, referral)

    assert timeline(page)[0] == (
        "Visit",
        f"Click of affiliate partner on {click.visit_url}. Held for review.",
    )
    text = page.content.decode()
    assert "The affiliate is the client or shares the client&#x27;s e-mail" in text


def test_story_links_to_the_hosts_pages(admin_client, credited):
    text = order_page(admin_client, credited).content.decode()

    for reference, ref in [
        (Reference.ORDER, "order-a"),
        (Reference.INVOICE, "invoice-a"),
        (Reference.CLIENT, str(credited.client_id)),
    ]:
        url = get_adapter().admin_url(reference, ref)
        assert url is None or f'href="{url}"' in text


def test_story_keeps_the_cookie_to_itself(admin_client, credited):
    credited.referral_cookie = "sealed-cookie-value"
    credited.save(update_fields=["referral_cookie"])

    page = order_page(admin_client, credited)

    assert "sealed-cookie-value" not in page.content.decode()


def test_story_takes_as_many_queries_for_many_candidates_as_for_few(
    admin_client, affiliate, brand, client_of_shop
):
    def queries(count: int) -> int:
        clicks = ClickFactory.create_batch(
            count, affiliate=affiliate, visitor_id=UUID(int=count)
        )
        referral = OrderReferralFactory(
            brand=brand,
            client=client_of_shop,
            made=decision_of(*map(touch_of, clicks)),
        )
        with CaptureQueriesContext(
            connection,
        ) as captured:
            order_page(admin_client, referral)
        return len(captured)

    queries(1)

    assert queries(50) == queries(2) <= 20


def test_unknown_order_leads_back_to_the_index(admin_client, brand):
    url = reverse("admin:affiliates_orderreferral_change", args=["x'y"])

    assert admin_client.get(url).headers["Location"] == reverse("admin:index")


def test_story_needs_the_permission_to_view_it(admin_client, admin_user, credited):
    admin_user.is_superuser = False
    admin_user.save()

    assert order_page(admin_client, credited).status_code == 403


def test_the_list_and_its_file_show_what_was_paid(credited, admin_client):
    InvoicePaymentFactory(
        brand=credited.brand,
        order_ref=credited.order_ref,
        invoice_ref=credited.invoice_ref,
        gross=Money("119.00", "EUR"),
    )
    page = reverse("admin:affiliates_orderreferral_changelist")

    assert "€119.00" in admin_client.get(page).content.decode()
    file = admin_client.get(f"{page}export/csv/").getvalue().decode()

    head, row = file.splitlines()[:2]
    cells = dict(zip(head.split(","), row.split(","), strict=True))
    assert cells["Paid"] == "119.00"
    assert cells["Paid: currency"] == "EUR"
