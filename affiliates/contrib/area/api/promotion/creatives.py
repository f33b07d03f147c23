"""/api/affiliate/creatives: texts, images and files of the brand for its affiliates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.db.models import QuerySet
from django.http.response import HttpResponseBase
from django.urls import NoReverseMatch, reverse
from django.utils.html import format_html
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.api.serializers import answer_of, read
from affiliates.contrib.area.api.base import (
    AffiliateViewSet,
    MomentField,
    OrderingField,
    PageField,
    PageQuerySerializer,
    affiliate_of,
    described,
)
from affiliates.contrib.area.api.lists import Listing, Query, Rows, one_of, wants
from affiliates.contrib.area.api.promotion.links import link_of
from affiliates.contrib.area.keys.rules import Scope
from affiliates.program.creative_models import Creative
from affiliates.program.models import Affiliate
from affiliates.uploads.files import stored_download
from affiliates.uploads.images import picture_url


class CreativeQuerySerializer(PageQuerySerializer):
    ordering = OrderingField("-id", "name", "created_at")


class OwnLinkQuerySerializer(serializers.Serializer[Any]):
    link = PageField(
        required=False,
        min_value=1,
        max_value=2**63 - 1,
        help_text="Id of the link in the snippet; without it, the address with the code.",
    )


class CreativeDataSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    text = serializers.CharField(
        source="own_text",
        help_text="In the request's language. Of an image or a file: what it shows.",
    )
    image = serializers.SerializerMethodField(help_text="Its address; null for a text.")
    width = serializers.IntegerField(allow_null=True, help_text="In pixels.")
    height = serializers.IntegerField(allow_null=True)
    file = serializers.SerializerMethodField(
        help_text="The address at which a signed-in affiliate downloads it; null "
        "without a file."
    )
    file_name = serializers.CharField(help_text="Empty without a file.")
    file_type = serializers.CharField(allow_null=True, help_text="Its content type.")
    file_size = serializers.IntegerField(allow_null=True, help_text="In bytes.")
    snippet = serializers.SerializerMethodField(
        help_text="HTML to copy, with the affiliate's own link; null for a file."
    )
    created_at = MomentField()

    def get_image(self, creative: Creative) -> str | None:
        return picture_url(creative.image, base=self.context["base"])

    def get_file(self, creative: Creative) -> str | None:
        try:
            path = reverse("affiliates_area:creative_file", args=[creative.pk])
        except NoReverseMatch:
            return None
        return f"{self.context['base']}{path}" if creative.file else None

    def get_snippet(self, creative: Creative) -> str | None:
        if creative.file:
            return None
        url = self.get_image(creative)
        shown: str = creative.own_text
        if url is not None:
            shown = format_html(
                '<img src="{}" alt="{}" width="{}" height="{}">',
                *(url, shown, creative.width, creative.height),
            )
        return format_html(
            '<a href="{}" rel="sponsored">{}</a>', self.context["address"], shown
        )


def creatives_of(affiliate: Affiliate) -> QuerySet[Creative]:
    return Creative.objects.filter(brand_id=affiliate.brand_id, is_active=True)


def _context(affiliate: Affiliate, query: Query) -> Mapping[str, Any]:
    link_id = read(OwnLinkQuerySerializer, query).get("link")
    addresses = [] if link_id is None else link_of(affiliate, link_id).urls()
    return {
        "base": affiliate.brand.client_area_url() or "",
        "address": next(iter(addresses), affiliate.url() or ""),
    }


def _rows(affiliate: Affiliate, query: Query) -> Rows:
    context = _context(affiliate, query)
    return Rows(
        own=[creatives_of(affiliate)],
        prepare=lambda rows: context,
    )


CREATIVES = Listing(
    name="creatives",
    rows=_rows,
    shape=CreativeDataSerializer,
    query=CreativeQuerySerializer,
    size=20,
    moment="created_at",
)


class CreativeViewSet(AffiliateViewSet):
    scopes: ClassVar = {"list": Scope.STATISTICS, "retrieve": Scope.STATISTICS}

    list = CREATIVES.view(
        "list_creatives",
        "What the brand gives its affiliates to show, newest first",
        answer="Creatives",
        also=[OwnLinkQuerySerializer],
        description=(
            "Texts and pictures with the HTML to copy, and files to download. `link` "
            "puts one of the affiliate's own links into the HTML."
        ),
    )

    @described(
        "get_creative",
        "One creative, or its file",
        answer_of("Creative", CreativeDataSerializer()),
        parameters=[OwnLinkQuerySerializer],
        description=(
            "As in the list. The file itself, as a download, where Accept is its "
            "file_type."
        ),
    )
    def retrieve(self, request: Request, creative_id: int) -> HttpResponseBase:
        affiliate = affiliate_of(request)
        creative: Creative = one_of(creative_id, creatives_of(affiliate))
        if creative.file_type and wants(request, creative.file_type):
            return stored_download(creative.file, name=creative.file_name)
        context = _context(affiliate, request.query_params.dict())
        return Response(
            {"data": CreativeDataSerializer(creative, context=context).data}
        )
