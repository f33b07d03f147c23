"""The lock beside known vulnerabilities, with a network and without."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from supply.advisories import Advisory, Known, advisory, read, write
from supply.audit import STORED, audit, read_accepted
from supply.lock import LOCKS, Package, locked
from tests.cases import each

TODAY = date(2026, 3, 1)
LOCK = [Package("django", "5.2.1", ()), Package("orjson", "3.13.0", ())]
# Nothing listens on the port of discard.
NOWHERE = "http://127.0.0.1:9/v1/query"


def entry(**changes: Any) -> dict[str, Any]:
    """An entry as OSV sends it: fixed in 4.2.15 and in 5.2.2."""
    return {
        "id": "PYSEC-2026-1",
        "aliases": ["CVE-2026-1000"],
        "affected": [
            {
                "package": {"ecosystem": "PyPI", "name": "Django"},
                "ranges": [
                    {"type": "GIT", "events": [{"introduced": "0"}]},
                    {
                        "type": "ECOSYSTEM",
                        "events": [
                            {"introduced": "4.2"},
                            {"fixed": "4.2.15"},
                            {"introduced": "5.0"},
                            {"fixed": "5.2.2"},
                        ],
                    },
                ],
                "versions": ["3.0rc1"],
            }
        ],
    } | changes


@contextmanager
def osv(*pages: Any) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """A server that answers about django page by page, and knows nothing of others."""
    asked: list[dict[str, Any]] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            question = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append(question)
            is_django = question["package"]["name"] == "django"
            page = pages[int(question.get("page_token", 0))] if is_django else {}
            content = page if isinstance(page, bytes) else json.dumps(page).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1/query", asked
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@each(
    ("version", "is_affected"),
    [
        ("3.0rc1", True),
        ("4.1.9", False),
        ("4.2", True),
        ("4.2.14", True),
        ("4.2.15", False),
        ("5.0", True),
        ("5.2.1", True),
        ("5.2.2", False),
        ("6.0", False),
    ],
)
def test_versions_that_an_advisory_affects(version, is_affected):
    assert advisory(entry(), "django").affects(version) is is_affected


@each(
    ("_case", "events", "affected"),
    [
        ("not fixed", [{"introduced": "0"}], ["1", "2", "3"]),
        ("last affected", [{"introduced": "0"}, {"last_affected": "2"}], ["1", "2"]),
        (
            "never fixed, again",
            [{"introduced": "1"}, {"introduced": "3"}],
            ["1", "2", "3"],
        ),
        ("no events", [], []),
        ("no version", [{"introduced": "0"}, {"fixed": "a commit"}], []),
    ],
)
def test_ranges_of_an_advisory(events, affected):
    found = advisory(
        entry(
            affected=[
                {
                    "package": {"ecosystem": "PyPI", "name": "django"},
                    "ranges": [{"type": "ECOSYSTEM", "events": events}],
                }
            ]
        ),
        "django",
    )

    assert [version for version in "123" if found.affects(version)] == affected


def test_packages_of_other_ecosystems_are_others():
    other = entry()
    other["affected"][0]["package"]["ecosystem"] = "npm"

    assert advisory(other, "django") == Advisory(
        "PYSEC-2026-1", ("CVE-2026-1000",), (), ()
    )


def test_osv_is_asked_about_each_package_and_each_page():
    first = {"vulns": [entry(withdrawn="2026-01-01T00:00:00Z")], "next_page_token": "1"}
    with osv(first, {"vulns": [entry()]}) as (url, asked):
        said, is_fine = audit(LOCK, today=TODAY, accepted=[], url=url)

    assert is_fine is False
    assert said == [
        f"{url} was asked about 2 packages.",
        "django 5.2.1 has CVE-2026-1000, PYSEC-2026-1: take a version without it, or "
        "accept it in accepted.toml.",
    ]
    assert {one["package"]["name"] for one in asked} == {"pip", "django", "orjson"}
    assert {one["package"]["ecosystem"] for one in asked} == {"PyPI"}


@each(
    ("_case", "change", "is_fine"),
    [
        ("by its id", {}, True),
        ("by its alias", {"id": "CVE-2026-1000"}, True),
        ("on its last day", {"until": TODAY}, True),
        ("too late", {"until": date(2026, 2, 28)}, False),
        ("of another package", {"package": "orjson"}, False),
        ("of another id", {"id": "PYSEC-2026-2"}, False),
    ],
)
def test_accepted_vulnerability_fails_nothing_until_its_day(change, is_fine):
    accepted = {
        "id": "PYSEC-2026-1",
        "package": "django",
        "reason": "Nothing calls it.",
        "until": date(2026, 12, 31),
    }
    with osv({"vulns": [entry()]}) as (url, _):
        said, found = audit(LOCK, today=TODAY, accepted=[accepted | change], url=url)

    assert found is is_fine
    assert (said[-1] == "No known vulnerability.") is is_fine


def test_without_a_network_the_stored_day_is_named_and_compared_with(tmp_path):
    stored = tmp_path / "advisories.json"
    known = Known(
        date(2026, 1, 30), "a source", {"django": (advisory(entry(), "django"),)}
    )
    write(known, stored, lock=LOCK)

    said, is_fine = audit(LOCK, today=TODAY, accepted=[], stored=stored, url=NOWHERE)

    assert read(stored) == known
    assert is_fine is False
    assert said[0].startswith(f"{NOWHERE} does not answer (")
    assert said[1] == (
        "Compared with what a source knew on 2026-01-30, 30 days ago. Renew it with a "
        "network: make advisories."
    )
    assert said[2] == "It knows nothing of 1 packages: ask again with a network."
    assert said[3].startswith("django 5.2.1 has CVE-2026-1000")


def test_answer_that_is_no_json_is_none():
    """A network may answer for others: with a page to log in, for example."""
    with osv(b"<html>Log in</html>") as (url, _):
        said, _ = audit(LOCK, today=TODAY, accepted=[], url=url)

    assert "does not answer" in said[0]
    assert "days ago" in said[1]


@each(
    ("_case", "version", "is_stored"),
    [
        ("affected", "5.2.1", True),
        ("may move there", "4.1", True),
        ("past it", "6.0", False),
    ],
)
def test_only_what_may_concern_the_lock_is_stored(version, is_stored, tmp_path):
    stored = tmp_path / "advisories.json"
    lock = [Package("django", version, ())]
    with osv({"vulns": [entry()]}) as (url, _):
        audit(lock, today=TODAY, accepted=[], stored=stored, url=url, stores=True)

    assert bool(read(stored).packages["django"]) is is_stored
    assert read(stored).asked_on == TODAY


def test_the_lock_has_no_vulnerability_of_the_stored_day():
    today = datetime.now(UTC).date()
    said, is_fine = audit(
        locked(*LOCKS), today=today, accepted=read_accepted(), url=NOWHERE
    )

    assert (said[-1], is_fine) == ("No known vulnerability.", True)
    assert read(STORED).asked_on <= today


@each(
    "entry",
    [
        'id = "X"\npackage = "django"\nuntil = 2026-12-31',
        'id = "X"\npackage = "django"\nreason = " "\nuntil = 2026-12-31',
        'id = "X"\npackage = "django"\nreason = "Why."',
    ],
)
def test_nothing_is_accepted_without_a_reason_and_a_day(entry, tmp_path):
    file = tmp_path / "accepted.toml"
    file.write_text(f"[[accepted]]\n{entry}\n")

    with pytest.raises(ValueError, match="must have"):
        read_accepted(file)
