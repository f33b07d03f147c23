"""Compares the lock with the known vulnerabilities of its packages.

Asks OSV where the network answers, and the stored file of an earlier day elsewhere: then
it says how old that is, and never fails for want of a network.
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path

from supply.advisories import OSV, Known, ask, read, write
from supply.lock import LOCKS, Package, locked

HERE = Path(__file__).parent
STORED = HERE / "advisories.json"
ACCEPTED = HERE / "accepted.toml"
FIELDS = {"id", "package", "reason", "until"}


def audit(
    packages: Sequence[Package],
    *,
    today: date,
    accepted: Sequence[Mapping[str, object]],
    stored: Path = STORED,
    url: str = OSV,
    stores: bool = False,
) -> tuple[list[str], bool]:
    """What to say, and whether the lock is free of vulnerabilities that nobody accepted."""
    try:
        known = ask(packages, today=today, url=url)
    except (OSError, ValueError) as fault:
        known = read(stored)
        age = (today - known.asked_on).days
        said = [f"{url} does not answer ({fault}).", _since(known, age)]
        missing = sum(one.name not in known.packages for one in packages)
        if missing:
            said.append(
                f"It knows nothing of {missing} packages: ask again with a network."
            )
    else:
        said = [f"{url} was asked about {len(packages)} packages."]
        if stores:
            write(known, stored, lock=packages)
    faults = list(_faults(packages, known, accepted, today))
    return [*said, *(faults or ["No known vulnerability."])], not faults


def read_accepted(file: Path = ACCEPTED) -> list[dict[str, object]]:
    """Raises ValueError for an entry without one of its fields."""
    entries: list[dict[str, object]] = tomllib.loads(file.read_text("utf-8")).get(
        "accepted", []
    )
    for entry in entries:
        if entry.keys() != FIELDS or not str(entry["reason"]).strip():
            raise ValueError(f"{file.name}: {entry} must have {sorted(FIELDS)}.")
    return entries


def _since(known: Known, age: int) -> str:
    return (
        f"Compared with what {known.source} knew on {known.asked_on}, {age} days ago. "
        "Renew it with a network: make advisories."
    )


def _faults(
    packages: Sequence[Package],
    known: Known,
    accepted: Sequence[Mapping[str, object]],
    today: date,
) -> Iterator[str]:
    for package in packages:
        for one in known.packages.get(package.name, ()):
            if not one.affects(package.version):
                continue
            names = {one.id, *one.aliases}
            is_accepted = any(
                entry["id"] in names
                and entry["package"] == package.name
                and isinstance(until := entry["until"], date)
                and until >= today
                for entry in accepted
            )
            if not is_accepted:
                yield (
                    f"{package.name} {package.version} has {', '.join(sorted(names))}: "
                    f"take a version without it, or accept it in {ACCEPTED.name}."
                )


def main(*options: str) -> int:
    said, is_fine = audit(
        locked(*LOCKS),
        today=datetime.now(UTC).date(),
        accepted=read_accepted(),
        stores="--store" in options,
    )
    sys.stdout.write("\n".join([*said, ""]))
    return 0 if is_fine else 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
