"""/api/affiliate/claims: what an affiliate learns of an order, and what never."""

from __future__ import annotations

import re
from datetime import date, timedelta
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import translation
from rest_framework.test import APIClient

from affiliates.contrib.claims.models import MissingSaleClaim
from affiliates.contrib.claims.rules import WAITING, ClaimStatus, Hints
from affiliates.contrib.claims.selectors import answers_to
from affiliates.contrib.claims.services import submit_claim
from tests.affiliates.api.calls import refusal
from tests.cases import each
from tests.database import nothing_written
from tests.factories.affiliates import AffiliateFactory, ClickFactory
from tests.factories.books import CommissionFactory, CommissionReversalFactory
from tests.factories.claims import MissingSaleClaimFactory
from tests.factories.ledger import (
    InvoicePaymentFactory,
    OrderReferralFactory,
    SaleFactory,
    decision_of,
    touch_of,
)

PATH = "/api/affiliate/claims"
ORIGIN = "https://shop.example.com"
CLAIMED = {
    "order": "order-77",
    "client_email": "ada@example.com",
    "ordered_on": "2026-02-27",
    "note": "She told me.",
}

pytestmark = pytest.mark.usefixtures("clock")


@pytest.fixture
def partner(affiliate, host) -> APIClient:
    """The affiliate's own browser."""
    return APIClient(
        HTTP_ORIGIN=ORIGIN, HTTP_AUTHORIZATION=host.authorization(affiliate.user)
    )


def order_of(brand, client, *affiliates, now, **fields):
    """An order that each of the affiliates sent, the last one a day ago."""
    clicks = [
        ClickFactory(
            affiliate=one, visitor_id=uuid4(), created_at=now - timedelta(days=days)
        )
        for days, one in enumerate(reversed(affiliates), start=1)
    ]
    made = decision_of(*map(touch_of, clicks), now=now)
    return OrderReferralFactory(brand=brand, client=client, made=made, **fields)


def submit(api, **body):
    return api.post(PATH, body, format="json")


def answer(response):
    return response.json()["data"]["answer"]


def test_an_order_of_ones_own_is_answered_at_once(
    partner, affiliate, brand, buyer, now
):
    order_of(brand, buyer, affiliate, now=now, order_ref="order-77")

    response = submit(partner, **CLAIMED)

    claim = MissingSaleClaim.objects.get()
    assert response.status_code == 201
    assert response.json() == {
        "data": {
            "id": str(claim.pk),
            "status": "answered",
            **CLAIMED,
            "answer": [
                "This order is credited to you.",
                "Your click of 28 Feb 2026 won.",
                "The invoice is not paid yet. The sale is recorded when it is.",
            ],
            "created_at": "2026-03-01T12:00:00+00:00",
        }
    }


def test_an_invoice_names_its_order(partner, affiliate, brand, buyer, now):
    order_of(brand, buyer, affiliate, now=now, invoice_ref="INV-000012")

    response = submit(partner, order=" INV-000012 ")

    assert response.json()["data"]["status"] == "answered"
    assert response.json()["data"]["order"] == "INV-000012"


def test_an_order_lost_to_a_rival_tells_ones_own_part_alone(
    partner, affiliate, rival, brand, buyer, now
):
    order_of(brand, buyer, affiliate, rival, now=now, order_ref="order-77")

    response = submit(partner, order="order-77")

    assert answer(response) == [
        "This order is not credited to you.",
        "Another affiliate's later click won over your click of 27 Feb 2026.",
    ]
    assert "rival" not in response.content.decode()


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("pending", "pending until 1 Apr 2026"),
        ("matured", "waiting for approval"),
        ("held", "held for review"),
        ("approved", "approved"),
        ("rejected", "rejected"),
        ("reversed", "taken back, as the invoice was refunded"),
    ],
)
def test_the_commission_is_told_in_words(
    status, words, partner, affiliate, brand, buyer, now
):
    referral = order_of(brand, buyer, affiliate, now=now, order_ref="order-77")
    CommissionFactory(
        affiliate=affiliate,
        sale=SaleFactory(order_referral=referral),
        status=status,
        amount=1250,
        matures_at=now + timedelta(days=31),
    )

    response = submit(partner, order="order-77")

    assert answer(response)[2:] == [f"Your commission of €12.50 is {words}."]


