"""What a brand and its domains may hold, whoever saves them."""

from __future__ import annotations

import pytest
from django.core.exceptions import ValidationError

from affiliates.brands.models.brand import Brand
from affiliates.brands.models.contact import require_contact
from affiliates.brands.models.domain import BrandDomain
from tests.factories.affiliates import BrandDomainFactory, BrandFactory

pytestmark = pytest.mark.django_db


def new_domain(brand: Brand, host: str, **fields: bool) -> BrandDomain:
    return BrandDomainFactory.build(brand=brand, host=host, **fields)


def messages_of(row: Brand | BrandDomain) -> dict[str, list[str]]:
    with pytest.raises(ValidationError) as refusal:
        row.full_clean()
    return refusal.value.message_dict


@pytest.mark.parametrize(
    ("_case", "typed", "stored"),
    [
        ("upper case", "Store.Example.COM", "store.example.com"),
        ("spaces around", "  store.example.com ", "store.example.com"),
        ("international", "bücher.example", "xn--bcher-kva.example"),
        ("default port", "store.example.com:443", "store.example.com"),
        ("development", "LOCALHOST:8000", "localhost:8000"),
    ],
)
def test_host_is_stored_in_canonical_form(brand, _case, typed, stored):
    domain = new_domain(brand, typed)

    domain.full_clean()

    assert domain.host == stored


@pytest.mark.parametrize(
    ("_case", "typed", "message"),
    [
        (
            "scheme",
            "https://store.example.com",
            "Leave out the scheme: shop.example.com, without https://.",
        ),
        (
            "wildcard",
            "*.example.com",
            "Leave out the wildcard: write example.com and tick 'include subdomains'.",
        ),
        (
            "underscore",
            "my_store.example.com",
            "An underscore is not allowed in a host: use letters, digits and hyphens.",
        ),
    ],
)
def test_unusable_host_is_refused_with_advice(brand, _case, typed, message):
    assert messages_of(new_domain(brand, typed)) == {"host": [message]}


def test_host_that_outgrows_its_column_in_ascii_is_refused(brand):
    labels = ["a" * 63, "b" * 63, "c" * 63, "d" * 47, "bücher:65535"]

    assert messages_of(new_domain(brand, ".".join(labels))) == {
        "host": ["This host is too long."]
    }


def test_host_of_another_brand_is_refused_and_names_it(brand):
    other = BrandFactory(name="Contoso", client_area="store.example.com")

    assert other.domains.get().host == "store.example.com"
    assert messages_of(new_domain(brand, "STORE.example.com")) == {
        "host": [
            "store.example.com belongs to the brand Contoso: remove it there first."
        ]
    }


def test_host_of_the_same_brand_is_refused_twice(brand):
    assert messages_of(new_domain(brand, "shop.example.com:443")) == {
        "host": ["This host belongs to a brand already."]
    }


@pytest.mark.parametrize("suffix", ["com", "co.uk", "github.io", "unknown-tld"])
def test_subdomains_of_a_public_suffix_are_refused(brand, suffix):
    domain = new_domain(brand, suffix, include_subdomains=True)

    assert messages_of(domain) == {
        "include_subdomains": [
            f"Anybody can register a name below {suffix}: untick this, or enter a "
            "host of your own."
        ]
    }


def test_subdomains_of_an_own_host_are_allowed(brand):
    new_domain(brand, "example.com", include_subdomains=True).full_clean()


WHOLE_ADDRESS = (
    "Write the whole address, beginning with https:// or http://, "
    "such as https://shop.example.com/plans."
)


@pytest.mark.parametrize(
    ("_case", "url", "message"),
    [
        ("no scheme", "shop.example.com/", WHOLE_ADDRESS),
        ("path only", "/plans", WHOLE_ADDRESS),
        ("protocol-relative", "//shop.example.com/", WHOLE_ADDRESS),
        ("script", "javascript:alert(1)", WHOLE_ADDRESS),
        ("no host", "https://", WHOLE_ADDRESS),
        (
            "space",
            "https://shop.example.com/a b",
            "Leave out spaces, backslashes and invisible characters; "
            "inside an address a space is written %20.",
        ),
        (
            "credentials",
            "https://me:secret@shop.example.com/",
            "Leave out the user name and the password.",
        ),
        (
            "disguised address",
            "http://0x7f.1/",
            "Write a plain host: letters, digits, hyphens and dots, "
            "or an IP address such as 127.0.0.1.",
        ),
        (
            "redirect parameter",
            "https://shop.example.com/?redirect=/plans",
            "Leave out the parameter 'redirect': a visit to this address would be "
            "read as one through a link.",
        ),
        (
            "link parameter",
            "https://shop.example.com/#/plans?ref=partner",
            "Leave out the parameter 'ref': a visit to this address would be "
            "read as one through a link.",
        ),
        (
            "link",
            f"https://shop.example.com/aff/{'a' * 40}",
            "Write the page that visitors are to see: an address under /aff/ is an "
            "affiliate link itself.",
        ),
        (
            "link behind dots",
            f"https://shop.example.com/a/../aff/{'a' * 40}",
            "Write the page that visitors are to see: an address under /aff/ is an "
            "affiliate link itself.",
        ),
        (
            "sign-out",
            "https://shop.example.com/logout",
            "This page signs visitors out: choose a page that they can read.",
        ),
        (
            "sign-out in an area",
            "https://shop.example.com/account/Sign-Out/",
            "This page signs visitors out: choose a page that they can read.",
        ),
    ],
)
def test_unfit_default_redirect_url_is_refused_with_advice(brand, _case, url, message):
    brand.default_redirect_url = url

    assert messages_of(brand) == {"default_redirect_url": [message]}


