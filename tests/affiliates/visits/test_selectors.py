"""The preview of a visit says what track_visit does, and writes nothing."""

from __future__ import annotations

import pytest

from affiliates.brands.models import Brand
from affiliates.errors import InvalidInput
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.visits.models import Click
from affiliates.visits.rules import Visit
from affiliates.visits.selectors import Destination, VisitPreview, preview_visit
from affiliates.visits.services import track_visit
from tests.factories.affiliates import (
    AffiliateFactory,
    AffiliateLinkFactory,
    BrandDomainFactory,
    BrandFactory,
)

PLANS = "1" * 40
GONE = "2" * 40
PLAIN = "3" * 40
OFF = "4" * 40
SUSPENDED = "5" * 40
FOREIGN = "6" * 40
SHOP = "https://shop.example.com"

VISITS = [
    ("plain", f"{SHOP}/"),
    ("plain page", f"{SHOP}/plans?x=1#top"),
    ("link", f"{SHOP}/aff/{PLANS}"),
    ("link with a slash", f"{SHOP}/aff/{PLANS}/"),
    ("link as parameter", f"{SHOP}/?ref={PLANS}"),
    ("link in the fragment", f"{SHOP}/#/start?ref={PLANS}"),
    ("link without target", f"{SHOP}/aff/{PLAIN}"),
    ("link whose target is gone", f"{SHOP}/aff/{GONE}"),
    ("code", f"{SHOP}/?ref=partner"),
    ("code in upper case", f"{SHOP}/?ref=PARTNER"),
    ("link switched off", f"{SHOP}/aff/{OFF}"),
    ("link switched off, with a code", f"{SHOP}/aff/{OFF}?ref=partner"),
    ("link of a suspended affiliate", f"{SHOP}/aff/{SUSPENDED}"),
    ("link of another brand", f"{SHOP}/aff/{FOREIGN}"),
    ("nobody's code", f"{SHOP}/?ref=nobody"),
    ("no code at all", f"{SHOP}/?ref=%00%ff"),
    ("empty code", f"{SHOP}/?ref="),
    ("redirect to a path", f"{SHOP}/?ref=partner&redirect=/plans"),
    ("redirect to a domain", f"{SHOP}/?redirect=https://blog.example.com/a"),
    ("redirect below a domain", f"{SHOP}/?redirect=https://a.blog.example.com/"),
    ("redirect elsewhere", f"{SHOP}/aff/{PLANS}?redirect=https://evil.example/"),
    ("redirect to script", f"{SHOP}/aff/{PLANS}?redirect=javascript:alert(1)"),
    ("empty redirect", f"{SHOP}/aff/{PLANS}?redirect="),
    ("redirect in the fragment", f"{SHOP}/#/a?redirect=/plans&ref=partner"),
    ("another page's host", "https://elsewhere.example/?ref=partner&redirect=/here"),
    ("with a port", f"{SHOP}:8443/?ref=partner"),
]


@pytest.fixture
def shop(brand, affiliate, host) -> Brand:
    """The brand with links of every kind."""
    BrandDomainFactory(brand=brand, host="blog.example.com", include_subdomains=True)
    for link_hash, target in [
        (PLANS, f"{SHOP}/plans"),
        (GONE, "https://was.example/"),
        (PLAIN, ""),
    ]:
        AffiliateLinkFactory(affiliate=affiliate, hash=link_hash, target_url=target)
    AffiliateLinkFactory(affiliate=affiliate, hash=OFF, is_active=False)
    suspended = AffiliateFactory(
        brand=brand,
        user=host.client(brand, email="suspended@example.com"),
        status=AffiliateStatus.SUSPENDED.value,
    )
    AffiliateLinkFactory(affiliate=suspended, hash=SUSPENDED)
    other = BrandFactory(name="Contoso", client_area="contoso.example")
    foreign = AffiliateFactory(
        brand=other, user=host.client(other, email="foreign@example.com")
    )
    AffiliateLinkFactory(affiliate=foreign, hash=FOREIGN)
    return brand


def preview(brand: Brand, url: str) -> VisitPreview:
    return preview_visit(brand=brand.to_config(), visit_url=url)


