"""Values of tests that say whose personal data they are, and which field's."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

PREFIX = "zq-"
NOBODY = 0
_MARKER = re.compile(r"zq-([a-z]+)-([a-z]+)-(\d+)")
# Secrets of tests as they are: nobody but staff with a file for the bank reads them.
IBANS = frozenset({"DE89370400440532013000", "NL91ABNA0417164300"})
SECRETS = frozenset(
    {
        "correct-horse-battery",
        "correct horse battery",
        "secret-key-of-the-tests-only",
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    }
)


@dataclass(frozen=True, slots=True)
class Marker:
    """``number`` is the person's, or NOBODY for a value of no person in particular."""

    kind: str
    field: str
    number: int = NOBODY

    def __str__(self) -> str:
        return f"{PREFIX}{self.kind}-{self.field}-{self.number}"


IBAN, SECRET = Marker("secret", "iban"), Marker("secret", "text")
_accounts: defaultdict[str, set[Marker]] = defaultdict(set)
# Of rows that are made once for a module.
_kept_accounts: dict[str, set[Marker]] = {}


def marker(kind: str, field: str, number: int = NOBODY) -> str:
    return str(Marker(kind, field, number))


def name_of_account(kind: str, number: int, *, email: str) -> str:
    """A surname by which the owner of ``email`` is known from now on in this test."""
    name = Marker(kind, "lastname", number)
    _accounts[email.lower()].add(name)
    return str(name)


def forget_accounts() -> None:
    _accounts.clear()


def keep_accounts() -> None:
    """Remembers the accounts of this test for the later ones of its module."""
    _kept_accounts.update(_accounts)


def forget_kept_accounts() -> None:
    _kept_accounts.clear()


def accounts_of(email: str) -> set[Marker]:
    known = (one.get(email.lower(), set()) for one in (_accounts, _kept_accounts))
    return set(_markers_in(email)).union(*known)


def numbers_of(user: Any) -> frozenset[int]:
    """Those in the columns that are loaded: asks no query."""
    columns = getattr(user, "__dict__", {}).values()
    texts = (value for value in columns if isinstance(value, str))
    return frozenset(one.number for text in texts for one in _markers_in(text))


def number_of(user: Any) -> int:
    """NOBODY if the host's accounts carry no marker."""
    return max(numbers_of(user), default=NOBODY)


def is_marked(text: str | bytes) -> bool:
    """Whether to look closer: cheap, as it is asked of everything."""
    needles: Any = _BYTES if isinstance(text, bytes) else _TEXTS
    return any(needle in text for needle in needles)


def found_in(text: str) -> set[Marker]:
    found = set(_markers_in(text))
    found |= {IBAN for one in IBANS if one in text}
    return found | {SECRET for one in SECRETS if one in text}


def _markers_in(text: str) -> Iterator[Marker]:
    for kind, field, number in _MARKER.findall(text):
        yield Marker(kind, field, int(number))


_TEXTS = (PREFIX, *IBANS, *SECRETS)
_BYTES = tuple(text.encode() for text in _TEXTS)
