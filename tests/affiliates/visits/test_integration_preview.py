"""What the preview says of the brand's tracking integration."""

from __future__ import annotations

import pytest

from affiliates.integrations.models import Delivery
from affiliates.visits.integration_preview import IntegrationPreview, ToldClick
from affiliates.visits.models import Click
from affiliates.visits.rules import Visit
from affiliates.visits.selectors import preview_visit
from affiliates.visits.services import track_visit

SHOP = "https://shop.example.com"
VISITS = [
    f"{SHOP}/",
    f"{SHOP}/?a_aid=one",
    f"{SHOP}/plans?aid=one&x=1#top",
    f"{SHOP}/#/plans?a_aid=one",
    f"{SHOP}/?a_aid=one&ref=partner",
    f"{SHOP}/?ref=partner",
    f"{SHOP}/?a_aid=",
    f"{SHOP}/?a_aid={'x' * 300}",
    f"{SHOP}/?a_aid=%00",
    f"{SHOP}/?a_aid=one&redirect=/plans",
]


def preview(brand, url):
    return preview_visit(brand=brand.to_config(), visit_url=url)


@pytest.mark.parametrize("url", VISITS)
@pytest.mark.parametrize("landing", ["default_url", "stay"])
@pytest.mark.parametrize(
    "provider", ["minting", "capturing", "failing_to_match", "failing_to_name"]
)
@pytest.mark.parametrize("is_active", [True, False])
def test_preview_agrees_with_the_visit(
    brand, affiliate, integrate, now, url, landing, provider, is_active
):
    brand.landing = landing
    integrate(provider, is_active=is_active)

    seen = preview(brand, url)
    assert Click.objects.count() == 0
    visit = Visit(
        visit_url=url,
        referrer_url="",
        user_agent="Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0",
        referral_cookie=None,
        ip="203.0.113.7",
        ip_prefix="203.0.113.0/24",
        is_prefetch=False,
    )
    answer = track_visit(brand=brand.to_config(), visit=visit, now=now)

    click = Click.objects.first()
    assert seen.redirect_url == answer.redirect_url
    assert seen.is_creditable == (answer.referral_cookie is not None)
    assert seen.is_recorded == (click is not None)
    assert seen.integration.is_recognised == bool(click and click.integration_id)
    assert (seen.integration.affiliate or "") == (
        click.external_affiliate if click else ""
    )
    delivery = Delivery.objects.first()
    assert (seen.integration.told is None) == (delivery is None)
    if delivery is not None:
        told = seen.integration.told
        assert (told.page, told.query, told.fragment) == tuple(
            delivery.payload[name] for name in ("page", "query", "fragment")
        )


def test_recognised_visit(brand, integrate):
    integration = integrate()

    assert preview(brand, f"{SHOP}/plans?a_aid=one#top").integration == (
        IntegrationPreview(
            id=integration.pk,
            provider="Minting tracker",
            address="https://tracker.example.com",
            affiliate="one",
            faults=(),
            identifier="Made here, accepted by the provider",
            told=ToldClick(page=f"{SHOP}/plans", query="a_aid=one", fragment="top"),
        )
    )


def test_without_an_integration_nothing_is_said(brand):
    assert preview(brand, f"{SHOP}/?a_aid=one").integration is None


@pytest.mark.parametrize(
    ("query", "faults"),
    [
        ("", ("The address has none of its parameters: a_aid, aid.",)),
        ("?a_aid=", ("a_aid is empty.",)),
        (
            f"?a_aid={'x' * 256}",
            ("a_aid has 256 characters; at most 255 are read.",),
        ),
        (
            "?a_aid=%0a&aid=",
            ("a_aid contains a control character.", "aid is empty."),
        ),
    ],
)
def test_reason_why_a_visit_is_not_recognised(brand, integrate, query, faults):
    integrate()

    seen = preview(brand, f"{SHOP}/{query}").integration

    assert seen.affiliate is None
    assert seen.faults == faults


@pytest.mark.parametrize(
    ("provider", "fields", "fault"),
    [
        ("minting", {"is_active": False}, "The integration is switched off."),
        (
            "minting",
            {"parameters": ""},
            "It has no affiliate parameters: enter their names.",
        ),
        (
            "gone",
            {},
            "This release knows no provider 'gone': choose another one.",
        ),
        (
            "failing_to_match",
            {},
            "a_aid names no affiliate to this provider, or its settings are broken.",
        ),
    ],
)
def test_reason_in_the_integration_itself(brand, integrate, provider, fields, fault):
    integrate(provider, **fields)

    seen = preview(brand, f"{SHOP}/?a_aid=one").integration

    assert seen.affiliate is None
    assert seen.faults == (fault,)
    assert seen.told is None


def test_captured_identifier_is_missed_where_the_address_carries_none(brand, integrate):
    integrate("capturing")

    with_one = preview(brand, f"{SHOP}/?a_aid=one&clickid=5").integration
    without = preview(brand, f"{SHOP}/?a_aid=one").integration

    assert with_one.identifier == "Read from the address the visitor came by"
    assert without.identifier == (
        "The address carries none: the provider cannot match a sale to this visit."
    )
    assert with_one.told is None


def test_what_was_just_saved_is_seen_before_visits_follow_it(
    brand, integrate, settings
):
    integration = integrate()
    preview(brand, f"{SHOP}/?a_aid=one")
    settings.AFFILIATES_CONFIG_REFRESH_SECONDS = 3600

    integration.parameters = "partner"
    integration.save()

    assert preview(brand, f"{SHOP}/?partner=one").integration.affiliate == "one"
    assert preview(brand, f"{SHOP}/?a_aid=one").integration.faults == (
        "The address has none of its parameters: partner.",
    )
