from __future__ import annotations

from collections.abc import Callable

import pytest

from affiliates.contrib.imports.files.rows import ImportKind, ParseOptions, Source
from affiliates.contrib.imports.models import ImportFile
from affiliates.contrib.imports.services import (
    check_import,
    confirm_import,
    keep_file,
    run_import,
)


@pytest.fixture
def upload(brand, staff, now) -> Callable[..., ImportFile]:
    """Keep a file of these lines, the first one its headings, and check it."""

    def upload(kind, *lines, of=brand, by=staff, source=Source.OWN, at=now, **options):
        file = keep_file(
            brand_id=of.pk,
            kind=ImportKind(kind),
            source=source,
            name=f"{kind}.csv",
            content="\n".join(lines).encode(),
            options=ParseOptions(**options),
            actor_id=None if by is None else by.pk,
            now=at,
        )
        return check_import(file.pk, now=at)

    return upload


@pytest.fixture
def imported(upload, staff, now) -> Callable[..., ImportFile]:
    """As ``upload``, and import it where there is anything to import."""

    def imported(*args, leaves_out_bad=False, by=staff, at=now, **options):
        file = upload(*args, by=by, at=at, **options)
        if not file.can_be_confirmed:
            return file
        confirm_import(
            file_id=file.pk,
            leaves_out_bad=leaves_out_bad,
            actor_id=None if by is None else by.pk,
            now=at,
        )
        return run_import(file.pk, now=at)

    return imported


@pytest.fixture
def clients(brand, host):
    """As many clients as are asked for, a-0@example.com and so on."""

    def clients(count, *, of=brand, name="a"):
        return [
            host.client(of, email=f"{name}-{number}@example.com")
            for number in range(count)
        ]

    return clients
