"""The syntax and limits of an Idempotency-Key."""

from __future__ import annotations

import re
from datetime import timedelta

from affiliates.errors import InvalidInput

HEADER = "Idempotency-Key"
MAX_KEY = 255
MIN_ANONYMOUS_KEY = 16
KEPT = timedelta(days=1)

# A string of RFC 8941, as the draft wants it; without quotes, as most clients send it.
_QUOTED = re.compile(r'"((?:[ !#-\[\]-~]|\\["\\])+)"')
_BARE = re.compile(r"[A-Za-z0-9!#$%&'*+./:=^_`|~-]+")
_ESCAPED = re.compile(r'\\(["\\])')


def parse_key(header: str, *, is_anonymous: bool) -> str:
    """The key in the header. Raises InvalidInput.

    An anonymous caller's answer goes to everyone who sends its key and body: such keys
    must be too long to be counted up or guessed.
    """
    sent = header.strip(" ")
    quoted = _QUOTED.fullmatch(sent)
    if quoted is None and _BARE.fullmatch(sent) is None:
        raise _invalid('Send one text in double quotes, such as "8e03978e-40d5-43e8".')
    key = _ESCAPED.sub(r"\1", quoted[1]) if quoted else sent
    if len(key) > MAX_KEY:
        raise _invalid(f"It has at most {MAX_KEY} characters.")
    if is_anonymous and len(key) < MIN_ANONYMOUS_KEY:
        raise _invalid(
            f"Without credentials it has at least {MIN_ANONYMOUS_KEY} characters: send "
            "a random one, such as a UUID."
        )
    return key


def _invalid(detail: str) -> InvalidInput:
    return InvalidInput("idempotency_key_invalid", f"{HEADER}: {detail}")
