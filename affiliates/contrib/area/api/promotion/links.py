"""/api/affiliate/links: lists links with figures; makes, changes, turns them off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar
from urllib.parse import urlencode

from django.db.models import prefetch_related_objects
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.api.descriptions import described_as
from affiliates.api.serializers import TextField, answer_of, read
from affiliates.contrib.area.api.base import (
    AffiliateViewSet,
    MomentField,
    OrderingField,
    SpanQuerySerializer,
    affiliate_of,
    described,
)
from affiliates.contrib.area.api.lists import Listing, Query, Rows, one_of
from affiliates.contrib.area.api.promotion.figures import part_figures
from affiliates.contrib.area.api.statistics import FiguresSerializer
from affiliates.contrib.area.keys.rules import Scope
from affiliates.contrib.statistics.open_days import OpenDays
from affiliates.contrib.statistics.types import Dimension
from affiliates.program.models import Affiliate, AffiliateLink
from affiliates.program.services import change_link, create_link
from affiliates.visits.rules import MAX_SUB_ID, SUB_IDS

SLUG_HELP = (
    "A name in place of the hash in the address: 3 to 32 letters, digits and hyphens. "
    "It is given once and stays: another name needs another link."
)
SUB_ID_HELP = (
    "A sub-id of yours, such as newsletter: the addresses answered carry it, and the "
    "statistics tell clicks apart by it."
)


class LinkQuerySerializer(SpanQuerySerializer):
    """The days are those of the link's creation."""

    ordering = OrderingField("-id", "name", "created_at")
    is_active = serializers.BooleanField(required=False, allow_null=False)


class SubIdQuerySerializer(serializers.Serializer[Any]):
    def get_fields(self) -> dict[str, Any]:
        return {
            name: TextField(
                required=False, max_length=MAX_SUB_ID, help_text=SUB_ID_HELP
            )
            for name in SUB_IDS
        }


class LinkChangeSerializer(serializers.Serializer[Any]):
    name = TextField(required=False, min_length=1, max_length=100)
    target_url = TextField(
        required=False,
        allow_blank=True,
        max_length=2048,
        help_text="A page on a permitted host; empty: the brand's default.",
    )
    is_active = serializers.BooleanField(
        required=False, help_text="False: the link credits nobody any more."
    )
    slug = TextField(required=False, max_length=32, help_text=SLUG_HELP)


class LinkRequestSerializer(serializers.Serializer[Any]):
    name = TextField(min_length=1, max_length=100)
    target_url = TextField(
        required=False,
        allow_blank=True,
        max_length=2048,
        help_text="A page on a permitted host; empty: the brand's default.",
    )
    slug = TextField(
        required=False, allow_blank=True, max_length=32, help_text=SLUG_HELP
    )


class LinkDataSerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField()
    name = serializers.CharField()
    target_url = serializers.CharField(help_text="Empty: the brand's default.")
    is_active = serializers.BooleanField()
    slug = serializers.CharField(
        source="slug_in_use", help_text="Its name in the address; empty: the hash."
    )
    addresses = serializers.SerializerMethodField(
        help_text="The link as a path and as a parameter; empty without a client area."
    )
    created_at = MomentField()
    figures = serializers.SerializerMethodField(help_text="Of all time.")

    def get_addresses(self, link: AffiliateLink) -> list[str]:
        query = urlencode(self.context["sub_ids"])
        return [_with_query(url, query) for url in link.urls()]

    @described_as(FiguresSerializer())
    def get_figures(self, link: AffiliateLink) -> dict[str, Any]:
        figures: dict[str, Any] = self.context["figures"][str(link.pk)]
        return figures


def _context(
    affiliate: Affiliate,
    sub_ids: Query,
    links: Sequence[AffiliateLink],
    open_days: OpenDays | None = None,
) -> Mapping[str, Any]:
    # Once: all links of the affiliate belong to this brand.
    prefetch_related_objects([affiliate.brand], "domains")
    keys = [str(link.pk) for link in links]
    figures = part_figures(affiliate, keys, Dimension.LINK, open_days)
    return {"figures": figures, "sub_ids": sub_ids}


def link_rows(
    affiliate: Affiliate, query: Query, open_days: OpenDays | None = None
) -> Rows:
    sub_ids = read(SubIdQuerySerializer, query)
    return Rows(
        own=[affiliate.links.all()],
        prepare=lambda rows: _context(affiliate, sub_ids, rows, open_days),
    )


def link_data(
    affiliate: Affiliate, link: AffiliateLink, sub_ids: Query
) -> Mapping[str, Any]:
    """One link; its addresses contain these sub-ids."""
    context = _context(affiliate, sub_ids, [link])
    return LinkDataSerializer(link, context=context).data


def link_of(affiliate: Affiliate, link_id: int) -> AffiliateLink:
    """Raises NotFound for another affiliate's link."""
    link: AffiliateLink = one_of(link_id, affiliate.links.all())
    return link


LINK = answer_of("Link", LinkDataSerializer())
LINKS = Listing(
    name="links",
    rows=link_rows,
    shape=LinkDataSerializer,
    query=LinkQuerySerializer,
    moment="created_at",
)


class LinkViewSet(AffiliateViewSet):
    scopes: ClassVar = {
        "list": Scope.STATISTICS,
        "retrieve": Scope.STATISTICS,
        "create": Scope.LINKS,
        "partial_update": Scope.LINKS,
    }

    list = LINKS.view(
        "list_links",
        "The affiliate's links, newest first",
        answer="Links",
        also=[SubIdQuerySerializer],
        description=(
            "With the figures of all time. `sub` adds a sub-id to the addresses."
        ),
    )

    @described(
        "create_link",
        "Make a link",
        LINK,
        status=201,
        request=LinkRequestSerializer,
        parameters=[SubIdQuerySerializer],
        description=(
            "The target must be a page of the brand. `slug` gives the address a "
            "name, such as `/aff/summer`, once and for all."
        ),
    )
    def create(self, request: Request) -> Response:
        affiliate = affiliate_of(request)
        fields = read(LinkRequestSerializer, request.data)
        link = create_link(affiliate_id=affiliate.pk, **fields)
        return self._answer(request, affiliate, link, status=201)

    @described(
        "get_link",
        "One of the affiliate's links",
        LINK,
        parameters=[SubIdQuerySerializer],
        description="The same row as in the list, with its figures.",
    )
    def retrieve(self, request: Request, link_id: int) -> Response:
        affiliate = affiliate_of(request)
        return self._answer(request, affiliate, link_of(affiliate, link_id))

    @described(
        "change_link",
        "Change a link, or switch it off",
        LINK,
        request=LinkChangeSerializer,
        parameters=[SubIdQuerySerializer],
        description=(
            "Fields that are left out stay. A switched-off link still leads to "
            "its page, but earns nothing."
        ),
    )
    def partial_update(self, request: Request, link_id: int) -> Response:
        affiliate = affiliate_of(request)
        changes = read(LinkChangeSerializer, request.data)
        link = change_link(link_id=link_id, affiliate_id=affiliate.pk, changes=changes)
        return self._answer(request, affiliate, link)

    def _answer(
        self,
        request: Request,
        affiliate: Affiliate,
        link: AffiliateLink,
        *,
        status: int = 200,
    ) -> Response:
        sub_ids = read(SubIdQuerySerializer, request.query_params.dict())
        data = link_data(affiliate, link, sub_ids)
        return Response({"data": data}, status=status)


def _with_query(address: str, query: str) -> str:
    if not query:
        return address
    return f"{address}{'&' if '?' in address else '?'}{query}"
