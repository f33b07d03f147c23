"""Every form of a link, opened by a new visitor of the demonstration's shop."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.client_area import follow
from tests.browser.demo_server import DemoServer
from tests.browser.visitor import Visitor

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext

pytestmark = pytest.mark.browser

AFFILIATE = "demo"
RIVAL = "tab-rival"
# A name for the link, a host of short links, and another affiliate.
PREPARE = f"""
from django.contrib.auth import get_user_model
from affiliates.brands.models.domain import BrandDomain
from affiliates.program.models import Affiliate, AffiliateLink
from affiliates.program.rules import AffiliateStatus
from affiliates.program.slugs import give_slug
link = AffiliateLink.objects.get(hash={{link_hash!r}})
brand = link.affiliate.brand
give_slug(link, "summer")
link.save()
BrandDomain(brand=brand, host={{host!r}}, is_client_area=False).save()
user = get_user_model().objects.create(brand=brand, email="tab-rival@example.com")
status = AffiliateStatus.ACTIVE
Affiliate.objects.create(brand=brand, user=user, code={RIVAL!r}, status=status)
"""

# The service has answered the visit, and the page does not know it yet.
HOLD_THE_ANSWER = """
const ask = window.fetch;
window.fetch = async (...request) => {
  const answer = await ask(...request);
  const isVisit = String(request[0]).endsWith("/visit");
  if (isVisit && !window.release) await new Promise((go) => (window.release = go));
  return answer;
};
"""


@pytest.fixture(scope="module")
def links(server: DemoServer) -> dict[str, str]:
    """What the addresses are made of."""
    host = server.origin.removeprefix("http://shop.")
    host = f"go.{host}"
    link_hash = str(server.demo["link_hash"])
    code = PREPARE.format(link_hash=link_hash, host=host)
    server.console.run("shell", "-c", code)
    return {"shop": server.origin, "go": f"http://{host}", "hash": link_hash}


@pytest.mark.parametrize(
    ("_case", "address", "landing"),
    [
        ("hash", "{shop}/aff/{hash}", "{shop}/plans"),
        ("name", "{shop}/aff/summer?utm_source=yt", "{shop}/plans?utm_source=yt"),
        ("code", "{shop}/?ref=demo", "{shop}/"),
        ("short link", "{go}/summer?utm_source=yt", "{shop}/plans?utm_source=yt"),
        ("route of a script", "{shop}/#/aff/summer", "{shop}/plans"),
        ("damaged name", "{shop}/de//AFF/Summer).", "{shop}/plans"),
        ("damaged code", "{shop}/?x=1&amp;REF=demo.?y=2", "{shop}/?x=1&y=2"),
    ],
)
def test_link_leads_to_a_credited_order(
    visitor: Visitor, links: dict[str, str], _case: str, address: str, landing: str
) -> None:
    follow(visitor.page, address.format(**links))
    assert visitor.page.url == landing.format(**links)

    visitor.choose("Business")
    visitor.complete_registration()

    assert visitor.orders() == [("credited", AFFILIATE)]


def test_last_click_wins_although_an_earlier_one_is_answered_later(
    context: BrowserContext, server: DemoServer, links: dict[str, str]
) -> None:
    first, second = context.new_page(), context.new_page()
    first.add_init_script(HOLD_THE_ANSWER)
    first.goto(f"{links['shop']}/?ref={AFFILIATE}")
    while not first.evaluate("Boolean(window.release)"):
        first.wait_for_timeout(20)
    follow(second, f"{links['shop']}/?ref={RIVAL}")

    first.evaluate("async () => { release(); await referral.ready; }")

    visitor = Visitor(second, server)
    visitor.choose("Business")
    visitor.complete_registration()
    assert visitor.orders() == [("credited", RIVAL)]
