"""PATCH /api/orders/<order_id>/convert: the basket becomes its initial invoice."""

from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.api.descriptions import describe
from affiliates.api.http.idempotency import answered_once
from affiliates.api.http.requests import address_of, client_id_of, origin_of, utc_now
from affiliates.api.http.views import EndpointViewSet
from affiliates.api.serializers import (
    ConversionSerializer,
    InvoiceSerializer,
    answer_of,
    read_body,
)
from affiliates.brands.selectors import origin_brand_id
from affiliates.contracts import OrderConversion
from affiliates.core.addresses import ip_prefix
from affiliates.settlement import services


class OrderConversionViewSet(EndpointViewSet):
    throttle_scope = "convert"

    @describe(
        operation_id="convert_order",
        tags=["Orders"],
        summary="Convert a basket to an order invoice",
        request=ConversionSerializer,
        responses={200: answer_of("Converted", InvoiceSerializer())},
        description=(
            "The basket's order gets its initial invoice, and its affiliate is "
            "decided now. Without `payment_details_id` the client pays by bank "
            "transfer."
        ),
    )
    @answered_once
    def partial_update(self, request: Request, order_id: str) -> Response:
        brand_id = origin_brand_id(origin_of(request))
        fields, extra = read_body("convert", request.data)
        data = services.convert_order(
            conversion=OrderConversion(
                order_ref=order_id,
                client_id=client_id_of(request),
                payment_details_id=_as_sent(fields.get("payment_details_id")),
                extra=extra,
            ),
            origin_brand_id=brand_id,
            referral_cookie=fields.get("referral_cookie"),
            ip_prefix=ip_prefix(address_of(request)),
            now=utc_now(),
        )
        return Response({"data": data})


def _as_sent(identifier: Any) -> int | str | None:
    """A host's serializer may have made something else of it, such as a UUID."""
    if identifier is None or isinstance(identifier, int):
        return identifier
    return str(identifier)
