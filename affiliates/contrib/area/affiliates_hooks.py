"""Registers the ways into an affiliate's account: keys, and looks of staff."""

from __future__ import annotations

from django.urls import URLResolver
from django.urls.resolvers import RoutePattern

from affiliates.api.descriptions import HAS_OPENAPI
from affiliates.api.registry import ROUTES
from affiliates.brands.roles import OPERATOR, SUPPORT, Work, register
from affiliates.contrib.area.keys import services as keys
from affiliates.contrib.area.looks import services as looks
from affiliates.operations.health.urls import PAGES
from affiliates.privacy.registry import declare
from affiliates.privacy.types import Key, Person
from affiliates.privacy.uses import ACCESS, ACT, PROGRAM

__all__ = ["keys", "looks"]

if HAS_OPENAPI:
    from affiliates.contrib.area.api import scheme  # noqa: F401 - registers itself

PAGES.append("affiliates.contrib.area.urls")
# By name: apps over the area extend its endpoints before their paths are made.
ROUTES.append(
    URLResolver(RoutePattern("api/affiliate/"), "affiliates.contrib.area.api.urls")
)
looks.watch_logouts()

register(
    "affiliates_area",
    {
        role: Work(does=("add_arealook", "change_affiliatekey"))
        for role in (OPERATOR, SUPPORT)
    },
)

OF_AFFILIATE = {Person.AFFILIATE: {"affiliate": Key.AFFILIATE}}
declare(
    "affiliates_area.AffiliateKey",
    {PROGRAM: "name scopes", ACCESS: "digest hint"},
    of=OF_AFFILIATE,
    deletes={Person.AFFILIATE},
)
declare(
    "affiliates_area.AreaLook", {PROGRAM: "pages", ACT: "actor reason"}, of=OF_AFFILIATE
)
