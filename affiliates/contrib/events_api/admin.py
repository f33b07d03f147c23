from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django import forms
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.views.decorators.debug import sensitive_variables

from affiliates.admin_tools import widgets
from affiliates.admin_tools.base import ReadOnlyAdmin, requires
from affiliates.admin_tools.columns import column, moment, row_column
from affiliates.admin_tools.decisions import Chosen, Decides, StaffDecision
from affiliates.admin_tools.forms import ModelForm
from affiliates.admin_tools.lists import search
from affiliates.admin_tools.theme import register_page
from affiliates.contrib.events_api import services
from affiliates.contrib.events_api.models import BrandKey
from affiliates.contrib.events_api.rules import BrandScope, read_cap

ASKED = ("brand", "name", "scopes", "is_signed", "cap", "currency")
HISTORY = ("hint", "made", "made_by", "used", "ended")


class BrandKeyForm(ModelForm):
    scopes = forms.MultipleChoiceField(
        choices=BrandScope.choices, widget=widgets.CheckboxSelectMultiple
    )

    is_signed = forms.BooleanField(
        label="Bodies are signed",
        required=False,
        widget=widgets.Switch,
        help_text="A stolen key then reports nothing. Lists are read without a signature.",
    )

    cap = forms.CharField(
        label="Commission a day",
        required=False,
        widget=widgets.TextInput,
        help_text="Above it, commissions are held for you. Empty: no limit.",
    )
    currency = forms.CharField(
        label="Its currency", required=False, max_length=3, widget=widgets.TextInput
    )

    class Meta:
        model = BrandKey
        fields: ClassVar = ASKED[:3]
        help_texts: ClassVar = {"name": "Which program uses it."}

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        cap, currency = cleaned.get("cap", ""), cleaned.get("currency", "")
        if cap or currency:
            self.instance.daily_cap = read_cap(cap, currency)
            self.instance.cap_currency = currency
            if self.instance.daily_cap is None:
                self.add_error("cap", "Enter an amount and its currency, such as EUR.")
        return cleaned


def _revoke(chosen: Chosen, answers: Mapping[str, Any]) -> str:
    services.revoke_brand_key(chosen.row, now=timezone.now())
    return "The key no longer works."


@register_page(BrandKey)
class BrandKeyAdmin(Decides, ReadOnlyAdmin):
    """A key is made and revoked, and never changed."""

    about = "Keys of other systems that report events, or read lists, by HTTP."
    nothing_yet = "Add one for each system that is to call."
    form = BrandKeyForm
    list_display = ("name", "brand", "hint", "may", "used", "ended")
    list_select_related = ("brand",)
    list_filter = ("brand",)
    search_fields = (search.containing("name"), search.exactly("hint"))
    actions_detail: ClassVar = ("revoke",)
    readonly_fields = ("may", "signed", "capped", *HISTORY)
    has_revoke_permission = requires("affiliates_events_api.change_brandkey")

    may = row_column("Scopes", lambda row: ", ".join(row.scopes))
    signed = row_column("Bodies are signed", lambda row: row.is_signed, boolean=True)
    capped = row_column("Commission a day", lambda row: row.cap_text or "-")
    made = row_column("Made", lambda row: moment(row.created_at))
    used = column("last_used_at", "Last used", show=moment)
    ended = column("ended_at", "Ended", show=moment)

    revoke = StaffDecision(
        name="revoke",
        permission="revoke",
        title="Revoke this key?",
        button="Revoke",
        paragraphs=["Calls with it are refused from then on, for good."],
        is_open=lambda row: row.ended_at is None,
        write=_revoke,
    ).on_row("Revoke")

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.has_perm("affiliates_events_api.add_brandkey"))

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        fields = (
            [*ASKED]
            if obj is None
            else ["name", "brand", "may", "signed", "capped", *HISTORY]
        )
        return [(None, {"fields": fields})]

    @sensitive_variables()
    def save_model(
        self, request: HttpRequest, obj: Any, form: Any, change: bool
    ) -> None:
        # Read by response_add, which Django calls with this same request.
        request.given_key = services.give_brand_key(  # type: ignore[attr-defined]
            obj,
            is_signed=form.cleaned_data["is_signed"],
            actor_id=request.user.pk,
            now=timezone.now(),
        )

    @sensitive_variables()
    def response_add(
        self, request: HttpRequest, obj: BrandKey, post_url_continue: Any = None
    ) -> HttpResponse:
        """Shows the key in this answer only: no message, session or page has it."""
        context = {
            **self.admin_site.each_context(request),
            "title": "The brand's key",
            "opts": self.opts,
            "key": obj,
            "given": request.given_key,  # type: ignore[attr-defined]
        }
        page = "affiliates/admin/brand_key.html"
        answer = TemplateResponse(request, page, context)
        add_never_cache_headers(answer)
        return answer