def test_renewals_and_refunds_are_told(partner, affiliate, brand, buyer, now):
    referral = order_of(brand, buyer, affiliate, now=now, order_ref="order-77")
    first = SaleFactory(order_referral=referral)
    renewal = SaleFactory(
        order_referral=referral,
        payment=InvoicePaymentFactory(brand=brand, renewal_number=1),
        invoice_ref="renewal-1",
        renewal_number=1,
    )
    fields = {"affiliate": affiliate, "status": "approved", "amount": 1000}
    CommissionReversalFactory(
        commission=CommissionFactory(sale=first, **fields), amount=-250
    )
    CommissionFactory(sale=renewal, **fields)

    response = submit(partner, order="order-77")

    assert answer(response)[2:] == [
        "Your commission of €10.00 is approved. Refunds took back €2.50 of it.",
        "Your commission for renewal 1 of €10.00 is approved.",
    ]


def test_amounts_are_written_as_in_the_reader_s_language(affiliate, brand, buyer, now):
    referral = order_of(brand, buyer, affiliate, now=now, order_ref="order-77")
    commission = CommissionFactory(
        affiliate=affiliate,
        sale=SaleFactory(order_referral=referral),
        status="approved",
        amount=123_450,
    )
    CommissionReversalFactory(commission=commission, amount=-250)
    claim, _ = submit_claim(affiliate=affiliate, hints=Hints(order="order-77"), now=now)

    with translation.override("de"):
        said = answers_to([claim])[claim.pk][-1]

    assert said.count("1.234,50\xa0€") == said.count(" 2,50\xa0€") == 1
    assert "EUR" not in said


def test_a_sale_without_commission_is_told(partner, affiliate, brand, buyer, now):
    referral = order_of(brand, buyer, affiliate, now=now, order_ref="order-77")
    SaleFactory(order_referral=referral)

    response = submit(partner, order="order-77")

    assert answer(response)[2:] == ["The sale is recorded. It earns no commission."]


@pytest.fixture(params=["a rival's", "nobody's", "unpaid", "another brand's"])
def strangers_order(request, rival, brand, buyer, other_brand, host, now):
    """An order of the reference order-77 that the affiliate has no part in."""
    if request.param == "another brand's":
        client = host.client(other_brand, email="ada@example.net")
        sender = AffiliateFactory(
            brand=other_brand, user=host.client(other_brand, email="s@example.net")
        )
        return order_of(other_brand, client, sender, now=now, order_ref="order-77")
    senders = [] if request.param == "nobody's" else [rival]
    referral = order_of(brand, buyer, *senders, now=now, order_ref="order-77")
    if request.param == "a rival's":
        sale = SaleFactory(order_referral=referral)
        CommissionFactory(affiliate=rival, sale=sale, status="approved")
    return referral


def told(response):
    """The answer, without what is the case's own: its id and the order typed."""
    body = response.content.decode()
    body = re.sub(r'"id":"[0-9a-f-]{36}"', '"id":""', body)
    return response.status_code, body.replace("order-88", "order-77")


def shape(captured):
    """The statements, without the values in them."""
    value = re.compile(r"'[^']*'|s[0-9]+_x[0-9]+|\b[0-9a-f]{32}\b|\b[0-9]+\b|NULL")
    return [value.sub("?", query["sql"]) for query in captured]


def test_a_strangers_order_is_answered_as_one_that_does_not_exist(
    partner, strangers_order
):
    submit(partner, order="warm-up")
    with CaptureQueriesContext(connection) as of_strangers:
        existing = submit(partner, **CLAIMED)
    with CaptureQueriesContext(connection) as of_nobody:
        absent = submit(partner, **{**CLAIMED, "order": "order-88"})

    assert existing.status_code == 201
    assert answer(existing) == [WAITING]
    assert told(existing) == told(absent)
    assert shape(of_strangers) == shape(of_nobody)
    headers = [dict(one.headers) for one in (existing, absent)]
    assert headers[0] == headers[1]


def test_the_case_of_a_strangers_order_names_no_order(partner, strangers_order):
    submit(partner, **CLAIMED)

    claim = MissingSaleClaim.objects.get()

    assert (claim.status, claim.answer, claim.referral) == ("open", "", None)


def test_a_repeat_of_a_strangers_order_is_answered_alike(partner, strangers_order):
    submit(partner, **CLAIMED)
    submit(partner, **{**CLAIMED, "order": "order-88"})
    with CaptureQueriesContext(connection) as of_strangers:
        existing = submit(partner, **CLAIMED)
    with CaptureQueriesContext(connection) as of_nobody:
        absent = submit(partner, **{**CLAIMED, "order": "order-88"})

    assert existing.status_code == 201
    assert told(existing) == told(absent)
    assert shape(of_strangers) == shape(of_nobody)


