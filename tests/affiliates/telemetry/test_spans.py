"""Operations are spans with the request's id, and tell nothing personal when they fail."""

from __future__ import annotations

import subprocess
import sys
from functools import cache

import pytest
from opentelemetry import trace
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider

from affiliates.telemetry.request_ids import within_request
from affiliates.telemetry.spans import traced
from affiliates.worker.running import run_job
from tests.affiliates.outbox.outbox import OK, Wire, deliver
from tests.factories.integrations import DeliveryFactory

REQUEST = "01920000000070008000000000000001"
WITHOUT = """
import sys
sys.modules["opentelemetry"] = None
from affiliates.telemetry.spans import traced
function = lambda: 1
assert traced("a")(function) is function
"""


class Kept(SpanProcessor):
    """Keeps the spans that end while a test wants them."""

    spans: list[ReadableSpan] | None = None

    def on_end(self, span: ReadableSpan) -> None:
        if self.spans is not None:
            self.spans.append(span)


@cache
def kept() -> Kept:
    """Of the process's only provider: OpenTelemetry lets nobody replace it."""
    provider, processor = TracerProvider(), Kept()
    provider.add_span_processor(processor)
    trace.set_tracer_provider(provider)
    return processor


@pytest.fixture
def ended():
    kept().spans = spans = []
    yield lambda: spans
    kept().spans = None


def found(ended):
    return [(one.name, one.attributes["affiliates.request_id"]) for one in ended()]


def test_a_call_is_a_span_and_returns_what_it_returns(ended):
    @traced("affiliates.sum")
    def add(one, *, other):
        return one + other

    with within_request(REQUEST):
        assert add(1, other=2) == 3

    assert found(ended) == [("affiliates.sum", REQUEST)]
    assert add.__name__ == "add"


def test_a_failed_span_does_not_quote_the_exception(ended):
    @traced("affiliates.failure")
    def fail():
        raise LookupError("ada@example.com")

    with pytest.raises(LookupError):
        fail()

    [span] = ended()
    assert (span.status.status_code.name, span.status.description) == (
        "ERROR",
        "LookupError",
    )
    assert span.events == ()
    assert "ada@" not in span.to_json()


@pytest.mark.django_db
def test_a_delivery_is_a_span_with_the_request_that_queued_it(
    ended, integration, clock
):
    DeliveryFactory(integration=integration, request_id=REQUEST)

    deliver(Wire(OK), clock)

    assert found(ended) == [("affiliates.delivery", REQUEST)]


@pytest.mark.django_db
def test_a_run_of_a_job_is_a_span(ended, now):
    run_job("purge", now=now)

    [(name, request_id)] = found(ended)
    assert (name, len(request_id)) == ("affiliates.job.purge", 32)


def test_without_opentelemetry_functions_stay_as_they_are():
    subprocess.run([sys.executable, "-c", WITHOUT], check=True)  # noqa: S603 - ourselves
