"""Files to download: judged by their content, kept under a name that cannot be guessed.

They are in Django's default storage, never in a public one: who downloads signs in.
"""

from __future__ import annotations

import logging
import re
import unicodedata
from dataclasses import dataclass
from secrets import token_hex

from django.core.files.base import ContentFile
from django.core.files.storage import default_storage
from django.http import HttpResponse
from django.utils.http import content_disposition_header
from django.utils.module_loading import import_string

from affiliates.conf import conf
from affiliates.errors import InvalidInput, NotFound, StateConflict
from affiliates.uploads.drawing import drawn_anew
from affiliates.uploads.pdf import EMPTY, HEAD, PAGE_OF_A_BROWSER, pdf_fault

logger = logging.getLogger(__name__)

MAX_FILE_BYTES = 10_000_000
MAX_FILE_SIDE = 4_000
MAX_FILE_NAME = 100
FOLDER = "affiliates/files"
PDF_START = b"%PDF-"
PICTURE = re.compile(rb"\x89PNG|\xff\xd8\xff|RIFF.{4}WEBP", re.DOTALL)
CONTROLS = re.compile(r"[\x00-\x08\x0b\x0e-\x1f\x7f]")
RESERVED = re.compile(r'[<>:"|?*]')
# By the ending of a stored name.
CONTENT_TYPES = {
    "jpg": "image/jpeg",
    "pdf": "application/pdf",
    "png": "image/png",
    "txt": "text/plain",
    "webp": "image/webp",
}
ENDING = re.compile(r"\.(?:jpe?g|pdf|png|txt|webp)\Z", re.IGNORECASE)
# What a browser opens nevertheless has no rights and no origin.
FILE_HEADERS = {
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
}

FILES_TAKEN = "PDF, PNG, JPEG, WebP or plain text in UTF-8"
TOO_LARGE = f"Upload a file of at most {MAX_FILE_BYTES // 1_000_000} MB."
UNKNOWN = f"Upload a file of one of these kinds: {FILES_TAKEN}."
MARKUP = (
    "HTML, SVG and XML are not taken: save the file as plain text without markup, or "
    "as a PDF."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckedFile:
    """``name`` is for people; it ends as the content is."""

    content: bytes
    ending: str
    name: str


def checked_file(content: bytes, *, name: str) -> CheckedFile:
    """Raises InvalidInput with what to upload, and StateConflict as ``scan``."""
    kept, ending, fault = _judged(content)
    if fault:
        raise InvalidInput("invalid_file", fault, field="file")
    # As it was uploaded: of an image another one is kept.
    scan(content)
    name = clean_file_name(name, ending=ending)
    return CheckedFile(content=kept, ending=ending, name=name)


def scan(content: bytes) -> None:
    """Asks the host's hook. Raises InvalidInput with its reason.

    A hook that fails does not let the file through: StateConflict.
    """
    if not conf.scan_upload:
        return
    try:
        reason = import_string(conf.scan_upload)(content)
    except Exception:
        logger.exception("The hook of AFFILIATES_SCAN_UPLOAD failed.")
        reason = None
    if not isinstance(reason, str):
        raise StateConflict(
            "not_scanned", "The file could not be scanned: try again later."
        )
    if reason:
        raise InvalidInput("invalid_file", reason, field="file")


def clean_file_name(name: str, *, ending: str) -> str:
    """The last part of a path, without invisible and reserved characters."""
    last = re.split(r"[\\/]", name)[-1]
    # Among the others are line ends, and marks that turn the direction of reading.
    shown = "".join(" " if char.isspace() else char for char in last)
    shown = "".join(char for char in shown if unicodedata.category(char)[0] != "C")
    stem = ENDING.sub("", RESERVED.sub("", shown).rstrip(" .")).strip(" .")
    stem = " ".join(stem.split())[: MAX_FILE_NAME - len(ending) - 1].strip(" .")
    return f"{stem or 'file'}.{ending}"


def store_file(file: CheckedFile) -> str:
    """Returns its name in the storage."""
    name = f"{FOLDER}/{token_hex(16)}.{file.ending}"
    return default_storage.save(name, ContentFile(file.content))


def content_type_of(stored: str) -> str:
    return CONTENT_TYPES[stored.rpartition(".")[2]]


def stored_download(stored: str, *, name: str) -> HttpResponse:
    """The file that ``store_file`` stored. Raises NotFound if it is gone."""
    try:
        with default_storage.open(stored) as file:
            content: bytes = file.read()
    except FileNotFoundError:
        raise NotFound from None
    return download(content, name=name, content_type=content_type_of(stored))


def download(content: bytes, *, name: str, content_type: str) -> HttpResponse:
    """An answer that browsers save and do not show."""
    answer = HttpResponse(content, content_type=content_type, headers=FILE_HEADERS)
    named = content_disposition_header(as_attachment=True, filename=name)
    answer["Content-Disposition"] = named or ""
    return answer


def _judged(content: bytes) -> tuple[bytes, str, str]:
    """What is kept of the content, the ending of its name, and its fault or ""."""
    if not content:
        return content, "", EMPTY
    if len(content) > MAX_FILE_BYTES:
        return content, "", TOO_LARGE
    if content.startswith(PDF_START):
        return content, "pdf", pdf_fault(content, most=MAX_FILE_BYTES)
    if not PICTURE.match(content):
        return content, "txt", _text_fault(content)
    try:
        picture = drawn_anew(content, most=MAX_FILE_BYTES, side=MAX_FILE_SIDE)
    except ValueError as refused:
        return content, "", str(refused)
    is_too_large = len(picture.content) > MAX_FILE_BYTES
    return picture.content, picture.ending, TOO_LARGE if is_too_large else ""


def _text_fault(content: bytes) -> str:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return UNKNOWN
    # Programs look for a PDF's header behind other bytes, too.
    if CONTROLS.search(text) or PDF_START in content[:HEAD]:
        return UNKNOWN
    is_markup = text.lstrip().startswith("<") or PAGE_OF_A_BROWSER.search(content)
    return MARKUP if is_markup else ""