def test_a_clients_address_alone_tells_nothing(partner, affiliate, brand, buyer, now):
    order_of(brand, buyer, affiliate, now=now)

    existing = submit(partner, client_email="client@example.com")
    absent = submit(partner, client_email="absent@example.com")

    assert answer(existing) == answer(absent) == [WAITING]
    assert existing.json()["data"]["status"] == absent.json()["data"]["status"]


def test_the_same_claim_is_the_same_case(partner):
    first = submit(partner, **CLAIMED)
    second = submit(partner, order="order-77", note="Again")

    assert (first.status_code, second.status_code) == (201, 201)
    assert first.json() == second.json()
    assert MissingSaleClaim.objects.count() == 1


@pytest.mark.parametrize("hint", ["order-77", "unknown"])
def test_the_first_note_is_kept_also_where_it_comes_later(
    partner, affiliate, brand, buyer, now, hint
):
    order_of(brand, buyer, affiliate, now=now, order_ref="order-77")
    without = submit(partner, order=hint)

    added = submit(partner, order=hint, note="She told me.")
    another = submit(partner, order=hint, note="Again")

    said = {**without.json()["data"], "note": "She told me."}
    assert added.json()["data"] == another.json()["data"] == said
    assert MissingSaleClaim.objects.get().note == "She told me."


def test_a_note_on_what_staff_decided_is_not_kept(partner, affiliate, staff, now):
    decided = MissingSaleClaimFactory(
        affiliate=affiliate,
        order_hint="order-77",
        note="",
        status=ClaimStatus.DECLINED,
        answer="No.",
        decided_by=staff,
        decided_at=now,
    )

    with nothing_written():
        response = submit(partner, order="order-77", note="She told me.")

    assert response.json()["data"]["id"] == str(decided.pk)
    assert response.json()["data"]["note"] == ""


@pytest.mark.parametrize(
    ("first", "second", "cases"),
    [
        ({"order": "a"}, {"order": "b"}, 2),
        ({"client_email": "a@x.org"}, {"client_email": "A@X.org"}, 1),
        (
            {"client_email": "a@x.org", "ordered_on": "2026-02-01"},
            {"client_email": "a@x.org", "ordered_on": "2026-02-02"},
            2,
        ),
        ({"order": "a@x.org"}, {"client_email": "a@x.org"}, 2),
    ],
)
def test_another_claim_is_another_case(first, second, cases, partner):
    submit(partner, **first)
    submit(partner, **second)

    assert MissingSaleClaim.objects.count() == cases


def test_the_same_claim_of_two_affiliates_is_two_cases(partner, rival, host):
    other = APIClient(
        HTTP_ORIGIN=ORIGIN, HTTP_AUTHORIZATION=host.authorization(rival.user)
    )

    first, second = submit(partner, order="order-77"), submit(other, order="order-77")

    assert first.json()["data"]["id"] != second.json()["data"]["id"]
    assert (first.status_code, second.status_code) == (201, 201)


def test_an_answer_follows_what_became_of_the_order(
    partner, affiliate, brand, buyer, now
):
    open_case = submit(partner, order="order-77")
    referral = order_of(brand, buyer, affiliate, now=now, order_ref="order-77")
    answered = submit(partner, order="order-77")
    SaleFactory(order_referral=referral)
    paid = submit(partner, order="order-77")

    assert answer(open_case) == [WAITING]
    assert answer(answered)[2].startswith("The invoice is not paid yet.")
    assert answer(paid)[2] == "The sale is recorded. It earns no commission."
    assert MissingSaleClaim.objects.get().referral == referral


def test_what_staff_decided_stands(partner, affiliate, brand, buyer, host, now):
    staff = host.client(brand, email="staff@example.com")
    MissingSaleClaimFactory(
        affiliate=affiliate,
        order_hint="order-77",
        status=ClaimStatus.DECLINED,
        answer="Your click came after the order.",
        decided_by=staff,
        decided_at=now,
    )
    order_of(brand, buyer, affiliate, now=now, order_ref="order-77")

    response = submit(partner, order="order-77")

    assert response.json()["data"]["status"] == "declined"
    assert answer(response) == ["Your click came after the order."]


def test_blank_fields_are_as_good_as_none(partner):
    response = submit(
        partner, order="order-77", client_email="", ordered_on=None, note=""
    )

    assert response.status_code == 201
    assert MissingSaleClaim.objects.get().ordered_on is None


def test_tomorrow_has_begun_somewhere(partner):
    response = submit(partner, order="order-77", ordered_on="2026-03-02")

    assert response.status_code == 201
    assert MissingSaleClaim.objects.get().ordered_on == date(2026, 3, 2)


