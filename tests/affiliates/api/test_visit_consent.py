"""Visits that report consent, and brands that need it."""

from __future__ import annotations

from datetime import timedelta

import pytest

from affiliates.brands.rules import ConsentRule
from affiliates.db.deadlines.deadline import DatabaseAway
from affiliates.outbox.models.delivery import Delivery
from affiliates.outbox.queue.rules import QueueState
from affiliates.referrals.models import ClientReferral, OrderReferral
from affiliates.visits import services
from affiliates.visits.consent.rules import Consent
from affiliates.visits.models import Click
from tests.affiliates.api.calls import SHOP, convert, register, visit, visited
from tests.cases import each
from tests.database import nothing_written

CALLER = "203.0.113.7"


@pytest.fixture
def page(link):
    return f"{SHOP}/aff/{link.hash}"


@pytest.fixture
def rule(brand):
    def rule(value):
        brand.consent = value
        brand.save()

    return rule


@pytest.fixture
def asking(rule):
    rule(ConsentRule.REQUIRED)


@pytest.mark.parametrize(
    ("_case", "fields", "known"),
    [
        ("refused", {"consent": "denied"}, Consent.DENIED),
        ("not known", {"consent": "unknown"}, Consent.UNKNOWN),
        ("not reported", {}, Consent.UNKNOWN),
    ],
)
def test_without_consent_the_answer_is_the_redirect_alone(
    asking, api, page, affiliate, link, _case, fields, known
):
    address = f"{page}?sub=banner&gclid=ada&redirect=//evil.example/"

    response = visit(api, address, REMOTE_ADDR=CALLER, **fields)

    assert response.json() == {"data": {"redirect_url": f"{SHOP}/"}}
    assert "Visit-Id" not in response
    click = Click.objects.get()
    assert (click.affiliate, click.link, click.sub_id) == (affiliate, link, "banner")
    assert click.consent == known
    assert (click.visit_url, click.referrer_url) == (page, "https://blog.example.org/")
    assert (click.visitor_id, click.user_agent, click.ip_prefix) == (None, "", "")
    assert click.refused_redirect == ""


def test_with_consent_the_visit_is_as_ever(asking, api, page):
    data = visited(api, page, consent="granted")

    assert set(data) == {"redirect_url", "referral_cookie", "referral_cookie_max_age"}
    click = Click.objects.get()
    assert click.consent == Consent.GRANTED
    assert click.visitor_id is not None


def test_visit_that_names_nobody_leaves_nothing_without_consent(asking, api, brand):
    with nothing_written():
        data = visited(api, f"{SHOP}/plans", consent="unknown")

    assert data == {"redirect_url": f"{SHOP}/plans#"}


def test_no_consent_takes_no_click_back(api, page, rule):
    held = visited(api, page)["referral_cookie"]
    rule(ConsentRule.REQUIRED)

    with nothing_written():
        data = visited(api, f"{SHOP}/plans", referral_cookie=held)

    assert data == {"redirect_url": f"{SHOP}/plans#"}
    again = visited(api, f"{SHOP}/plans", referral_cookie=held, consent="granted")
    assert "referral_cookie" in again


@each("value", [None, "", "yes", "GRANTED", "withdrawn", True, 1, ["granted"], {}])
def test_any_other_value_is_refused(api, page, value):
    with nothing_written():
        response = visit(api, page, consent=value)

    assert response.status_code == 400
    assert response.json()["errors"] == [
        {
            "code": "invalid_choice",
            "detail": "Send granted, denied or unknown, or leave it out.",
            "attr": "consent",
        }
    ]


def test_refusal_counts_where_consent_is_not_needed(api, page):
    assert set(visited(api, page, consent="denied")) == {"redirect_url"}
    assert Click.objects.get().visitor_id is None


def test_integration_is_not_notified_without_consent(asking, api, integrate):
    integration = integrate()

    data = visited(api, f"{SHOP}/?a_aid=one", consent="unknown")

    assert set(data) == {"redirect_url"}
    assert Delivery.objects.count() == 0
    click = Click.objects.get()
    assert (click.integration, click.external_affiliate) == (integration, "one")


