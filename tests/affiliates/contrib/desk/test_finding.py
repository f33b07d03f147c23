"""What one text finds of everything, and what it never reads."""

from __future__ import annotations

from datetime import timedelta
from uuid import UUID

import pytest
from django.contrib.auth.models import Permission
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from affiliates.adapter import get_adapter
from affiliates.contrib.desk.navigation import ICONS
from affiliates.contrib.desk.search.finding import find
from affiliates.contrib.desk.theme import palette
from affiliates.payouts.models import Payout
from affiliates.payouts.services.confirmations import confirm_payouts
from affiliates.payouts.services.decisions import approve_payouts
from affiliates.payouts.services.requests import request_payout
from tests.factories.affiliates import (
    AffiliateFactory,
    AffiliateLinkFactory,
    BrandFactory,
    ClickFactory,
)
from tests.factories.integrations import DeliveryFactory, TrackingIntegrationFactory
from tests.factories.ledger import NOW, ClientReferralFactory
from tests.factories.payouts import DestinationFactory, PayoutTermsFactory, earn
from tests.factories.plans import CouponCodeFactory

PAGE = "admin:affiliates_brand_search"
LIST, ICON = "/admin/affiliates/affiliate/", ICONS["affiliate"]
CLICK_ID = UUID("0197c0de-0000-7000-8000-000000000001")


@pytest.fixture
def program(commission, affiliate, link, monkeypatch):
    """A client's order with its payment, commission and all else that has a name."""
    CouponCodeFactory(brand=affiliate.brand, affiliate=affiliate, code="SPRING10")
    ClickFactory(id=CLICK_ID, affiliate=affiliate, visitor_id=UUID(int=9))
    payout = _paid(affiliate, reference="BANK-77")
    order = commission.sale.order_referral
    monkeypatch.setattr(
        type(get_adapter()),
        "invoice_refs",
        lambda self, number, *, brand_id=None: (
            [order.invoice_ref] if number.upper() == "INV-7" else []
        ),
    )
    return {
        "affiliate": affiliate,
        "link": link,
        "order": order,
        "payout": payout,
        "commission": commission,
    }


def _paid(affiliate, *, reference):
    PayoutTermsFactory(brand=affiliate.brand)
    DestinationFactory(affiliate=affiliate, to="offline")
    earn(affiliate)
    when = NOW + timedelta(days=1)
    payout = request_payout(affiliate_id=affiliate.pk, currency="EUR", now=when)
    approve_payouts(payout_ids=[payout.pk], actor_id=None, now=when)
    confirm_payouts(
        payout_ids=[payout.pk], actor_id=None, reference=reference, clock=lambda: when
    )
    return Payout.objects.get()


@pytest.fixture
def asking(rf, admin_user):
    request = rf.get("/")
    request.user = admin_user
    return request


def titles(groups):
    return [group.title for group in groups]


@pytest.mark.parametrize(
    ("_case", "typed", "found"),
    [
        (
            "an invoice number",
            "inv-7",
            ["Order referrals", "Invoice payments", "Sales", "Commissions"],
        ),
        ("an affiliate's code", " {affiliate.code} ", ["Affiliates"]),
        ("how a code begins", "{affiliate.code:.4}", ["Affiliates"]),
        ("a part of a code", "artne", ["Affiliates"]),
        ("a part of a coupon", "ring1", ["Coupon codes"]),
        ("a coupon", "spring10", ["Coupon codes"]),
        ("a link's address", "https://a.example/aff/{link.hash}", ["Affiliate links"]),
        ("how a hash begins", "{link.hash:.10}", ["Affiliate links"]),
        ("an order", "{order.order_ref}", ["Order referrals"]),
        ("a click", str(CLICK_ID), ["Clicks"]),
        ("a visitor", str(UUID(int=9)), ["Clicks"]),
        ("a payout's reference", "bank-77", ["Payouts"]),
        ("a payout's number", "payout {payout.pk}", ["Payouts"]),
        ("nothing", "nothing-of-this", []),
        ("blanks", "  ", []),
        ("a number that no row can have", "9" * 30, []),
    ],
)
def test_found_by(program, asking, _case, typed, found):
    assert titles(find(asking, typed.format(**program))) == found


def test_client_is_found_with_what_is_theirs(program, asking):
    client = program["order"].client
    email = getattr(client, client.get_email_field_name())

    groups = find(asking, email.upper())

    assert "Order referrals" in titles(groups)
    assert program["order"].invoice_ref in {
        hit.title for group in groups for hit in group.hits
    }


