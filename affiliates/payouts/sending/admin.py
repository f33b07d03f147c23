from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.decorators import method_decorator
from django.views.decorators.debug import sensitive_post_parameters

from affiliates.admin_tools.base import KeptWhileUsed, ModelAdmin, display
from affiliates.admin_tools.columns import moment, row_column
from affiliates.admin_tools.decisions import Chosen, Decides, StaffDecision
from affiliates.admin_tools.forms import ModelForm
from affiliates.admin_tools.theme import register_page
from affiliates.payouts.providers.registry import SENDERS
from affiliates.payouts.providers.sender import PayoutSender
from affiliates.payouts.sending.decisions import release_account
from affiliates.payouts.sending.forms import PayoutAccountForm
from affiliates.payouts.sending_models import PayoutAccount
from affiliates.tracking.provider_form import form_for

ABOUT = (
    "A payout account sends approved payouts by itself, instead of a file that a person "
    "takes to the provider. Without one, the file stays."
)


def _compared(chosen: Chosen, answers: Mapping[str, Any]) -> None:
    release_account(chosen.row.pk)
    chosen.report("New payouts are sent again.", is_success=True)


@register_page(PayoutAccount)
class PayoutAccountAdmin(KeptWhileUsed, Decides, ModelAdmin):
    instead = "Switch it off instead: payouts are written to a file again."
    about = "Accounts from which payouts are sent by themselves."
    nothing_yet = "Add one to send payouts without a file."
    list_display = ("brand", "provider_name", "address", "is_on", "held")
    list_select_related = ("brand",)
    readonly_fields = ("provider_name", "held")
    actions_detail: ClassVar = ("compared",)
    warn_unsaved_form = True

    compared = StaffDecision(
        name="compared",
        permission="change",
        title="Have you compared?",
        button="Send again",
        paragraphs=[
            "The database was restored, and payouts that it does not know may have been "
            "sent since its backup. Compare the provider's list with the payouts here, "
            "and confirm or reject those that differ. Then new payouts are sent again."
        ],
        write=_compared,
        is_open=lambda account: account.held_since is not None,
        is_late=lambda account: "Nothing is held.",
    ).on_row("Compared after the restore…")

    held = row_column(
        "Held since",
        lambda row: moment(row.held_since) if row.held_since else "-",
    )
    provider_name = row_column("Provider", lambda row: row.provider_name)

    @display(description="Active", label={"On": "success", "Off": "default"})
    def is_on(self, account: PayoutAccount) -> str:
        return "On" if account.is_active else "Off"

    @method_decorator(sensitive_post_parameters())
    def changeform_view(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        return super().changeform_view(request, *args, **kwargs)

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: Any = None
    ) -> HttpResponse:
        is_chosen = _sender_for(request, None) is not None
        if is_chosen or not self.has_add_permission(request):
            page: HttpResponse = super().add_view(request, form_url, extra_context)
            return page
        context = {
            **self.admin_site.each_context(request),
            "title": "Which provider?",
            "about": ABOUT,
            "adapters": SENDERS.values(),
            "opts": self.opts,
        }
        return TemplateResponse(
            request, "affiliates/admin/choose_provider.html", context
        )

    def get_readonly_fields(
        self, request: HttpRequest, obj: PayoutAccount | None = None
    ) -> tuple[str, ...]:
        return self.readonly_fields if obj is None else ("brand", *self.readonly_fields)

    def get_form(
        self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any
    ) -> Any:
        sender = _sender_for(request, obj)
        form = ModelForm if sender is None else form_for(PayoutAccountForm, sender)
        return super().get_form(request, obj, change, **{**kwargs, "form": form})

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        sender = _sender_for(request, obj)
        if sender is None:
            return [(None, {"fields": ("brand", *self.readonly_fields)})]
        names = [field.name for field in sender.fields]
        common = ["brand", "is_active", "address"]
        sections = [
            (sender.name, {"fields": common, "description": sender.about}),
            ("Credentials", {"fields": names}),
        ]
        if obj is not None:
            sections.append(("State", {"fields": ["held"]}))
        return sections

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        # An account of an app that is not installed can only be viewed.
        provider = getattr(obj, "provider", None)
        is_known = provider is None or provider in SENDERS
        return is_known and bool(super().has_change_permission(request, obj))


def _sender_for(
    request: HttpRequest, account: PayoutAccount | None
) -> PayoutSender | None:
    code = account.provider if account else request.GET.get("provider", "")
    return SENDERS.get(code)
