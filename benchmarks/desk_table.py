"""What was measured of the admin's pages: kept in files, and printed as a table."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import median

MAX_QUERIES = 25
PERCENTILE = 95
HTTP_ERROR = 400
KINDS = (
    *("list", "filter", "search", "sorted", "page"),
    *("row", "linked", "csv", "other"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One page that was asked for. ``slowest`` is its longest query."""

    url: str
    status: int
    server_ms: float
    database_ms: float
    queries: int
    slowest: str

    @property
    def cpu_ms(self) -> float:
        return self.server_ms + self.database_ms


@dataclass(kw_only=True)
class Page:
    """One address, asked for in one or more rounds."""

    rounds: list[Request] = field(default_factory=list)

    @property
    def cpu_ms(self) -> float:
        return median(one.cpu_ms for one in self.rounds)

    @property
    def slowest(self) -> Request:
        return max(self.rounds, key=lambda one: one.cpu_ms)

    @property
    def queries(self) -> int:
        return max(one.queries for one in self.rounds)

    @property
    def is_refused(self) -> bool:
        return any(one.status >= HTTP_ERROR for one in self.rounds)


@dataclass(kw_only=True)
class Group:
    """All pages of one kind for one model: its list, its filters, and so on."""

    pages: dict[str, Page] = field(default_factory=lambda: defaultdict(Page))

    def add(self, request: Request) -> None:
        self.pages[request.url].rounds.append(request)

    @property
    def worst(self) -> Page:
        """The one at the 95th percentile of CPU."""
        ordered = sorted(self.pages.values(), key=lambda one: one.cpu_ms)
        return ordered[math.ceil(len(ordered) * PERCENTILE / 100) - 1]

    @property
    def queries(self) -> int:
        return max(one.queries for one in self.pages.values())

    def misses(self, max_cpu_ms: float) -> list[Page]:
        """Those for which it does not meet the target."""
        worst = self.worst
        found = [
            one
            for one in self.pages.values()
            if one.is_refused or one.queries > MAX_QUERIES
        ]
        return [*found, worst] if worst.cpu_ms > max_cpu_ms else found


Groups = dict[tuple[str, str], Group]


def empty() -> Groups:
    return defaultdict(Group)


def read(path: Path) -> Groups:
    groups = empty()
    if path.exists():
        for name, kind, request in json.loads(path.read_text("utf-8")):
            groups[name, kind].add(Request(**request))
    return groups


def keep(groups: Groups, path: Path) -> None:
    rows = [
        (name, kind, asdict(request))
        for (name, kind), group in groups.items()
        for page in group.pages.values()
        for request in page.rounds
    ]
    path.write_text(json.dumps(rows, indent=1), "utf-8")


def table(
    groups: Groups, beside: Mapping[tuple[str, str], Group], max_cpu_ms: float
) -> Iterator[str]:
    """A row for each name. Without a mark all of its pages meet the target."""
    kinds = [kind for kind in KINDS if any(kind == one for _, one in groups)]
    yield f"| | {' | '.join(kind.capitalize() for kind in kinds)} | Queries |"
    yield "|---" * (len(kinds) + 2) + "|"
    for name in sorted({name for name, _ in groups}):
        cells = [
            _cell(groups.get((name, kind)), beside.get((name, kind)), max_cpu_ms)
            for kind in kinds
        ]
        queries = max(one.queries for key, one in groups.items() if key[0] == name)
        yield f"| {name} | {' | '.join(cells)} | {queries} |"
    met = sum(not group.misses(max_cpu_ms) for group in groups.values())
    pages = [page for group in groups.values() for page in group.pages.values()]
    rounds = min(len(page.rounds) for page in pages)
    yield (
        f"{len(pages):,} pages, medians of {rounds} rounds; "
        f"{met} of {len(groups)} cells meet the target."
    )


def _cell(group: Group | None, beside: Group | None, max_cpu_ms: float) -> str:
    """Milliseconds; with a run beside: that one's, this one's, and their ratio."""
    if group is None:
        return ""
    mark = " **missed**" if group.misses(max_cpu_ms) else ""
    this = group.worst.cpu_ms
    if beside is None:
        return f"{this:.0f}{mark}"
    other = beside.worst.cpu_ms
    return f"{other:.0f} → {this:.0f} ({this / other:.1f}){mark}"
