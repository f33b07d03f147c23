"""Adds to the API's description of endpoints and shapes.

drf-spectacular reads it if installed (extra ``openapi``); nothing else needs it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib.util import find_spec
from typing import Any, TypeVar

HAS_OPENAPI = find_spec("drf_spectacular") is not None

Described = TypeVar("Described", bound=Callable[..., Any])


def describe(
    *, headers: Mapping[str, str] | None = None, **options: Any
) -> Callable[[Described], Described]:
    """Keeps the options of drf-spectacular's extend_schema with an endpoint's method.

    ``headers`` are those that the endpoint requires, each with its description;
    ``optional_headers`` are others.
    """

    def decorate(method: Described) -> Described:
        method.described = {"headers": headers or {}, **options}  # type: ignore[attr-defined] # http/schema.py reads it
        return method

    return decorate


def described_as(shape: Any) -> Callable[[Described], Described]:
    """Describes a field's class, or the method that makes its value, as this shape."""
    if not HAS_OPENAPI:
        return _unchanged
    from drf_spectacular.utils import extend_schema_field

    return extend_schema_field(shape)


def described_as_one(answer: Described) -> Described:
    """Describes an answer as one object, even if its endpoint answers a list."""
    if not HAS_OPENAPI:
        return answer
    from drf_spectacular.utils import extend_schema_serializer

    return extend_schema_serializer(many=False)(answer)


def described_as_one_of(
    name: str, kinds: Mapping[str, Any], *, by: str
) -> Callable[[Described], Described]:
    """Describes a field's class as one of these serializers, told apart by a field."""
    if not HAS_OPENAPI:
        return _unchanged
    from drf_spectacular.utils import PolymorphicProxySerializer

    return described_as(
        PolymorphicProxySerializer(
            component_name=name,
            serializers={**kinds},
            resource_type_field_name=by,
        )
    )


def _unchanged(described: Described) -> Described:
    return described
