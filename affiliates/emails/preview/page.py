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
        brands = visible_to(request.user, Brand.objects.order_by("pk"))
        first = {"brand": brands.first(), "kind": "applied"}
        asked = {**first, "language": "en", **request.GET.dict()}
        form = SampleForm(asked)
        offer_visible(request.user, form.fields.values())
        return show_preview(self, request, form, title="What e-mails say")


def show_preview(
    page: Any,
    request: HttpRequest,
    form: forms.Form,
    *,
    title: str,
    **more: Any,
) -> HttpResponse:
    """``form`` asks for values of ``write_sample``; ``more`` are the others."""
    may_send = page.has_send_permission(request)
    sample = {**form.cleaned_data, **more} if form.is_valid() else {}
    if request.method == "POST" and may_send and sample:
        page.message_user(request, *_send(request, sample))
        return HttpResponseRedirect(request.get_full_path())
    context = {
        **page.admin_site.each_context(request),
        "title": title,
        "opts": page.opts,
        "form": form,
        "may_send": may_send,
        "address": address_of(request.user),
        **(_written(sample) if sample else {}),
    }
    response = TemplateResponse(request, TEMPLATE, context)
    if sample:
        logo = logo_url(sample["brand"])
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