def test_deliveries_and_clients_are_found_by_what_they_name(program, asking):
    order = program["order"]
    integration = TrackingIntegrationFactory(brand=order.brand)
    sale = DeliveryFactory(
        integration=integration,
        key="sale:7",
        order_ref=order.invoice_ref,
        created_at=NOW,
        next_at=NOW,
    )
    ClientReferralFactory(
        client=order.client, affiliate=program["affiliate"], click_id=CLICK_ID
    )

    assert "Deliveries" in titles(find(asking, "inv-7"))
    assert [hit.title for one in find(asking, "sale:7") for hit in one.hits] == [
        str(sale)
    ]
    assert titles(find(asking, str(CLICK_ID))) == ["Clicks", "Client referrals"]


def test_a_whole_code_is_shown_alone(program, asking, brand, host):
    code = program["affiliate"].code
    user = host.client(brand, email="more@example.com")
    AffiliateFactory(brand=brand, user=user, code=f"{code}-two")

    [group] = find(asking, code)

    assert [hit.title for hit in group.hits] == [code]


@pytest.mark.parametrize(
    ("_case", "typed", "codes"),
    [
        ("a part of the e-mail address", "huber@ex", ["alpha"]),
        ("a part of the code", "ALPH", ["alpha"]),
        ("nobody's", "huber@exz", []),
    ],
)
def test_affiliates_are_found_by_the_rule_of_their_list(
    program, asking, admin_client, brand, host, _case, typed, codes
):
    user = host.client(brand, email="anna.huber@example.com")
    AffiliateFactory(brand=brand, user=user, code="alpha")

    groups = find(asking, typed)
    page = admin_client.get(LIST, {"q": typed})

    hits = [hit for group in groups for hit in group.hits if hit.icon == ICON]
    assert [hit.title for hit in hits] == codes
    assert {hit.description for hit in hits} <= {f"Active, {user}"}
    assert [row.code for row in page.context["cl"].result_list] == codes


def test_hits_of_several_brands_name_theirs(program, asking, host):
    other = BrandFactory(client_area="other.example.com", name="Other")
    user = host.client(other, email="b@example.com")
    code = program["affiliate"].code
    AffiliateFactory(brand=other, user=user, code=code)

    [group] = find(asking, code)

    assert [hit.description.split(", ")[0] for hit in group.hits] == [
        "Other",
        program["affiliate"].brand.name,
    ]


def test_many_lead_to_their_list(program, asking, affiliate):
    for number in range(6):
        AffiliateLinkFactory(affiliate=affiliate, hash=f"abcdef012345{number:028x}")

    [group] = find(asking, "abcdef012345")

    assert len(group.hits) == 5
    assert group.more == "/admin/affiliates/affiliatelink/?q=abcdef012345"


def test_only_what_may_be_looked_at_is_found(program, asking, django_user_model, host):
    asking.user = staff = host.client(program["affiliate"].brand, email="s@example.com")
    staff.user_permissions.set(
        Permission.objects.filter(codename__in=["view_commission"])
    )

    assert titles(find(asking, "INV-7")) == ["Commissions"]
    assert find(asking, program["affiliate"].code) == []


@pytest.mark.parametrize("typed", ["INV-7", "affiliate@example.com", str(CLICK_ID)])
def test_few_queries_find_it_and_none_reads_a_table(program, asking, typed):
    with CaptureQueriesContext(connection) as asked:
        find(asking, typed)

    # The host finds its clients as it likes.
    ours = [one["sql"] for one in asked if '"affiliates_' in one["sql"]]
    assert len(asked) <= 20
    assert [sql for sql in ours if "UPPER(" in sql or " LIKE '%" in sql] == []


def test_page_shows_what_is_found(admin_client, program):
    payout = program["payout"]

    page = admin_client.get(reverse(PAGE), {"q": "BANK-77"})

    text = page.content.decode()
    assert f'href="/admin/affiliates/payout/{payout.pk}/change/"' in text
    assert str(payout) in text


def test_page_says_when_there_is_nothing(admin_client, program):
    text = admin_client.get(reverse(PAGE), {"q": "nothing-of-this"}).content.decode()

    assert "Nothing found for “nothing-of-this”." in text


def test_page_finds_nothing_before_it_is_asked(admin_client, program):
    page = admin_client.get(reverse(PAGE))

    assert page.status_code == 200
    assert "groups" not in page.context
    assert Payout.objects.count() == 1


def test_palette_offers_the_same(program, asking):
    [hit] = palette(asking, "bank-77")

    assert (hit.title, hit.icon) == (str(program["payout"]), "payments")


def test_palette_says_that_nothing_is_found(program, asking):
    [hit] = palette(asking, "zz & zz")

    assert hit.title == "Nothing found for “zz & zz”"
    assert hit.link == "/admin/affiliates/brand/search/?q=zz+%26+zz"
