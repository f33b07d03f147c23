"""Saves and deletes the views of a list."""

from __future__ import annotations

from typing import Any

from django.contrib.admin.options import IS_POPUP_VAR, TO_FIELD_VAR
from django.contrib.admin.views.main import ERROR_FLAG, PAGE_VAR
from django.db import transaction
from django.http import QueryDict

from affiliates.admin_tools.lists.models import MAX_NAME, MAX_QUERY, SavedView
from affiliates.errors import InvalidInput

MAX_VIEWS = 30
# Parameters of the address that are not part of a view.
PASSING = (PAGE_VAR, ERROR_FLAG, IS_POPUP_VAR, TO_FIELD_VAR)


def normal_query(query: str) -> str:
    """The parameters that a view keeps, always in the same order."""
    parameters = QueryDict(query.removeprefix("?"), mutable=True)
    for name in PASSING:
        parameters.pop(name, None)
    kept = QueryDict(mutable=True)
    for name in sorted(parameters):
        kept.setlist(name, parameters.getlist(name))
    return kept.urlencode()


@transaction.atomic
def save_view(*, person_id: Any, model: str, name: str, query: str) -> SavedView:
    """Saves a view, in place of the person's view of this name. Raises InvalidInput."""
    name, query = " ".join(name.split()), normal_query(query)
    if not 0 < len(name) <= MAX_NAME:
        text = f"Name the view in at most {MAX_NAME} characters."
        raise InvalidInput("invalid_name", text, field="name")
    if len(query) > MAX_QUERY:
        text = "These filters are too long to be saved."
        raise InvalidInput("too_long", text, field="query")
    own = SavedView.objects.filter(person_id=person_id, model=model)
    if own.exclude(name=name).count() >= MAX_VIEWS:
        text = f"You have {MAX_VIEWS} views of this list: delete one first."
        raise InvalidInput("too_many", text, field="name")
    view, _ = SavedView.objects.update_or_create(
        person_id=person_id, model=model, name=name, defaults={"query": query}
    )
    return view


def delete_view(*, person_id: Any, model: str, view_id: int) -> str | None:
    """Deletes the person's view. Returns its name, or None if there is no such view."""
    own = SavedView.objects.filter(person_id=person_id, model=model, pk=view_id)
    name: str | None = own.values_list("name", flat=True).first()
    own.delete()
    return name
