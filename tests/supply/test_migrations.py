from __future__ import annotations

from supply.migrations import digests, faults, recorded, with_release
from tests.cases import each

FIRST = {"app/migrations/0001_base.py": "a", "app/migrations/0002_guards.py": "b"}
LATER = {"app/migrations/0003_note.py": "c"}
REMEDY = (
    ": databases have applied it. Restore it, and add a new migration. "
    "(Until 1.0 is tagged: python -m supply.migrations)"
)


def test_migrations_of_releases_are_as_they_were_released():
    assert [*faults(digests(), recorded())] == []


@each(
    ("_case", "now", "found"),
    [
        ("as released", FIRST, []),
        ("with a new migration", FIRST | LATER, []),
        (
            "one changed",
            FIRST | {"app/migrations/0002_guards.py": "c"},
            [f"app/migrations/0002_guards.py of 1.0 changed{REMEDY}"],
        ),
        (
            "one gone",
            {"app/migrations/0001_base.py": "a"},
            [f"app/migrations/0002_guards.py of 1.0 is gone{REMEDY}"],
        ),
    ],
)
def test_only_new_migrations_may_come(now, found):
    assert [*faults(now, {"1.0": FIRST})] == found


@each(
    ("_case", "version", "expected"),
    [
        ("again before the tag", "1.0", {"1.0": FIRST | LATER}),
        ("the next release", "1.1", {"1.0": FIRST, "1.1": LATER}),
        ("under a smaller number before the tag", "0.9", {"0.9": FIRST | LATER}),
    ],
)
def test_a_release_records_what_no_earlier_one_has(version, expected):
    assert with_release(version, FIRST | LATER, {"1.0": FIRST}) == expected


def test_digest_is_of_the_bytes_of_each_migration(tmp_path):
    folder = tmp_path / "affiliates/contrib/area/migrations"
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "0001_initial.py").write_bytes(b"x = 1\n")

    assert digests(tmp_path) == {
        "affiliates/contrib/area/migrations/0001_initial.py": (
            "9e26bf369911c45c243c684147b23fc9e1dcfcf257d299a1c632016a6fcd33f4"
        )
    }
