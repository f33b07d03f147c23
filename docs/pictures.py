"""Takes the pictures of the documentation: ``python -m docs.pictures [name ...]``.

Of the demonstration, with a small program beside it, in Debian's Chromium. Needs the
development requirements. Look at what has changed before committing it.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.running import ROOT
from tests.browser.demo_server import DemoServer, serve_demo

FOLDER = Path(__file__).resolve().parent / "images"
WIDTH, HEIGHT = 1120, 700
MAX_BYTES = 150_000
PROGRAM = ("--add", "--brands=1", "--orders=200", "--clicks=1500", "--affiliates=40")


class Picture(NamedTuple):
    """``row`` is a query for the key of the row whose page is shown."""

    path: str
    row: str = ""
    height: int = HEIGHT


PICTURES: Mapping[str, Picture] = {
    "first-page": Picture("/admin/"),
    "first-steps": Picture("/admin/affiliates/brand/guide/", height=1_200),
    "orders": Picture("/admin/affiliates/orderreferral/"),
    "commissions": Picture("/admin/affiliates/commission/"),
    "payouts": Picture("/admin/affiliates/payout/"),
    "fraud-reviews": Picture("/admin/affiliates/fraudreview/"),
    "order-timeline": Picture(
        "/admin/affiliates/orderreferral/{}/change/",
        row="SELECT s.order_referral_id FROM affiliates_salereversal r"
        " JOIN affiliates_sale s ON s.id = r.sale_id ORDER BY r.id LIMIT 1",
        height=1_500,
    ),
}


def main() -> int:
    wanted = sys.argv[1:] or list(PICTURES)
    with (
        tempfile.TemporaryDirectory() as folder,
        serve_demo(Path(folder)) as server,
    ):
        _fill(server)
        return 1 if _take(server, wanted) else 0


def _fill(server: DemoServer) -> None:
    subprocess.run(  # noqa: S603 - our own command
        [sys.executable, "manage.py", "seed_load", *PROGRAM],
        cwd=ROOT,
        env=server.environment,
        check=True,
    )


def _take(server: DemoServer, wanted: list[str]) -> list[str]:
    """The names of those that are too large."""
    from playwright.sync_api import sync_playwright

    large = []
    browser_path = shutil.which("chromium-headless-shell") or shutil.which("chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=browser_path, args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
        _log_in(page, server)
        for name in wanted:
            path = FOLDER / f"{name}.png"
            _open(page, server, PICTURES[name])
            path.write_bytes(page.screenshot(animations="disabled"))
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


def _open(page: Any, server: DemoServer, picture: Picture) -> None:
    path = picture.path
    if picture.row:
        ((key,),) = server.query(picture.row)
        path = path.format(key)
    page.set_viewport_size({"width": WIDTH, "height": picture.height})
    page.goto(f"{server.demo['api_base']}{path}", wait_until="networkidle")


if __name__ == "__main__":
    raise SystemExit(main())
