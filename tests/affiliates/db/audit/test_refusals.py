"""A line about each refused request, in every host."""

from __future__ import annotations

import asyncio
import logging
from types import SimpleNamespace

import pytest
from django.http import HttpResponse
from django.test import RequestFactory
from rest_framework.test import APIClient

from affiliates.db.audit.middleware import AuditMiddleware
from affiliates.telemetry.refusals import logger
from tests.affiliates.api.calls import convert_url
from tests.cases import each

ERRORS = {"errors": [{"code": "origin_not_registered"}]}
FACTS = ("status", "code", "method", "route", "user")


@pytest.fixture
def lines(caplog):
    [limit] = logger.filters
    limit._of_place.clear()

    def read() -> list[tuple[object, ...]]:
        written = [one for one in caplog.records if one.name == "affiliates.security"]
        caplog.clear()
        assert {(one.msg, one.levelno) for one in written} <= {
            ("Request refused", logging.WARNING)
        }
        return [tuple(getattr(one, name) for name in FACTS) for one in written]

    return read


def asked(**facts: object):
    request = RequestFactory().get("/reset/s3cret")
    request.resolver_match = SimpleNamespace(route="reset/<token>")
    vars(request).update(facts)
    return request


def answered(status: int, data: object = None) -> HttpResponse:
    response = HttpResponse(status=status)
    response.data = data
    return response


def both_ways(response: HttpResponse, **facts: object) -> None:
    """As WSGI and ASGI answer it."""

    async def answer_later(request: object) -> HttpResponse:
        return response

    assert AuditMiddleware(lambda request: response)(asked(**facts)) is response
    assert asyncio.run(AuditMiddleware(answer_later)(asked(**facts))) is response


@each(
    ("status", "data", "code"),
    [
        (401, None, "not_authenticated"),
        (403, None, "permission_denied"),
        (429, {"detail": "of another handler"}, "throttled"),
        (403, ERRORS, "origin_not_registered"),
    ],
)
def test_it_has_the_code_and_not_the_address(status, data, code, lines):
    both_ways(answered(status, data))

    assert lines() == [(status, code, "GET", "reset/<token>", "")] * 2


@each("status", [200, 302, 400, 404, 500, 503])
def test_other_answers_leave_none(status, lines):
    both_ways(answered(status, ERRORS))

    assert lines() == []


def test_it_names_who_was_logged_in_by_number(lines):
    user = SimpleNamespace(pk=7, is_authenticated=True)

    both_ways(answered(403), user=user)

    assert lines() == [(403, "permission_denied", "GET", "reset/<token>", "7")] * 2


def test_a_form_of_another_site_is_named(lines):
    both_ways(answered(403), has_failed_check=True)

    assert lines() == [(403, "csrf_failed", "GET", "reset/<token>", "")] * 2


@each("middleware", [[], ["affiliates.extending.middleware.AuditMiddleware"]])
@pytest.mark.django_db
def test_the_api_s_refusals_are_logged_once_on_every_host(middleware, lines, settings):
    audit = "affiliates.extending.middleware.AuditMiddleware"
    others = [one for one in settings.MIDDLEWARE if one != audit]
    settings.MIDDLEWARE = others + middleware

    assert APIClient().post(convert_url(1), {}, format="json").status_code == 401

    route = "api/orders/<str:order_id>/convert"
    assert lines() == [(401, "not_authenticated", "POST", route, "")]


def test_a_flood_is_left_out_and_counted(lines, time_machine, caplog):
    time_machine.move_to("2026-03-01T12:00:00Z", tick=False)
    for _ in range(99):
        AuditMiddleware(lambda request: answered(429))(asked())
    assert len(lines()) == 60

    time_machine.move_to("2026-03-01T12:01:00Z", tick=False)
    AuditMiddleware(lambda request: answered(429))(asked())

    [line] = caplog.records
    assert line.left_out == 39
