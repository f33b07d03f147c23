"""What an affiliate and its links may hold, whoever saves them."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError

from affiliates.program.models import Affiliate, AffiliateLink
from tests.factories.affiliates import (
    AffiliateFactory,
    AffiliateLinkFactory,
    BrandDomainFactory,
    BrandFactory,
)


def messages_of(row: Affiliate | AffiliateLink) -> dict[str, list[str]]:
    with pytest.raises(ValidationError) as refusal:
        row.full_clean()
    return refusal.value.message_dict


def test_client_of_the_brand_may_be_its_affiliate(brand, host):
    client = host.client(brand, email="client@example.com")

    AffiliateFactory.build(brand=brand, user=client).full_clean()


def test_client_of_another_brand_is_refused(brand, host):
    other = BrandFactory(client_area="other.example.com")
    client = host.client(other, email="client@example.com")

    assert messages_of(AffiliateFactory.build(brand=brand, user=client)) == {
        "user": ["This client belongs to another brand: choose one of this brand."]
    }


def test_staff_is_refused(brand, admin_user):
    assert messages_of(AffiliateFactory.build(brand=brand, user=admin_user)) == {
        "user": ["This is nobody's client: choose a client of the brand."]
    }


def test_guest_is_refused(brand, host):
    guest = host.guest(brand)

    assert messages_of(AffiliateFactory.build(brand=brand, user=guest)) == {
        "user": ["This is a guest: it must complete its registration first."]
    }


def test_client_is_an_affiliate_of_a_brand_only_once(affiliate):
    again = AffiliateFactory.build(brand=affiliate.brand, user=affiliate.user)

    assert messages_of(again) == {
        "__all__": ["This client is an affiliate of this brand already."]
    }


@pytest.mark.parametrize(
    "code",
    [
        "Partner",
        "a",
        "-partner",
        "a b",
        "a" * 33,
        "anna.",
        ".anna",
        "null",
        "undefined",
    ],
)
def test_unusable_code_is_refused(affiliate, code):
    affiliate.code = code

    assert "code" in messages_of(affiliate)


@pytest.mark.parametrize(
    ("_case", "typed", "stored"),
    [
        ("none", "", ""),
        ("a page", "https://shop.example.com/plans", "https://shop.example.com/plans"),
        ("upper case", "HTTPS://SHOP.example.com", "https://shop.example.com/"),
        ("a subdomain", "https://a.wide.example/", "https://a.wide.example/"),
    ],
)
def test_target_on_a_domain_of_the_brand_is_stored(link, _case, typed, stored):
    brand = link.affiliate.brand
    BrandDomainFactory(brand=brand, host="wide.example", include_subdomains=True)
    link.target_url = typed

    link.full_clean()

    assert link.target_url == stored


@pytest.mark.parametrize(
    ("_case", "typed", "message"),
    [
        (
            "another host",
            "https://evil.example/",
            "evil.example is no redirect target of Northwind: choose a page on one "
            "of its domains.",
        ),
        (
            "another brand's host",
            "https://contoso.example/",
            "contoso.example is no redirect target of Northwind: choose a page on "
            "one of its domains.",
        ),
        (
            "only an API origin",
            "https://api-only.example/",
            "api-only.example is no redirect target of Northwind: choose a page on "
            "one of its domains.",
        ),
        (
            "a path",
            "/plans",
            "Write the whole address, beginning with https:// or http://, such as "
            "https://shop.example.com/plans.",
        ),
        (
            "its own redirect",
            "https://shop.example.com/?redirect=%2F",
            "Leave out the parameter 'redirect': a visit to this address would be "
            "read as one through a link.",
        ),
        (
            "the brand's parameter",
            "https://shop.example.com/?ref=other",
            "Leave out the parameter 'ref': a visit to this address would be read "
            "as one through a link.",
        ),
        (
            "plain http",
            "http://shop.example.com/",
            "This brand redirects to https only: begin with https://.",
        ),
    ],
)
def test_unfit_target_is_refused_with_advice(link, _case, typed, message):
    brand = link.affiliate.brand
    brand.name = "Northwind"
    brand.require_https = True
    BrandDomainFactory(brand=brand, host="api-only.example", is_redirect_target=False)
    BrandFactory(client_area="contoso.example")
    link.target_url = typed

    assert messages_of(link) == {"target_url": [message]}


def test_addresses_to_copy_name_the_client_area(link):
    assert link.affiliate.url() == "https://shop.example.com/?ref=partner"
    assert link.urls() == [
        f"https://shop.example.com/aff/{link.hash}",
        f"https://shop.example.com/?ref={link.hash}",
    ]


def test_there_is_no_address_without_a_client_area(affiliate):
    affiliate.brand.domains.update(is_client_area=False)
    link = AffiliateLinkFactory(affiliate=affiliate)

    assert affiliate.url() is None
    assert link.urls() == []
