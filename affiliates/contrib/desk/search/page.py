"""The page that finds objects of all kinds by one text."""

from __future__ import annotations

from django import forms
from django.contrib import admin
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from affiliates.admin_tools import widgets
from affiliates.contrib.desk.search.finding import find

PAGE = "affiliates/admin/desk/search.html"


class SearchForm(forms.Form):
    q = forms.CharField(
        label="Search for",
        max_length=255,
        widget=widgets.TextInput,
        help_text="An invoice number, an order, a payment's, refund's or payout's reference, a "
        "client's e-mail address, an affiliate's code, a coupon, the address or hash "
        "of a link, the id of a click or visitor.",
    )


def show(request: HttpRequest, site: admin.AdminSite) -> HttpResponse:
    """Of what is found, each is shown to those who may look at it."""
    form = SearchForm(request.GET if "q" in request.GET else None)
    context = {**site.each_context(request), "title": "Search", "form": form}
    if form.is_valid():
        context["groups"] = find(request, form.cleaned_data["q"])
    return TemplateResponse(request, PAGE, context)
