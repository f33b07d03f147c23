"""Admin pages for rows that only services write, and pages that ask before they do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from unfold import forms as unfold

from affiliates.extending.admin import (
    AsksFirst,
    LookOnly,
    ModelAdmin,
    Question,
    TabularInline,
    ask_identity,
)


class UserCreationForm(unfold.UserCreationForm):  # type: ignore[misc] # unfold has no types
    pass


UserChangeForm = unfold.UserChangeForm


class AdminPasswordChangeForm(unfold.AdminPasswordChangeForm):  # type: ignore[misc] # unfold has no types
    """Says of the change that staff made it."""

    def save(self, commit: bool = True) -> Any:
        user = super().save(commit=False)
        if commit:
            user.save(is_by_staff=True)
        return user


def needs(permission: str) -> Callable[..., bool]:
    """The ``has_..._permission`` of an action for those who hold this permission."""
    return lambda admin, request, object_id=None: request.user.has_perm(permission)


class ReadOnlyAdmin(LookOnly, ModelAdmin):
    list_per_page = 50


class FormPages(AsksFirst):
    """Actions with money that ask first: a page with a note, a form and a button."""

    def describe(self, row: Any) -> str:
        """The row in a line, above the note."""
        return str(row)

    def form_page(
        self,
        request: HttpRequest,
        object_id: str,
        *,
        title: str,
        note: str,
        write: Callable[[Any, Any], str],
        form: forms.Form | None = None,
    ) -> HttpResponse:
        """Ask, then let the service write and say what it did or why it did not."""
        if asked := ask_identity(request):
            return asked
        row = self.row_of(request, object_id)
        question = Question(
            title=f"{title}: {self.opts.verbose_name} {row}",
            button=title,
            paragraphs=[self.describe(row), note],
            form=form,
            row=row,
        )
        return self.ask_or_do(request, question, lambda: write(row, form))


class ReadOnlyInline(LookOnly, TabularInline):
    extra = 0
    can_delete = False
    show_title = False
