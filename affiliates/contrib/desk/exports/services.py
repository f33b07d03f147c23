"""Makes the files of large lists, tells who asked, and removes them again."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from secrets import token_urlsafe
from tempfile import TemporaryFile
from typing import Any, NamedTuple

from django.apps import apps
from django.contrib.admin.sites import all_sites
from django.core.exceptions import PermissionDenied
from django.core.files import File
from django.core.files.storage import default_storage
from django.db import Error, connection, transaction
from django.db.models import F, QuerySet
from django.http import HttpRequest, QueryDict

from affiliates.admin_tools import exports
from affiliates.contrib.desk.exports.models import SavedList, SavedListState
from affiliates.db.routers import from_reports_database
from affiliates.emails.services import enqueue_email
from affiliates.privacy.erasure.models import Erasure
from affiliates.telemetry.stacks import stack_of
from affiliates.worker import purges
from affiliates.worker.registry import register
from affiliates.worker.types import Clock, ShouldStop

FOLDER = "affiliates/lists"
KEPT = timedelta(days=7)
# A list whose making ends the process is not tried for ever.
MAX_ATTEMPTS = 3
NO_LONGER_ALLOWED = "You may no longer look at this list."
GIVEN_UP = "It could not be made. Choose fewer rows by the filters."

LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('saved_lists', 0))"

logger = logging.getLogger(__name__)


class MadeFile(NamedTuple):
    """``erasure_count`` is that of the moment when its rows were read."""

    name: str
    row_count: int
    erasure_count: int


def ask_for_list(
    *,
    asker_id: Any,
    site: str,
    model: str,
    query: str,
    file_format: str,
    url_of: Callable[[int], str],
    now: datetime,
) -> SavedList:
    """Have the worker make the file; ``url_of`` says where its asker will find it."""
    saved = SavedList(
        asker_id=asker_id,
        site=site,
        model=model,
        query=query,
        file_format=file_format,
        asked_at=now,
    )
    with transaction.atomic():
        saved.save()
        saved.change(url=url_of(saved.pk))
    return saved


@register(
    "lists",
    every=timedelta(seconds=5),
    does="Makes the files of large lists.",
    needs="The storage of saved lists (`MEDIA_ROOT`), which the web processes share.",
)
def save_lists(now: Clock, should_stop: ShouldStop) -> str:
    made = make_lists(now=now, should_stop=should_stop)
    return f"{made:,} lists saved." if made else ""


def make_lists(*, now: Callable[[], datetime], should_stop: Callable[[], bool]) -> int:
    """Makes the files that wait, one after the other. Returns how many were finished."""
    waiting = SavedList.objects.filter(state=SavedListState.WAITING)
    done = 0
    while not should_stop() and (saved := waiting.order_by("asked_at").first()):
        SavedList.objects.filter(pk=saved.pk).update(
            attempt_count=F("attempt_count") + 1
        )
        if not _make(saved, now=now):
            # The standby for reports may be behind: a later run makes it.
            break
        done += 1
    return done


@purges.register("saved lists deleted")
def remove_lists(*, now: datetime) -> int:
    """Removes the files that were made some days ago. Returns how many."""
    return _remove(_ready().filter(finished_at__lt=now - KEPT))


def remove_lists_of_all(*, now: datetime) -> int:
    """Removes all files: any may name an erased person, and can be asked for anew.

    A list that is being made waits for the erasure's end, and is then made anew.
    """
    _lock()
    return _remove(_ready())


def page_of(site: str, model: str) -> Any:
    """The admin's page of the list; None for one that there is not."""
    for admin_site in all_sites:
        if admin_site.name == site:
            try:
                return admin_site._registry.get(apps.get_model(model))
            except (LookupError, ValueError):
                return None
    return None


def request_for(saved: SavedList) -> HttpRequest:
    """The list as its asker would ask for it now."""
    request = HttpRequest()
    request.method = "GET"
    lookup: Any = QueryDict(saved.query)
    request.GET, request.user = lookup, saved.asker
    return request


def _ready() -> QuerySet[SavedList]:
    return SavedList.objects.filter(state=SavedListState.READY)


def _remove(lists: QuerySet[SavedList]) -> int:
    files = list(lists)
    for saved in files:
        default_storage.delete(saved.file)
        saved.change(state=SavedListState.REMOVED, file="")
    return len(files)


def _make(saved: SavedList, *, now: Callable[[], datetime]) -> bool:
    """Whether it is finished; otherwise it is to be made anew."""
    if saved.attempt_count >= MAX_ATTEMPTS:
        _finish(saved, SavedListState.FAILED, now=now(), detail=GIVEN_UP)
        return True
    try:
        made = _write(saved)
    except PermissionDenied:
        detail = NO_LONGER_ALLOWED
    except Error:
        raise
    except Exception as fault:  # noqa: BLE001 - any error of a list's columns
        logger.error(
            "A list could not be saved: %s", stack_of(fault), extra={"list": saved.pk}
        )
        detail = GIVEN_UP
    else:
        return _keep(saved, made, now=now())
    _finish(saved, SavedListState.FAILED, now=now(), detail=detail)
    return True


def _write(saved: SavedList) -> MadeFile:
    """The file under a name that nobody guesses."""
    page = page_of(saved.site, saved.model)
    if page is None or not saved.asker.is_active:
        raise PermissionDenied
    request = request_for(saved)
    with TemporaryFile() as file:
        with from_reports_database():
            erasure_count = _erasure_count()
            rows = exports.table(page, request, exports.found_rows(page, request))
            count = exports.write(rows, file, saved.file_format)
        file.seek(0)
        name = f"{FOLDER}/{token_urlsafe(32)}.{saved.file_format}"
        return MadeFile(default_storage.save(name, File(file)), count, erasure_count)


@transaction.atomic
def _keep(saved: SavedList, made: MadeFile, *, now: datetime) -> bool:
    """Drops the file if a person was erased since its rows were read."""
    _lock()
    if _erasure_count() != made.erasure_count:
        default_storage.delete(made.name)
        saved.change(attempt_count=0)
        return False
    finished = {"file": made.name, "row_count": made.row_count}
    _finish(saved, SavedListState.READY, now=now, **finished)
    return True


def _lock() -> None:
    """No list is finished while an erasure that has removed them is not committed.

    SQLite has one writer at a time anyway.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(LOCK)


def _erasure_count() -> int:
    return Erasure.objects.filter(done_at__isnull=False).count()


@transaction.atomic
def _finish(
    saved: SavedList, state: SavedListState, *, now: datetime, **fields: Any
) -> None:
    saved.change(state=state, finished_at=now, **fields)
    address = getattr(saved.asker, saved.asker.get_email_field_name(), "")
    if not address:
        return
    is_ready = state is SavedListState.READY
    enqueue_email(
        brand_id=None,
        key=f"saved_list:{saved.pk}",
        recipient=address,
        subject=f"{saved}: {'ready' if is_ready else 'it could not be made'}",
        text=(
            f"The list that you asked for has {saved.row_count:,} rows. For "
            f"{KEPT.days} days you find it, signed in as yourself, at\n\n{saved.url}\n"
            if is_ready
            else f"{saved.detail}\n\n{saved.url}\n"
        ),
        now=now,
    )
