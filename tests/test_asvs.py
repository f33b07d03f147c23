"""docs/asvs.md answers every requirement of the standard, by tests that exist."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from tests.cases import each

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/asvs.md"
CORPUS = ROOT / "../shared/corpora/asvs5_level2.csv"

SHOWN = "Shown"
KINDS = {SHOWN, "The host's", "Does not apply", "Not met"}
ROW = re.compile(r"\| (V\d[^|]*) \| (\w[^|]*) \| \*\*([^*|]+)\*\*: (\S[^|]*) \|")
COUNT = re.compile(r"^\| \*\*([^*|]+)\*\* \| (\d+) \| [^|]+ \|$", re.MULTILINE)
REQUIREMENT = re.compile(r"V\d+\.\d+\.\d+")
TEST = re.compile(r"`(tests/[\w/]+\.py)::(\w+)`")
A_TEST = re.compile(r"`tests/[^`]*`")


@dataclass(frozen=True)
class Answer:
    ids: tuple[str, ...]
    about: str
    kind: str
    text: str


@cache
def answers() -> tuple[Answer, ...]:
    rows = [line for line in PAGE.read_text("utf-8").splitlines() if line[:3] == "| V"]
    matches = [ROW.fullmatch(row) for row in rows]
    assert [row for row, match in zip(rows, matches, strict=True) if not match] == []
    return tuple(
        Answer(tuple(_ids(ids)), about, kind, text)
        for ids, about, kind, text in (match.groups() for match in matches if match)
    )


def _ids(cell: str) -> Iterator[str]:
    """Of "V1.2.3, V1.2.5 to V1.2.7": each."""
    for part in cell.split(", "):
        first, _, last = part.partition(" to ")
        section, _, number = first.rpartition(".")
        end, _, up_to = (last or first).rpartition(".")
        assert section == end, cell
        yield from (f"{section}.{one}" for one in range(int(number), int(up_to) + 1))


@cache
def named_in(path: str) -> frozenset[str]:
    file = ROOT / path
    tree = ast.parse(file.read_text("utf-8") if file.exists() else "")
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(
        node.name
        for node in tree.body
        if isinstance(node, functions) and node.name.startswith("test_")
    )


def test_every_requirement_is_answered_once():
    counted = Counter(one for answer in answers() for one in answer.ids)

    assert [one for one, times in counted.items() if times > 1] == []
    assert [one for one in counted if not REQUIREMENT.fullmatch(one)] == []


@pytest.mark.skipif(not CORPUS.exists(), reason="The standard's list is not here.")
def test_the_requirements_are_those_of_the_standard():
    lines = CORPUS.read_text("utf-8").splitlines()
    listed = {line.split(",")[0] for line in lines if REQUIREMENT.match(line)}
    answered = {one for answer in answers() for one in answer.ids}

    assert len(listed) == 253
    assert (listed - answered, answered - listed) == (set(), set())


@each("answer", answers())
def test_an_answer_is_of_a_kind_and_its_tests_exist(answer):
    named = TEST.findall(answer.text)

    assert answer.kind in KINDS
    assert len(A_TEST.findall(answer.text)) == len(named)
    assert [(path, name) for path, name in named if name not in named_in(path)] == []
    assert named or answer.kind != SHOWN


def test_the_numbers_above_are_those_of_the_rows():
    counted = Counter(answer.kind for answer in answers() for _ in answer.ids)
    [*printed] = COUNT.findall(PAGE.read_text("utf-8"))

    assert {kind: int(number) for kind, number in printed} == counted
