from __future__ import annotations

from typing import ClassVar

from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from affiliates.admin_tools.base import ReadOnlyAdmin, action, requires
from affiliates.admin_tools.columns import column, moment, page_link, row_column
from affiliates.admin_tools.confirmation import AsksFirst, Question
from affiliates.admin_tools.lists import search
from affiliates.contrib.area.keys.models import AffiliateKey
from affiliates.contrib.area.keys.services import revoke_key


@admin.register(AffiliateKey)
class AffiliateKeyAdmin(AsksFirst, ReadOnlyAdmin):
    about = "The keys by which affiliates' own tools use the API, newest first."
    nothing_yet = (
        "A row appears when an affiliate makes a key. The key is kept nowhere."
    )
    list_display = ("name", "of", "hint", "may", "expires", "used", "end")
    list_select_related = ("affiliate",)
    search_fields = (search.exactly("hint"), search.affiliates())
    search_help_text = "How the key begins, or the affiliate's code"
    actions_detail: ClassVar = ("revoke",)
    fields = (
        ("name", "of"),
        ("hint", "may"),
        ("created", "expires"),
        ("used", "ended", "end"),
    )
    has_revoke_permission = requires("affiliates_area.change_affiliatekey")

    of = column("affiliate", "Affiliate", show=page_link)
    may = row_column("Scopes", lambda row: ", ".join(row.scopes))
    created = row_column("Made", lambda row: moment(row.created_at))
    expires = row_column("Expires", lambda row: moment(row.expires_at))
    used = row_column("Last used", lambda row: moment(row.last_used_at))
    ended = row_column("Ended", lambda row: moment(row.ended_at))

    @action(description="Revoke", url_path="revoke", permissions=["revoke"])
    def revoke(self, request: HttpRequest, object_id: str) -> HttpResponse:
        key = self.row_of(request, object_id)
        question = Question(
            title="Revoke this key?",
            button="Revoke",
            paragraphs=["It opens nothing any more from then on, for good."],
            row=key,
        )
        return self.ask_or_do(request, question, lambda: self._revoke(request, key))

    def _revoke(self, request: HttpRequest, key: AffiliateKey) -> None:
        revoke_key(key_id=key.pk, affiliate_id=key.affiliate_id, now=timezone.now())
        self.message_user(request, "The key opens nothing any more.")
