"""GET /api/operator/lists/<list_name>: what the lists of the admin save as files."""

from __future__ import annotations

from typing import Any

from moneyed import Money
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from affiliates.api.descriptions import describe, described_as
from affiliates.api.serializers import MAX_ID, answer_of
from affiliates.contrib.events_api.api.base import TAGS, OperatorViewSet
from affiliates.contrib.events_api.api.fields import InstantField
from affiliates.contrib.events_api.lists import read_list
from affiliates.contrib.events_api.rules import LISTS, BrandScope

MAX_ROWS = 200


class ListQuerySerializer(serializers.Serializer[Any]):
    after = serializers.IntegerField(
        min_value=0,
        max_value=MAX_ID,
        default=0,
        help_text="Rows above this id: the answer's `next`.",
    )
    limit = serializers.IntegerField(min_value=1, max_value=MAX_ROWS, default=MAX_ROWS)
    since = InstantField(
        required=False, help_text="Only rows made or changed from this moment on."
    )


@described_as({"type": "object", "additionalProperties": True, "required": ["id"]})
class RowField(serializers.Field[Any, Any, Any, Any]):
    def to_representation(self, value: Any) -> dict[str, Any]:
        return {name: _as_json(cell) for name, cell in value.items()}


class ListPartSerializer(serializers.Serializer[Any]):
    rows = serializers.ListField(child=RowField())
    next = serializers.IntegerField(
        source="next_after", allow_null=True, help_text="Null: there are no more."
    )


class ListsViewSet(OperatorViewSet):
    scope = BrandScope.LISTS_READ

    @describe(
        operation_id="read_list",
        tags=TAGS,
        summary="Read a list as the admin saves it",
        responses={200: answer_of("ListRows", ListPartSerializer())},
        parameters=[ListQuerySerializer],
        description=(
            f"The lists are {', '.join(f'`{name}`' for name in LISTS)}. A row has its "
            "`id` and the columns of the admin's list, by their labels in lower case; "
            "an amount has its currency."
        ),
    )
    def list(self, request: Request, list_name: str) -> Response:
        reader: Any = request.user
        query = ListQuerySerializer(data=request.query_params.dict())
        query.is_valid(raise_exception=True)
        part = read_list(
            list_name,
            reader=reader,
            **{"since": None, **query.validated_data},
        )
        return Response({"data": ListPartSerializer(part).data})


def _as_json(value: Any) -> Any:
    if isinstance(value, Money):
        return {"amount": f"{value.amount:f}", "currency": value.currency.code}
    return value
