"""/api/affiliate/creatives: texts and images of the brand for affiliates' sites."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from django.utils.html import format_html
from rest_framework import serializers

from affiliates.api.serializers import read
from affiliates.brands.images import picture_url
from affiliates.contrib.area.api.base import (
    AffiliateViewSet,
    MomentField,
    OrderingField,
    PageField,
    PageQuerySerializer,
)
from affiliates.contrib.area.api.lists import Listing, Query, Rows
from affiliates.contrib.area.api.promotion.links import link_of
from affiliates.contrib.area.keys.rules import Scope
from affiliates.program.creative_models import Creative
from affiliates.program.models import Affiliate


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
    text = serializers.CharField(help_text="Of an image: what it shows.")
    image = serializers.SerializerMethodField(help_text="Its address; null for a text.")
    width = serializers.IntegerField(allow_null=True, help_text="In pixels.")
    height = serializers.IntegerField(allow_null=True)
    snippet = serializers.SerializerMethodField(
        help_text="HTML to copy, with the affiliate's own link."
    )
    created_at = MomentField()

    def get_image(self, creative: Creative) -> str | None:
        return picture_url(creative.image, base=self.context["base"])

    def get_snippet(self, creative: Creative) -> str:
        url = self.get_image(creative)
        shown: str = creative.text
        if url is not None:
            shown = format_html(
                '<img src="{}" alt="{}" width="{}" height="{}">',
                *(url, creative.text, creative.width, creative.height),
            )
        return format_html(
            '<a href="{}" rel="sponsored">{}</a>', self.context["address"], shown
        )


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
        own=[Creative.objects.filter(brand_id=affiliate.brand_id, is_active=True)],
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
    scopes: ClassVar = {"list": Scope.STATISTICS}

    list = CREATIVES.view(
        "list_creatives",
        "What the brand gives its affiliates to show, newest first",
        answer="Creatives",
        also=[OwnLinkQuerySerializer],
        description=(
            "Texts and pictures with the HTML to copy. `link` puts one of the "
            "affiliate's own links into it."
        ),
    )
