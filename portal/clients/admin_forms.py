"""Forms of a client's or staff member's page."""

from __future__ import annotations

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils.html import format_html

from affiliates.extending.admin import widgets
from portal.admin_tools import UserChangeForm, UserCreationForm
from portal.clients.models import MAX_REASON_LENGTH, User

STAFF_FIELDS = ("is_staff", "is_superuser", "groups", "user_permissions")
LETS_IN = frozenset({"email", *STAFF_FIELDS})


class UserAddForm(UserCreationForm):
    class Meta:
        model = User
        fields = ("brand", "email", "firstname", "lastname", "is_staff")


class UserPageForm(UserChangeForm):  # type: ignore[misc] # unfold has no types
    # The page that confirms the identity, unless it is confirmed.
    asked: str | None = None

    def clean(self) -> dict[str, Any]:
        data: dict[str, Any] = super().clean()
        if self.asked and not LETS_IN.isdisjoint(self.changed_data):
            raise ValidationError(
                format_html(
                    'This change lets others in: <a href="{}" target="_blank">confirm that '
                    "it is you</a> on a page of its own, then save here again.",
                    reverse("admin-confirm"),
                )
            )
        return data


class RemoveFactorForm(forms.Form):
    reason = forms.CharField(
        max_length=MAX_REASON_LENGTH,
        widget=widgets.TextInput,
        help_text="How the client proved who they are. Kept in the history.",
    )
