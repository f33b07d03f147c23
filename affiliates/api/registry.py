"""Paths that apps beside the core add to ``affiliates.api.urls``."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver

ROUTES: list[URLPattern | URLResolver] = []
