"""The whole flow, from the visit to the refund. Run on each host by test_flow.py."""

from __future__ import annotations

import json
from io import StringIO

import pytest
from asgiref.sync import async_to_sync
from django.apps import apps
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.test import AsyncClient, Client
from django.urls import reverse
from django.utils import timezone

from affiliates.payouts.selectors import balances
from affiliates.referrals.models import ClientReferral, OrderReferral
from tests.affiliates.api.calls import SHOP, registration_body, visit_body
from tests.affiliates.till import Till
from tests.factories.plans import CommissionPlanFactory

pytestmark = pytest.mark.django_db(transaction=True)


def ask_wsgi(method, path, body, headers):
    return Client().generic(method, path, body, "application/json", headers=headers)


@async_to_sync
async def ask_asgi(method, path, body, headers):
    return await AsyncClient().generic(
        method, path, body, "application/json", headers=headers
    )


@pytest.fixture(params=[ask_wsgi, ask_asgi])
def ask(request):
    """Asks as a client area does: a preflight first, and the answer may be read."""

    def call(method, path, body, *, status, **headers):
        origin = {"origin": SHOP}
        asked = origin | {"access-control-request-method": method}
        allowed = request.param("OPTIONS", path, "", asked)
        assert (allowed.status_code, allowed.content) == (200, b"")
        assert method in allowed["Access-Control-Allow-Methods"]
        answer = request.param(method, path, json.dumps(body), origin | headers)
        assert answer["Access-Control-Allow-Origin"] == SHOP
        assert answer.status_code == status, answer.content
        return answer.json()

    return call


def test_nothing_is_wrong_with_the_host():
    call_command("check", fail_level="WARNING")


def path_to(name, **kwargs):
    return reverse(f"affiliates:{name}", kwargs=kwargs)


def test_from_the_visit_to_the_refund(ask, brand, affiliate, link, host):
    CommissionPlanFactory(brand=brand, is_default=True)

    visit = visit_body(f"{SHOP}/aff/{link.hash}")
    visited = ask("POST", path_to("affiliate_link_visit"), visit, status=200)["data"]
    cookie = {"referral_cookie": visited["referral_cookie"]}
    ask("POST", path_to("client_register"), cookie, status=400)
    sent = registration_body(**cookie)
    client = ask("POST", path_to("client_register"), sent, status=201)["data"]
    user = get_user_model().objects.get(pk=client["id"])
    order = host.order(user)
    payment = {"payment_details_id": 1} | cookie
    convert = path_to("order_convert", order_id=order)
    ask("PATCH", convert, payment, status=401)
    named = {"authorization": host.authorization(user)}
    for _ in range(2):
        converted = ask("PATCH", convert, payment, status=200, **named)["data"]
    till, now = Till(brand.pk), timezone.now()
    paid = {"invoice": converted["id"], "at": now}
    for _ in range(2):
        till.pay("100.00", order=order, **paid)
        till.refund("25.00", **paid)

    assert visited["redirect_url"] == link.target_url
    assert ClientReferral.objects.get().affiliate == affiliate
    assert OrderReferral.objects.get().affiliate == affiliate
    assert [(one.pending, one.payable) for one in balances(affiliate.pk)] == [(750, 0)]
    if apps.is_installed("affiliates.contrib.area"):
        sees_their_own(ask, authorization=host.authorization(affiliate.user))
    said = StringIO()
    call_command("verify_ledger", "--deep", stdout=said)
    assert said.getvalue().endswith("Everything agrees.\n")


def sees_their_own(ask, **own):
    found = ask("GET", path_to("affiliate_balances"), None, status=200, **own)["data"]
    [earned] = found["balances"]
    assert (earned["currency"], earned["pending"]) == ("EUR", "7.50")
    claim = {"order": "unknown", "ordered_on": "2026-03-01"}
    ask("POST", path_to("affiliate_claims"), claim, status=201, **own)
    claims = f"{path_to('affiliate_claims')}?first=2026-03-01"
    assert len(ask("GET", claims, None, status=200, **own)["data"]["claims"]) == 1


def test_a_guest_completes_the_registration(ask, brand, affiliate, link, host):
    visit = visit_body(f"{SHOP}/aff/{link.hash}")
    visited = ask("POST", path_to("affiliate_link_visit"), visit, status=200)["data"]
    cookie = {"referral_cookie": visited["referral_cookie"]}
    ask("POST", path_to("client_register_guest"), cookie, status=201)
    guest = ClientReferral.objects.get().client
    guest.set_password("correct horse battery")
    guest.save()
    named = {"authorization": host.authorization(guest)}
    complete = path_to("client_complete_registration", client_id=str(guest.pk))

    ask("POST", complete, registration_body(), status=200, **named)
    ask("POST", complete, registration_body(), status=409, **named)

    assert ClientReferral.objects.get().client_id == guest.pk
