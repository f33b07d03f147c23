"""The generated client, in a page of the shop, against the real service."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.client_area import ROOT
from tests.browser.demo_server import DemoServer

if TYPE_CHECKING:
    from playwright.sync_api import BrowserContext, Page

pytestmark = pytest.mark.browser

FLOW = """async (api) => {
    const { ApiError, createClient } = await import("/client.js");
    let token;
    const client = createClient({ api, token: () => token });
    const refusal = (asked) =>
        asked.then(
            () => "answered",
            (error) => [error instanceof ApiError, error.status, error.errors[0].code],
        );
    const { data: visit } = await client.trackAffiliateLinkVisit({
        visit_url: `${location.origin}/?ref=demo`,
        referrer_url: "",
        user_agent: navigator.userAgent,
    });
    const stranger = await refusal(client.listBalances());
    const guest = await client.registerGuest({ referral_cookie: visit.referral_cookie });
    token = guest.data.token;
    return {
        visit: Object.keys(visit),
        isGuest: guest.data.is_guest,
        stranger,
        notAnAffiliate: await refusal(client.listBalances()),
        absent: await refusal(client.convertOrder("a/b", { payment_details_id: 1 })),
        unusable: await refusal(client.trackAffiliateLinkVisit({})),
    };
}"""


def test_client_asks_and_is_answered(
    server: DemoServer, context: BrowserContext, page: Page
) -> None:
    context.route(
        "**/client.js",
        lambda route: route.fulfill(
            path=ROOT / "packages/referral/client.js", content_type="text/javascript"
        ),
    )
    page.goto(f"{server.origin}/login")

    said = page.evaluate(FLOW, server.demo["api_base"])

    assert said == {
        "visit": ["redirect_url", "referral_cookie", "referral_cookie_max_age"],
        "isGuest": True,
        "stranger": [True, 401, "not_authenticated"],
        "notAnAffiliate": [True, 403, "not_an_affiliate"],
        "absent": [True, 404, "not_found"],
        "unusable": [True, 400, "required"],
    }
