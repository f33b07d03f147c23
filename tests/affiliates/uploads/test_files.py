"""Which files are taken for others to download, and under which name."""

from __future__ import annotations

import io
import zipfile
from io import BytesIO

import pytest

from affiliates.errors import InvalidInput, NotFound, StateConflict
from affiliates.uploads.files import (
    MARKUP,
    MAX_FILE_BYTES,
    MAX_FILE_SIDE,
    TOO_LARGE,
    UNKNOWN,
    checked_file,
    clean_file_name,
    store_file,
    stored_download,
)
from affiliates.uploads.pdf import ACTS, DAMAGED, EMPTY
from tests.affiliates.uploads.hostile import FILES as HOSTILE_PDF
from tests.cases import each
from tests.factories.files import pdf

Image = pytest.importorskip("PIL.Image")
SCANNER = "tests.affiliates.uploads.test_files."
SECRET = b"taken at 52.5 N 13.4 E"


def drawn(kind: str = "PNG", size: tuple[int, int] = (3, 2), **options) -> bytes:
    file = BytesIO()
    Image.new("RGB", size).save(file, kind, **options)
    return file.getvalue()


def archive() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as written:
        written.writestr("run.js", "alert(1)")
    return file.getvalue()


@each(
    ("content", "ending"),
    [
        (pdf(), "pdf"),
        (drawn("PNG"), "png"),
        (drawn("JPEG"), "jpg"),
        (drawn("WEBP"), "webp"),
        (b"Hosting for everybody\n", "txt"),
        ("\ufeffGr\u00fc\u00dfe\r\n\tvon uns \U0001f680".encode(), "txt"),
        (b"3 < 4 and <b>bold</b>", "txt"),
        (b"x" * MAX_FILE_BYTES, "txt"),
    ],
)
def test_the_content_says_what_a_file_is(content, ending):
    file = checked_file(content, name="offer.exe")

    assert (file.ending, file.name) == (ending, f"offer.exe.{ending}")
    assert file.content == content or ending in {"jpg", "png", "webp"}


def test_of_an_image_only_a_new_drawing_is_kept():
    file = checked_file(drawn("JPEG", comment=SECRET) + SECRET, name="photo.jpeg")

    assert SECRET not in file.content
    assert file.name == "photo.jpg"


@each(
    ("_case", "content", "fault"),
    [
        ("nothing", b"", EMPTY),
        ("a byte too many", b"x" * (MAX_FILE_BYTES + 1), TOO_LARGE),
        ("a PDF with a byte too many", pdf() + b" " * MAX_FILE_BYTES, TOO_LARGE),
        ("a page of a browser", b"<!doctype html><p>Hello", MARKUP),
        ("a page after a blank", b"\xef\xbb\xbf \n<p>Hello", MARKUP),
        ("a script within a text", b"Hello\n" * 999 + b"<ScRipt>1</script>", MARKUP),
        ("a drawing of lines", b"<svg onload='alert(1)'/>", MARKUP),
        ("a drawing as XML", b"<?xml version='1.0'?><svg/>", MARKUP),
        ("PHP", b"hello <?php system('id');", MARKUP),
        ("an archive", archive(), UNKNOWN),
        ("an archive behind a text", b"Hello\n" + archive(), UNKNOWN),
        ("an archive behind a PDF", pdf() + archive(), DAMAGED),
        ("a PDF behind a text", b"Hello\n" + pdf(), UNKNOWN),
        ("a page within a PDF", HOSTILE_PDF["a page after the header"][0], DAMAGED),
        ("a PDF with a script", HOSTILE_PDF["a script when it opens"][0], ACTS),
        ("a program", b"MZ\x90\0" + b"\0" * 100, UNKNOWN),
        ("a zero byte", b"Hello\0", UNKNOWN),
        ("codes of a terminal", b"\x1b[2J", UNKNOWN),
        ("a text in UTF-16", "Hello".encode("utf-16"), UNKNOWN),
        ("a text in Latin-1", "Gr\u00fc\u00dfe".encode("latin-1"), UNKNOWN),
        ("a film", drawn("GIF"), UNKNOWN),
    ],
)
def test_a_hostile_file_is_refused(content, fault):
    with pytest.raises(InvalidInput) as refused:
        checked_file(content, name="leaflet.pdf")

    assert (refused.value.code, refused.value.detail) == ("invalid_file", fault)


@each(
    ("content", "sentence"),
    [
        (drawn()[:40], "this file is none, or is damaged"),
        (
            drawn(size=(MAX_FILE_SIDE + 1, 1)),
            f"at most {MAX_FILE_SIDE} by {MAX_FILE_SIDE} pixels",
        ),
    ],
)
def test_an_image_that_cannot_be_drawn_is_refused(content, sentence):
    with pytest.raises(InvalidInput, match=sentence):
        checked_file(content, name="photo.png")


@each(
    ("name", "kept"),
    [
        ("Leaflet 2026.pdf", "Leaflet 2026.pdf"),
        ("LEAFLET.PDF", "LEAFLET.pdf"),
        ("photo.jpeg", "photo.pdf"),
        ("evil.html", "evil.html.pdf"),
        ("\u00dcbersicht.txt", "\u00dcbersicht.pdf"),
        ("../../etc/passwd", "passwd.pdf"),
        ("..\\..\\boot.pdf", "boot.pdf"),
        ('"; filename="evil.html', "; filename=evil.html.pdf"),
        ("a\r\nSet-Cookie: x=1.pdf", "a Set-Cookie x=1.pdf"),
        ("fdp\u202egpj.pdf", "fdpgpj.pdf"),
        ("a\u200b\x00\x7fb.pdf", "ab.pdf"),
        ("<script>alert(1).pdf", "scriptalert(1).pdf"),
        ("  .pdf", "file.pdf"),
        ("", "file.pdf"),
        ("a" * 300, f"{'a' * 96}.pdf"),
    ],
)
def test_a_name_is_for_people(name, kept):
    assert clean_file_name(name, ending="pdf") == kept


def test_a_file_is_kept_under_a_name_that_cannot_be_guessed(settings):
    memory = {"BACKEND": "django.core.files.storage.InMemoryStorage"}
    settings.STORAGES = {**settings.STORAGES, "default": memory}
    file = checked_file(b"Hello", name="hello.txt")

    first, second = store_file(file), store_file(file)

    assert first != second
    assert first.startswith("affiliates/files/")
    assert len(first) == len("affiliates/files/") + 32 + len(".txt")
    assert stored_download(first, name="a.txt").content == b"Hello"
    with pytest.raises(NotFound):
        stored_download("affiliates/files/none.txt", name="a.txt")


def finds_a_virus(content):
    return f"Eicar in {len(content)} bytes."


def breaks(content):
    raise OSError("no socket")


@each(
    ("hook", "kind", "sentence"),
    [
        ("finds_a_virus", InvalidInput, "Eicar in 5 bytes"),
        ("breaks", StateConflict, "try again later"),
        ("is_not_there", StateConflict, "try again later"),
    ],
)
def test_the_hosts_hook_refuses(hook, kind, sentence, settings):
    settings.AFFILIATES_SCAN_UPLOAD = SCANNER + hook

    with pytest.raises(kind, match=sentence):
        checked_file(b"Hello", name="hello.txt")
