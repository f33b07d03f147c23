"""The page that finds by one text whatever it may name."""

from __future__ import annotations

from typing import Any, ClassVar

from django import forms
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from affiliates.admin_tools import widgets
from affiliates.admin_tools.base import action, requires
from affiliates.desk.search.finding import find

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


class SearchPage:
    """Adds the page, and the button to it, to the list of brands."""

    actions_list: ClassVar[tuple[str, ...]] = ("search",)

    # Of what is found, each is shown to those who may look at it.
    has_search_permission = requires("affiliates.view_brand")

    @action(description="Search", url_path="search", permissions=["search"])
    def search(self, request: HttpRequest) -> HttpResponse:
        site: Any = self
        form = SearchForm(request.GET if "q" in request.GET else None)
        context: dict[str, Any] = {
            **site.admin_site.each_context(request),
            "title": "Search",
            "form": form,
        }
        if form.is_valid():
            context["groups"] = find(request, form.cleaned_data["q"])
        return TemplateResponse(request, PAGE, context)
