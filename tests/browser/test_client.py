"""The generated client, in a page of the shop, against the real service."""

from __future__ import annotations

import re
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


LOST = """async (api) => {
    const { createClient } = await import("/client.js");
    const seen = [];
    const losing = (times) =>
        createClient({
            api,
            fetch: async (address, options) => {
                const answer = await fetch(address, options);
                seen.push([options.headers["Idempotency-Key"], (await answer.clone().json()).data]);
                if (times-- > 0) throw new TypeError("Failed to fetch");
                return answer;
            },
        });
    const { data: guest } = await losing(2).registerGuest({ firstname: "Ada" });
    const lost = await losing(3).registerGuest({ firstname: "Bob" }).catch((error) => error.message);
    return { seen, guest, lost };
}"""


@pytest.fixture(autouse=True)
def _client(server: DemoServer, context: BrowserContext, page: Page) -> None:
    context.route(
        "**/client.js",
        lambda route: route.fulfill(
            path=ROOT / "packages/referral/client.js", content_type="text/javascript"
        ),
    )
    page.goto(f"{server.origin}/login")


def test_client_sends_a_lost_registration_again_under_its_key(
    server: DemoServer, page: Page
) -> None:
    said = page.evaluate(LOST, server.demo["api_base"])

    keys, guests = zip(*said["seen"], strict=True)
    assert [guest["firstname"] for guest in guests] == ["Ada"] * 3 + ["Bob"] * 3
    assert len({guest["id"] for guest in guests[:3]}) == 1
    assert len({guest["id"] for guest in guests}) == 2
    assert keys[0] == keys[1] == keys[2] != keys[3] == keys[4] == keys[5]
    assert re.fullmatch(r'"[0-9]+(-[0-9]+){3}"', keys[0])
    assert said["guest"] == guests[0]
    assert said["lost"] == "Failed to fetch"


def test_client_asks_and_is_answered(server: DemoServer, page: Page) -> None:
    said = page.evaluate(FLOW, server.demo["api_base"])

    assert said == {
        "visit": ["redirect_url", "referral_cookie", "referral_cookie_max_age"],
        "isGuest": True,
        "stranger": [True, 401, "not_authenticated"],
        "notAnAffiliate": [True, 403, "not_an_affiliate"],
        "absent": [True, 404, "not_found"],
        "unusable": [True, 400, "required"],
    }