@each(
    ("body", "attr", "code"),
    [
        ({}, "order", "order_or_client_required"),
        ({"order": "   "}, "order", "order_or_client_required"),
        ({"note": "It is mine"}, "order", "order_or_client_required"),
        ({"order": 77}, "order", "invalid"),
        ({"order": None}, "order", "null"),
        ({"order": "x" * 65}, "order", "max_length"),
        ({"order": "a\x00b"}, "order", "null_characters_not_allowed"),
        ({"client_email": "ada"}, "client_email", "invalid"),
        ({"client_email": "a" * 250 + "@x.org"}, "client_email", "max_length"),
        ({"order": "a", "ordered_on": "yesterday"}, "ordered_on", "invalid"),
        ({"order": "a", "ordered_on": "2026-02-30"}, "ordered_on", "invalid"),
        ({"order": "a", "ordered_on": "2026-03-03"}, "ordered_on", "date_in_future"),
        ({"order": "a", "note": "x" * 1001}, "note", "max_length"),
    ],
)
def test_a_claim_that_cannot_be_read_names_its_fault(body, attr, code, partner):
    response = submit(partner, **body)

    assert response.status_code == 400
    error = response.json()["errors"][0]
    assert (error["attr"], error["code"]) == (attr, code)
    assert not MissingSaleClaim.objects.exists()


def test_a_body_that_is_no_object_is_refused(partner):
    response = partner.post(PATH, [CLAIMED], format="json")

    assert response.status_code == 400
    assert not MissingSaleClaim.objects.exists()


@pytest.mark.parametrize("method", ["get", "post"])
def test_needs_an_affiliate(method, api, as_buyer):
    body = CLAIMED if method == "post" else None
    response = getattr(as_buyer, method)(PATH, body, format="json")

    assert response.status_code == 403
    assert response.json()["errors"][0]["code"] == "not_an_affiliate"
    assert not MissingSaleClaim.objects.exists()


@pytest.mark.parametrize("method", ["get", "post"])
def test_needs_credentials(method, api, brand):
    response = getattr(api, method)(PATH, CLAIMED, format="json")

    assert response.status_code == 401
    assert not MissingSaleClaim.objects.exists()


def test_needs_the_affiliates_own_brand(partner, other_brand):
    response = partner.post(
        PATH, CLAIMED, format="json", HTTP_ORIGIN="https://other.example.net"
    )

    assert response.status_code == 403
    assert response.json()["errors"][0]["code"] == "origin_of_another_brand"
    assert not MissingSaleClaim.objects.exists()


def test_claims_are_counted_for_each_affiliate(partner, rival, host, settings):
    settings.AFFILIATES_THROTTLE_RATES = {"claim": "2/day"}
    other = APIClient(
        HTTP_ORIGIN=ORIGIN, HTTP_AUTHORIZATION=host.authorization(rival.user)
    )
    codes = [submit(partner, order=f"order-{n}").status_code for n in range(3)]

    assert codes == [201, 201, 429]
    assert submit(other, order="order-1").status_code == 201
    assert partner.get(PATH).status_code == 200
    assert MissingSaleClaim.objects.count() == 3


def test_lists_ones_own_claims_newest_first(partner, affiliate, rival, now):
    MissingSaleClaimFactory(affiliate=rival)
    for minutes in range(21):
        MissingSaleClaimFactory(
            affiliate=affiliate,
            order_hint=f"claimed-{minutes}",
            created_at=now + timedelta(minutes=minutes),
        )

    first = partner.get(PATH).json()["data"]
    second = partner.get(PATH, {"page": 2}).json()["data"]
    beyond = partner.get(PATH, {"page": 3})

    assert [one["order"] for one in first["claims"][:2]] == ["claimed-20", "claimed-19"]
    assert len(first["claims"]) == 20
    assert (first["page"], first["pages"]) == (1, 2)
    assert [one["order"] for one in second["claims"]] == ["claimed-0"]
    assert refusal(beyond) == (400, "beyond_last", "page")


def test_the_list_holds_what_was_typed_and_told(partner, affiliate, strangers_order):
    MissingSaleClaimFactory(
        affiliate=affiliate, order_hint="order-77", referral=strangers_order
    )

    (claim,) = partner.get(PATH).json()["data"]["claims"]

    assert set(claim) == {
        "id",
        "status",
        "order",
        "client_email",
        "ordered_on",
        "note",
        "answer",
        "created_at",
    }
    assert (claim["status"], claim["answer"]) == ("open", [WAITING])


@pytest.mark.parametrize("page", ["0", "-1", "x", "1.5", "9" * 30])
def test_a_page_is_a_number(page, partner):
    response = partner.get(PATH, {"page": page})

    assert response.status_code == 400
    assert response.json()["errors"][0]["attr"] == "page"
