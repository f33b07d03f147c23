from __future__ import annotations

import json
from pathlib import Path

import pytest

from affiliates.visits.robots.rules import is_robot
from affiliates.visits.robots.words import CHECKED_ON, SOURCES
from supply.agents import MOST_MISSED, MOST_MISTAKEN, read_agents, report
from tests.field.agents import CHROME, PEOPLE, ROBOTS

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT / "../shared/field/agents.json"


def wrong(agents, *, robots):
    return [agent for agent in agents if is_robot(agent) != robots]


def test_people_and_robots_are_told_apart_by_their_user_agents():
    assert len(PEOPLE) >= 40
    assert len(ROBOTS) >= 40
    assert wrong(PEOPLE, robots=False) == []
    assert wrong(ROBOTS, robots=True) == []


@pytest.mark.skipif(not CORPUS.exists(), reason="The user agents are not beside this.")
def test_every_user_agent_of_the_field_is_judged_rightly():
    corpus = json.loads(CORPUS.read_text("utf-8"))

    assert wrong(corpus["people"].values(), robots=False) == []
    assert wrong(corpus["robots"].values(), robots=True) == []


def test_the_list_has_its_day_and_its_sources():
    page = (ROOT / "docs/robots.md").read_text("utf-8")
    assert f"On {CHECKED_ON:%d %B %Y}" in page
    assert len(SOURCES) == 5


def test_files_of_others_are_read_as_they_are(tmp_path):
    published = tmp_path / "crawlers.json"
    published.write_text(
        json.dumps(
            [
                {"pattern": "Aa", "url": "https://a.example", "instances": ["a", "b"]},
                {"pattern": "Cc", "instances": ["b", "c"]},
            ]
        )
    )
    ours = tmp_path / "agents.json"
    ours.write_text(json.dumps({"people": {"first": "d"}, "robots": {"second": "e"}}))
    fixtures = tmp_path / "phones.yml"
    fixtures.write_text('-\n  user_agent: "f (g)"\n  os:\n    name: Android\n')
    lines = tmp_path / "lines.txt"
    lines.write_text("h\n\nh\ni\n")

    assert read_agents(published, kind="robots") == ["a", "b", "c"]
    assert read_agents(ours, kind="people") == ["d"]
    assert read_agents(ours, kind="robots") == ["e"]
    assert read_agents(fixtures, kind="people") == ["f (g)"]
    assert read_agents(lines, kind="people") == ["h", "i"]


def test_the_report_names_what_is_judged_wrongly_and_its_share(tmp_path, capsys):
    lines = tmp_path / "robots.txt"
    lines.write_text("\n".join([*ROBOTS[:3], CHROME.format("", "")]))

    is_within = report(lines, kind="robots", limit=MOST_MISSED)

    assert not is_within
    assert capsys.readouterr().out.splitlines() == [
        f"  {CHROME.format('', '')}",
        "robots.txt: 1 of 4 robots judged wrongly, 25.00%; at most 3.00%",
    ]
    assert report(lines, kind="robots", limit=0.25)
    assert not report(lines, kind="people", limit=MOST_MISTAKEN)