@pytest.mark.parametrize(("_case", "url"), VISITS)
@pytest.mark.parametrize("landing", ["default_url", "stay"])
@pytest.mark.parametrize("require_https", [False, True])
@pytest.mark.parametrize("own_program", [False, True])
def test_preview_agrees_with_the_visit(
    shop, now, _case, url, landing, require_https, own_program
):
    shop.landing = landing
    shop.require_https = require_https
    shop.own_program = own_program
    brand = shop.to_config()

    seen = preview_visit(brand=brand, visit_url=url)
    assert Click.objects.count() == 0
    answer = track_visit(brand=brand, visit=first_visit(url), now=now)

    assert seen.redirect_url == answer.redirect_url
    assert seen.is_creditable == (answer.referral_cookie is not None)
    click = Click.objects.first()
    assert (seen.link is None) == (click is None)
    if seen.link is None or seen.source is None or click is None:
        return
    assert (
        seen.link.affiliate_id,
        seen.link.link_id,
        seen.link.status.value,
        seen.source.value,
        seen.redirect.reason.value,
        seen.visit_url,
    ) == (
        click.affiliate_id,
        click.link_id,
        click.affiliate_status,
        click.source,
        click.redirect_reason,
        click.visit_url,
    )


def first_visit(url: str) -> Visit:
    return Visit(
        visit_url=url,
        referrer_url="",
        user_agent="Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0",
        referral_cookie=None,
        ip="203.0.113.7",
        ip_prefix="",
        is_prefetch=False,
    )


@pytest.mark.parametrize("url", ["", "shop.example.com", "ftp://a/", "https://\ud800"])
def test_what_is_no_url_is_refused_as_the_visit_refuses_it(shop, now, url):
    with pytest.raises(InvalidInput) as seen:
        preview(shop, url)
    with pytest.raises(InvalidInput) as answered:
        track_visit(brand=shop.to_config(), visit=first_visit(url), now=now)

    assert (seen.value.code, seen.value.field) == ("invalid", "visit_url")
    assert (answered.value.code, answered.value.field) == ("invalid", "visit_url")


@pytest.mark.parametrize(
    ("url", "destination"),
    [
        (f"{SHOP}/", Destination.DEFAULT),
        (f"{SHOP}/aff/{PLAIN}", Destination.DEFAULT),
        (f"{SHOP}/aff/{PLANS}", Destination.LINK_TARGET),
        (f"{SHOP}/aff/{GONE}", Destination.LINK_TARGET_REFUSED),
        (f"{SHOP}/aff/{PLANS}?redirect=/a", Destination.REDIRECT),
        (f"{SHOP}/?redirect=https://evil.example/", Destination.REDIRECT_REFUSED),
    ],
)
def test_destination_says_why_the_visit_leads_there(shop, url, destination):
    assert preview(shop, url).destination is destination


def test_destination_is_the_visited_page_where_the_brand_keeps_visitors(shop):
    shop.landing = "stay"

    seen = preview(shop, f"{SHOP}/plans?ref=partner&x=1")

    assert seen.destination is Destination.STAY
    assert seen.redirect_url == f"{SHOP}/plans?x=1"


@pytest.mark.parametrize(
    ("url", "faults"),
    [
        (f"{SHOP}/?ref=partner", []),
        (f"{SHOP}/", []),
        (
            f"{SHOP}/?ref=!!",
            [("!!", "It has the form of neither a link's hash nor a code.")],
        ),
        (
            f"{SHOP}/?ref=nobody",
            [("nobody", "No link or affiliate of this brand has it.")],
        ),
        (f"{SHOP}/aff/{OFF}", [(OFF, "This link is switched off.")]),
        (
            f"{SHOP}/aff/{FOREIGN}",
            [(FOREIGN, "It is a link of another brand, Contoso.")],
        ),
        (
            f"{SHOP}/aff/{OFF}?ref=partner",
            [(OFF, "This link is switched off.")],
        ),
        (
            f"{SHOP}/aff/{OFF}?ref=nobody",
            [
                (OFF, "This link is switched off."),
                ("nobody", "No link or affiliate of this brand has it."),
            ],
        ),
    ],
)
def test_unknown_links_and_codes_are_named_with_their_fault(shop, url, faults):
    seen = preview(shop, url)

    assert [(one.text, one.fault) for one in seen.unknown] == faults


@pytest.mark.parametrize(
    ("url", "is_client_area"),
    [
        (f"{SHOP}/", True),
        ("http://shop.example.com/", True),
        ("https://shop.example.com:8443/", False),
        ("https://a.blog.example.com/", False),
        ("https://elsewhere.example/", False),
    ],
)
def test_preview_tells_whether_the_page_may_call(shop, url, is_client_area):
    assert preview(shop, url).is_client_area is is_client_area


def test_suspension_is_seen_at_once(shop):
    assert preview(shop, f"{SHOP}/aff/{PLANS}").is_creditable

    for affiliate in Affiliate.objects.filter(code="partner"):
        affiliate.status = AffiliateStatus.SUSPENDED.value
        affiliate.save(update_fields=["status"])

    assert not preview(shop, f"{SHOP}/aff/{PLANS}").is_creditable
