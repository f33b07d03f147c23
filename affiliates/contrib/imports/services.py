"""A file of another system: kept, checked, confirmed, imported whole or not at all.

The check and the import are the same code, which judges every row beside what we hold.
The import does it in one transaction with all that it writes: so nothing is ever half
done, and rows are judged by what is there at that moment, not by what was there at the
check.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from django.db import Error, IntegrityError, transaction
from django.db.models import F

from affiliates.brands.models.brand import Brand
from affiliates.contrib.imports.examining import (
    KINDS,
    Examined,
    Progress,
    examine,
    sealed,
    to_json,
)
from affiliates.contrib.imports.files.rows import (
    MAX_BYTES,
    Fault,
    ImportKind,
    ParseOptions,
    RowError,
    Source,
    UnreadableFile,
)
from affiliates.contrib.imports.kinds.kind import AT_ONCE, Run
from affiliates.contrib.imports.models import (
    MAX_NAME,
    ImportedRow,
    ImportFault,
    ImportFile,
    ImportState,
)
from affiliates.db.records import lock
from affiliates.errors import AffiliatesError, InvalidInput, StateConflict
from affiliates.telemetry.stacks import stack_of
from affiliates.webhooks.announce import unannounced
from affiliates.worker import purges
from affiliates.worker.registry import register
from affiliates.worker.types import Clock, ShouldStop

# A page waits for files of so many lines; longer ones are the worker's.
MAX_LINES_AT_ONCE = 500
# A file whose import ends the process is not tried for ever.
MAX_ATTEMPTS = 3
KEPT = timedelta(days=30)

logger = logging.getLogger(__name__)


def keep_file(
    *,
    brand_id: int,
    kind: ImportKind,
    source: Source,
    name: str,
    content: bytes,
    options: ParseOptions,
    actor_id: Any,
    now: datetime,
) -> ImportFile:
    """The file, to be checked. Raises InvalidInput for one that is too large."""
    if len(content) > MAX_BYTES:
        raise InvalidInput(
            "too_large", "The file is too large: divide it.", field="file"
        )
    return ImportFile.objects.create(
        brand_id=brand_id,
        kind=kind,
        source=source,
        name=name[:MAX_NAME] or kind,
        content=sealed(content),
        digest=hashlib.sha256(content).hexdigest(),
        options=to_json(options),
        line_count=content.count(b"\n") + 1,
        uploaded_at=now,
        uploaded_by_id=actor_id,
    )


def check_import(
    file_id: int, *, now: datetime, progress: Progress | None = None
) -> ImportFile:
    """Say what the file would do. Nothing else is written; a repeat changes nothing."""
    file = ImportFile.objects.select_related("brand").get(pk=file_id)
    if file.state != ImportState.UPLOADED:
        return file
    run = Run(brand=file.brand, actor_id=file.uploaded_by_id, now=now)
    try:
        examined = examine(file, run, progress)
    except UnreadableFile as refusal:
        return _give_up(file_id, refusal.error, now=now)
    with transaction.atomic():
        file = lock(ImportFile, file_id)
        if file.state == ImportState.UPLOADED:
            _store_check(file, examined, now=now)
    return file


def confirm_import(
    *, file_id: int, leaves_out_bad: bool, actor_id: Any, now: datetime
) -> ImportFile:
    """Have it imported. Raises InvalidInput where bad rows are to be, StateConflict
    unless it was checked and has something to import.
    """
    with transaction.atomic():
        file = lock(ImportFile, file_id)
        if not file.can_be_confirmed:
            raise StateConflict("not_checked", "There is nothing to import in it.")
        if file.bad_count and not leaves_out_bad:
            raise InvalidInput(
                "bad_rows",
                "Choose to leave the bad rows out, or correct them and upload it again.",
                field="leaves_out_bad",
            )
        return file.change(
            state=ImportState.CONFIRMED,
            leaves_out_bad=leaves_out_bad,
            confirmed_at=now,
            confirmed_by_id=actor_id,
            attempt_count=0,
            done_count=0,
        )


def withdraw_import(*, file_id: int, now: datetime) -> ImportFile:
    """Forget what is in it. Raises StateConflict once it is being imported."""
    with transaction.atomic():
        file = lock(ImportFile, file_id)
        if file.state not in (ImportState.UPLOADED, ImportState.CHECKED):
            raise StateConflict("not_open", "This import is not open any more.")
        return file.change(state=ImportState.WITHDRAWN, content="", finished_at=now)


@purges.register("imports withdrawn")
def forget_imports(*, now: datetime) -> int:
    """Withdraw what nobody has confirmed for a month. How many that are."""
    old = ImportFile.objects.filter(
        state=ImportState.CHECKED, checked_at__lt=now - KEPT
    )
    return old.update(state=ImportState.WITHDRAWN, content="", finished_at=now)


def run_import(
    file_id: int, *, now: datetime, progress: Progress | None = None
) -> ImportFile:
    """Import what was confirmed: all of its good rows, or nothing.

    Rows that became bad since the check send it back to be confirmed anew. Payments of
    these rows that were reported before are settled after the commit.
    """
    try:
        with transaction.atomic(), unannounced():
            file = _run(file_id, now=now, progress=progress)
    except UnreadableFile as refusal:
        return _give_up(file_id, refusal.error, now=now)
    except (AffiliatesError, IntegrityError) as refusal:
        # The place only: a database's text may quote a whole row.
        logger.warning("Import %s was refused: %s", file_id, stack_of(refusal))
        return _give_up(file_id, Fault("changed_meanwhile").at(0), now=now)
    return _settle(file, now=now) if file.is_written else file


@register(
    "imports",
    every=timedelta(seconds=5),
    does="Checks and writes imports of more than 500 lines.",
)
def run_imports(now: Clock, should_stop: ShouldStop) -> str:
    done = work_at_imports(clock=now, should_stop=should_stop)
    return f"{done:,} imports checked or written." if done else ""


def work_at_imports(
    *, clock: Callable[[], datetime], should_stop: Callable[[], bool]
) -> int:
    """Check and import what waits, one after the other. How many were finished."""
    waiting = ImportFile.objects.filter(
        state__in=[state for state in ImportState if state.is_waiting]
    ).order_by("pk")
    done = 0
    while not should_stop() and (file := waiting.first()):
        work_at(file, clock=clock)
        done += 1
    return done


def work_at(file: ImportFile, *, clock: Callable[[], datetime]) -> ImportFile:
    """Check or import it, whichever is due. One that fails again and again is given up."""
    ImportFile.objects.filter(pk=file.pk).update(attempt_count=F("attempt_count") + 1)
    if file.attempt_count >= MAX_ATTEMPTS:
        return _give_up(file.pk, Fault("gave_up").at(0), now=clock())
    try:
        if file.state == ImportState.CONFIRMED:
            return run_import(file.pk, now=clock())
        row = ImportFile.objects.filter(pk=file.pk)
        return check_import(
            file.pk, now=clock(), progress=lambda done: row.update(done_count=done)
        )
    except Error:
        raise
    except Exception as fault:  # noqa: BLE001 - any error of a file's rows
        logger.error("An import failed: %s", stack_of(fault), extra={"file": file.pk})
        return _give_up(file.pk, Fault("gave_up").at(0), now=clock())


def _run(file_id: int, *, now: datetime, progress: Progress | None) -> ImportFile:
    file = lock(ImportFile, file_id)
    if file.state != ImportState.CONFIRMED or file.is_written:
        return file
    # One import of a brand after the other: each judges by what the others wrote.
    brand = Brand.objects.select_for_update(no_key=True).get(pk=file.brand_id)
    run = Run(brand=brand, actor_id=file.confirmed_by_id, now=now)
    examined = examine(file, run, progress)
    if examined.bad_count > (file.bad_count if file.leaves_out_bad else 0):
        return _store_check(file, examined, now=now)
    made = [row for _, row in examined.found if row.made is not None]
    KINDS[ImportKind(file.kind)](run).write(made)
    ImportedRow.objects.bulk_create(
        [
            ImportedRow(
                brand=brand,
                kind=file.kind,
                key=row.key,
                affiliate=row.affiliate,
                file=file,
                row_number=number,
            )
            for number, row in examined.found
        ],
        batch_size=AT_ONCE,
    )
    return file.change(content="", attempt_count=0, **examined.counts())


def _settle(file: ImportFile, *, now: datetime) -> ImportFile:
    run = Run(brand=file.brand, actor_id=file.confirmed_by_id, now=now)
    keys = list(file.rows.values_list("key", flat=True))
    with unannounced():
        KINDS[ImportKind(file.kind)](run).settle(keys)
    with transaction.atomic():
        file = lock(ImportFile, file.pk)
        if file.is_written:
            file.change(state=ImportState.DONE, finished_at=now)
    return file


def _store_check(file: ImportFile, examined: Examined, *, now: datetime) -> ImportFile:
    _keep_faults(file, examined.faults)
    return file.change(
        state=ImportState.CHECKED,
        checked_at=now,
        attempt_count=0,
        **examined.counts(),
    )


def _give_up(file_id: int, error: RowError, *, now: datetime) -> ImportFile:
    """Ends a waiting file as failed; as imported if its rows are committed."""
    with transaction.atomic():
        file = lock(ImportFile, file_id)
        if not ImportState(file.state).is_waiting:
            return file
        if file.is_written:
            _keep_faults(file, [Fault("not_settled").at(0)], beside_others=True)
            return file.change(state=ImportState.DONE, finished_at=now)
        _keep_faults(file, [error])
        return file.change(state=ImportState.FAILED, content="", finished_at=now)


def _keep_faults(
    file: ImportFile, faults: list[RowError], *, beside_others: bool = False
) -> None:
    if not beside_others:
        file.faults.all().delete()
    ImportFault.objects.bulk_create(
        [
            ImportFault(
                file=file,
                row_number=fault.row_number,
                column=fault.column,
                code=fault.code,
                params=dict(fault.params),
            )
            for fault in faults
        ],
        batch_size=AT_ONCE,
    )
