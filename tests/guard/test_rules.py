from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from django.db.models import UUIDField

from affiliates.privacy.registry import declared
from affiliates.privacy.types import Receiver
from tests.guard.markers import IBAN, SECRET, Marker, found_in, is_marked, marker
from tests.guard.rules import (
    ANYBODY,
    COLUMNS,
    PROVIDER,
    STAFF,
    WEBHOOK,
    Outlet,
    Reader,
    ReaderKind,
    allowed,
    receivers_of,
)
from tests.guard.unmarked import UNMARKED

TESTS = Path(__file__).parents[1]
MADE = re.compile(r"""\bmarker\(\s*["'](\w+)["'],\s*["'](\w+)["']""")
# The factory of accounts makes these as a client's, and says of whom.
NAMES_OF_STAFF = {("staff", "firstname"), ("staff", "lastname")}
LOG, DELIVERY, EMAIL = Outlet.LOG, Outlet.DELIVERY, Outlet.EMAIL
PAGE, FILE = Outlet.PAGE, Outlet.FILE
SEVENTH = Reader(ReaderKind.PERSON, frozenset({7}))
READS_CLIENTS = Reader(ReaderKind.PERSON, frozenset({7}), reads_clients=True)
NAME, OTHER = Marker("client", "lastname", 7), Marker("client", "lastname", 17)
HINT, AGENT = Marker("affiliate", "order"), Marker("visitor", "agent")
OTHER_LINK = Marker("affiliate", "link", 17)
STAFF_NAME, NOTE = Marker("staff", "lastname", 8), Marker("staff", "note")
SOLD = Marker("buyer", "sold")


@pytest.mark.parametrize(
    ("outlet", "reader", "shown", "is_allowed"),
    [
        (LOG, ANYBODY, NAME, False),
        (LOG, ANYBODY, AGENT, False),
        (LOG, ANYBODY, SECRET, False),
        (DELIVERY, PROVIDER, AGENT, True),
        (DELIVERY, WEBHOOK, AGENT, False),
        (DELIVERY, PROVIDER, NAME, False),
        (DELIVERY, WEBHOOK, NAME, False),
        (DELIVERY, PROVIDER, HINT, False),
        (DELIVERY, PROVIDER, SOLD, True),
        (DELIVERY, WEBHOOK, SOLD, False),
        (DELIVERY, PROVIDER, IBAN, False),
        (DELIVERY, WEBHOOK, SECRET, False),
        (EMAIL, SEVENTH, NAME, True),
        (EMAIL, SEVENTH, OTHER, False),
        (EMAIL, SEVENTH, STAFF_NAME, False),
        (EMAIL, SEVENTH, IBAN, False),
        (EMAIL, STAFF, NAME, True),
        (EMAIL, STAFF, IBAN, False),
        (EMAIL, STAFF, SECRET, False),
        (PAGE, ANYBODY, NAME, False),
        (PAGE, ANYBODY, HINT, False),
        (PAGE, ANYBODY, AGENT, False),
        (PAGE, ANYBODY, IBAN, False),
        (PAGE, SEVENTH, NAME, True),
        (PAGE, SEVENTH, OTHER, False),
        (PAGE, SEVENTH, HINT, True),
        (PAGE, SEVENTH, AGENT, False),
        (PAGE, SEVENTH, STAFF_NAME, False),
        (PAGE, SEVENTH, NOTE, False),
        (PAGE, SEVENTH, SOLD, False),
        (PAGE, SEVENTH, IBAN, False),
        (PAGE, STAFF, NAME, True),
        (PAGE, STAFF, AGENT, True),
        (PAGE, STAFF, IBAN, False),
        (PAGE, STAFF, SECRET, False),
        (PAGE, READS_CLIENTS, OTHER, True),
        (PAGE, READS_CLIENTS, SOLD, True),
        (PAGE, READS_CLIENTS, OTHER_LINK, False),
        (FILE, SEVENTH, NAME, True),
        (FILE, SEVENTH, OTHER, False),
        (FILE, SEVENTH, IBAN, False),
        (FILE, STAFF, IBAN, True),
        (FILE, STAFF, SECRET, False),
    ],
)
def test_who_may_see_what(outlet, reader, shown, is_allowed):
    assert allowed(outlet, reader, shown) is is_allowed


def test_receivers_are_those_that_the_privacy_table_declares():
    assert receivers_of(AGENT) == {Receiver.PROVIDER}
    assert receivers_of(HINT) == set()


def _columns() -> set[str]:
    """Declared texts. No person reads secrets: they are watched as ``SECRETS``."""
    return {
        f"{one.name}.{name}"
        for one in declared()
        for name, use in one.uses()
        if not use.is_secret and _is_text(one.model._meta.get_field(name))
    }


def _is_text(field: Any) -> bool:
    return not (field.is_relation or isinstance(field, UUIDField))


def test_every_personal_text_has_a_marker_or_a_reason_to_have_none():
    columns = _columns()
    unmarked = [
        f"{table}.{name}"
        for tables in UNMARKED.values()
        for table, names in tables.items()
        for name in names.split()
    ]
    stated = [*set(COLUMNS.values()), *unmarked]

    assert sorted(columns - set(stated)) == []
    assert sorted(set(stated) - columns) == []
    assert sorted(one for one in set(stated) if stated.count(one) > 1) == []


def test_tests_make_a_marker_for_every_column():
    here = Path(__file__).parent
    files = [one for one in TESTS.rglob("*.py") if one.parent != here]
    made = {pair for one in files for pair in MADE.findall(one.read_text("utf-8"))}

    assert COLUMNS.keys() - made == NAMES_OF_STAFF
    assert made - COLUMNS.keys() == set()


def test_markers_are_found_by_kind_field_and_person():
    text = (
        f"<td>{marker('client', 'lastname', 7)}@example.com</td> DE89370400440532013000"
    )

    assert is_marked(text)
    assert is_marked(text.encode())
    assert found_in(text) == {NAME, IBAN}
    assert not is_marked("Nothing of anybody's.")
    assert found_in("My password is correct horse battery.") == {SECRET}
