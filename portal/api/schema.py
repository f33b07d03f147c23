"""Shapes shared by the portal's endpoints: the envelope and money."""

from __future__ import annotations

from functools import cache
from typing import Any

from drf_spectacular.utils import inline_serializer
from moneyed import Money
from rest_framework import serializers

from portal.money import format_amount


class MoneySerializer(serializers.Serializer[Money]):
    amount = serializers.SerializerMethodField(help_text="A decimal string: 12.50")
    currency = serializers.CharField(
        source="currency.code", help_text="ISO 4217 code: EUR"
    )

    def get_amount(self, money: Money) -> str:
        return format_amount(money)


def read(shape: type[serializers.Serializer[Any]], body: Any) -> dict[str, Any]:
    """Returns the validated body. Raises DRF's ValidationError."""
    serializer = shape(data=body)
    serializer.is_valid(raise_exception=True)
    fields: dict[str, Any] = serializer.validated_data
    return fields


# Cached: the description wants one shape for one name.
@cache
def data_of(
    serializer: type[serializers.Serializer[Any]], *, many: bool = False
) -> serializers.Serializer[Any]:
    """The described answer: the serializer's fields under ``data``."""
    name = serializer.__name__.removesuffix("Serializer")
    return inline_serializer(
        f"{name}{'List' if many else ''}Answer", fields={"data": serializer(many=many)}
    )
