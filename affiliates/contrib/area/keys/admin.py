from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.utils import timezone

from affiliates.admin_tools.base import ReadOnlyAdmin, requires
from affiliates.admin_tools.columns import column, moment, page_link, row_column
from affiliates.admin_tools.decisions import Chosen, Decides, StaffDecision
from affiliates.admin_tools.lists import search
from affiliates.admin_tools.theme import register_page
from affiliates.contrib.area.keys.models import AffiliateKey
from affiliates.contrib.area.keys.services import revoke_key


def _revoke(chosen: Chosen, answers: Mapping[str, Any]) -> None:
    key = chosen.row
    revoke_key(key_id=key.pk, affiliate_id=key.affiliate_id, now=timezone.now())
    chosen.page.message_user(chosen.request, "The key no longer works.")


@register_page(AffiliateKey)
class AffiliateKeyAdmin(Decides, ReadOnlyAdmin):
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

    revoke = StaffDecision(
        name="revoke",
        permission="revoke",
        title="Revoke this key?",
        button="Revoke",
        paragraphs=["It opens nothing any more from then on, for good."],
        write=_revoke,
    ).on_row("Revoke")
