"""The host's adapter and serializers, as they are written and as they answer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
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

from django.contrib.auth import get_user_model
from django.core.exceptions import ImproperlyConfigured
from django.db.models import OuterRef, Subquery
from django.utils.module_loading import import_string

from affiliates.adapter import HostAdapter, get_adapter
from affiliates.brands.models.brand import Brand
from affiliates.brands.selectors import no_only_brand
from affiliates.conf import conf
from affiliates.errors import InvalidInput
from affiliates.operations.health.findings import (
    Finding,
    counted,
    error,
    information,
    meant,
    warning,
)
from affiliates.operations.health.registry import Needs, register
from affiliates.payouts.models import PayoutDestination
from affiliates.payouts.providers.protocol import Way
from affiliates.payouts.providers.registry import codes_of
from affiliates.payouts.selectors import keeps_account_credit
from affiliates.program.models import Affiliate

GUIDE = "docs/adapter.md shows one."
ENDPOINTS = ("register", "register_guest", "complete_registration", "convert")
# How alike a name must be to one of ours to be a mistyped one.
LIKENESS = 0.8


@register(Needs.SETTINGS, reads=("adapter",))
def adapter() -> Iterator[Finding]:
    path = conf.adapter
    try:
        adapter = import_string(path)
    except Exception as fault:  # noqa: BLE001 - the host's module may raise anything
        cause = f"{path!r}, which cannot be imported: {_said(fault)}"
        yield error(
            "E001",
            f"AFFILIATES_ADAPTER is {cause if path else 'not set.'}",
            "Set AFFILIATES_ADAPTER to the dotted path of your HostAdapter.",
        )
        return
    if not isclass(adapter) or not issubclass(adapter, HostAdapter):
        yield error(
            "E001",
            f"AFFILIATES_ADAPTER is {path!r}, which is no HostAdapter.",
            f"Name a class that is made from affiliates.adapter.HostAdapter; {GUIDE}",
        )
        return
    yield from _faults(adapter)


def _faults(adapter: type[HostAdapter]) -> Iterator[Finding]:
    name = adapter.__name__
    if missing := sorted(adapter.__abstractmethods__):
        yield error(
            "E001",
            f"{name} lacks {', '.join(missing)}.",
            f"Write {'it' if len(missing) == 1 else 'them'}; {GUIDE}",
        )
    if needed := _needed(adapter.__init__):
        yield error(
            "E001",
            f"{name}() needs {', '.join(needed)}: it is made without arguments.",
            f"Give {', '.join(needed)} a default, or drop __init__.",
        )
    for method in _public(HostAdapter):
        if fault := _unlike(_as_written(adapter, method), getattr(HostAdapter, method)):
            wanted = signature(getattr(HostAdapter, method))
            yield error(
                "E001", f"{name}.{method} {fault}.", f"Write def {method}{wanted}."
            )
    # A helper of the host's own may be called much like what the host has written.
    unwritten = [
        method
        for method in _public(HostAdapter)
        if getattr(adapter, method) is getattr(HostAdapter, method)
    ]
    for method in sorted(set(_public(adapter)) - set(_public(HostAdapter))):
        if get_close_matches(method, unwritten, n=1, cutoff=LIKENESS):
            yield warning(
                "W003",
                f"Nobody calls {name}.{method}.",
                f"Did you mean {meant(method, unwritten)}?",
            )


def _as_written(adapter: type, name: str) -> Any:
    """The attribute as it was written, a staticmethod as such."""
    return next(vars(base)[name] for base in adapter.__mro__ if name in vars(base))


def _public(adapter: type) -> list[str]:
    return [
        name
        for name in dir(adapter)
        if not name.startswith("_") and isfunction(getattr(adapter, name))
    ]


def _needed(method: Callable[..., Any]) -> list[str]:
    """The arguments after self that have no default."""
    try:
        parameters = list(signature(method).parameters.values())[1:]
    except (TypeError, ValueError):
        return []
    return [
        parameter.name
        for parameter in parameters
        if parameter.default is Parameter.empty
        and parameter.kind not in (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    ]


def _unlike(written: Any, ours: Callable[..., Any]) -> str:
    """Why the method cannot be called as ours is called; "" when it can."""
    bind = getattr(written, "__get__", None)
    method = bind(object(), object) if isroutine(written) and bind else written
    if not callable(method):
        return "is no method"
    if iscoroutinefunction(method):
        return "is asynchronous: it is called without await"
    parameters = signature(method)
    for args, kwargs in _calls(signature(ours)):
        try:
            parameters.bind(*args, **kwargs)
        except TypeError as fault:
            return f"cannot be called as it will be: {fault}"
    return ""


def _calls(ours: Signature) -> Iterator[tuple[list[str], dict[str, str]]]:
    """The shortest and the longest call that our method takes, self left out."""
    for is_long in (False, True):
        args: list[str] = []
        kwargs: dict[str, str] = {}
        for parameter in list(ours.parameters.values())[1:]:
            if not is_long and parameter.default is not Parameter.empty:
                continue
            if parameter.kind is Parameter.KEYWORD_ONLY:
                kwargs[parameter.name] = parameter.name
            else:
                args.append(parameter.name)
        yield args, kwargs


@register(Needs.SETTINGS, reads=("serializers",))
def serializers() -> Iterator[Finding]:
    for endpoint, path in conf.serializers.items():
        if endpoint not in ENDPOINTS:
            problem = f"{endpoint!r} is no endpoint"
            hint = f"Did you mean {meant(str(endpoint), ENDPOINTS)}?"
        else:
            problem, hint = _unusable(endpoint, path)
        if problem:
            yield error(
                "E003", f"AFFILIATES_SERIALIZERS cannot be used: {problem}.", hint
            )


def _unusable(endpoint: str, path: Any) -> tuple[str, str]:
    """Returns the fault of the serializer and the remedy, or two empty texts."""
    # Only when asked: the REST framework takes long to import.
    from affiliates.api.serializers import DEFAULTS

    ours = DEFAULTS[endpoint]
    hint = f"Name a class that is made from {ours.__module__}.{ours.__name__}."
    try:
        shape = import_string(path)
    except Exception as fault:  # noqa: BLE001 - the host's module may raise anything
        return f"{endpoint} is {path!r}: {_said(fault)}", hint
    if not isclass(shape) or not issubclass(shape, _base_of(ours)):
        return f"{endpoint} is {path!r}, which is no serializer", hint
    try:
        made: Any = shape()
        _ = made.fields
    except Exception as fault:  # noqa: BLE001 - as above
        return f"{endpoint}: the fields of {path} cannot be made: {_said(fault)}", hint
    return "", ""


def _base_of(ours: type[Any]) -> type[Any]:
    """The REST framework's own Serializer, which only the API may name."""
    return next(
        base for base in ours.__mro__ if base.__module__ == "rest_framework.serializers"
    )


