"""What the endpoints for an affiliate's own account have in common."""

from __future__ import annotations

from typing import Any

from django.core.paginator import Paginator
from django.db.models import QuerySet
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.api.http.requests import client_id_of, origin_of
from affiliates.api.http.shapes import answer_body
from affiliates.api.http.views import EndpointViewSet
from affiliates.api.serializers import read
from affiliates.brands.selectors import origin_brand_id
from affiliates.payouts.selectors import affiliate_of_client
from affiliates.program.models import Affiliate

MAX_PAGE = 10_000


class AffiliateViewSet(EndpointViewSet):
    throttle_scope = "affiliate"


class PageField(serializers.IntegerField):
    """Digits and nothing else."""

    def to_internal_value(self, data: Any) -> int:
        if not (data.isascii() and data.isdigit()):
            self.fail("invalid")
        return super().to_internal_value(data)


class PageQuerySerializer(serializers.Serializer[Any]):
    page = PageField(
        min_value=1, max_value=MAX_PAGE, default=1, help_text="Begins with 1."
    )


class PageSerializer(serializers.Serializer[Any]):
    page = serializers.IntegerField(min_value=1)
    pages = serializers.IntegerField(min_value=1)


def affiliate_of(request: Request) -> Affiliate:
    return affiliate_of_client(
        client_id_of(request), origin_brand_id=origin_brand_id(origin_of(request))
    )


def page_of(
    request: Request,
    rows: QuerySet[Any],
    shape: type[serializers.Serializer[Any]],
    *,
    name: str,
    size: int,
) -> Response:
    """The page of the rows that the query asks for; empty beyond the last."""
    number = read(PageQuerySerializer, request.query_params.dict())["page"]
    pages = Paginator(rows, size)
    shown = pages.page(number).object_list if number <= pages.num_pages else []
    data = {
        name: shape(shown, many=True).data,
        "page": number,
        "pages": pages.num_pages,
    }
    return Response(answer_body(data))
