"""Shows a form again as it was typed if the session ended before it was sent.

``drafts.js`` keeps the values in the tab and sends them once the person is back.
"""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

SHOWN_AGAIN = "_shown_again"
NOT_SAVED_YET = (
    "You were asked who you are before this was saved. What you entered is here again: "
    "check it and save."
)


def is_shown_again(request: HttpRequest) -> bool:
    """Whether the values come from the script, to be shown and not to be saved."""
    return SHOWN_AGAIN in request.POST


def form_shown_again(form_class: Any, request: HttpRequest) -> Any:
    """Returns the form class; of values to be shown again one that is never valid."""
    if not is_shown_again(request):
        return form_class
    attributes = {"__module__": form_class.__module__}
    return type(form_class.__name__, (ShownAgainForm, form_class), attributes)


class ShownAgainForm:
    """Mixed into a ModelForm."""

    def _clean_form(self) -> None:
        form: Any = self
        super()._clean_form()  # type: ignore[misc] # ModelForm's
        form.add_error(None, NOT_SAVED_YET)
