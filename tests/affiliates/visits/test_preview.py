"""The preview of a visit is what would be decided for it; it writes nothing."""

from __future__ import annotations

import pytest

from affiliates.brands.models.brand import Brand
from affiliates.errors import InvalidInput
from affiliates.program.models import Affiliate
from affiliates.program.rules import AffiliateStatus
from affiliates.visits import preview as preview_module
from affiliates.visits import services
from affiliates.visits.decision import VisitDestination, decide_visit
from affiliates.visits.preview import VisitPreview, preview_visit
from affiliates.visits.rules import Visit
from tests.database import nothing_written
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
        status=AffiliateStatus.SUSPENDED,
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


def test_preview_is_the_decision_of_the_visit_and_writes_nothing(
    shop, monkeypatch, now
):
    """For a person's first visit; the ids and the time of the click apart."""
    decided = []

    def decide(*arguments, **facts):
        decision = decide_visit(*arguments, **facts)
        decided.append(decision._replace(click=None, touch=None))
        return decision

    monkeypatch.setattr(preview_module, "decide_visit", decide)
    monkeypatch.setattr(services, "decide_visit", decide)
    with nothing_written():
        seen = preview(shop, f"{SHOP}/aff/{PLANS}?redirect=/a")
    services.track_visit(
        brand=shop.to_config(),
        visit=first_visit(f"{SHOP}/aff/{PLANS}?redirect=/a"),
        now=now,
    )

    assert decided[0] == decided[1] == seen.decision._replace(click=None, touch=None)


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
def test_what_is_no_url_is_refused(shop, url):
    with pytest.raises(InvalidInput) as refused:
        preview(shop, url)

    assert (refused.value.code, refused.value.field) == ("invalid", "visit_url")


@pytest.mark.parametrize(
    ("url", "destination"),
    [
        (f"{SHOP}/", VisitDestination.PAGE),
        (f"{SHOP}/aff/{PLAIN}", VisitDestination.DEFAULT),
        (f"{SHOP}/aff/{PLANS}", VisitDestination.LINK_TARGET),
        (f"{SHOP}/aff/{GONE}", VisitDestination.LINK_TARGET_REFUSED),
        (f"{SHOP}/aff/{PLANS}?redirect=/a", VisitDestination.REDIRECT),
        (f"{SHOP}/?redirect=https://evil.example/", VisitDestination.REDIRECT_REFUSED),
    ],
)
def test_destination_says_why_the_visit_leads_there(shop, url, destination):
    assert preview(shop, url).decision.redirect.destination is destination


def test_destination_is_the_visited_page_where_the_brand_keeps_visitors(shop):
    shop.landing = "stay"

    seen = preview(shop, f"{SHOP}/plans?ref=partner&x=1")

    assert seen.decision.redirect.destination is VisitDestination.STAY
    assert seen.decision.redirect.url == f"{SHOP}/plans?x=1"


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

    assert list(seen.unknown) == faults


@pytest.mark.parametrize(
    ("url", "is_client_area"),
    [
        (f"{SHOP}/", True),
        ("http://shop.example.com/", True),
        ("https://shop.example.com:8443/", True),
        ("https://a.blog.example.com/", False),
        ("https://elsewhere.example/", False),
    ],
)
def test_preview_tells_whether_the_page_may_call(shop, url, is_client_area):
    assert preview(shop, url).is_client_area is is_client_area


def test_suspension_is_seen_at_once(shop):
    assert preview(shop, f"{SHOP}/aff/{PLANS}").decision.touch

    for affiliate in Affiliate.objects.filter(code="partner"):
        affiliate.status = AffiliateStatus.SUSPENDED
        affiliate.save(update_fields=["status"])

    assert not preview(shop, f"{SHOP}/aff/{PLANS}").decision.touch