def _said(fault: Exception) -> str:
    text = str(fault)
    is_plain = isinstance(fault, ImportError | ImproperlyConfigured)
    return text if is_plain else f"{type(fault).__name__}: {text}"


@register(Needs.SERVICES)
def is_made(now: datetime) -> Iterator[Finding]:
    try:
        get_adapter()
    except Exception as fault:  # noqa: BLE001 - the host's class may raise anything
        yield error(
            "D014",
            f"The adapter cannot be made: {type(fault).__name__}: {fault}",
            "Mend its constructor; manage.py check looks at the rest.",
        )


@register(Needs.DATABASE)
def clients(now: datetime) -> Iterator[Finding]:
    """``get_client`` answers, also once there is a second brand."""
    for client_id in _some_clients():
        fault = _refusal(client_id)
        if fault is not None and not _means_only_brand(fault):
            yield error(
                "D027",
                f"get_client of the adapter fails for the client {client_id}: "
                f"{type(fault).__name__}: {fault}",
                "Mend it: it returns a Client, or None for an id that it does not know.",
            )
            return
        with no_only_brand():
            breaks = _means_only_brand(_refusal(client_id))
        if breaks:
            yield _only_brand(is_broken=fault is not None)
            return


def _only_brand(*, is_broken: bool) -> Finding:
    remedy = (
        "Have the portal keep the id of its brand, as docs/adapter.md does with BRAND_ID, "
        "or the brand of each client."
    )
    broken = "no client is known, and registrations, payments and the area fail."
    if is_broken:
        problem = (
            f"The adapter asks for the only brand, and there are several: {broken}"
        )
        return error("D028", problem, remedy)
    problem = f"The adapter asks for the only brand. With a second one {broken}"
    return information("D028", problem, remedy)


@register(Needs.DATABASE)
def account_credit(now: datetime) -> Iterator[Finding]:
    """Destinations that the host cannot pay to, or can no longer."""
    if keeps_account_credit():
        return
    newest = PayoutDestination.objects.filter(affiliate=OuterRef("pk")).order_by("-pk")
    affiliates = Affiliate.objects.annotate(kind=Subquery(newest.values("kind")[:1]))
    count = affiliates.filter(kind__in=codes_of(Way.CREDIT)).count()
    if count:
        waiting = counted(count, "affiliate waits", "affiliates wait")
        yield error(
            "D029",
            f"{waiting} for account credit, which this portal does not keep: their "
            "payouts are refused.",
            "Write credit_wallet in the adapter, or ask them to choose another payout "
            "destination. Reject payouts to account credit that are still open.",
        )


def _some_clients() -> list[str]:
    """The newest affiliate of each active brand; else the newest user."""
    examples: list[Affiliate] = []
    for brand in Brand.objects.filter(is_active=True).order_by("pk"):
        examples.extend(Affiliate.objects.filter(brand=brand).order_by("-pk")[:1])
    users = [affiliate.user_id for affiliate in examples]
    known = get_user_model()._default_manager.order_by("-pk")
    return list(map(str, users or known.values_list("pk", flat=True)[:1]))


def _refusal(client_id: str) -> Exception | None:
    try:
        get_adapter().get_client(client_id)
    except Exception as fault:  # noqa: BLE001 - the host's method may raise anything
        return fault
    return None


def _means_only_brand(fault: Exception | None) -> bool:
    return isinstance(fault, InvalidInput) and fault.code == "origin_required"
