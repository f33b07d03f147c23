from __future__ import annotations

from django.contrib import admin

from affiliates.brands.admin_tools import (
    ReadOnlyAdmin,
    client_email_path,
    client_link,
    moment,
)
from affiliates.referrals.models import ClientReferral


@admin.register(ClientReferral)
class ClientReferralAdmin(ReadOnlyAdmin):
    about = (
        "Clients who registered with a referral cookie, and the affiliate each of them "
        "is bound to."
    )
    list_display = ("bound", "client_email", "affiliate", "brand", "step")
    list_filter = ("brand", "step")
    list_select_related = ("client", "affiliate", "brand")
    search_fields = ("affiliate__code", client_email_path("client"))
    search_help_text = "Affiliate's code or the client's e-mail address"
    fieldsets = (
        ("Client", {"fields": (("client_email", "brand"), ("step", "bound"))}),
        ("Sent by", {"fields": (("affiliate", "clicked"), "click_id", "visitor_id")}),
    )

    @admin.display(description="Bound", ordering="id")
    def bound(self, referral: ClientReferral) -> str:
        return moment(referral.bound_at)

    @admin.display(description="Clicked")
    def clicked(self, referral: ClientReferral) -> str:
        return moment(referral.touched_at)

    @admin.display(description="Client")
    def client_email(self, referral: ClientReferral) -> str:
        return client_link(referral.client)
