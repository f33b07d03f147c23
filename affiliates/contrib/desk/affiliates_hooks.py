"""Registers the job of the saved lists and the parts of health."""

from __future__ import annotations

from django.db.models import Q

from affiliates.admin_tools import visible
from affiliates.admin_tools.exports import LARGE_LIST_PAGES
from affiliates.brands.roles import register
from affiliates.contrib.desk.exports import services as exports
from affiliates.contrib.desk.system import health
from affiliates.privacy.erasure.registry import on_erasure
from affiliates.privacy.registry import declare
from affiliates.privacy.uses import WORK

__all__ = ["exports", "health"]

LARGE_LIST_PAGES.append("affiliates_desk_savedlist_make")

register("affiliates_desk", {})
on_erasure("affiliates_desk.SavedList", exports.remove_lists_of_all)
visible.register("affiliates_desk.SavedList", lambda staff, _: Q(asker=staff))

declare("affiliates_desk.LastBrand", {WORK: "person"})
declare(
    "affiliates_desk.SavedList",
    {WORK: "asker query url file"},
    other="site model file_format detail",
)
