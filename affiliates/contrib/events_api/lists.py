"""The lists of the admin, with the columns that their files have, for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.apps import apps
from django.contrib.admin.sites import all_sites
from django.db.models import Q
from django.http import HttpRequest
from django.utils import translation
from django.utils.text import slugify

from affiliates.admin_tools.exports import found_rows, labelled_rows
from affiliates.contrib.events_api.rules import LISTS, KeyHolder
from affiliates.db.routers import from_reports_database
from affiliates.errors import NotFound


class ListPart(NamedTuple):
    """``next_after`` is None at the end of the list."""

    rows: Sequence[Mapping[str, Any]]
    next_after: int | None


def read_list(
    name: str, *, reader: KeyHolder, after: int, limit: int, since: datetime | None
) -> ListPart:
    """Returns up to ``limit`` of the reader's rows above the id ``after``, by their ids.

    With ``since``, only rows that were made or changed at that moment or later. Raises
    NotFound for a list that is not there.
    """
    page, request = _page_of(name), HttpRequest()
    user: Any = reader
    request.method, request.user = "GET", user
    # Never translated: a program must not depend on its Accept-Language.
    with from_reports_database(), translation.override(None):
        rows = found_rows(page, request).filter(pk__gt=after)
        if since is not None:
            rows = rows.filter(pk__in=_touched(page.model, LISTS[name].moments, since))
        fetched = list(rows.order_by("pk")[: limit + 1])
        part = fetched[:limit]
        labelled = labelled_rows(page, request, part)
        shown = [
            {"id": row.pk, **{_name(label): value for label, value in values.items()}}
            for row, values in zip(part, labelled, strict=True)
        ]
    return ListPart(shown, part[-1].pk if len(fetched) > limit else None)


def _page_of(name: str) -> Any:
    if name in LISTS:
        model = apps.get_model(LISTS[name].label)
        for site in all_sites:
            if model in site._registry:
                return site._registry[model]
    raise NotFound


def _touched(model: Any, moments: tuple[str, ...], since: datetime) -> Any:
    touched = Q()
    for moment in moments:
        touched |= Q(**{f"{moment}__gte": since})
    return model.objects.filter(touched).order_by().values("pk")


def _name(label: str) -> str:
    return slugify(label).replace("-", "_")
