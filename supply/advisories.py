"""Known vulnerabilities of packages, in the form of OSV (https://ossf.github.io/osv-schema/)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from datetime import date
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from packaging.utils import canonicalize_name
from packaging.version import InvalidVersion, Version

from supply.lock import Package

OSV = "https://api.osv.dev/v1/query"
TIMEOUT = 10
AT_ONCE = 8


@dataclass(frozen=True, slots=True)
class Advisory:
    """``ranges`` hold the first affected version, the first that is not any more, and the
    last affected one; "" where none is named."""

    id: str
    aliases: tuple[str, ...]
    ranges: tuple[tuple[str, str, str], ...]
    versions: tuple[str, ...]

    def affects(self, version: str) -> bool:
        if version in self.versions:
            return True
        return any(_is_within(Version(version), one) for one in self.ranges)

    def may_affect_later(self, version: str) -> bool:
        """Whether it affects this version, or one that the lock may move to."""
        ends = [fixed or last for _, fixed, last in self.ranges]
        return self.affects(version) or any(
            not end or Version(end) > Version(version) for end in ends
        )


@dataclass(frozen=True, slots=True)
class Known:
    """What a source answered on a day, for each package that was asked about."""

    asked_on: date
    source: str
    packages: Mapping[str, tuple[Advisory, ...]]


def ask(packages: Iterable[Package], *, today: date, url: str = OSV) -> Known:
    """Asks OSV about each package. Raises OSError or ValueError if it does not answer."""
    asked = list(packages)
    _ask("pip", url)  # Without a network one wait is enough.
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = pool.map(lambda one: _ask(one.name, url), asked)
        answers = {one.name: answer for one, answer in zip(asked, found, strict=True)}
    return Known(today, url, answers)


def read(file: Path) -> Known:
    stored = json.loads(file.read_text("utf-8"))
    packages = {
        name: tuple(
            Advisory(
                id=one["id"],
                aliases=tuple(one["aliases"]),
                ranges=tuple(
                    (first, fixed, last) for first, fixed, last in one["ranges"]
                ),
                versions=tuple(one["versions"]),
            )
            for one in advisories
        )
        for name, advisories in stored["packages"].items()
    }
    return Known(date.fromisoformat(stored["asked_on"]), stored["source"], packages)


def write(known: Known, file: Path, *, lock: Iterable[Package]) -> None:
    """Only what may concern the lock's versions or later ones."""
    versions = {one.name: one.version for one in lock}
    packages = {
        name: [
            asdict(one)
            for one in advisories
            if name in versions and one.may_affect_later(versions[name])
        ]
        for name, advisories in sorted(known.packages.items())
    }
    stored = {"asked_on": known.asked_on.isoformat(), "source": known.source}
    text = json.dumps({**stored, "packages": packages}, indent=1)
    file.write_text(f"{text}\n", "utf-8")


def advisory(entry: Mapping[str, Any], name: str) -> Advisory:
    """An entry of OSV, as far as it is about this package of PyPI."""
    affected = [
        one
        for one in entry["affected"]
        if one["package"]["ecosystem"] == "PyPI"
        and canonicalize_name(one["package"]["name"]) == name
    ]
    return Advisory(
        id=entry["id"],
        aliases=tuple(entry.get("aliases", ())),
        ranges=tuple(
            span
            for one in affected
            for spans in one.get("ranges", ())
            if spans["type"] == "ECOSYSTEM"
            for span in _spans(spans["events"])
        ),
        versions=tuple(
            version for one in affected for version in one.get("versions", ())
        ),
    )


def _ask(name: str, url: str) -> tuple[Advisory, ...]:
    found: list[Advisory] = []
    question: dict[str, Any] = {"package": {"name": name, "ecosystem": "PyPI"}}
    while True:
        request = Request(  # noqa: S310 - the address above, or that of a test
            url, json.dumps(question).encode(), {"Content-Type": "application/json"}
        )
        with urlopen(request, timeout=TIMEOUT) as response:  # noqa: S310 - as above
            answer = json.load(response)
        entries = answer.get("vulns", ())
        found += [advisory(one, name) for one in entries if "withdrawn" not in one]
        if not answer.get("next_page_token"):
            return tuple(found)
        question["page_token"] = answer["next_page_token"]


def _spans(events: Iterable[Mapping[str, str]]) -> Iterable[tuple[str, str, str]]:
    """Each event that ends a range ends the one that was introduced before it."""
    first = None
    for event in events:
        if "introduced" in event:
            if first is not None:
                yield first, "", ""
            first = event["introduced"]
        elif first is not None and event.keys() & {"fixed", "last_affected"}:
            yield first, event.get("fixed", ""), event.get("last_affected", "")
            first = None
    if first is not None:
        yield first, "", ""


def _is_within(version: Version, span: tuple[str, str, str]) -> bool:
    first, fixed, last = span
    try:
        return (
            Version(first) <= version
            and (not fixed or version < Version(fixed))
            and (not last or version <= Version(last))
        )
    except InvalidVersion:
        return False
