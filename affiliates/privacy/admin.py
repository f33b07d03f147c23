"""Exports what is stored of an affiliate or a client, from its page."""

from __future__ import annotations

from typing import Any, ClassVar

from django.contrib.auth import get_user_model
from django.core.exceptions import PermissionDenied, ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.urls import URLPattern, path
from django.utils import timezone
from django.utils.cache import add_never_cache_headers

from affiliates.adapter import get_adapter
from affiliates.admin_tools.base import action, requires
from affiliates.admin_tools.confirmation import AsksFirst, Question
from affiliates.admin_tools.theme import register_page
from affiliates.admin_tools.visible import visible_to
from affiliates.brands.models.brand import Brand
from affiliates.membership.admin import AffiliatePage
from affiliates.membership.client_admin import ClientPage
from affiliates.privacy.export import archive_of, export_of
from affiliates.privacy.selectors import Subject, subject_of
from affiliates.program.models import Affiliate
from affiliates.referrals.models import ClientReferral

EXPORTED = "Exported what is stored of the person."


class ExportsPerson(AsksFirst):
    log_change: Any

    has_export_person_permission = requires("affiliates.export_person")

    def user_of(self, row: Any) -> Any:
        raise NotImplementedError

    @action(
        description="Export personal data…",
        url_path="personal-data",
        permissions=["export_person"],
    )
    def export_person(self, request: HttpRequest, object_id: str) -> HttpResponse:
        row = self.row_of(request, object_id)
        return self.ask_for_export(request, self.user_of(row), row)

    def ask_for_export(
        self, request: HttpRequest, user: Any, row: Any = None
    ) -> HttpResponse:
        """``row`` is the page to which Cancel leads."""
        subject, email = person_of_account(request, user)
        question = Question(
            title=f"Export what is stored of {email or user}?",
            button="Download",
            paragraphs=[
                "A ZIP archive with a page to read and the same as JSON. Give it to that "
                "person alone, once you know who is asking. That you exported it is "
                "recorded."
            ],
            row=row,
        )

        def write() -> HttpResponse:
            now = timezone.now()
            archive = archive_of(export_of([subject], email=email, now=now))
            self.log_change(request, row or user, EXPORTED)
            answer = HttpResponse(archive, content_type="application/zip")
            answer["Content-Disposition"] = 'attachment; filename="personal-data.zip"'
            add_never_cache_headers(answer)
            return answer

        return self.ask_or_do(request, question, write)


def person_of_account(request: HttpRequest, user: Any) -> tuple[Subject, str]:
    """The person of this account. A guest has not proved to own an address."""
    client = get_adapter().get_client(str(user.pk))
    if client is None:
        email = str(getattr(user, user.get_email_field_name(), ""))
        return subject_of([user], brand=None, email=email), email
    brand = visible_to(request.user, Brand.objects.filter(pk=client.brand_id)).first()
    if brand is None:
        raise Http404
    email = "" if client.is_guest else client.email
    return subject_of([user], brand=brand, email=email), email


def account_of(request: HttpRequest, user_id: str) -> Any:
    """The account, if the member of staff may see it. Raises Http404."""
    try:
        users = get_user_model()._base_manager.filter(pk=user_id)
        user = visible_to(request.user, users).first()
    except (ValidationError, ValueError):
        user = None
    if user is None:
        raise Http404
    return user


@register_page(Affiliate)
class AffiliateDataPage(ExportsPerson, AffiliatePage):
    actions_detail: ClassVar = (*AffiliatePage.actions_detail, "export_person")

    def user_of(self, row: Any) -> Any:
        return row.user

    def get_urls(self) -> list[URLPattern]:
        """With a page for any account, for a host's own pages to link to."""
        view = self.admin_site.admin_view(self.export_account)
        name = "affiliates_export_account"
        return [
            path("personal-data-of/<str:user_id>/", view, name=name),
            *super().get_urls(),
        ]

    def export_account(self, request: HttpRequest, user_id: str) -> HttpResponse:
        if not self.has_export_person_permission(request):
            raise PermissionDenied
        return self.ask_for_export(request, account_of(request, user_id))


@register_page(ClientReferral)
class ClientDataPage(ExportsPerson, ClientPage):
    actions_detail: ClassVar[tuple[str, ...]] = (
        *ClientPage.actions_detail,
        "export_person",
    )

    def user_of(self, row: Any) -> Any:
        return row.client
