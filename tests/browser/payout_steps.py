"""What staff do with payout runs at the pages of the admin."""

from __future__ import annotations

import csv
import hashlib
import re
from io import StringIO
from pathlib import Path

from tests.browser.demo_server import DemoServer
from tests.browser.payout_files import Line, lines_of
from tests.browser.staff import Staff

# Of the three answers the one with most in it.
LOOKED_AT = "bank.xml"
# What the worker does each minute.
WORK = """
from django.utils import timezone
from affiliates.contrib.payout_runs.services.schedule import work_at_runs
work_at_runs(clock=timezone.now, should_stop=lambda: False)
"""


def draft(server: DemoServer, clerk: Staff, brand: int) -> int:
    """Its number."""
    clerk.open("affiliates_payout_runs/payoutrun/")
    clerk.follow("Make a run")
    clerk.page.locator("[name=brand]").select_option(str(brand))
    clerk.confirm("Make a draft")
    clerk.page.wait_for_url(re.compile(r"/payoutrun/\d+/change/"))
    let_worker_end(server, clerk)
    clerk.sees("You prepared it, so a second person has to approve it.")
    return int(clerk.page.url.split("/")[-3])


def saved_list(clerk: Staff) -> list[dict[str, str]]:
    with clerk.page.expect_download() as download:
        clerk.follow("CSV")
    text = Path(download.value.path()).read_text("utf-8-sig")
    return list(csv.DictReader(StringIO(text)))


def approve(second: Staff, run: int) -> None:
    second.open(f"affiliates_payout_runs/payoutrun/{run}/change/")
    second.follow("Approve…")
    second.look("approve", is_plain=True)
    second.confirm("Approve")
    second.sees(f"Run {run} is approved. Its files are on its page.")
    second.look("approved")


def download_files(second: Staff, run: int) -> tuple[list[Line], list[Line]]:
    """What the bank and PayPal are to pay, by the files that are kept."""
    files = {kind: (name, digest) for name, kind, digest, _ in second.table("File")}
    read: list[list[Line]] = []
    for kind in ("Bank transfer (SEPA), EUR", "PayPal, EUR"):
        name, digest = files[kind]
        second.open(f"affiliates_payout_runs/payoutrun/{run}/change/")
        second.follow(name)
        second.page.wait_for_url(re.compile(r"/payoutbatch/\d+/change/"))
        if not read:
            second.look("file")
        with second.page.expect_download() as download:
            second.follow("Download the file")
        content = Path(download.value.path()).read_bytes()
        assert hashlib.sha256(content).hexdigest() == digest.replace(" ", "")
        read.append(lines_of(content.decode()))
    return read[0], read[1]


def answer(
    server: DemoServer, clerk: Staff, brand: int, name: str, content: bytes
) -> None:
    """Read the file, look at what it would do, and have it done."""
    upload(clerk, brand, name, content)
    clerk.sees("What it would do")
    if name == LOOKED_AT:
        clerk.look("preview")
    clerk.follow("Apply")
    clerk.confirm("Apply")
    clerk.sees("What it did")
    let_worker_end(server, clerk)


def upload(clerk: Staff, brand: int, name: str, content: bytes) -> None:
    clerk.open("affiliates_payout_runs/payoutanswer/")
    clerk.follow("Read a file")
    clerk.page.locator("[name=brand]").select_option(str(brand))
    file = {"name": name, "mimeType": "application/octet-stream", "buffer": content}
    clerk.page.locator("[name=file]").set_input_files(file)
    clerk.confirm("Read it")
    clerk.page.wait_for_url(re.compile(r"/payoutanswer/\d+/change/"))


def let_worker_end(server: DemoServer, clerk: Staff) -> None:
    """On a busy machine a page does not wait for the end, which the worker goes on to."""
    if clerk.page.get_by_text("the worker goes on with").count():
        server.console.run_code(WORK)
        clerk.page.reload()
