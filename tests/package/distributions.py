"""What pip installs along with a requirement, as far as it is installed here."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PYPROJECT = Path(__file__).resolve().parents[2] / "pyproject.toml"
PROJECT = tomllib.loads(PYPROJECT.read_text("utf-8"))["project"]
EXTRAS: dict[str, list[str]] = PROJECT["optional-dependencies"]


def brought_by(requirements: Iterable[str]) -> set[str]:
    """Names of the distributions that these requirements bring, themselves included."""
    found: set[str] = set()
    asked: set[tuple[str, str]] = set()
    left = [(Requirement(one), "") for one in requirements]
    while left:
        requirement, wanted_by = left.pop()
        if requirement.marker and not requirement.marker.evaluate({"extra": wanted_by}):
            continue
        name = canonicalize_name(requirement.name)
        found.add(name)
        for extra in {"", *requirement.extras}:
            if (name, extra) not in asked:
                asked.add((name, extra))
                left += [(Requirement(one), extra) for one in _required_by(name)]
    return found


def only_by_extras(*, besides: Iterable[str] = ()) -> list[str]:
    """Modules that come with an extra, but not with ``affiliates`` or with ``besides``."""
    extras = brought_by(one for extra in EXTRAS.values() for one in extra)
    kept = brought_by(PROJECT["dependencies"]) | brought_by(besides)
    # Several distributions may fill one module, as those of OpenTelemetry do.
    brought = {
        module: {canonicalize_name(name) for name in names}
        for module, names in packages_distributions().items()
    }
    return sorted(
        module
        for module, names in brought.items()
        if names & extras and not names & kept
    )


def _required_by(name: str) -> list[str]:
    try:
        return requires(name) or []
    except PackageNotFoundError:
        return []
