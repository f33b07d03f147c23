"""Texts and images with the affiliate's own link, and files to download."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext_lazy as _

from affiliates.contrib.area.api.lists import one_of
from affiliates.contrib.area.api.promotion.creatives import CREATIVES, creatives_of
from affiliates.contrib.area.base import AreaPage
from affiliates.program.creative_models import Creative
from affiliates.program.models import Affiliate
from affiliates.uploads.files import stored_download

MAX_CHOICES = 100


class OwnLinkForm(forms.Form):
    """Which of the affiliate's latest links the snippets hold."""

    link = forms.ChoiceField(label=_("Link in the snippets"), required=False)

    def __init__(self, *args: Any, affiliate: Affiliate) -> None:
        super().__init__(*args)
        links = affiliate.links.filter(is_active=True).order_by("-pk")
        choices = links.values_list("pk", "name")[:MAX_CHOICES]
        field = self.fields["link"]
        field.choices = [("", _("Your short address")), *choices]  # type: ignore[attr-defined] # a ChoiceField


class CreativesPage(AreaPage):
    template_name = "affiliates/area/creatives.html"
    title = _("Creatives")
    section = "creatives"

    def get(self, request: HttpRequest) -> HttpResponseBase:
        page = self.rows(CREATIVES)
        self.pictures = [
            creative["image"] for creative in page["creatives"] if creative["image"]
        ]
        form = OwnLinkForm(request.GET, affiliate=self.affiliate)
        return self.page(form=form, found=page)


class CreativeFile(AreaPage):
    def get(self, request: HttpRequest, creative_id: int) -> HttpResponseBase:
        """Raises NotFound for another brand's, and for a creative without a file."""
        with_file = creatives_of(self.affiliate).exclude(file="")
        creative: Creative = one_of(creative_id, with_file)
        return stored_download(creative.file, name=creative.file_name)
