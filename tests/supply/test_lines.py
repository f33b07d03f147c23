from __future__ import annotations

from collections import Counter

from supply.lines import by_package, report


def test_a_line_of_code_is_neither_empty_nor_only_a_comment():
    text = '"""What it is."""\n\n# Why.\n    # Why.\nx = 1  # of it\n'

    assert by_package([("portal/ids.py", text), ("portal/a/b.py", text)]) == {
        "portal": 4
    }


def test_lines_are_compared_with_the_last_tag():
    now, before = Counter(affiliates=1_200), Counter(affiliates=1_000, portal=5)

    assert report(now, before, "v1")[:3] == [
        "code lines, and since v1:",
        "   1,200     +200  affiliates",
        "       0       -5  portal",
    ]
    assert report(now, Counter(), "")[:2] == ["code lines:", "   1,200  affiliates"]
