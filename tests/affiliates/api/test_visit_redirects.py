"""Where a visit sends its visitor."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from affiliates.visits.models import Click
from tests.affiliates.api.calls import SHOP, visited
from tests.database import nothing_written
from tests.factories.affiliates import AffiliateLinkFactory, BrandDomainFactory
from tests.guard.markers import marker

HOME = f"{SHOP}/"
PLANS = f"{SHOP}/plans"
HELP = "https://help.example.org"
STRANGER = f"https://evil.example/{marker('visitor', 'redirect')}"


@pytest.fixture
def brand(brand):
    BrandDomainFactory(brand=brand, host="help.example.org", is_client_area=False)
    BrandDomainFactory(brand=brand, host="example.io", include_subdomains=True)
    BrandDomainFactory(brand=brand, host="api.example.com", is_redirect_target=False)
    return brand


@pytest.mark.parametrize(
    ("_case", "target", "answer", "reason"),
    [
        ("same host", f"{SHOP}/store?a=1#b", None, "permitted_same_host"),
        ("same host, no path", SHOP, None, "permitted_same_host"),
        ("path", "/store", f"{SHOP}/store", "permitted_same_host"),
        ("query", "?step=2", f"{SHOP}/aff/{{hash}}?step=2", "permitted_same_host"),
        ("listed domain", f"{HELP}/faq", None, "permitted_domain"),
        ("listed domain on http", "http://help.example.org/", None, "permitted_domain"),
        ("subdomain", "https://www.example.io/", None, "permitted_subdomain"),
        ("capitals", "HTTPS://HELP.EXAMPLE.ORG/FAQ", f"{HELP}/FAQ", "permitted_domain"),
        ("dots", f"{HELP}/a/../b", None, "permitted_domain"),
        ("another alphabet", f"{HELP}/ü", f"{HELP}/%C3%BC", "permitted_domain"),
    ],
)
def test_permitted_redirect_is_the_answer(
    api, brand, link, _case, target, answer, reason
):
    page = f"{SHOP}/aff/{link.hash}?redirect={quote(target, safe='')}"

    data = visited(api, page)

    assert data["redirect_url"] == (answer or target).format(hash=link.hash)
    click = Click.objects.get()
    assert (click.redirect_reason, click.refused_redirect) == (reason, "")


@pytest.mark.parametrize(
    ("_case", "target", "reason"),
    [
        ("empty", "", "empty"),
        ("stranger", STRANGER, "not_on_brand_domains"),
        (
            "subdomain of the shop",
            "https://www.shop.example.com/",
            "not_on_brand_domains",
        ),
        ("not a redirect target", "https://api.example.com/", "not_on_brand_domains"),
        ("other port", "https://shop.example.com:8443/", "not_on_brand_domains"),
        ("scheme-relative", "//evil.example/", "bad_shape"),
        ("scheme-relative, ours", "//shop.example.com/", "bad_shape"),
        ("no scheme", "shop.example.com/plans", "bad_shape"),
        ("fragment", "#plans", "bad_shape"),
        ("javascript", "javascript:alert(1)", "not_http"),
        ("data", "data:text/html,x", "not_http"),
        ("backslashes", "https:\\\\evil.example", "forbidden_character"),
        ("hidden tab", "/\t/evil.example", "forbidden_character"),
        ("user name", "https://shop.example.com@evil.example/", "has_credentials"),
        ("password of ours", "https://a:b@shop.example.com/", "has_credentials"),
        ("trailing dot", "https://shop.example.com./", "bad_host"),
        ("address", "http://127.0.0.1/", "bad_host"),
        ("encoded twice", quote(f"{SHOP}/plans", safe=""), "bad_shape"),
        ("too long", f"{SHOP}/".ljust(2049, "a"), "too_long"),
        ("not UTF-8", b"https://shop.example.com/\xff", "forbidden_character"),
    ],
)
def test_refused_redirect_leads_to_the_default_url_and_is_kept(
    api, brand, link, _case, target, reason
):
    page = f"{SHOP}/aff/{link.hash}?redirect={quote(target, safe='')}"

    data = visited(api, page)

    assert data["redirect_url"] == HOME
    assert "referral_cookie" in data
    text = target if isinstance(target, str) else target.decode(errors="replace")
    click = Click.objects.get()
    assert (click.redirect_reason, click.refused_redirect) == (reason, text[:512])


def test_domain_of_another_brand_is_refused(api, brand, link, other_brand):
    page = f"{SHOP}/aff/{link.hash}?redirect=https://other.example.net/"

    assert visited(api, page)["redirect_url"] == HOME
    assert Click.objects.get().redirect_reason == "not_on_brand_domains"


@pytest.mark.parametrize(
    ("_case", "parameters", "redirect_url"),
    [
        ("first of several", "?redirect=/a&redirect=/b", f"{SHOP}/a"),
        ("first refused", "?redirect=//evil.example&redirect=/b", HOME),
        ("first empty", "?redirect=&redirect=/b", HOME),
        ("in the fragment", "#redirect=/a", f"{SHOP}/a"),
        ("in the fragment's query", "#/store?redirect=/a", f"{SHOP}/a"),
        ("query beats fragment", "?redirect=/a#redirect=/b", f"{SHOP}/a"),
        ("refused query beats fragment", "?redirect=//evil#redirect=/b", HOME),
        ("without a value", "?redirect", HOME),
        ("in capitals it is another name", "?Redirect=/a", f"{PLANS}?Redirect=/a"),
        ("in another name", "?my_redirect=/a", f"{PLANS}?my_redirect=/a"),
    ],
)
def test_which_redirect_counts(api, brand, link, _case, parameters, redirect_url):
    data = visited(api, f"{SHOP}/aff/{link.hash}{parameters}")

    assert data["redirect_url"] == redirect_url


@pytest.mark.parametrize(
    ("_case", "redirect", "redirect_url"),
    [("permitted", f"{HELP}/faq", f"{HELP}/faq"), ("refused", "//evil.example", HOME)],
)
def test_redirect_counts_without_any_affiliate(
    api, brand, _case, redirect, redirect_url
):
    data = visited(api, f"{SHOP}/?redirect={quote(redirect, safe='')}")

    assert data == {"redirect_url": redirect_url}


def test_brand_that_requires_https_refuses_http(api, brand, link):
    brand.require_https = True
    brand.save()

    page = f"{SHOP}/aff/{link.hash}?redirect=http://help.example.org/"

    assert visited(api, page)["redirect_url"] == HOME
    assert Click.objects.get().redirect_reason == "https_required"


@pytest.mark.parametrize(
    ("_case", "target", "redirect_url"),
    [
        ("own host", f"{SHOP}/vps", f"{SHOP}/vps"),
        ("listed domain", f"{HELP}/faq", f"{HELP}/faq"),
        ("no longer listed", "https://old.example.com/", HOME),
        ("nothing", "", HOME),
        ("not http", "javascript:alert(1)", HOME),
    ],
)
def test_link_target_is_judged_like_any_redirect(
    api, brand, affiliate, _case, target, redirect_url
):
    link = AffiliateLinkFactory(affiliate=affiliate, target_url=target)

    assert visited(api, f"{SHOP}/aff/{link.hash}")["redirect_url"] == redirect_url


def test_link_target_stops_at_once_when_its_domain_is_removed(api, brand, affiliate):
    link = AffiliateLinkFactory(affiliate=affiliate, target_url=f"{HELP}/faq")
    brand.domains.filter(host="help.example.org").delete()

    assert visited(api, f"{SHOP}/aff/{link.hash}")["redirect_url"] == HOME


@pytest.mark.parametrize(
    ("_case", "page", "redirect_url"),
    [
        ("code", "/store?ref=partner", "/store"),
        ("among others", "/store?a=1&ref=partner&b=%20x", "/store?a=1&b=%20x"),
        ("in the fragment", "/store#ref=partner", "/store"),
        ("in the fragment's query", "/store#/x?ref=partner&a=1", "/store#/x?a=1"),
        ("refused redirect", "/store?ref=partner&redirect=//evil", "/"),
        ("link path", "/aff/{hash}", "/plans"),
    ],
)
def test_brand_may_keep_visitors_on_their_page(
    api, brand, link, _case, page, redirect_url
):
    brand.landing = "stay"
    brand.save()

    data = visited(api, SHOP + page.format(hash=link.hash))

    assert data["redirect_url"] == SHOP + redirect_url


@pytest.mark.parametrize("landing", ["default_url", "stay"])
@pytest.mark.parametrize(
    ("_case", "page", "redirect_url"),
    [
        ("plain page", f"{SHOP}/store", f"{SHOP}/store#"),
        ("query and fragment", f"{SHOP}/store?a=1&b=2#c", f"{SHOP}/store?a=1&b=2#c"),
        ("unknown code", f"{SHOP}/store?ref=x&a=1", f"{SHOP}/store?ref=x&a=1#"),
        ("another domain of the brand", f"{HELP}/faq", f"{HELP}/faq#"),
        ("no redirect target", "https://api.example.com/", "https://api.example.com/#"),
        ("unknown link path", f"{SHOP}/aff/{'0' * 40}", HOME),
        ("another brand's", "https://other.example.net/", HOME),
        ("a stranger's", "https://evil.example/", HOME),
    ],
)
def test_visit_that_names_nobody_gets_its_own_page(
    api, brand, other_brand, landing, _case, page, redirect_url
):
    brand.landing = landing
    brand.save()

    with nothing_written():
        data = visited(api, page)

    assert data == {"redirect_url": redirect_url}
