"""A commission plan in a real Chromium: made with the keyboard alone, and tried unsaved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.browser.demo_server import DemoServer
from tests.browser.desk_pages import Looks

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser
RULES = "SELECT count(*) FROM affiliates_planrule"


def press_until(page: Page, focused: str, *, key: str = "Tab", most: int = 80) -> None:
    for _ in range(most):
        page.keyboard.press(key)
        if page.locator("*:focus").evaluate(f"element => {focused}"):
            return
    raise AssertionError(f"{focused} is not reached by the keyboard")


def test_first_and_added_rule_are_open_and_filled_in_by_keyboard(
    server: DemoServer, admin_page: Page
) -> None:
    [[before]] = server.query(RULES)
    api = server.demo["api_base"]
    admin_page.goto(f"{api}/admin/affiliates/commissionplan/add/")
    admin_page.locator("[name=brand]").select_option(index=1)
    admin_page.locator("[name=name]").fill("By keyboard")
    admin_page.locator("[name=rules-0-percent]").wait_for(state="visible")

    press_until(admin_page, "element.matches('.add-row')")
    admin_page.keyboard.press("Enter")
    admin_page.locator("[name=rules-1-percent]").wait_for(state="visible")
    press_until(admin_page, "element.name === 'rules-0-percent'", key="Shift+Tab")
    admin_page.keyboard.press("Enter")
    refused = admin_page.get_by_text("Write the rate in percent.").first
    refused.wait_for(state="visible")
    admin_page.locator("[name=rules-0-percent]").press("7")
    admin_page.locator("[name=rules-1-percent]").fill("3")
    admin_page.keyboard.press("Enter")

    admin_page.get_by_text("Orders from now on earn by version 1.").wait_for()
    assert server.query(RULES) == [(before + 2,)]


def test_unsaved_plan_is_simulated_in_another_tab(
    server: DemoServer, admin_page: Page
) -> None:
    [[plan, percent]] = server.query(
        "SELECT plan_id, percent FROM affiliates_planrule"
        " WHERE rate_kind = 'percent' ORDER BY id LIMIT 1"
    )
    saved = server.query("SELECT * FROM affiliates_planrule ORDER BY id")
    api = server.demo["api_base"]
    admin_page.goto(f"{api}/admin/affiliates/commissionplan/{plan}/change/")
    field = admin_page.locator("[name=rules-0-percent]")
    assert not field.is_visible()
    admin_page.locator("#rules-data summary").first.press("Enter")
    field.fill("")
    field.press_sequentially("41")

    with admin_page.context.expect_page() as opened:
        admin_page.get_by_role("button", name="What would this change?").click()
    tried = opened.value
    tried.locator("#result").wait_for()

    looks = Looks(tried)
    looks.at("plan-tried")
    looks.require_none()
    assert percent != 41
    assert tried.url.endswith(f"/commissionplan/{plan}/what-if/#result")
    assert tried.locator("[name=rules-0-percent]").input_value() == "41"
    assert field.input_value() == "41"
    assert server.query("SELECT * FROM affiliates_planrule ORDER BY id") == saved
    with admin_page.expect_event("dialog") as asked:
        admin_page.close(run_before_unload=True)
    assert asked.value.type == "beforeunload"
    asked.value.accept()
