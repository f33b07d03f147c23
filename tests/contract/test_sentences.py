"""Every sentence of the specification has its test, or the reason why it has none."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

from tests.cases import each

HERE = Path(__file__).parent
TABLE = HERE / "sentences.md"
SPECIFICATION = HERE.parents[2] / "shared" / "specification.md"

ENTRY = re.compile(r"- \*\*(?P<number>[0-9a-z.]+)\*\* (?P<quotation>.+)")
TEST = re.compile(r"  - `(?P<test>test_\w+)`")
REASON = re.compile(r"  - (?:Not executable|Not in this release|Partly): \S.+")
RULER = re.compile(r"\|[\s|:-]+\|")
ITEM = re.compile(r"(?:-|\d+\.) ")


@dataclass
class Sentence:
    number: str
    quotation: str
    tests: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)


@cache
def sentences() -> tuple[Sentence, ...]:
    found: list[Sentence] = []
    for line in TABLE.read_text().splitlines():
        if entry := ENTRY.fullmatch(line):
            found.append(Sentence(**entry.groupdict()))
        elif test := TEST.fullmatch(line):
            found[-1].tests.append(test["test"])
        elif REASON.fullmatch(line):
            found[-1].reasons.append(line)
        else:
            assert not line.startswith((" ", "-")), line
    return tuple(found)


@cache
def named_tests() -> frozenset[str]:
    """Every test function of this package that carries a sentence's number."""
    return frozenset(
        node.name
        for path in HERE.glob("test_*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef) and re.match(r"test_s\d", node.name)
    )


def prefix(sentence: Sentence) -> str:
    return f"test_s{sentence.number.replace('.', '_')}_"


def test_numbers_are_unique():
    numbers = [sentence.number for sentence in sentences()]

    assert len(numbers) == len(set(numbers)) > 70


@each("sentence", sentences())
def test_sentence_has_its_test_or_its_reason(sentence):
    assert sentence.tests or sentence.reasons
    for test in sentence.tests:
        assert test.startswith(prefix(sentence))
        assert test in named_tests()


def test_every_test_named_after_a_sentence_is_in_the_table():
    assert named_tests() == {
        test for sentence in sentences() for test in sentence.tests
    }


@pytest.mark.skipif(not SPECIFICATION.exists(), reason="The specification is not here.")
def test_quotations_are_the_specifications_and_leave_nothing_out():
    quotations = sorted(
        (sentence.quotation for sentence in sentences()), key=len, reverse=True
    )
    lines = _statements(SPECIFICATION.read_text())

    assert [one for one in quotations if not _stands_in(one, lines)] == []
    assert [line for line in lines if _rest(line, quotations)] == []


def _statements(text: str) -> list[str]:
    """The lines that say something: no headings, no heads and rulers of tables."""
    lines = text.splitlines()
    following = [*lines[1:], ""]
    return [
        ITEM.sub("", line.strip().strip("|").strip(), count=1)
        for line, after in zip(lines, following, strict=True)
        if line.strip()
        and not line.startswith("#")
        and not RULER.fullmatch(line)
        and not RULER.fullmatch(after)
    ]


def _stands_in(quotation: str, lines: list[str]) -> bool:
    return any(quotation in line for line in lines)


def _rest(line: str, quotations: list[str]) -> str:
    for quotation in quotations:
        line = line.replace(quotation, "")
    return line.strip()