def test_too_long_default_redirect_url_is_refused(brand):
    brand.default_redirect_url = f"https://shop.example.com/{'a' * 2048}"

    assert "default_redirect_url" in messages_of(brand)


def test_plain_http_is_refused_where_https_is_required(brand):
    brand.require_https = True
    brand.default_redirect_url = "http://shop.example.com/"

    assert messages_of(brand) == {
        "default_redirect_url": [
            "This brand redirects to https only: begin with https://."
        ]
    }


@pytest.mark.parametrize(
    ("_case", "typed", "stored"),
    [
        (
            "as it is",
            "https://shop.example.com/plans",
            "https://shop.example.com/plans",
        ),
        ("upper case", "HTTPS://Shop.Example.com", "https://shop.example.com/"),
        ("development", "http://127.0.0.1:8000/", "http://127.0.0.1:8000/"),
    ],
)
def test_default_redirect_url_is_stored_as_browsers_read_it(
    brand, _case, typed, stored
):
    brand.default_redirect_url = typed

    brand.full_clean()

    assert brand.default_redirect_url == stored


def test_link_parameter_cannot_be_the_redirect_parameter(brand):
    brand.link_parameter = "redirect"

    assert messages_of(brand) == {
        "link_parameter": [
            "'redirect' names where a visit is to lead: choose another name, "
            "such as ref."
        ]
    }


@pytest.mark.parametrize(
    ("_case", "hosts", "address"),
    [
        ("https", ["store.example.com"], "https://store.example.com"),
        ("first of two", ["z.example.com", "a.example.com"], "https://a.example.com"),
        ("with a port", ["store.localhost:8000"], "http://store.localhost:8000"),
        ("none", [], None),
    ],
)
def test_client_area_url_is_the_first_client_areas_address(
    brand, _case, hosts, address
):
    brand.domains.all().delete()
    BrandDomainFactory(brand=brand, host="0.example.com", is_client_area=False)
    for host in hosts:
        BrandDomainFactory(brand=brand, host=host)

    assert brand.client_area_url() == address


def test_time_zone_is_one_that_there_is(brand):
    brand.time_zone = "Europe/Berlin"
    brand.full_clean()
    assert brand.zone().key == "Europe/Berlin"

    brand.time_zone = "Mars/Olympus"
    assert messages_of(brand) == {
        "time_zone": [
            "There is no time zone Mars/Olympus: write one such as Europe/Berlin."
        ]
    }


def test_time_zone_is_the_sites_where_the_brand_has_none(brand, settings):
    settings.TIME_ZONE = "Asia/Tokyo"

    assert brand.zone().key == "Asia/Tokyo"


def test_banned_referrers_are_stored_one_a_line(brand):
    brand.banned_referrers = "Coupons.example.com, a.example.com"
    brand.full_clean()

    assert brand.banned_referrers == "a.example.com\ncoupons.example.com"


def test_a_banned_referrer_is_a_domain(brand):
    brand.banned_referrers = "coupons.example.com/page"

    assert messages_of(brand) == {
        "banned_referrers": [
            "coupons.example.com/page: Leave out the path: shop.example.com, without a "
            "slash."
        ]
    }


@pytest.mark.parametrize("contact", ["help@shop.example.com", "https://x.example/help"])
def test_support_contact_is_an_address_or_a_page(contact):
    require_contact(contact)


@pytest.mark.parametrize("contact", ["call us", "javascript:alert(1)//", "x.example/a"])
def test_other_support_contacts_are_refused(contact):
    with pytest.raises(ValidationError, match="Write an e-mail address"):
        require_contact(contact)
