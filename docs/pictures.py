"""Draws the pictures of README and documentation: ``python -m docs.pictures [name ...]``.

``--all FOLDER [--language de] [--theme dark] [area program shop desk]`` draws every page
instead, wide and narrow, to be looked at. Of the demonstration and its year, in Debian's
Chromium. Needs the development requirements. Look at what has changed before committing it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

import django
from PIL import Image

from benchmarks.running import ROOT
from docs.pictured import HOW_TOS, Picture
from tests.browser.demo_server import DemoServer, serve_demo
from tests.browser.kept_year import copy_year

FOLDER = Path(__file__).resolve().parent / "images"
WIDTH, NARROW = 1280, 390
COLOURS = 128
MAX_BYTES = 150_000
# What is folded cannot be filled in.
UNFOLD = "document.querySelectorAll('form details').forEach(one => one.open = true)"
SAME_TAB = "(button) => button.removeAttribute('formtarget')"
BRAND = "SELECT id FROM affiliates_brand"


PICTURES: Mapping[str, Picture] = {
    "first-page": Picture("/admin/?brand={}&span=90", row=BRAND, height=1_300),
    "first-steps": Picture("/admin/affiliates/brand/guide/", height=840),
    "queue": Picture("/admin/affiliates/fraudreview/?outcome__exact=open"),
    "affiliate": Picture(
        "/admin/affiliates/affiliate/{}/change/",
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
        # One of which a part of a renewal was refunded.
        row="SELECT s.order_referral_id FROM affiliates_salereversal r"
        " JOIN affiliates_sale s ON s.id = r.sale_id"
        " WHERE r.net > -s.net AND s.renewal_number > 0",
        height=2_000,
    ),
    "try-a-url": Picture(
        "/admin/affiliates/click/try-url/?brand={}"
        "&visit_url={link_url}%3Fredirect%3Dhttps://elsewhere.example/",
        row=BRAND,
    ),
    "area-overview": Picture("/affiliate/", height=1_100, is_area=True),
    **{f"how-to/{name}": one for name, one in HOW_TOS.items()},
}


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    wanted = _wanted()
    with (
        tempfile.TemporaryDirectory() as folder,
        serve_demo(Path(folder), prepare=copy_year) as server,
        _browser() as browser,
    ):
        if wanted.all:
            _take_all(browser, server, wanted)
            return 0
        return 1 if _take(browser, server, wanted.names or list(PICTURES)) else 0


def _wanted() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m docs.pictures")
    parser.add_argument("names", nargs="*", help="of pictures, or with --all of parts")
    parser.add_argument("--all", type=Path, metavar="FOLDER")
    parser.add_argument("--language", default="en-GB")
    parser.add_argument("--theme", default="light", choices=["light", "dark"])
    return parser.parse_args()


@contextmanager
def _browser() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=["--no-sandbox"]
        )
        yield browser
        browser.close()


def _take(browser: Any, server: DemoServer, wanted: list[str]) -> list[str]:
    """The names of those that are too large."""
    large = []
    pages = {is_area: browser.new_page(locale="en-GB") for is_area in (False, True)}
    _log_in(pages[False], server)
    _sign_in(pages[True], server)
    for name in wanted:
        path = FOLDER / f"{name}.png"
        picture = PICTURES[name]
        page = pages[picture.is_area]
        _open(page, server, picture)
        x, width = picture.left, WIDTH - picture.left
        clip = {"x": x, "y": 0, "width": width, "height": picture.height}
        _save(page.screenshot(animations="disabled", clip=clip), path)
        size = path.stat().st_size
        sys.stdout.write(f"{path.relative_to(ROOT)} {size // 1000} kB\n")
        large += [name] if size > MAX_BYTES else []
    return large


def _take_all(browser: Any, server: DemoServer, wanted: argparse.Namespace) -> None:
    """Every page that answers at its own path."""
    # The URL configuration needs the settings.
    from docs.every_page import PARTS, every_page

    look = {"locale": wanted.language, "color_scheme": wanted.theme}
    pages = {part: browser.new_page(**look) for part in PARTS}
    _log_in(pages["desk"], server)
    _sign_in(pages["area"], server)
    wanted.all.mkdir(parents=True, exist_ok=True)
    for one in every_page(server.query):
        if wanted.names and one.part not in wanted.names:
            continue
        base = server.demo["api_base"] if one.part == "desk" else server.origin
        page = pages[one.visitor]
        answer = page.goto(f"{base}{one.path}")
        if not answer.ok or page.url != f"{base}{one.path}":
            sys.stdout.write(f"{one.path}: {answer.status} {page.url}\n")
            continue
        for width in (WIDTH, NARROW):
            page.set_viewport_size({"width": width, "height": 900})
            file = wanted.all / f"{one.name}-{width}.png"
            page.screenshot(path=file, animations="disabled", full_page=True)


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
    if picture.fill:
        page.evaluate(UNFOLD)
    for name, value in picture.fill:
        page.fill(f"[name={name}]", value)
    if picture.button:
        page.eval_on_selector(picture.button, SAME_TAB)
        with page.expect_navigation(wait_until="networkidle"):
            page.click(picture.button)


if __name__ == "__main__":
    raise SystemExit(main())
