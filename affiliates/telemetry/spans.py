"""Spans of OpenTelemetry around our operations; where it is not installed, nothing."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from affiliates.telemetry.request_ids import current_request_id

try:
    from opentelemetry import trace
except ImportError:  # The extra `traces` is not installed.
    HAS_OPENTELEMETRY = False
else:
    HAS_OPENTELEMETRY = True

P = ParamSpec("P")
R = TypeVar("R")


def traced(name: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Makes each call of the decorated function a span with the request's id.

    A span that fails has the exception's class, not its text, which may quote a person.
    """
    if not HAS_OPENTELEMETRY:
        return lambda function: function
    tracer = trace.get_tracer("affiliates")

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            with tracer.start_as_current_span(
                name, record_exception=False, set_status_on_exception=False
            ) as span:
                if span.is_recording():
                    span.set_attribute("affiliates.request_id", current_request_id())
                try:
                    return function(*args, **kwargs)
                except Exception as fault:
                    span.set_status(trace.StatusCode.ERROR, type(fault).__name__)
                    raise

        return call

    return decorate
