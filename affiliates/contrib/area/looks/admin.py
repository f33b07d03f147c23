from __future__ import annotations

from typing import ClassVar

from django.contrib import admin
from django.utils.html import format_html_join

from affiliates.admin_tools.base import ReadOnlyAdmin
from affiliates.admin_tools.columns import column, moment, page_link, row_column
from affiliates.admin_tools.lists import search
from affiliates.admin_tools.lists.filters import DaysFilter
from affiliates.admin_tools.theme import register_page
from affiliates.contrib.area.looks.looking import LooksAtArea
from affiliates.contrib.area.looks.models import AreaLook
from affiliates.contrib.recruitment.admin import ApplicantPage
from affiliates.program.models import Affiliate


@register_page(AreaLook)
class AreaLookAdmin(ReadOnlyAdmin):
    about = "Who of staff looked at an affiliate's area, newest first."
    nothing_yet = "A row appears when somebody asks to see what an affiliate sees."
    list_display = ("asked", "who", "of", "why", "began", "ended", "page_count")
    list_filter: ClassVar = (("asked_at", DaysFilter), "affiliate__brand")
    list_select_related = ("affiliate__brand", "actor")
    list_display_links = ("asked",)
    search_fields = (search.affiliates(),)
    search_help_text = "The affiliate's code"
    fields = (("who", "of"), "why", ("asked", "began", "ended"), "seen")

    who = row_column("Who", lambda look: str(look.actor or "-"))
    of = column("affiliate", "Affiliate", show=page_link)
    why = row_column("Reason", lambda look: look.reason)
    asked = column("asked_at", "Asked for", show=moment, ordering="id")
    began = row_column("Begun", lambda look: moment(look.started_at))
    ended = row_column("Ended, or ends", lambda look: moment(look.ends_at))
    page_count = row_column("Pages", lambda look: len(look.pages))

    @admin.display(description="Pages")
    def seen(self, look: AreaLook) -> str:
        return format_html_join("", "<div>{}</div>", ((page,) for page in look.pages))


@register_page(Affiliate)
class LookPage(LooksAtArea, ApplicantPage):
    actions_detail = (*ApplicantPage.actions_detail, "look")
