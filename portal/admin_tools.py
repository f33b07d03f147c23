"""Admin pages for rows that only services write, and pages that ask before they do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.http import (
    Http404,
    HttpRequest,
    HttpResponse,
    HttpResponseRedirect,
    QueryDict,
)
from django.template.response import TemplateResponse
from django.urls import reverse
from unfold import forms as unfold

from affiliates.admin_tools.base import LookOnly, ModelAdmin, TabularInline
from affiliates.errors import AffiliatesError


class UserCreationForm(unfold.UserCreationForm):  # type: ignore[misc] # unfold has no types
    pass


UserChangeForm = unfold.UserChangeForm
AdminPasswordChangeForm = unfold.AdminPasswordChangeForm


class ReadOnlyAdmin(LookOnly, ModelAdmin):
    show_full_result_count = False
    list_per_page = 50


class ConfirmForm(forms.Form):
    """Nothing but the button."""


class FormPages:
    """Actions that ask first: a page with a note, a form and a button."""

    def describe(self, row: Any) -> str:
        """The row in a line, above the note."""
        return str(row)

    def form_page(
        self: Any,
        request: HttpRequest,
        object_id: str,
        *,
        title: str,
        note: str,
        form: forms.Form,
        write: Callable[[Any, forms.Form], str],
    ) -> HttpResponse:
        """Ask, then let the service write and say what it did or why it did not."""
        row = self.get_object(request, object_id)
        if row is None:
            raise Http404
        page = reverse(f"admin:portal_{self.opts.model_name}_change", args=[row.pk])
        if request.method == "POST" and form.is_valid():
            try:
                done = write(row, form)
            except AffiliatesError as error:
                form.add_error(
                    error.field if error.field in form.fields else None, error.detail
                )
            else:
                self.message_user(request, done, messages.SUCCESS)
                return HttpResponseRedirect(page)
        context: dict[str, Any] = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "title": f"{title}: {self.opts.verbose_name} {row}",
            "original": row,
            "summary": self.describe(row),
            "note": note,
            "form": form,
            "submit_label": title,
            "page": page,
        }
        return TemplateResponse(request, "admin/portal/action.html", context)


def sent(request: HttpRequest) -> QueryDict | None:
    return request.POST if request.method == "POST" else None


class ReadOnlyInline(LookOnly, TabularInline):
    extra = 0
    can_delete = False
    hide_title = True
