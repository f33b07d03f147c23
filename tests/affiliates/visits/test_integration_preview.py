"""What the preview says of the brand's tracking integration."""

from __future__ import annotations

import pytest

from affiliates.visits.preview import IntegrationPreview, preview_visit

SHOP = "https://shop.example.com"


def preview(brand, url):
    return preview_visit(brand=brand.to_config(), visit_url=url)


def test_recognised_visit(brand, integrate):
    integration = integrate()

    assert preview(brand, f"{SHOP}/plans?a_aid=one#top").integration == (
        IntegrationPreview(
            id=integration.pk,
            provider="Minting tracker",
            address="https://tracker.example.com",
            faults=(),
            identifier="Made here, accepted by the provider",
            notice=(
                ("Page", f"{SHOP}/plans"),
                ("Query", "a_aid=one"),
                ("Fragment", "top"),
            ),
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

    seen = preview(brand, f"{SHOP}/{query}")

    assert seen.decision.inputs.recognition is None
    assert seen.integration.faults == faults


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

    seen = preview(brand, f"{SHOP}/?a_aid=one")

    assert seen.decision.inputs.recognition is None
    assert seen.integration.faults == (fault,)
    assert seen.integration.notice == ()


def test_captured_identifier_is_missed_where_the_address_carries_none(brand, integrate):
    integrate("capturing")

    with_one = preview(brand, f"{SHOP}/?a_aid=one&clickid=5").integration
    without = preview(brand, f"{SHOP}/?a_aid=one").integration

    assert with_one.identifier == "Read from the address the visitor came by"
    assert without.identifier == (
        "The address carries none: the provider cannot match a sale to this visit."
    )
    assert with_one.notice == ()


def test_what_was_just_saved_is_seen_before_visits_follow_it(
    brand, integrate, settings
):
    integration = integrate()
    preview(brand, f"{SHOP}/?a_aid=one")
    settings.AFFILIATES_CONFIG_REFRESH_SECONDS = 3600

    integration.parameters = "partner"
    integration.save()

    assert (
        preview(brand, f"{SHOP}/?partner=one").decision.inputs.recognition.affiliate
        == "one"
    )
    assert preview(brand, f"{SHOP}/?a_aid=one").integration.faults == (
        "The address has none of its parameters: partner.",
    )
