"""The affiliate's links: what came by each, making, trying and changing them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any
from urllib.parse import urlencode, urljoin

from django import forms
from django.contrib import messages
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from affiliates.brands.selectors import site_of
from affiliates.contrib.area.api.promotion.figures import open_days_of, part_figures
from affiliates.contrib.area.api.promotion.links import (
    LINKS,
    link_data,
    link_of,
    link_rows,
)
from affiliates.contrib.area.base import AreaPage, back_to, done_by
from affiliates.contrib.area.earnings.results import COLUMNS, OF_LINKS
from affiliates.contrib.area.qr_codes import HAS_QR_CODES, SubIdForm
from affiliates.contrib.recruitment.selectors import recruits_of
from affiliates.contrib.statistics.open_days import OpenDays
from affiliates.contrib.statistics.types import ADDRESS_KEY, Dimension
from affiliates.program.models import AffiliateLink
from affiliates.program.services import change_link, create_link
from affiliates.visits.decision import VisitDecision
from affiliates.visits.preview import preview_link


class LinkForm(forms.Form):
    name = forms.CharField(
        label=_("Name"),
        max_length=100,
        help_text=_("For you alone, such as: Blog footer."),
    )
    target_url = forms.CharField(
        label=_("Page it leads to"),
        max_length=2048,
        required=False,
        widget=forms.TextInput(
            attrs={
                "inputmode": "url",
                "autocomplete": "off",
                # What is wrong may come later, by htmx.
                "aria-describedby": "id_target_url_helptext id_target_url_error",
            }
        ),
        help_text=_(
            "A page such as /plans, or a whole address. Empty: the usual first page."
        ),
    )
    slug = forms.CharField(
        label=_("Name in the address"),
        max_length=32,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off", "autocapitalize": "none"}),
        help_text=_(
            "Such as summer: the address then ends in /aff/summer. Empty: a long code. "
            "A name cannot be changed or taken back later."
        ),
    )


class LinkChangeForm(LinkForm):
    is_active = forms.BooleanField(
        label=_("Switched on"),
        required=False,
        help_text=_("A link that is off leads to the start page and earns nothing."),
    )


class LinkFilterForm(forms.Form):
    is_active = forms.ChoiceField(
        label=_("Show"),
        required=False,
        choices=[
            ("", _("All links")),
            ("true", _("Switched on")),
            ("false", _("Switched off")),
        ],
    )
    ordering = forms.ChoiceField(
        label=_("Sort by"),
        required=False,
        choices=[
            ("", _("Newest first")),
            ("id", _("Oldest first")),
            ("name", _("Name")),
        ],
    )


class LinksPage(AreaPage):
    template_name = "affiliates/area/links.html"
    title = _("Links")
    section = "links"

    def get(self, request: HttpRequest) -> HttpResponseBase:
        recruits = recruits_of(self.affiliate, at=timezone.now())
        address = reverse("affiliates_area:program")
        open_days = open_days_of(self.affiliate, Dimension.LINK)
        links = replace(LINKS, rows=partial(link_rows, open_days=open_days))
        is_filtered = bool(self.asked().keys() - {"page"})
        return self.page(
            form=LinkFilterForm(request.GET),
            found=self.rows(links),
            columns=OF_LINKS,
            own=None
            if self.affiliate.has_left or is_filtered
            else self._own_figures(open_days),
            recruits=self.brand.terms.own_program and recruits,
            recruiting_url=f"{site_of(request)}{address}?by={self.affiliate.code}",
        )

    def _own_figures(self, open_days: OpenDays) -> dict[str, Any]:
        """Results of the affiliate's own address, which is no link."""
        by_key = part_figures(self.affiliate, [ADDRESS_KEY], Dimension.LINK, open_days)
        return by_key[ADDRESS_KEY]


class TriedPage(AreaPage):
    """A page with a form of a link, which can be tried before it is done."""

    section = "links"

    def try_link(self, values: Mapping[str, Any]) -> VisitDecision | None:
        """Where a visitor would land. Raises what the services would."""
        fields = {**self.completed(values), "slug": ""}
        link = AffiliateLink(affiliate=self.affiliate, **fields)
        link.full_clean(exclude=() if link.name else ("name",))
        return preview_link(link, brand=self.brand)

    def completed(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """With a path such as /plans as a page of the brand's default address."""
        target = values["target_url"]
        if target.startswith("/") and not target.startswith("//"):
            target = urljoin(self.brand.default_redirect_url, target)
        return {**values, "target_url": target}

    def tried(self, form: LinkForm, **context: Any) -> HttpResponseBase:
        # The address can be judged before the link has a name.
        form.fields["name"].required = False
        trial = done_by(form, self.try_link)
        form.fields["name"].required = True
        status = 400 if form.errors else 200
        return self.page(status=status, form=form, trial=trial, **context)


class NewLinkPage(TriedPage):
    template_name = "affiliates/area/new_link.html"
    title = _("New link")

    def get(self, request: HttpRequest) -> HttpResponseBase:
        return self.page(form=LinkForm(initial=request.GET.dict()))

    def post(self, request: HttpRequest) -> HttpResponseBase:
        form = LinkForm(request.POST)
        if "try" in request.POST:
            return self.tried(form)
        link = done_by(
            form,
            lambda values: create_link(
                affiliate_id=self.affiliate.pk, **self.completed(values)
            ),
        )
        if link is None:
            return self.page(form=form, status=400)
        messages.success(request, gettext("The link is made: share its address."))
        return back_to("link", link.pk)


class LinkPage(TriedPage):
    template_name = "affiliates/area/link.html"
    title = _("Link")

    def get(self, request: HttpRequest, link_id: int) -> HttpResponseBase:
        link = link_of(self.affiliate, link_id)
        return self.page(form=self._form(link), **self._shown(link))

    def post(self, request: HttpRequest, link_id: int) -> HttpResponseBase:
        link = link_of(self.affiliate, link_id)
        form = self._form(link, request.POST)
        if "try" in request.POST:
            return self.tried(form, **self._shown(link))
        changed = done_by(
            form,
            lambda values: change_link(
                link_id=link_id,
                affiliate_id=self.affiliate.pk,
                changes=self.completed(values),
            ),
        )
        if changed is None:
            return self.page(form=form, status=400, **self._shown(link))
        messages.success(request, gettext("The link is changed."))
        return back_to("link", link_id)

    def _form(self, link: AffiliateLink, posted: Any = None) -> LinkChangeForm:
        form = LinkChangeForm(posted, initial=forms.model_to_dict(link))
        if link.slug:
            del form.fields["slug"]
        return form

    def _shown(self, link: AffiliateLink) -> dict[str, Any]:
        sub_form = SubIdForm(self.request.GET)
        sub_ids = sub_form.given()
        return {
            "title": link.name,
            "link": link_data(self.affiliate, link, sub_ids),
            "landing": preview_link(link, brand=self.brand),
            "sub_form": sub_form,
            "sub_query": urlencode(sub_ids),
            "has_qr_codes": HAS_QR_CODES,
            "columns": COLUMNS,
        }
