"""Draws of a page what a test looks at: drawing it whole is most of its cost."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from typing import Any

import pytest
from django.db import connection
from django.http import HttpRequest
from django.template import RequestContext
from django.template.context import make_context
from django.template.response import TemplateResponse
from django.test import client
from django.test.signals import template_rendered

from affiliates.admin_tools.theme import HAS_UNFOLD

if HAS_UNFOLD:
    from unfold.sites import UnfoldAdminSite

    each_context = UnfoldAdminSite.each_context
keep_template = client.store_rendered_templates


@pytest.fixture(autouse=True, scope="session")
def _without_sidebar() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        if HAS_UNFOLD:
            patch.setattr(UnfoldAdminSite, "each_context", _context_without_sidebar)
        patch.setattr(client, "store_rendered_templates", _keep_page)
        yield


@pytest.fixture
def sidebar(monkeypatch: pytest.MonkeyPatch) -> None:
    """Draws pages with the sidebar, for tests of what is in it."""
    if HAS_UNFOLD:
        monkeypatch.setattr(UnfoldAdminSite, "each_context", each_context)


@contextmanager
def undrawn_pages() -> Iterator[None]:
    """Leaves pages empty, where their contexts alone are read."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TemplateResponse, "rendered_content", property(_draw_nothing))
        yield


@pytest.fixture
def undrawn() -> Iterator[None]:
    """Leaves pages empty, for tests that read their contexts alone."""
    with undrawn_pages():
        yield


def _draw_nothing(response: Any) -> str:
    facts = response.resolve_context(response.context_data)
    context = make_context(facts, response._request)
    template_rendered.send(sender=TemplateResponse, template=None, context=context)
    return ""


def _context_without_sidebar(site: Any, request: HttpRequest) -> dict[str, Any]:
    bare = site
    # A page whose queries are counted is drawn whole.
    if not connection.force_debug_cursor:
        bare = copy(site)
        bare.get_app_list = bare.get_sidebar_list = lambda *_: []
    return each_context(bare, request)


def _keep_page(
    store: Any, signal: Any, sender: Any, template: Any, context: Any, **options: Any
) -> None:
    """Keeps the contexts of pages for tests, without a copy for each widget."""
    if isinstance(context, RequestContext):
        keep_template(store, signal, sender, template, context, **options)
