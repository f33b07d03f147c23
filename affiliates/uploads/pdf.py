"""Whether a file is a PDF that only shows pages. Pure.

This finds the known ways in which a PDF acts or carries another file, in its plain and
its packed objects. It is no search for viruses: see AFFILIATES_SCAN_UPLOAD.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator

from django.utils.translation import gettext_noop

MAX_UNPACKED = 64 * 1024 * 1024
MAX_STREAMS = 20_000
HEAD = 1024
# A ZIP archive ends with this record and a comment of at most 65,535 bytes.
ZIP_END, ZIP_TAIL = b"PK\x05\x06", 65_557
HEADER = re.compile(rb"%PDF-[12]\.[0-9]")
BLANKS = b"\0\t\n\f\r "
END = re.compile(rb"startxref\s+[0-9]+\s+%%EOF\Z")
PAGE_OF_A_BROWSER = re.compile(rb"<(?:!doctype|html|script|svg|\?php)", re.IGNORECASE)
ROOT = re.compile(rb"/Root\s+[0-9]+\s+[0-9]+\s+R")
STREAM = re.compile(rb"stream\r?\n?")
# Names may be written with numbers: /J#61vaScript.
ESCAPED = re.compile(rb"#([0-9A-Fa-f]{2})")
LOCKED = re.compile(rb"/Encrypt[\s<]")
ACTIVE = re.compile(
    rb"/(?:JavaScript|Launch|EmbeddedFile|GoTo[ER]|ImportData|RichMedia|Rendition"
    rb"|SubmitForm|XFA[\s\[])"
)
PACKED_OBJECTS = b"/ObjStm"
RARE_PACKING = re.compile(rb"/(?:ASCIIHex|ASCII85|LZW|RunLength)Decode|/Crypt[\s/\]>]")

EMPTY = gettext_noop("The file is empty.")
TOO_LARGE = gettext_noop("The file is too large.")
NO_PDF = gettext_noop("This is no PDF file.")
DAMAGED = gettext_noop(
    "The PDF is damaged, or has something else in it. Save or print it as a PDF again."
)
ENCRYPTED = gettext_noop("The PDF is protected with a password. Save it without one.")
ACTS = gettext_noop(
    "The PDF has attachments, scripts or forms. Save it as a plain PDF, or print it "
    "into one."
)


def pdf_fault(content: bytes, *, most: int) -> str:
    """Why the file cannot be taken, for who uploads it; "" if it can."""
    if not content:
        return EMPTY
    if len(content) > most:
        return TOO_LARGE
    if not HEADER.match(content):
        return NO_PDF
    is_other = PAGE_OF_A_BROWSER.search(content[:HEAD]) or (
        ZIP_END in content[-ZIP_TAIL:]
    )
    if is_other or not (
        END.search(content.rstrip(BLANKS)[-HEAD:]) and ROOT.search(content)
    ):
        return DAMAGED
    return _fault_of_names(content)


def _fault_of_names(content: bytes) -> str:
    plain = _named(content)
    if LOCKED.search(plain):
        return ENCRYPTED
    if ACTIVE.search(plain):
        return ACTS
    # Packed in another way, objects could not be read here.
    if PACKED_OBJECTS in plain and RARE_PACKING.search(plain):
        return DAMAGED
    chunks = STREAM.split(content)
    if len(chunks) > MAX_STREAMS:
        return DAMAGED
    left = MAX_UNPACKED
    for unpacked in _unpacked(chunks):
        left -= len(unpacked)
        if left < 0:
            return TOO_LARGE
        if ACTIVE.search(_named(unpacked)):
            return ACTS
    return ""


def _named(content: bytes) -> bytes:
    return ESCAPED.sub(lambda match: bytes.fromhex(match[1].decode()), content)


def _unpacked(chunks: list[bytes]) -> Iterator[bytes]:
    """What begins as zlib does, whole or until it is damaged."""
    for chunk in chunks:
        if len(chunk) < 2 or chunk[0] & 15 != 8 or int.from_bytes(chunk[:2]) % 31:  # noqa: PLR2004 - RFC 1950
            continue
        try:
            yield zlib.decompressobj().decompress(chunk, MAX_UNPACKED + 1)
        except zlib.error:
            continue
