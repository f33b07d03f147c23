"""A client area that exists only in the browser, and a service that says what it is told."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page, Route

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "affiliates/static/affiliates/referral.js"
SHOP = "http://shop.example.com"
API = "http://api.example.net"
ANY_API = re.compile(r"https?://api\.example\.net/.*")
LINK_HASH = "0123456789abcdef0123456789abcdef01234567"
PAGE = """<!doctype html><title>Shop</title>
{head}
<script src="/referral.js" data-api="{api}" {attributes} defer></script>
<p id="top">Shop</p><p id="plans" style="margin-top: 3000px">Plans</p>"""

# One question: between two of them the page may be left, and the script not be there yet.
OUTCOME = """async () => {
    while (!window.referral) await new Promise((again) => setTimeout(again, 10));
    return (await referral.ready).outcome;
}"""


class ClientArea:
    """Every page of every host holds the script; ``visits`` are the calls it made."""

    def __init__(self, context: BrowserContext) -> None:
        self.context = context
        self.api = API
        self.attributes = ""
        self.head = ""
        self.answer: dict[str, Any] = {"redirect_url": f"{SHOP}/"}
        self.status = 200
        self.raw_body: str | None = None
        # Of the next answers, first to last: their clicks are not stored.
        self.visit_ids: list[str] = []
        # Their answer, where it is another.
        self.unstored_answer: dict[str, Any] | None = None
        self.is_reachable = True
        self.visits: list[dict[str, Any]] = []
        self.visit_headers: list[dict[str, str]] = []
        context.route("**/*", self._serve_page)
        context.route(ANY_API, self._serve_visit)

    def hold_cookie(self, value: str, *, url: str = SHOP) -> None:
        self.context.add_cookies(
            [{"name": "referral_cookie", "value": value, "url": url}]
        )

    def cookie(self) -> Any:
        """The stored cookie, or None. Two of them are a mistake of the script."""
        held = [c for c in self.context.cookies() if c.get("name") == "referral_cookie"]
        assert len(held) <= 1
        return held[0] if held else None

    def cookie_value(self) -> str | None:
        cookie = self.cookie()
        return cookie["value"] if cookie else None

    def open(self, page: Page, url: str, *, referer: str | None = None) -> str:
        """Load the page, follow the script, and answer what it did on the last page."""
        return follow(page, url, referer=referer)

    def _serve_page(self, route: Route) -> None:
        if route.request.url.endswith("/referral.js"):
            route.fulfill(path=SCRIPT, content_type="text/javascript")
        elif route.request.resource_type == "document":
            body = PAGE.format(api=self.api, attributes=self.attributes, head=self.head)
            route.fulfill(body=body, content_type="text/html")
        else:
            route.fulfill(status=404)

    def _serve_visit(self, route: Route) -> None:
        if not self.is_reachable:
            route.abort()
            return
        self.visits.append(json.loads(route.request.post_data or "null"))
        self.visit_headers.append(route.request.all_headers())
        body, data = self.raw_body, self.answer
        headers = {"Access-Control-Allow-Origin": "*"}
        if self.visit_ids:
            headers["Visit-Id"] = self.visit_ids.pop(0)
            data = self.unstored_answer or data
            headers["Access-Control-Expose-Headers"] = "Visit-Id"
        route.fulfill(
            status=self.status,
            body=json.dumps({"data": data}) if body is None else body,
            content_type="application/json",
            headers=headers,
        )


def follow(page: Page, url: str, *, referer: str | None = None) -> str:
    """Load the page and go where the script leads; answer what it did there."""
    page.goto(url, referer=referer)
    outcome = outcome_of(page)
    if outcome == "redirecting":
        page.wait_for_url(lambda now: now != url)
        outcome = outcome_of(page)
    return outcome


def outcome_of(page: Page) -> str:
    """What the script made of the page it is on; of a page being left, "redirecting"."""
    from playwright.sync_api import Error

    try:
        outcome: str = page.evaluate(OUTCOME)
    except Error as error:
        if "navigation" not in error.message:
            raise
        return "redirecting"
    return outcome
