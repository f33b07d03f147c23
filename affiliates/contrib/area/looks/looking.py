"""Leads staff to the area as the affiliate sees it, asked why first."""

from __future__ import annotations

from django import forms
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone

from affiliates.admin_tools.base import action, requires
from affiliates.admin_tools.confirmation import AsksFirst, Question, answer_of
from affiliates.admin_tools.forms import reason_field
from affiliates.contrib.area.looks.services import PERMISSION, ask_for_look


class LookForm(forms.Form):
    reason = reason_field("Kept with who looked, when and at which pages.")


class LooksAtArea(AsksFirst):
    """The action on the page of an affiliate."""

    has_look_permission = requires(PERMISSION)

    @action(description="See what it sees…", url_path="look", permissions=["look"])
    def look(self, request: HttpRequest, object_id: str) -> HttpResponse:
        affiliate = self.row_of(request, object_id)
        form = LookForm(answer_of(request))
        question = Question(
            title=f"See what {affiliate} sees?",
            button="Look",
            paragraphs=[
                "The affiliate's area opens for 15 minutes. Nothing can be changed "
                "there; keys and where payouts go are hidden."
            ],
            form=form,
            row=affiliate,
        )

        def look() -> HttpResponse:
            address = ask_for_look(
                affiliate,
                reason=form.cleaned_data["reason"],
                actor_id=request.user.pk,
                now=timezone.now(),
            )
            return HttpResponseRedirect(address)

        response = self.ask_or_do(request, question, look)
        # The form leads there.
        area = affiliate.brand.client_area_url()
        response.csp_sources = {"form-action": [area] if area else []}  # type: ignore[attr-defined] # for ContentPolicyMiddleware
        return response
