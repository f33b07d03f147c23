"""Everything that one text may name: whole values by index, else parts as lists do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.apps import apps
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.text import capfirst

from affiliates.adapter import Reference, get_adapter
from affiliates.admin_tools import widgets
from affiliates.admin_tools.lists.invoice_numbers import number_invoices
from affiliates.admin_tools.lists.search import any_of
from affiliates.admin_tools.naming import labels, page_name, permission_to
from affiliates.admin_tools.visible import brands_of, has_brands, visible_to
from affiliates.contrib.desk.client import client_path
from affiliates.contrib.desk.navigation import ICONS
from affiliates.contrib.desk.search.kinds import KINDS, Kind, Text

PAGE = "affiliates/admin/desk/search.html"
SHOWN = 5


@dataclass(frozen=True, slots=True)
class Hit:
    """A search result. Unfold's command palette reads these attributes too."""

    title: str
    description: str
    link: str
    icon: str


@dataclass(frozen=True, slots=True)
class Group:
    title: str
    hits: list[Hit]
    # The list with all of them, where there are more.
    more: str = ""


def find(request: HttpRequest, typed: str) -> list[Group]:
    """Returns whole matches that the person may see; partial ones if there are none.

    Parts are found by the same rule as in the lists of affiliates, coupons and clients.
    """
    text = Text(typed, brands_of(request.user))
    if not text.typed:
        return []
    kinds = [
        kind
        for kind in KINDS
        if request.user.has_perm(permission_to("view", kind.model))
    ]
    whole = [*_clients(request, lambda: text.clients), *_groups(request, text, kinds)]
    return whole or [
        *_groups(request, text, kinds, in_parts=True),
        *_clients(request, lambda: text.clients_like),
    ]


def _groups(
    request: HttpRequest, text: Text, kinds: Sequence[Kind], *, in_parts: bool = False
) -> Iterator[Group]:
    for kind in kinds:
        model = apps.get_model(labels()[kind.model], kind.model)
        named = _parts(kind, model, text) if in_parts else kind.named(text)
        if named is None:
            continue
        found = model._default_manager.filter(named).order_by("-pk")
        newest = visible_to(request.user, found)
        rows = list(newest.select_related(*kind.related)[: SHOWN + 1])
        if rows:
            number_invoices(rows, kind.invoice_path)
            yield _group(request, kind, model, rows, text)


def _parts(kind: Kind, model: Any, text: Text) -> Q | None:
    """Returns the list's own condition for rows that contain the text."""
    if not kind.has_parts:
        return None
    page: Any = admin.site.get_model_admin(model)
    return any_of(page.search_parts, model, text.typed)


def _group(
    request: HttpRequest, kind: Kind, model: Any, rows: list[Any], text: Text
) -> Group:
    left_out = slice(0 if has_brands(request) else 1, None)
    hits = [
        Hit(
            title=str(row),
            description=", ".join(
                str(part) for part in kind.said(row)[left_out] if part
            ),
            link=reverse(page_name(kind.model, "change"), args=[row.pk]),
            icon=ICONS[kind.model],
        )
        for row in rows[:SHOWN]
    ]
    query = urlencode({"q": text.typed})
    more = (
        f"{reverse(page_name(kind.model, 'changelist'))}?{query}"
        if len(rows) > SHOWN
        else ""
    )
    return Group(capfirst(str(model._meta.verbose_name_plural)), hits, more)


def _clients(
    request: HttpRequest, search: Callable[[], Sequence[str]]
) -> Iterator[Group]:
    """The pages of the clients, for those who may look at the host's clients."""
    users: Any = get_user_model()
    view = f"{users._meta.app_label}.view_{users._meta.model_name}"
    if not request.user.has_perm(view) or not (matches := search()):
        return
    clients = users._default_manager.filter(pk__in=matches)
    seen = visible_to(request.user, clients).values_list("pk", flat=True)
    ids = {str(pk) for pk in seen}
    shown = [client for client in matches if client in ids][:SHOWN]
    known = get_adapter().client_details(shown)
    hits = [
        Hit(details.email or client_id, details.name, page, "person")
        for client_id, details in known.items()
        if (page := _client_page(request, client_id)) is not None
    ]
    if hits:
        yield Group(capfirst(str(users._meta.verbose_name_plural)), hits)


def _client_page(request: HttpRequest, client_id: str) -> str | None:
    """The page of the client's orders and what they earned, else the host's own page."""
    if request.user.has_perm("affiliates.view_orderreferral"):
        return client_path(client_id)
    return get_adapter().admin_url(Reference.CLIENT, client_id)


class SearchForm(forms.Form):
    q = forms.CharField(
        label="Search for",
        max_length=255,
        widget=widgets.TextInput,
        help_text="An invoice number, an order, a payment's, refund's or payout's reference, a "
        "client's e-mail address or name, an affiliate's code, a coupon or a part of "
        "one of these four; the address or hash of a link, the id of a click or visitor.",
    )


def show(request: HttpRequest, site: admin.AdminSite) -> HttpResponse:
    """Renders the search page with the results that the person may see."""
    form = SearchForm(request.GET if "q" in request.GET else None)
    context = {**site.each_context(request), "title": "Search", "form": form}
    if form.is_valid():
        context["groups"] = find(request, form.cleaned_data["q"])
    return TemplateResponse(request, PAGE, context)
