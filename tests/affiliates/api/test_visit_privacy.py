"""Visits of browsers that send Global Privacy Control's signal, ``Sec-GPC: 1``."""

from __future__ import annotations

import pytest

from affiliates.brands.rules import PrivacyControl
from affiliates.outbox.models.delivery import Delivery
from affiliates.visits.consent.rules import Consent
from affiliates.visits.models import Click
from tests.affiliates.api.calls import SHOP, visit, visited
from tests.cases import each
from tests.database import nothing_written

SIGNAL = {"Sec-GPC": "1"}


def answered(api, page, *, headers=SIGNAL, **fields):
    response = visit(api, page, headers=headers, **fields)
    assert response.status_code == 200
    return response.json()["data"]


@pytest.fixture
def page(link):
    return f"{SHOP}/aff/{link.hash}"


@pytest.fixture
def heeding(brand):
    brand.privacy_control = PrivacyControl.REFUSAL
    brand.save()


def test_new_brand_does_not_consider_it(api, brand, page):
    assert brand.privacy_control == PrivacyControl.NOT_CONSIDERED

    data = answered(api, page)

    assert set(data) == {"redirect_url", "referral_cookie", "referral_cookie_max_age"}
    assert Click.objects.count() == 1


@pytest.mark.usefixtures("heeding")
def test_refusal_leads_on_and_is_counted_without_a_person(api, page):
    leads_to = visited(api, page)["redirect_url"]
    Click.objects.all().delete()

    data = answered(api, page)

    assert data == {"redirect_url": leads_to}
    click = Click.objects.get()
    assert (click.consent, click.visitor_id) == (Consent.DENIED, None)
    assert (click.user_agent, click.ip_prefix) == ("", "")


@pytest.mark.usefixtures("heeding")
def test_refusal_counts_whatever_the_page_reports(api, page):
    assert set(answered(api, page, consent="granted")) == {"redirect_url"}
    assert Click.objects.get().consent == Consent.DENIED


@pytest.mark.usefixtures("heeding")
def test_refusal_takes_the_held_cookie_back(api, page):
    held = visited(api, page)["referral_cookie"]

    assert "referral_cookie" not in answered(api, page, referral_cookie=held)
    with nothing_written():
        on = answered(api, f"{SHOP}/plans", referral_cookie=held)

    assert set(on) == {"redirect_url"}


@pytest.mark.usefixtures("heeding")
def test_signal_says_nothing_of_earlier_clicks(api, page):
    held = visited(api, page)["referral_cookie"]
    click = Click.objects.get()

    answered(api, f"{SHOP}/plans", referral_cookie=held)

    assert Click.objects.get().visitor_id == click.visitor_id


@pytest.mark.usefixtures("heeding")
def test_refused_redirect_is_the_default_as_ever(api, page, brand):
    asked = f"{page}?redirect=https://evil.example/"

    assert answered(api, asked) == {"redirect_url": brand.default_redirect_url}


@pytest.mark.usefixtures("heeding")
def test_integration_is_not_notified(api, integrate):
    integrate()

    data = answered(api, f"{SHOP}/?a_aid=one")

    assert set(data) == {"redirect_url"}
    assert (Click.objects.get().visitor_id, Delivery.objects.count()) == (None, 0)


@each("value", ["0", "", "true", "1, 1", "11"])
def test_other_values_say_nothing(api, heeding, page, value):
    assert "referral_cookie" in answered(api, page, headers={"Sec-GPC": value})
