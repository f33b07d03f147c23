"""What an affiliate may ask about its own money, and what it is answered."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine

from affiliates.commissions.rules import CommissionStatus
from affiliates.payouts.models import Payout, PayoutDestination
from affiliates.payouts.papers import pdf
from affiliates.payouts.rules import PayoutStatus
from affiliates.payouts.services.requests import request_payout
from affiliates.payouts.services.statements import issue_credit_note, issue_statement
from tests.affiliates.api.calls import refusal
from tests.cases import each
from tests.database import nothing_written
from tests.factories.affiliates import AffiliateFactory, BrandFactory
from tests.factories.books import CommissionFactory, PayoutFactory
from tests.factories.payouts import (
    IBAN,
    DestinationFactory,
    PayoutTermsFactory,
    earn,
    earn_share,
    take_back,
)
from tests.guard.markers import marker
from tests.needs import require

BALANCES = "/api/affiliate/balances"
DESTINATION = "/api/affiliate/payout_destination"
PAYOUTS = "/api/affiliate/payouts"
CALLS = [
    ("get", BALANCES, None),
    ("get", DESTINATION, None),
    ("put", DESTINATION, {"kind": "wallet"}),
    ("get", PAYOUTS, None),
    ("post", PAYOUTS, {"currency": "EUR"}),
]
BANK = {"kind": "bank", "account_holder": "Ada Lovelace", "iban": IBAN}


@pytest.fixture(autouse=True)
def clock(now):
    with time_machine.travel(now, tick=False) as traveller:
        yield traveller


def put(caller, **fields):
    return caller.put(DESTINATION, fields, format="json")


def post(caller, **fields):
    return caller.post(PAYOUTS, fields, format="json")


def test_balances_are_empty_at_first(partner):
    answer = partner.get(BALANCES)

    assert (answer.status_code, answer.json()) == (
        200,
        {"data": {"balances": [], "page": 1, "pages": 1}},
    )


def test_balances_by_currency(partner, affiliate, terms, now):
    earn(affiliate, 7_512)
    take_back(affiliate, 8_000)
    earn(affiliate, 5_000, "JPY")
    DestinationFactory(affiliate=affiliate)
    request_payout(affiliate_id=affiliate.pk, currency="JPY", now=now)
    for days in (9, 3):
        CommissionFactory(
            affiliate=affiliate,
            status=CommissionStatus.PENDING,
            matures_at=now + timedelta(days=days),
        )

    answer = partner.get(BALANCES)

    assert answer.json()["data"] == {
        "page": 1,
        "pages": 1,
        "balances": [
            {
                "currency": "EUR",
                "pending": "0.00",
                "held": "0.00",
                "payable": "-4.88",
                "being_paid": "0.00",
                "paid_out": "0.00",
                "in_hold": "20.00",
                "next_maturity_at": "2026-03-04T12:00:00+00:00",
                "next_maturity_amount": "10.00",
                "last_maturity_at": "2026-03-10T12:00:00+00:00",
                "payout": {
                    "refusal": "below_minimum",
                    "minimum": "50.00",
                    "missing": "54.88",
                    "open_payout": None,
                    "usable_from": "2026-03-01T12:00:00+00:00",
                    "kinds": ["wallet", "paypal", "bank", "offline"],
                },
            },
            {
                "currency": "JPY",
                "pending": "0",
                "held": "0",
                "payable": "0",
                "being_paid": "5000",
                "paid_out": "0",
                "in_hold": "0",
                "next_maturity_at": None,
                "next_maturity_amount": "0",
                "last_maturity_at": None,
                "payout": {
                    "refusal": "payout_open",
                    "minimum": "50",
                    "missing": "50",
                    "open_payout": Payout.objects.get().pk,
                    "usable_from": "2026-03-01T12:00:00+00:00",
                    "kinds": ["wallet", "paypal", "offline"],
                },
            },
        ],
    }


def test_destination_is_null_at_first(partner):
    assert partner.get(DESTINATION).json() == {"data": None}


def test_destination_is_given_and_its_details_are_never_answered(partner):
    answer = put(partner, **BANK)

    assert answer.status_code == 200
    assert answer.json() == {
        "data": {
            "kind": "bank",
            "hint": "DE… 3000",
            "usable_from": "2026-03-01T12:00:00+00:00",
            "created_at": "2026-03-01T12:00:00+00:00",
        }
    }
    assert partner.get(DESTINATION).json() == answer.json()


def test_changed_destination_says_from_when_it_is_paid_to(partner):
    put(partner, **BANK)

    answer = put(partner, kind="paypal", email="ada@example.org")

    assert answer.json()["data"]["usable_from"] == "2026-03-08T12:00:00+00:00"


@each("field", ["email", "account_holder", "iban", "agreement"])
@each("value", [7, True, [], {}, None])
def test_details_are_text(partner, field, value):
    with nothing_written():
        answer = put(partner, **{**BANK, field: value})

    code = "null" if value is None else "invalid"
    assert refusal(answer) == (400, code, field)


@each(
    ("fields", "code", "field"),
    [
        ({}, "required", "kind"),
        ({"kind": None}, "null", "kind"),
        ({"kind": ""}, "blank", "kind"),
        ({"kind": "crypto"}, "invalid_choice", "kind"),
        ({"kind": 7}, "invalid", "kind"),
        ({"kind": []}, "invalid", "kind"),
        ({"kind": {}}, "invalid", "kind"),
        ({"kind": "paypal"}, "required", "email"),
        ({"kind": "paypal", "email": "nobody"}, "invalid_email", "email"),
        (
            {"kind": "paypal", "email": "a" * 250 + "@example.org"},
            "max_length",
            "email",
        ),
        ({"kind": "bank", "iban": IBAN}, "required", "account_holder"),
        ({**BANK, "account_holder": "a" * 71}, "max_length", "account_holder"),
        ({**BANK, "account_holder": "☃"}, "invalid_account_holder", "account_holder"),
        ({**BANK, "iban": ""}, "required", "iban"),
        ({**BANK, "iban": "DE88370400440532013000"}, "invalid_iban", "iban"),
        ({**BANK, "iban": "D" * 60_000}, "max_length", "iban"),
        ({**BANK, "iban": "TR330006100519786457841326"}, "not_sepa", "iban"),
        ({"kind": "offline", "agreement": "a" * 256}, "max_length", "agreement"),
    ],
)
def test_destination_that_cannot_be_used_is_refused(partner, fields, code, field):
    with nothing_written():
        answer = put(partner, **fields)

    assert refusal(answer) == (400, code, field)


def test_destination_that_the_brand_does_not_offer_is_a_conflict(partner, brand):
    PayoutTermsFactory(brand=brand, kinds=["wallet", "paypal", "offline"])

    with nothing_written():
        answer = put(partner, **BANK)

    assert refusal(answer) == (409, "kind_not_offered", None)


@pytest.mark.parametrize("method", ["put", "post"])
@pytest.mark.parametrize("body", ["[]", '"EUR"', "7", "null"])
def test_body_must_be_an_object(partner, method, body):
    path = {"put": DESTINATION, "post": PAYOUTS}[method]

    with nothing_written():
        answer = partner.generic(
            method.upper(), path, body, content_type="application/json"
        )

    assert refusal(answer) == (400, "invalid", None)


def test_payout_is_requested(partner, affiliate):
    DestinationFactory(affiliate=affiliate)
    earn(affiliate, 7_512)

    answer = post(partner, currency="EUR")

    payout = Payout.objects.get()
    assert answer.status_code == 201
    assert answer.json() == {
        "data": {
            "id": payout.pk,
            "currency": "EUR",
            "amount": "75.12",
            "status": "requested",
            "reason": "",
            "reference": "",
            "received_amount": None,
            "received_currency": "",
            "destination": {
                "kind": "paypal",
                "hint": "p…@example.org",
                "usable_from": "2026-03-01T12:00:00+00:00",
                "created_at": "2026-03-01T12:00:00+00:00",
            },
            "requested_at": "2026-03-01T12:00:00+00:00",
            "finished_at": None,
        }
    }


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({}, "required"),
        ({"currency": None}, "null"),
        ({"currency": ""}, "blank"),
        ({"currency": 978}, "invalid"),
        ({"currency": ["EUR"]}, "invalid"),
        ({"currency": "EURO"}, "max_length"),
        ({"currency": "QQQ"}, "unknown_currency"),
        ({"currency": "eur"}, "unknown_currency"),
    ],
)
def test_currency_that_is_none_is_refused(partner, fields, code):
    with nothing_written():
        answer = post(partner, **fields)

    assert refusal(answer) == (400, code, "currency")


def test_payout_without_a_destination_is_a_conflict(partner, affiliate):
    earn(affiliate)

    with nothing_written():
        answer = post(partner, currency="EUR")

    assert refusal(answer) == (409, "no_destination", None)


def test_payout_below_the_minimum_is_a_conflict(partner, affiliate):
    DestinationFactory(affiliate=affiliate)

    with nothing_written():
        answer = post(partner, currency="EUR")

    assert refusal(answer) == (409, "below_minimum", None)
    assert answer.json()["errors"][0]["detail"] == (
        "€0.00 is payable. At least €50.00 is paid out."
    )


def test_second_request_is_a_conflict(partner, affiliate):
    DestinationFactory(affiliate=affiliate)
    earn(affiliate)
    post(partner, currency="EUR")

    with nothing_written():
        answer = post(partner, currency="EUR")

    assert refusal(answer) == (409, "payout_open", None)


def test_what_arrived_in_another_currency_is_stated(partner, affiliate, now):
    DestinationFactory(affiliate=affiliate)
    payout = PayoutFactory(
        affiliate=affiliate,
        status="paid",
        finished_at=now,
        received_amount=5_210,
        received_currency="USD",
    )

    [shown] = partner.get("/api/affiliate/payouts").json()["data"]["payouts"]

    assert shown["id"] == payout.pk
    assert (shown["received_amount"], shown["received_currency"]) == ("52.10", "USD")


def test_payouts_are_listed_newest_first_in_pages(partner, affiliate, now):
    payouts = [
        PayoutFactory(affiliate=affiliate, status="paid", finished_at=now)
        for _ in range(51)
    ]

    first = partner.get(PAYOUTS).json()["data"]
    second = partner.get(f"{PAYOUTS}?page=2").json()["data"]
    beyond = partner.get(f"{PAYOUTS}?page=3")

    assert [one["id"] for one in first["payouts"]] == [
        one.pk for one in reversed(payouts[1:])
    ]
    assert (first["page"], first["pages"]) == (1, 2)
    assert [one["id"] for one in second["payouts"]] == [payouts[0].pk]
    assert refusal(beyond) == (400, "beyond_last", "page")


@pytest.mark.parametrize(
    ("page", "code"),
    [
        ("0", "min_value"),
        ("-1", "invalid"),
        ("1_0", "invalid"),
        ("1.0", "invalid"),
        ("１", "invalid"),
        ("10001", "max_value"),
        ("two", "invalid"),
        ("", "invalid"),
        ("9" * 2000, "max_string_length"),
    ],
)
def test_page_that_is_none_is_refused(partner, page, code):
    answer = partner.get(f"{PAYOUTS}?page={page}")

    assert refusal(answer) == (400, code, "page")


def test_reason_is_shown_only_of_a_rejection(partner, affiliate, now):
    PayoutFactory(
        affiliate=affiliate,
        status="rejected",
        reason=marker("affiliate", "payout"),
        finished_at=now,
    )
    PayoutFactory(affiliate=affiliate, status="approved", reason="Wallet asleep")

    rows = partner.get(PAYOUTS).json()["data"]["payouts"]

    assert [(row["status"], row["reason"]) for row in rows] == [
        ("approved", ""),
        ("rejected", marker("affiliate", "payout")),
    ]


@pytest.mark.parametrize(("method", "path", "body"), CALLS)
def test_credentials_are_required(api, brand, method, path, body):
    with nothing_written():
        answer = getattr(api, method)(path, body, format="json")

    assert refusal(answer) == (401, "not_authenticated", None)


@pytest.mark.parametrize(("method", "path", "body"), CALLS)
@pytest.mark.parametrize("kind", ["client", "guest"])
def test_client_that_is_no_affiliate_is_told_so(
    api, brand, host, affiliate, method, path, body, kind
):
    DestinationFactory(affiliate=affiliate)
    earn(affiliate)
    caller = (
        host.client(brand, email="c@example.com")
        if kind == "client"
        else host.guest(brand)
    )
    api.credentials(HTTP_AUTHORIZATION=host.authorization(caller))

    with nothing_written():
        answer = getattr(api, method)(path, body, format="json")

    assert refusal(answer) == (403, "not_an_affiliate", None)


@pytest.mark.parametrize(("method", "path", "body"), CALLS)
def test_origin_of_another_brand_is_refused(partner, affiliate, method, path, body):
    BrandFactory(client_area="other.example.net")

    with nothing_written():
        answer = getattr(partner, method)(
            path, body, format="json", headers={"origin": "https://other.example.net"}
        )

    assert refusal(answer) == (403, "origin_of_another_brand", None)


@pytest.mark.parametrize(("method", "path", "body"), CALLS)
def test_brand_that_is_switched_off_answers_nothing(partner, brand, method, path, body):
    brand.is_active = False
    brand.save()

    with nothing_written():
        answer = getattr(partner, method)(path, body, format="json", headers={})

    # A host may let nobody of such a brand in.
    assert answer.status_code in {401, 403}


def test_each_affiliate_sees_its_own(api, brand, host, affiliate, now):
    DestinationFactory(affiliate=affiliate)
    earn(affiliate)
    PayoutFactory(affiliate=affiliate)
    other = AffiliateFactory(
        brand=brand, user=host.client(brand, email="other@example.com")
    )
    api.credentials(HTTP_AUTHORIZATION=host.authorization(other.user))

    assert api.get(BALANCES).json()["data"]["balances"] == []
    assert api.get(DESTINATION).json() == {"data": None}
    assert api.get(PAYOUTS).json()["data"]["payouts"] == []
    with nothing_written():
        answer = post(api, currency="EUR")
    assert refusal(answer) == (409, "no_destination", None)


def test_change_of_one_affiliate_is_none_of_anothers(api, brand, host, affiliate):
    other = AffiliateFactory(
        brand=brand, user=host.client(brand, email="other@example.com")
    )
    DestinationFactory(affiliate=affiliate)
    api.credentials(HTTP_AUTHORIZATION=host.authorization(other.user))

    put(api, **BANK)

    newest = PayoutDestination.objects.filter(affiliate=affiliate).first()
    assert newest.kind == "paypal"


def test_calls_over_the_rate_are_refused(partner, settings):
    settings.AFFILIATES_THROTTLE_RATES = {"affiliate": "2/minute"}
    caller = {"REMOTE_ADDR": "203.0.113.7"}

    answers = [partner.get(path, **caller) for path in (BALANCES, PAYOUTS, DESTINATION)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert refusal(answers[-1]) == (429, "throttled", None)


@pytest.mark.parametrize(
    ("path", "allowed"),
    [
        (BALANCES, "GET, HEAD, OPTIONS"),
        (DESTINATION, "GET, PUT, HEAD, OPTIONS"),
        (PAYOUTS, "GET, POST, HEAD, OPTIONS"),
    ],
)
def test_other_methods_are_refused(partner, path, allowed):
    with nothing_written():
        answer = partner.delete(path)

    assert refusal(answer) == (405, "method_not_allowed", None)
    assert answer["Allow"] == allowed


def test_payout_with_its_statement_line_by_line(partner, affiliate, terms, now):
    destination = DestinationFactory(affiliate=affiliate)
    earn(affiliate, 7_512)
    payout = request_payout(affiliate_id=affiliate.pk, currency="EUR", now=now)
    path = f"{PAYOUTS}/{payout.pk}"
    before = partner.get(path).json()["data"]

    statement = issue_statement(payout, now=now)
    [found] = partner.get(path).json()["data"]["statements"]

    assert before["statements"] == []
    assert before["destination"]["hint"] == destination.hint
    [line] = found.pop("lines")
    assert found == {
        "number": statement.name,
        "kind": "paid",
        "currency": "EUR",
        "amount": "75.12",
        "issued_at": "2026-03-01T12:00:00+00:00",
        "issuer": affiliate.brand.name,
        "tax_note": "",
    }
    assert (line["day"], line["amount"]) == ("2026-03-01", "75.12 EUR")


def test_statement_names_a_share_and_what_is_carried(partner, affiliate, rival, now):
    DestinationFactory(affiliate=affiliate)
    own = earn(affiliate)
    earn_share(affiliate, earn(rival), 1_250)
    take_back(affiliate, 25)
    payout = request_payout(affiliate_id=affiliate.pk, currency="EUR", now=now)
    issue_statement(payout, now=now)

    [found] = partner.get(f"{PAYOUTS}/{payout.pk}").json()["data"]["statements"]

    assert [(one["name"], one["amount"]) for one in found["lines"]] == [
        (own.sale.invoice_ref, "100.00 EUR"),
        ("Share of an affiliate you recruited", "12.50 EUR"),
        ("Refunds and corrections", "-0.25 EUR"),
    ]


def test_newest_statement_as_pdf(partner, affiliate, now):
    pytest.importorskip("fpdf")
    require("DejaVuSans.ttf")
    payout = PayoutFactory(affiliate=affiliate, status=PayoutStatus.PAID)
    path, accept = f"{PAYOUTS}/{payout.pk}", {"Accept": "application/pdf"}
    early = partner.get(path, headers=accept)
    issue_statement(payout, now=now)
    issue_credit_note(payout, now=now)

    answer = partner.get(path, headers=accept)

    assert refusal(early) == (404, "not_found", None)
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/pdf")
    assert answer["Content-Disposition"] == (
        f'attachment; filename="statement-{payout.pk}-returned.pdf"'
    )
    assert answer.content.startswith(b"%PDF-")


def test_pdf_without_its_extra_is_refused(partner, affiliate, now, monkeypatch):
    monkeypatch.setattr(pdf, "HAS_FPDF", False)
    payout = PayoutFactory(affiliate=affiliate, status=PayoutStatus.PAID)
    issue_statement(payout, now=now)

    answer = partner.get(
        f"{PAYOUTS}/{payout.pk}", headers={"Accept": "application/pdf"}
    )

    assert refusal(answer) == (409, "no_statement_pdf", None)
    assert "pip install 'affiliates[statements]'" in answer.text


def test_payouts_of_others_are_not_found(partner, rival):
    other = PayoutFactory(affiliate=rival)

    assert refusal(partner.get(f"{PAYOUTS}/{other.pk}")) == (404, "not_found", None)


def test_payouts_by_what_is_asked(partner, affiliate):
    paid = PayoutFactory(affiliate=affiliate, status=PayoutStatus.PAID, amount=1)
    PayoutFactory(affiliate=affiliate, amount=2)

    def asked(query):
        answer = partner.get(f"{PAYOUTS}?{query}")
        return [one["id"] for one in answer.json()["data"]["payouts"]]

    assert asked("status=paid") == [paid.pk]
    assert asked("ordering=amount")[0] == asked("ordering=-amount")[1] == paid.pk
    assert asked("currency=JPY") == asked("first=2030-01-01") == []
