"""No page loads or runs what its Content-Security-Policy refuses, and refusals are seen."""

from __future__ import annotations

import pytest

from docs.every_page import PARTS
from tests.browser.walks import Visit, Walk
from tests.lengths import times

pytestmark = [pytest.mark.browser, pytest.mark.long]

FEWEST = {"desk": times(40, long=150), "area": 30, "program": 4, "shop": 10}


@pytest.mark.usefixtures("year_server")
@pytest.mark.parametrize("part", PARTS)
def test_pages_are_refused_nothing_and_a_planted_script_is(
    part: str, request: pytest.FixtureRequest
) -> None:
    walk: Walk = request.getfixturevalue(f"{part}_walk")

    visits = walk.visits + walk.others
    bare = [visit.path for visit in visits if not _is_guarded(visit)]
    assert (bare, walk.refused) == ([], [])
    last = visits[-1].path
    assert not walk.is_planted
    assert walk.refused_at_last == [f"{last} script-src-elem inline"]
    assert walk.reports == [(walk.base + last, "inline")]
    assert len(visits) > FEWEST[part]


def _is_guarded(visit: Visit) -> bool:
    is_themed = "/admin/" in visit.url
    assert ("unsafe-" in visit.policy) == is_themed, visit.url
    return visit.policy.startswith("default-src 'none'; script-src 'self'")