def test_cookie_for_the_session_has_no_age_and_ends_within_a_day(
    api, page, rule, clock, now
):
    rule(ConsentRule.SESSION_ONLY)
    data = visited(api, page)
    held = data["referral_cookie"]

    assert set(data) == {"redirect_url", "referral_cookie"}
    clock.move_to(now + timedelta(hours=23))
    renewed = visited(api, f"{SHOP}/plans", referral_cookie=held)
    assert set(renewed) == {"redirect_url", "referral_cookie"}
    clock.move_to(now + timedelta(hours=25))
    ended = visited(api, f"{SHOP}/plans", referral_cookie=renewed["referral_cookie"])
    assert set(ended) == {"redirect_url"}


def test_withdrawal_unlinks_the_visitors_clicks(api, page, rival_link):
    held = visited(api, page)["referral_cookie"]
    held = visited(api, f"{SHOP}/aff/{rival_link.hash}", referral_cookie=held)[
        "referral_cookie"
    ]

    data = visited(api, f"{SHOP}/plans?a=b", referral_cookie=held, consent="denied")

    assert data == {"redirect_url": f"{SHOP}/plans?a=b#"}
    for click in Click.objects.all():
        assert (click.visitor_id, click.user_agent, click.ip_prefix) == (None, "", "")
        assert click.consent == Consent.WITHDRAWN
    assert Click.objects.count() == 2


def test_withdrawal_of_one_visitor_leaves_the_others(api, page):
    visited(api, page)
    other = Click.objects.get()
    held = visited(api, page)["referral_cookie"]

    visited(api, f"{SHOP}/plans", referral_cookie=held, consent="denied")

    assert list(Click.objects.exclude(visitor_id=None)) == [other]


def test_withdrawal_keeps_what_is_an_order(
    api, as_buyer, page, affiliate, order, details
):
    held = visited(api, page)["referral_cookie"]
    convert(as_buyer, order, payment_details_id=details, referral_cookie=held)
    [click] = Click.objects.values()

    visited(api, f"{SHOP}/plans", referral_cookie=held, consent="denied")

    assert list(Click.objects.values()) == [click]
    referral = OrderReferral.objects.get()
    assert (referral.affiliate, referral.click_id) == (affiliate, click["id"])


def test_withdrawal_ends_the_binding_of_a_client_without_an_order(api, page):
    held = visited(api, page)["referral_cookie"]
    assert register(api, referral_cookie=held).status_code == 201
    assert ClientReferral.objects.count() == 1

    visited(api, f"{SHOP}/plans", referral_cookie=held, consent="denied")

    assert ClientReferral.objects.count() == 0
    assert Click.objects.get().visitor_id is None


def test_withdrawal_keeps_the_notification_from_the_provider(api, integrate):
    integrate()
    held = visited(api, f"{SHOP}/?a_aid=one")["referral_cookie"]
    assert Delivery.objects.get().state == QueueState.WAITING

    visited(api, f"{SHOP}/plans", referral_cookie=held, consent="denied")

    assert Delivery.objects.count() == 0


def test_withdrawal_without_the_database_is_asked_for_again(api, page, monkeypatch):
    held = visited(api, page)["referral_cookie"]

    def fail(*_, **__):
        raise DatabaseAway

    with monkeypatch.context() as patched:
        patched.setattr(services, "withdraw", fail)
        body = {"referral_cookie": held, "consent": "denied"}
        response = visit(api, f"{SHOP}/plans", **body)

    assert response.json() == {"data": {"redirect_url": f"{SHOP}/plans#"}}
    again = visit(
        api, f"{SHOP}/plans", headers={"Visit-Id": response["Visit-Id"]}, **body
    )
    assert "Visit-Id" not in again
    assert Click.objects.get().visitor_id is None


def test_who_withdrew_may_register_and_order(api, as_buyer, page, order, details):
    held = visited(api, page)["referral_cookie"]
    visited(api, f"{SHOP}/plans", referral_cookie=held, consent="denied")

    answer = convert(as_buyer, order, payment_details_id=details, referral_cookie=held)

    assert answer.status_code == 200
    assert OrderReferral.objects.get().affiliate is None
