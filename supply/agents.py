"""Measures the list of robots against files of others.

``python -m supply.agents --robots FILE --people FILE``, either of them or both. Prints
what is missed and mistaken, and the two shares; fails where a share is above its limit.
A file is JSON, YAML with ``user_agent:`` lines, or has a user agent on each line.
"""

from __future__ import annotations

import json
import re
import sys
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from affiliates.visits.robots.rules import is_robot
from affiliates.visits.robots.words import CHECKED_ON, SOURCES

MOST_MISSED, MOST_MISTAKEN = 0.03, 5 / 33_000
# Keys of a published file's entries that hold user agents, and not their description.
AGENT_KEYS = ("instances", "ua", "user_agent", "user_agent_string")
YAML_LINE = re.compile(r"\s*(?:- )?user_agent(?:_string)?: *(.+)")
MAX_USER_AGENT = 512


def read_agents(path: Path, *, kind: str) -> list[str]:
    """Returns each user agent once; ``kind`` may be the key of a part of a JSON file."""
    text = path.read_text("utf-8", "replace")
    if path.suffix == ".json":
        agents = _strings(json.loads(text), kind)
    elif path.suffix in {".yml", ".yaml"}:
        lines = map(YAML_LINE.fullmatch, text.splitlines())
        agents = (_unquoted(line[1]) for line in lines if line)
    else:
        agents = iter(text.splitlines())
    return list(dict.fromkeys(agent.strip() for agent in agents if agent.strip()))


def _strings(value: Any, kind: str) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for part in value:
            yield from _strings(part, kind)
    elif isinstance(value, dict):
        keys = [key for key in (kind, *AGENT_KEYS) if key in value]
        for part in [value[key] for key in keys] or value.values():
            yield from _strings(part, kind)


def _unquoted(text: str) -> str:
    text = text.strip()
    is_quoted = text[:1] in {"'", '"'} and text[-1:] == text[:1]
    return text[1:-1].replace("''", "'") if is_quoted else text


def wrong(agents: Iterable[str], *, robots: bool) -> list[str]:
    return [agent for agent in agents if is_robot(agent[:MAX_USER_AGENT]) != robots]


def report(path: Path, *, kind: str, limit: float) -> bool:
    """Prints the file's share of wrong judgements. Returns whether it is in the limit."""
    agents = read_agents(path, kind=kind)
    faults = wrong(agents, robots=kind == "robots")
    share = len(faults) / len(agents) if agents else 0.0
    lines = [f"  {agent}" for agent in faults]
    lines.append(
        f"{path.name}: {len(faults):,} of {len(agents):,} {kind} judged wrongly, "
        f"{share:.2%}; at most {limit:.2%}"
    )
    sys.stdout.write("\n".join(lines) + "\n")
    return share <= limit


def main() -> None:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("--robots", type=Path, action="append", default=[])
    parser.add_argument("--people", type=Path, action="append", default=[])
    options = parser.parse_args()
    sys.stdout.write(f"List of {CHECKED_ON}, measured with {', '.join(SOURCES)}\n")
    results = [
        report(path, kind="robots", limit=MOST_MISSED) for path in options.robots
    ]
    results += [
        report(path, kind="people", limit=MOST_MISTAKEN) for path in options.people
    ]
    sys.exit(not all(results))


if __name__ == "__main__":
    main()
