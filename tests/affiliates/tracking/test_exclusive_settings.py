"""What an integration may not share: the names in an address, and its brand."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError
from django.urls import reverse

from affiliates.brands.models.brand import Brand
from affiliates.outbox.active import active_integration
from affiliates.outbox.models.integration import TrackingIntegration
from tests.affiliates.brands.test_admin import posted as posted_brand
from tests.affiliates.tracking.test_admin import ADD, CHANGE, posted
from tests.factories.affiliates import AffiliateLinkFactory, BrandFactory
from tests.factories.integrations import TrackingIntegrationFactory, WebhookFactory

pytestmark = pytest.mark.django_db


def errors_of(answer) -> dict[str, list[str]]:
    return dict(answer.context["adminform"].form.errors)


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("redirect", "'redirect' names where a visit is to lead: take another name."),
        (
            "ref",
            "'ref' is the parameter of the brand's own links: take another name, or "
            "change that of the brand first.",
        ),
        (
            "lang",
            "The brand's default redirect URL has the parameter 'lang': leave it out "
            "there first.",
        ),
    ],
)
def test_name_that_is_taken_is_refused_to_an_integration(
    admin_client, brand, name, advice
):
    Brand.objects.update(default_redirect_url="https://shop.example.com/?lang=en")

    listed = admin_client.post(
        f"{reverse(ADD)}?provider=pap", posted(brand, parameters=f"a_aid, {name}")
    )
    captured = admin_client.post(
        f"{reverse(ADD)}?provider=postback",
        posted(
            brand,
            parameters="",
            identifier_parameter=name,
            sale_template="/postback?click={visitor_id}",
        ),
    )

    assert errors_of(listed) == {"parameters": [advice]}
    assert errors_of(captured) == {"__all__": [advice]}
    assert TrackingIntegration.objects.count() == 0


@pytest.mark.parametrize("is_active", [True, False])
@pytest.mark.parametrize("name", ["a_aid", "aid"])
def test_integrations_parameter_is_refused_to_its_brand(
    admin_client, brand, name, is_active
):
    TrackingIntegrationFactory(brand=brand, is_active=is_active)
    page = reverse("admin:affiliates_brand_change", args=[brand.pk])

    named = admin_client.post(page, posted_brand(link_parameter=name))
    landing = f"https://contoso.example/?{name}=partner"
    led = admin_client.post(page, posted_brand(default_redirect_url=landing))

    assert errors_of(named) == {
        "link_parameter": [
            f"'{name}' is a parameter of this brand's tracking integration: choose "
            "another name, such as ref, or change it there first."
        ]
    }
    assert errors_of(led) == {
        "default_redirect_url": [
            f"Leave out the parameter '{name}': a visit to this address would be read "
            "as one through a link."
        ]
    }
    brand.refresh_from_db()
    assert brand.link_parameter == "ref"


def test_link_that_leads_to_the_integrations_affiliate_is_refused(brand, affiliate):
    TrackingIntegrationFactory(brand=brand, provider="postback", parameters="pid")
    link = AffiliateLinkFactory(affiliate=affiliate)

    for name in ("pid", "click_id"):
        link.target_url = f"https://shop.example.com/plans?{name}=partner"
        with pytest.raises(ValidationError) as refusal:
            link.full_clean()
        assert refusal.value.message_dict == {
            "target_url": [
                f"Leave out the parameter '{name}': a visit to this address would be "
                "read as one through a link."
            ]
        }


def test_integration_stays_with_its_brand(admin_client, brand):
    other = BrandFactory(client_area="other.example.com")
    integration = TrackingIntegrationFactory(brand=brand)

    answer = admin_client.post(
        reverse(CHANGE, args=[integration.pk]), posted(other, account_id="default1")
    )

    assert answer.status_code == 302
    integration.refresh_from_db()
    assert (integration.brand, integration.config["account_id"]) == (brand, "default1")


def test_second_active_integration_of_a_brand_is_refused_with_the_way_out(
    admin_client, brand
):
    integration = TrackingIntegrationFactory(brand=brand)

    answer = admin_client.post(f"{reverse(ADD)}?provider=pap", posted(brand))

    assert errors_of(answer) == {
        "is_active": [
            f"Post Affiliate Pro of {brand} is switched on: switch that one off "
            "first. What waits for it is then given up, and can be replayed while it is "
            "on."
        ]
    }
    assert TrackingIntegration.objects.get() == integration


def test_brand_changes_its_provider_and_keeps_the_earlier_one(admin_client, brand):
    earlier = TrackingIntegrationFactory(
        brand=brand, provider="postback", is_active=False
    )

    answer = admin_client.post(f"{reverse(ADD)}?provider=pap", posted(brand))

    assert answer.status_code == 302
    later = TrackingIntegration.objects.exclude(pk=earlier.pk).get()
    assert (later.brand, later.provider, later.is_active) == (brand, "pap", True)
    active = active_integration(brand.pk)
    assert active is not None
    assert active.id == later.pk


def test_database_keeps_a_brand_from_a_second_active_tracker(brand):
    TrackingIntegrationFactory(brand=brand)
    WebhookFactory(brand=brand)

    with pytest.raises(IntegrityError):
        TrackingIntegrationFactory(brand=brand, provider="postback")
