"""The page that previews each kind of e-mail and sends a test to oneself."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.utils import timezone

from affiliates.admin_tools import widgets
from affiliates.admin_tools.base import action
from affiliates.admin_tools.visible import offer_visible, visible_to
from affiliates.brands.models.brand import Brand
from affiliates.core.language import LANGUAGES
from affiliates.emails.links import logo_url
from affiliates.emails.preview.sample import address_of, kinds, send_test, write_sample
from affiliates.errors import StateConflict
from affiliates.uploads.images import picture_origins

TEMPLATE = "affiliates/admin/email_texts.html"


class SampleForm(forms.Form):
    brand = forms.ModelChoiceField(Brand.objects.order_by("pk"), widget=widgets.Select)
    kind = forms.ChoiceField(choices=kinds, widget=widgets.Select)
    language = forms.ChoiceField(choices=list(LANGUAGES.items()), widget=widgets.Select)


class PreviewPage:
    """Adds the page, and the button to it, to the list of e-mails."""

    actions_list: ClassVar = ("texts",)

    @action(description="What they say", url_path="texts", permissions=["view"])
    def texts(self, request: HttpRequest) -> HttpResponse:
        site: Any = self
        brands = visible_to(request.user, Brand.objects.order_by("pk"))
        first = {"brand": brands.first(), "kind": "applied"}
        asked = {**first, "language": "en", **request.GET.dict()}
        form = SampleForm(asked)
        offer_visible(request.user, form.fields.values())
        may_send = site.has_send_permission(request)
        if request.method == "POST" and may_send and form.is_valid():
            site.message_user(request, *_send(request, form.cleaned_data))
            return HttpResponseRedirect(request.get_full_path())
        context = {
            **site.admin_site.each_context(request),
            "title": "What e-mails say",
            "opts": site.opts,
            "form": form,
            "may_send": may_send,
            "address": address_of(request.user),
            **(_written(form.cleaned_data) if form.is_valid() else {}),
        }
        response = TemplateResponse(request, TEMPLATE, context)
        if form.is_valid():
            logo = logo_url(form.cleaned_data["brand"])
            response.csp_sources = {"img-src": picture_origins(logo)}  # type: ignore[attr-defined] # for ContentPolicyMiddleware
        return response


def _written(asked: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"written": write_sample(**asked)}
    except Exception as fault:  # noqa: BLE001 - any error of a host's template
        return {"fault": f"{type(fault).__name__}: {fault}"}


def _send(request: HttpRequest, asked: dict[str, Any]) -> tuple[str, int]:
    """Returns the message and its level."""
    try:
        address = send_test(**asked, person=request.user, now=timezone.now())
    except StateConflict as refusal:
        return refusal.detail, messages.ERROR
    except Exception as fault:  # noqa: BLE001 - any error of a host's template
        return f"It cannot be written: {type(fault).__name__}.", messages.ERROR
    return f"A test is queued to {address}.", messages.SUCCESS
