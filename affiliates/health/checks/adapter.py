"""What the host wrote for us: its adapter, serializers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from difflib import get_close_matches
from inspect import (
    Parameter,
    Signature,
    isclass,
    iscoroutinefunction,
    isfunction,
    isroutine,
    signature,
)
from typing import Any

from django.core.checks import CheckMessage
from django.core.exceptions import ImproperlyConfigured
from django.utils.module_loading import import_string

from affiliates.adapter import HostAdapter
from affiliates.conf import conf
from affiliates.health.checks.findings import meant, message, reads

GUIDE = "docs/adapter.md shows one."
ENDPOINTS = ("register", "register_guest", "complete_registration", "convert")
# How alike a name must be to one of ours to be a mistyped one.
LIKENESS = 0.8


@reads("adapter")
def adapter() -> Iterator[CheckMessage]:
    path = conf.adapter
    try:
        found = import_string(path)
    except Exception as error:  # noqa: BLE001 - the host's module may raise anything
        yield message(
            "E001",
            f"AFFILIATES_ADAPTER is {path!r}, which cannot be imported: {_said(error)}",
            "Set AFFILIATES_ADAPTER to the dotted path of your HostAdapter.",
        )
        return
    if not isclass(found) or not issubclass(found, HostAdapter):
        yield message(
            "E001",
            f"AFFILIATES_ADAPTER is {path!r}, which is no HostAdapter.",
            f"Name a class that is made from affiliates.adapter.HostAdapter; {GUIDE}",
        )
        return
    yield from _faults(found)


def _faults(found: type[HostAdapter]) -> Iterator[CheckMessage]:
    name = found.__name__
    if missing := sorted(found.__abstractmethods__):
        yield message(
            "E001",
            f"{name} lacks {', '.join(missing)}.",
            f"Write {'it' if len(missing) == 1 else 'them'}; {GUIDE}",
        )
    needed = _needed(found.__init__)
    if needed:
        yield message(
            "E001",
            f"{name}() needs {', '.join(needed)}: it is made without arguments.",
            f"Give {', '.join(needed)} a default, or drop __init__.",
        )
    for method in _public(HostAdapter):
        if fault := _unlike(_as_written(found, method), getattr(HostAdapter, method)):
            wanted = signature(getattr(HostAdapter, method))
            yield message(
                "E001", f"{name}.{method} {fault}.", f"Write def {method}{wanted}."
            )
    # A helper of the host's own may be called much like what the host has written.
    unwritten = [
        method
        for method in _public(HostAdapter)
        if getattr(found, method) is getattr(HostAdapter, method)
    ]
    for method in sorted(set(_public(found)) - set(_public(HostAdapter))):
        if get_close_matches(method, unwritten, n=1, cutoff=LIKENESS):
            yield message(
                "W003",
                f"Nobody calls {name}.{method}.",
                f"Did you mean {meant(method, unwritten)}?",
            )


def _as_written(found: type, name: str) -> Any:
    """The attribute as it was written, a staticmethod as such."""
    return next(vars(one)[name] for one in found.__mro__ if name in vars(one))


def _public(found: type) -> list[str]:
    return [
        name
        for name in dir(found)
        if not name.startswith("_") and isfunction(getattr(found, name))
    ]


def _needed(method: Callable[..., Any]) -> list[str]:
    """The arguments after self that have no default."""
    try:
        parameters = list(signature(method).parameters.values())[1:]
    except (TypeError, ValueError):
        return []
    return [
        one.name
        for one in parameters
        if one.default is Parameter.empty
        and one.kind not in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    ]


def _unlike(written: Any, ours: Callable[..., Any]) -> str:
    """Why the method cannot be called as ours is called; "" when it can."""
    bind = getattr(written, "__get__", None)
    method = bind(object(), object) if isroutine(written) and bind else written
    if not callable(method):
        return "is no method"
    if iscoroutinefunction(method):
        return "is asynchronous: it is called without await"
    given = signature(method)
    for args, kwargs in _calls(signature(ours)):
        try:
            given.bind(*args, **kwargs)
        except TypeError as error:
            return f"cannot be called as it will be: {error}"
    return ""


def _calls(ours: Signature) -> Iterator[tuple[list[str], dict[str, str]]]:
    """The shortest and the longest call that our method takes, self left out."""
    for is_long in (False, True):
        args: list[str] = []
        kwargs: dict[str, str] = {}
        for one in list(ours.parameters.values())[1:]:
            if not is_long and one.default is not Parameter.empty:
                continue
            if one.kind is Parameter.KEYWORD_ONLY:
                kwargs[one.name] = one.name
            else:
                args.append(one.name)
        yield args, kwargs


@reads("serializers")
def serializers() -> Iterator[CheckMessage]:
    for endpoint, path in conf.serializers.items():
        if endpoint not in ENDPOINTS:
            problem = f"{endpoint!r} is no endpoint"
            hint = f"Did you mean {meant(str(endpoint), ENDPOINTS)}?"
        else:
            problem, hint = _unusable(endpoint, path)
        if problem:
            yield message(
                "E003", f"AFFILIATES_SERIALIZERS cannot be used: {problem}.", hint
            )


def _unusable(endpoint: str, path: Any) -> tuple[str, str]:
    """What is wrong with the serializer and what to do, else two empty texts."""
    # Only when asked: the REST framework takes long to import.
    from affiliates.api.serializers import DEFAULTS

    ours = DEFAULTS[endpoint]
    hint = f"Name a class that is made from {ours.__module__}.{ours.__name__}."
    try:
        shape = import_string(path)
    except Exception as error:  # noqa: BLE001 - the host's module may raise anything
        return f"{endpoint} is {path!r}: {_said(error)}", hint
    if not isclass(shape) or not issubclass(shape, _base_of(ours)):
        return f"{endpoint} is {path!r}, which is no serializer", hint
    try:
        made: Any = shape()
        _ = made.fields
    except Exception as error:  # noqa: BLE001 - as above
        return f"{endpoint}: the fields of {path} cannot be made: {_said(error)}", hint
    return "", ""


def _base_of(ours: type[Any]) -> type[Any]:
    """The REST framework's own Serializer, which only the API may name."""
    return next(
        one for one in ours.__mro__ if one.__module__ == "rest_framework.serializers"
    )


def _said(error: Exception) -> str:
    text = str(error)
    is_plain = isinstance(error, ImportError | ImproperlyConfigured)
    return text if is_plain else f"{type(error).__name__}: {text}"


CHECKS = (adapter, serializers)
