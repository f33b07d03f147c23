"""Draws the pictures of README and documentation: ``python -m docs.pictures [name ...]``.

Of the demonstration and its year, in Debian's Chromium. Needs the development
requirements. Look at what has changed before committing it.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import django
from PIL import Image

from benchmarks.running import ROOT
from tests.browser.demo_server import DemoServer, serve_demo

FOLDER = Path(__file__).resolve().parent / "images"
WIDTH, HEIGHT = 1280, 800
COLOURS = 128
MAX_BYTES = 150_000
SAME_TAB = "(button) => button.removeAttribute('formtarget')"
BRAND = "SELECT id FROM affiliates_brand"


class Picture(NamedTuple):
    """``row`` is a query for the key of the row whose page is shown.

    ``is_area``: as the affiliate, of its area. Where the page is one that comes after:
    ``fill`` fills fields by their names, and then ``button`` is pressed.
    """

    path: str
    row: str = ""
    height: int = HEIGHT
    fill: tuple[tuple[str, str], ...] = ()
    button: str = ""
    is_area: bool = False


PICTURES: Mapping[str, Picture] = {
    "first-page": Picture("/admin/?brand={}&span=90", row=BRAND, height=1_300),
    "first-steps": Picture("/admin/affiliates/brand/guide/", height=840),
    "queue": Picture("/admin/affiliates/fraudreview/?outcome__exact=open"),
    "affiliate": Picture(
        "/admin/affiliates/affiliate/{}/all/",
        row="SELECT affiliate_id FROM affiliates_commission GROUP BY affiliate_id"
        " ORDER BY count(*) DESC LIMIT 1",
    ),
    "what-if": Picture(
        "/admin/affiliates/commissionplan/{}/change/",
        row="SELECT p.id FROM affiliates_commissionplan p"
        " JOIN affiliates_commission c ON c.brand_id = p.brand_id"
        " WHERE p.is_default GROUP BY p.id ORDER BY count(*) DESC LIMIT 1",
        fill=(("rules-0-percent", "35"),),
        button="[name=_what_if]",
        height=900,
    ),
    "payout-run": Picture(
        "/admin/affiliates_payout_runs/payoutrun/{}/change/",
        row="SELECT max(id) FROM affiliates_payout_runs_payoutrun"
        " WHERE status = 'approved'",
        height=1_000,
    ),
    "order-timeline": Picture(
        "/admin/affiliates/orderreferral/{}/change/",
        # One with renewals, of which a part was refunded.
        row="SELECT s.order_referral_id FROM affiliates_salereversal r"
        " JOIN affiliates_sale s ON s.id = r.sale_id"
        " JOIN affiliates_sale o ON o.order_referral_id = s.order_referral_id"
        " WHERE r.net > -s.net GROUP BY s.order_referral_id"
        " ORDER BY count(DISTINCT o.id) > 1 DESC, count(DISTINCT o.id),"
        " s.order_referral_id DESC LIMIT 1",
        height=2_000,
    ),
    "try-a-url": Picture(
        "/admin/affiliates/click/try-url/?brand={}"
        "&visit_url={link_url}%3Fredirect%3Dhttps://elsewhere.example/",
        row=BRAND,
    ),
    "area-overview": Picture("/affiliate/", height=1_100, is_area=True),
}


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    wanted = sys.argv[1:] or list(PICTURES)
    with (
        tempfile.TemporaryDirectory() as folder,
        serve_demo(Path(folder), has_year=True) as server,
    ):
        return 1 if _take(server, wanted) else 0


def _take(server: DemoServer, wanted: list[str]) -> list[str]:
    """The names of those that are too large."""
    from playwright.sync_api import sync_playwright

    large = []
    browser_path = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=browser_path, args=["--no-sandbox"]
        )
        pages = {is_area: browser.new_page(locale="en-GB") for is_area in (False, True)}
        _log_in(pages[False], server)
        _sign_in(pages[True], server)
        for name in wanted:
            path = FOLDER / f"{name}.png"
            page = pages[PICTURES[name].is_area]
            _open(page, server, PICTURES[name])
            _save(page.screenshot(animations="disabled"), path)
            size = path.stat().st_size
            sys.stdout.write(f"{path.relative_to(ROOT)} {size // 1000} kB\n")
            large += [name] if size > MAX_BYTES else []
        browser.close()
    return large


def _log_in(page: Any, server: DemoServer) -> None:
    login = server.demo["admin"]
    page.goto(f"{server.demo['api_base']}/admin/login/")
    page.fill("[name=username]", login["email"])
    page.fill("[name=password]", login["password"])
    page.press("[name=password]", "Enter")
    page.wait_for_url("**/admin/")


def _sign_in(page: Any, server: DemoServer) -> None:
    login = server.demo["affiliate"]
    page.goto(f"{server.origin}/login")
    page.fill("[name=email]", login["email"])
    page.fill("[name=password]", login["password"])
    page.press("[name=password]", "Enter")
    page.wait_for_url("**/account")


def _save(picture: bytes, path: Path) -> None:
    seen = Image.open(BytesIO(picture)).convert("RGB")
    seen.quantize(COLOURS, dither=Image.Dither.NONE).save(path, optimize=True)


def _open(page: Any, server: DemoServer, picture: Picture) -> None:
    path, key = picture.path, ""
    if picture.row:
        ((key,),) = server.query(picture.row)
        path = path.format(key, **server.demo)
    page.set_viewport_size({"width": WIDTH, "height": picture.height})
    base = server.origin if picture.is_area else server.demo["api_base"]
    page.goto(f"{base}{path}", wait_until="networkidle")
    for name, value in picture.fill:
        page.fill(f"[name={name}]", value)
    if picture.button:
        page.eval_on_selector(picture.button, SAME_TAB)
        with page.expect_navigation(wait_until="networkidle"):
            page.click(picture.button)


if __name__ == "__main__":
    raise SystemExit(main())
