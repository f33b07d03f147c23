"""Staff write offers in versions, and end codes."""

from __future__ import annotations

import pytest
from django.urls import reverse

from affiliates.brands.roles import OPERATOR, SUPPORT
from affiliates.contrib.offers.models import Offer, OfferVersion
from tests.database import nothing_written
from tests.factories.offers import OfferFactory
from tests.factories.plans import CommissionPlanFactory

pytestmark = pytest.mark.django_db
OFFER = "admin:affiliates_offers_offer"
CODE = "admin:affiliates_offers_offercode"


@pytest.fixture
def form(brand):
    return {
        "brand": str(brand.pk),
        "name": "Ten off",
        "is_active": "on",
        "text": "10 % off",
        "translations_de": "10 % günstiger",
        "grants": "",
        "host_terms": '{"percent_off": "10"}',
        "affiliate_funds_percent": "25",
        "percent": "",
        "prefix": "get-",
        "max_codes": "3",
        "versions-TOTAL_FORMS": "0",
        "versions-INITIAL_FORMS": "0",
    }


def test_an_offer_is_saved_with_its_version(admin_client, form):
    answer = admin_client.post(reverse(f"{OFFER}_add"), form)

    offer = Offer.objects.get()
    version = offer.versions.get()
    assert answer.status_code == 302
    assert (offer.prefix, offer.max_codes) == ("GET-", 3)
    assert offer.host_terms == {"percent_off": "10"}
    assert version.number == 1
    assert version.terms == {
        "plan_id": None,
        "prefix": "GET-",
        "max_codes": 3,
        "text": "10 % off",
        "translations": {"de": "10 % günstiger"},
        "grants": "",
        "grants_translations": {},
        "host_terms": {"percent_off": "10"},
        "percent": None,
        "affiliate_funds_percent": "25",
        "for_new_clients": False,
        "valid_from": None,
        "valid_until": None,
    }


def test_a_change_adds_a_version_and_ending_none(admin_client, form, offer):
    address = reverse(f"{OFFER}_change", args=[offer.pk])
    admin_client.post(address, {**form, "text": "20 % off"})
    admin_client.post(address, {**form, "text": "20 % off", "is_active": ""})

    offer.refresh_from_db()
    texts = OfferVersion.objects.order_by("number").values_list(
        "terms__text", flat=True
    )
    assert list(texts) == ["10 % off your first invoice", "20 % off"]
    assert offer.is_active is False


@pytest.mark.parametrize(
    ("_case", "change", "sentence"),
    [
        ("no JSON", {"host_terms": "10 %"}, "Enter a valid JSON."),
        ("a list", {"host_terms": "[10]"}, "Write a JSON object"),
        ("text", {"host_terms": '"10"'}, "Write a JSON object"),
        ("no number", {"host_terms": '{"percent_off": NaN}'}, "Write a JSON object"),
        (
            "zero byte",
            {"host_terms": r'{"percent_off": "\u0000"}'},
            "Write a JSON object",
        ),
        ("no codes", {"max_codes": "0"}, "greater than or equal to 1"),
        ("many codes", {"max_codes": "101"}, "less than or equal to 100"),
        ("rate", {"percent": "101"}, "less than or equal to 100"),
        ("share", {"affiliate_funds_percent": "-1"}, "greater than or equal to 0"),
        ("prefix", {"prefix": "a b"}, "A coupon code has no spaces."),
        ("no text", {"text": ""}, "This field is required."),
        (
            "ends first",
            {
                "valid_from_0": "2026-03-02",
                "valid_from_1": "12:00:00",
                "valid_until_0": "2026-03-02",
                "valid_until_1": "12:00:00",
            },
            "The offer ends before it begins.",
        ),
    ],
)
def test_wrong_offers(_case, change, sentence, admin_client, form):
    with nothing_written():
        answer = admin_client.post(reverse(f"{OFFER}_add"), {**form, **change})

    assert answer.status_code == 200
    assert sentence in answer.text


@pytest.mark.parametrize("emptied", ["", "null", "{}"])
def test_a_host_may_need_no_terms(emptied, admin_client, form):
    admin_client.post(reverse(f"{OFFER}_add"), {**form, "host_terms": emptied})

    assert Offer.objects.get().host_terms == {}


def test_a_plan_of_another_brand_is_refused(admin_client, form, other_brand):
    plan = CommissionPlanFactory(brand=other_brand)

    with nothing_written():
        answer = admin_client.post(
            reverse(f"{OFFER}_add"), {**form, "plan": str(plan.pk)}
        )

    assert "This plan belongs to another brand" in answer.text


def test_an_offer_with_versions_is_not_deleted(admin_client, offer):
    answer = admin_client.post(
        reverse(f"{OFFER}_delete", args=[offer.pk]), {"post": "yes"}, follow=True
    )

    assert "Switch it off instead" in answer.text
    assert Offer.objects.get() == offer


def test_staff_end_a_code_after_a_question(as_role, make, host_coupons, brand):
    code = make("friends")
    page = reverse(f"{CODE}_change", args=[code.pk])
    address = reverse(f"{CODE}_end", args=[code.pk])

    staff = as_role(OPERATOR)

    before = staff.get(page).text
    with nothing_written():
        question = staff.get(address).text
    staff.post(address, {"confirmed": "yes"})
    after = staff.get(page).text

    code.refresh_from_db()
    assert "End it…" in before
    assert "its coupon in the shop is ended" in question
    assert code.ended_at is not None
    assert host_coupons.ended == [("coupon-1", brand.pk)]
    assert "End it…" not in after


def test_support_ends_no_code(as_role, make):
    address = reverse(f"{CODE}_end", args=[make("friends").pk])
    caller = as_role(SUPPORT)

    with nothing_written():
        answer = caller.post(address, {"_confirmed": "yes"})

    assert answer.status_code == 403


def test_the_page_of_an_offer_shows_versions_and_leads_to_its_codes(
    admin_client, brand, make
):
    offer = OfferFactory(brand=brand, text="5 % off")
    make("friends", within=offer)
    address = f"{reverse(f'{CODE}_changelist')}?version__offer__id__exact={offer.pk}"

    page = admin_client.get(reverse(f"{OFFER}_change", args=[offer.pk])).text

    assert f'<a href="{address}" class="text-link">1</a>' in page
    assert "Codes since" in page
    assert "FRIENDS" in admin_client.get(address).text
