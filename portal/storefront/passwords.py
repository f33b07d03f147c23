"""A forgotten password: asking for a link, and the page that it leads to."""

from __future__ import annotations

from functools import partial

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils import timezone
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_safe
from rest_framework.exceptions import Throttled
from rest_framework.request import Request

from affiliates.errors import InvalidInput
from portal.clients.login_limits import forgive_tries
from portal.clients.models import MAX_EMAIL_LENGTH
from portal.clients.password_reset import client_of, request_reset, reset_password
from portal.clients.sessions import require_rate
from portal.clients.validators import MAX_PASSWORD_LENGTH
from portal.storefront.account import too_many
from portal.storefront.hosts import brand_of, origin_of
from portal.storefront.views import page, require_storefront


class ForgottenForm(forms.Form):
    email = forms.CharField(max_length=MAX_EMAIL_LENGTH)


class NewPasswordForm(forms.Form):
    password = forms.CharField(max_length=MAX_PASSWORD_LENGTH, strip=False)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def forgotten(request: HttpRequest) -> HttpResponse:
    require_storefront(request)
    form = ForgottenForm(request.POST if request.method == "POST" else None)
    show = partial(page, request, "password_forgotten", form=form)
    if not form.is_bound:
        return show()
    if not form.is_valid():
        return show(status=400)
    try:
        require_rate(request)
    except Throttled as refusal:
        return too_many(refusal, form, show)
    request_reset(
        brand_id=brand_of(request),
        email=form.cleaned_data["email"],
        origin=origin_of(request),
        language=get_language() or settings.LANGUAGE_CODE,
        now=timezone.now(),
    )
    return HttpResponseRedirect("/password-reset/sent")


@require_safe
def sent(request: HttpRequest) -> HttpResponse:
    """The same for every address."""
    require_storefront(request)
    return page(request, "password_sent")


@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest, token: str) -> HttpResponse:
    """Where the link in the e-mail leads. Only sending the form uses the link up."""
    require_storefront(request)
    brand_id = brand_of(request)
    form = NewPasswordForm(request.POST if request.method == "POST" else None)
    show = partial(page, request, "password_new", form=form)
    ended = partial(page, request, "password_link_ended", status=404)
    if client_of(token, brand_id=brand_id) is None:
        return ended()
    if not form.is_bound:
        return show()
    if not form.is_valid():
        return show(status=400)
    try:
        require_rate(request)
        client = reset_password(token=token, brand_id=brand_id, **form.cleaned_data)
    except Throttled as refusal:
        return too_many(refusal, form, show)
    except InvalidInput as refusal:
        if refusal.field != "password":
            return ended()
        form.add_error("password", refusal.detail)
        return show(status=400)
    forgive_tries(Request(request), brand_id=brand_id, email=client.email)
    return HttpResponseRedirect("/login?new-password")
