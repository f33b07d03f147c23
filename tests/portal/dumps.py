"""Reads everything that is stored: a dump of the database, opened columns, and files."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import subprocess
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from django.apps import apps
from django.core.cache import cache
from django.db import connection

from affiliates.encrypted.addresses import AddressField, PayloadField
from affiliates.encrypted.columns import encrypted_columns
from portal.clients.open_sessions import OpenSession
from tests.needs import require

# Where a text was found: a column, by its table and name, or the name of a file.
Places = dict[str, str]
PARTITION = re.compile(r"_\d{4}_\d{2}$")


def everything(folder: Path) -> Places:
    """What is stored, by the column or file that it is in."""
    found: dict[str, list[str]] = defaultdict(list)
    for place, text in (*_dumped(), *_opened(), *_files(folder), *_cached()):
        found[place].append(text)
    return {place: "\n".join(texts).lower() for place, texts in found.items()}


def places_of(text: str, stored: Places) -> set[str]:
    """Where it is found, in any of the forms that something may be stored in."""
    forms = _forms(text)
    return {
        place for place, said in stored.items() if any(one in said for one in forms)
    }


def _forms(text: str) -> set[str]:
    """In lower case, as what is stored is read."""
    text = text.lower()
    forms = {text, text[::-1], quote(text, safe="")}
    for said in (text, text.upper()):
        for encoding in ("utf-8", "utf-16-le", "utf-16-be"):
            encoded = said.encode(encoding)
            forms |= {encoded.hex(), *_base64_forms(encoded)}
    for name in ("md5", "sha1", "sha256"):
        forms.add(hashlib.new(name, text.encode(), usedforsecurity=False).hexdigest())
    return forms


def _base64_forms(encoded: bytes) -> Iterator[str]:
    """What does not depend on its neighbours, wherever it begins."""
    for before in range(3):
        padded = base64.b64encode(bytes(before) + encoded).decode()
        inner = padded[-(-before * 8 // 6) : (before + len(encoded)) * 8 // 6].lower()
        yield inner
        yield inner.replace("+", "-").replace("/", "_")


def _dumped() -> Iterator[tuple[str, str]]:
    """Each value of pg_dump, and what is no value: as the place "schema"."""
    columns: list[str] = []
    for line in _pg_dump().splitlines():
        if columns and line == r"\.":
            columns = []
        elif columns:
            for column, value in zip(columns, line.split("\t"), strict=True):
                yield column, _unescaped(value)
        elif match := re.fullmatch(r"COPY public\.(\S+) \((.*)\) FROM stdin;", line):
            table, names = match[1].strip('"'), match[2].split(", ")
            table = PARTITION.sub("", table)
            columns = [f"{table}.{name.strip(chr(34))}" for name in names]
        else:
            yield "schema", line


def _pg_dump() -> str:
    given = connection.settings_dict
    ways = {
        "HOST": "PGHOST",
        "PORT": "PGPORT",
        "USER": "PGUSER",
        "PASSWORD": "PGPASSWORD",
    }
    environ = os.environ | {
        name: str(given[key]) for key, name in ways.items() if given[key]
    }
    done = subprocess.run(  # noqa: S603 - our own database
        [require("pg_dump"), "--no-owner", given["NAME"]],
        env=environ,
        capture_output=True,
        check=True,
        text=True,
    )
    return done.stdout


def _unescaped(value: str) -> str:
    """As COPY writes it. Quoted-printable lines are joined."""
    escapes = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\"}
    text = re.sub(r"\\(.)", lambda one: escapes.get(one[1], one[1]), value)
    return re.sub(r"=\r?\n", "", text)


def _opened() -> Iterator[tuple[str, str]]:
    """Every encrypted value, decrypted."""
    for column in encrypted_columns():
        table = column.model._meta.db_table
        for row in column.rows():
            opened = column.purpose.decrypt(getattr(row, column.name))
            yield f"{table}.{column.name}", opened.decode("utf-8", "backslashreplace")
    for model in apps.get_models():
        for field in model._meta.local_concrete_fields:
            if isinstance(field, AddressField | PayloadField):
                for value in model._base_manager.values_list(field.name, flat=True):
                    yield f"{model._meta.db_table}.{field.name}", str(value)
    for session in OpenSession.objects.all():
        yield "portal_opensession.session_data", str(session.get_decoded())


def _files(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(one for one in folder.rglob("*") if one.is_file()):
        yield f"file {path.relative_to(folder)}", str(path)
        contents: Iterable[bytes] = [path.read_bytes()]
        with suppress(zipfile.BadZipFile), zipfile.ZipFile(path) as archive:
            contents = [archive.read(name) for name in archive.namelist()]
        for content in contents:
            yield f"file {path.name}", content.decode("utf-8", "backslashreplace")


def _cached() -> Iterator[tuple[str, str]]:
    """The memory of this process, which nobody else reads."""
    for key, value in getattr(cache, "_cache", {}).items():
        yield "cache", f"{key} {value!r}"
