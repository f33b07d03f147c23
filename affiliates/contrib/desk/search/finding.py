"""Everything that one text may name, found by indexes alone, the whole values first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django import forms
from django.apps import apps
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.text import capfirst

from affiliates.adapter import Reference, get_adapter
from affiliates.admin_tools import widgets
from affiliates.admin_tools.lists.invoice_numbers import number_invoices
from affiliates.admin_tools.naming import labels, page_name, permission_to
from affiliates.admin_tools.visible import has_brands, visible_to
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
    """Returns whole matches that the person may see; partial ones if there are none."""
    text = Text(typed)
    if not text.typed:
        return []
    kinds = [
        kind
        for kind in KINDS
        if request.user.has_perm(permission_to("view", kind.model))
    ]
    groups = [*_clients(request, text), *_groups(request, text, kinds)]
    return groups or list(_groups(request, text, kinds, in_parts=True))


def _groups(
    request: HttpRequest, text: Text, kinds: Sequence[Kind], *, in_parts: bool = False
) -> Iterator[Group]:
    for kind in kinds:
        if in_parts:
            named = kind.parts and kind.parts(text.typed)
        else:
            named = kind.named(text)
        if named is None:
            continue
        model = apps.get_model(labels()[kind.model], kind.model)
        found = model._default_manager.filter(named).order_by("-pk")
        newest = visible_to(request.user, found)
        rows = list(newest.select_related(*kind.related)[: SHOWN + 1])
        if rows:
            number_invoices(rows, kind.invoice_path)
            yield _group(request, kind, model, rows, text)


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


def _clients(request: HttpRequest, text: Text) -> Iterator[Group]:
    """The host's pages of the clients, for those who may look at them."""
    users: Any = get_user_model()
    view = f"{users._meta.app_label}.view_{users._meta.model_name}"
    if not text.clients or not request.user.has_perm(view):
        return
    clients = users._default_manager.filter(pk__in=text.clients)
    seen = visible_to(request.user, clients).values_list("pk", flat=True)
    ids = {str(pk) for pk in seen}
    shown = [client for client in text.clients if client in ids][:SHOWN]
    known = get_adapter().client_details(shown)
    hits = [
        Hit(details.email or client_id, details.name, page, "person")
        for client_id, details in known.items()
        if (page := get_adapter().admin_url(Reference.CLIENT, client_id)) is not None
    ]
    if hits:
        yield Group(capfirst(str(users._meta.verbose_name_plural)), hits)


class SearchForm(forms.Form):
    q = forms.CharField(
        label="Search for",
        max_length=255,
        widget=widgets.TextInput,
        help_text="An invoice number, an order, a payment's, refund's or payout's reference, a "
        "client's e-mail address, an affiliate's code, a coupon, the address or hash "
        "of a link, the id of a click or visitor.",
    )


def show(request: HttpRequest, site: admin.AdminSite) -> HttpResponse:
    """Renders the search page with the results that the person may see."""
    form = SearchForm(request.GET if "q" in request.GET else None)
    context = {**site.each_context(request), "title": "Search", "form": form}
    if form.is_valid():
        context["groups"] = find(request, form.cleaned_data["q"])
    return TemplateResponse(request, PAGE, context)
