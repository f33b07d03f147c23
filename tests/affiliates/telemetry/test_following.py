"""One id leads from the visit to the provider's log, through rows and processes."""

from __future__ import annotations

import logging
from datetime import timedelta

import pytest

from affiliates.emails.models import Email
from affiliates.emails.sending import send_due
from affiliates.emails.services import enqueue_email
from affiliates.outbox.http.types import Call
from affiliates.outbox.models.delivery import Delivery
from affiliates.telemetry.request_ids import current_request_id, within_request
from affiliates.visits.writer import close_click_connections
from affiliates.worker.registry import register
from affiliates.worker.running import run_job
from tests.affiliates.api.calls import SHOP, visit
from tests.affiliates.outbox.http.calls import headers_of, transport_to
from tests.affiliates.outbox.http.servers import OK as ANSWER
from tests.affiliates.outbox.http.servers import Server, answering
from tests.affiliates.outbox.outbox import OK, Wire, deliver
from tests.factories.emails import EmailFactory
from tests.factories.integrations import DeliveryFactory, TrackingIntegrationFactory

REQUEST = "01920000000070008000000000000001"


@pytest.fixture
def lines(caplog):
    """Each line of a log as its message and the id at that moment."""
    found = []

    def keep(record):
        found.append((record.getMessage(), current_request_id()))
        return True

    caplog.handler.addFilter(keep)
    caplog.set_level(logging.INFO, logger="affiliates")
    yield found
    caplog.handler.removeFilter(keep)


@pytest.mark.parametrize("writer", ["direct", "leader"])
@pytest.mark.django_db(transaction=True)
def test_a_click_that_is_queued_keeps_the_request_of_its_visit(
    writer, api, brand, settings
):
    settings.AFFILIATES_CLICK_WRITER = writer
    TrackingIntegrationFactory(brand=brand)
    try:
        with within_request(REQUEST):
            visit(api, f"{SHOP}/?a_aid=partner")
    finally:
        close_click_connections()

    assert Delivery.objects.get().request_id == REQUEST


@pytest.mark.django_db
def test_a_delivery_is_logged_under_the_request_that_queued_it(
    integration, clock, lines
):
    DeliveryFactory(integration=integration, request_id=REQUEST)
    seen = []
    wire = Wire(OK)
    wire.on_call = lambda _: seen.append(current_request_id())

    deliver(wire, clock)

    assert seen == [REQUEST]
    assert ("Delivery attempted", REQUEST) in lines
    assert current_request_id() == ""


def test_outgoing_requests_carry_the_id():
    with Server(answering(ANSWER)) as server, transport_to(server) as transport:
        call = Call(method="GET", url=f"http://{server.host}/")
        with within_request(REQUEST):
            transport.send(call)
            own = ("x-request-id", "of-the-provider")
            transport.send(Call(method="GET", url=call.url, headers=(own,)))
        transport.send(call)

    sent = [headers_of(one) for one in server.requests]
    assert [one.get("X-Request-ID", one.get("x-request-id")) for one in sent] == [
        REQUEST,
        "of-the-provider",
        None,
    ]


@pytest.mark.django_db
def test_an_email_is_logged_under_the_request_that_queued_it(brand, now, lines):
    with within_request(REQUEST):
        enqueue_email(
            brand_id=brand.pk,
            key="a:1",
            recipient="ada@example.com",
            subject="A subject",
            text="A text.",
            now=now,
        )
    EmailFactory(brand=brand)

    send_due(now=lambda: now)

    assert Email.objects.get(key="a:1").request_id == REQUEST
    ids = [request_id for text, request_id in lines if text == "E-mail attempted"]
    assert len(ids) == 2
    assert REQUEST in ids
    assert "" not in ids


@pytest.mark.django_db
def test_each_run_of_a_job_has_an_id_of_its_own(now, monkeypatch):
    seen = []
    monkeypatch.setattr("affiliates.worker.registry._jobs", {})

    @register("look", every=timedelta(hours=1), does="")
    def look(clock, should_stop):
        seen.append(current_request_id())
        return ""

    run_job("look", now=now)
    run_job("look", now=now)

    assert len(set(seen)) == 2
    assert "" not in seen
    assert current_request_id() == ""
