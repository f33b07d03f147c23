"""Lines that machines read: whole, with the request's id, without secrets."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from types import SimpleNamespace

from django.core.exceptions import PermissionDenied
from django.core.handlers.exception import response_for_exception
from django.db import IntegrityError
from django.test import RequestFactory

from affiliates.telemetry.logs import (
    HIDDEN,
    JsonFormatter,
    LineFormatter,
    PerMinute,
    PerMinuteFilter,
    RequestIdFilter,
    RouteFilter,
)
from affiliates.telemetry.request_ids import within_request
from tests.cases import each


def record(message="Delivery attempted", *args, exc_info=None, **extra):
    made = logging.getLogger("affiliates.test").makeRecord(
        "affiliates.test",
        logging.INFO,
        "file.py",
        1,
        message,
        args,
        exc_info,
        extra=extra,
    )
    made.created = datetime(2026, 3, 1, 12, 0, 0, 250_000, tzinfo=UTC).timestamp()
    return made


def line_of(made):
    RequestIdFilter().filter(made)
    text = JsonFormatter().format(made)
    assert "\n" not in text
    return json.loads(text)


def test_a_line_has_the_facts_of_its_record():
    with within_request("01920000000070008000000000000001"):
        line = line_of(
            record(
                "%s of %d", "one", 2, delivery=7, at=datetime(2026, 3, 1, tzinfo=UTC)
            )
        )

    assert line == {
        "time": "2026-03-01T12:00:00.250000+00:00",
        "level": "INFO",
        "logger": "affiliates.test",
        "message": "one of 2",
        "delivery": 7,
        "at": "2026-03-01 00:00:00+00:00",
        "request_id": "01920000000070008000000000000001",
    }


def test_outside_of_a_request_there_is_no_id():
    assert line_of(record())["request_id"] == "-"


def test_a_failure_is_one_line_too():
    try:
        raise ValueError("wrong\nin two lines")
    except ValueError:
        line = line_of(record(exc_info=sys.exc_info()))

    assert line["exception"].startswith("Traceback (most recent call last):\n")
    assert line["exception"].endswith("ValueError: wrong\nin two lines")


@each("formatter", [JsonFormatter(), LineFormatter()])
def test_a_database_s_fault_is_logged_without_the_row_it_quotes(formatter):
    row = "Key (email)=(ada@example.com)"

    try:
        try:
            raise ValueError(row)
        except ValueError as cause:
            raise IntegrityError(row) from cause
    except IntegrityError:
        text = formatter.format(record(exc_info=sys.exc_info()))

    assert row not in text
    assert text.index("ValueError") < text.index("IntegrityError")
    assert "test_logs.py" in text


@each(
    "name",
    [
        *("referral_cookie", "Cookie", "password", "new_password", "api_key", "key"),
        *("secret", "webhook_secret", "token", "Authorization", "credentials"),
    ],
)
def test_values_of_secrets_are_hidden(name):
    assert line_of(record(**{name: "s3cret"}))[name] == HIDDEN


def test_the_request_itself_is_left_out():
    assert "request" not in line_of(
        record(request="<WSGIRequest: GET '/reset/s3cret'>")
    )


@each(
    ("fault", "said"),
    [
        (ValueError("one"), "Internal Server Error: {}"),
        (PermissionDenied("two"), "Forbidden (Permission denied): {}"),
    ],
)
@each(
    ("match", "route"),
    [
        (SimpleNamespace(route="reset/<str:token>"), "/reset/<str:token>"),
        (None, "(no route)"),
    ],
)
def test_a_path_with_a_token_is_logged_as_its_route(
    fault, said, match, route, caplog, settings
):
    settings.DEBUG = False
    request = RequestFactory().get("/reset/s3cret-ü")
    request.resolver_match = match

    with caplog.at_level(logging.WARNING, logger="django.request"):
        response_for_exception(request, fault)

    made = caplog.records[-1]
    assert RouteFilter().filter(made)
    line = line_of(made)
    assert line["message"] == said.format(route)
    assert line["exception"].endswith(str(fault))
    assert "s3cret" not in LineFormatter().format(made)


def test_a_line_of_no_request_keeps_its_words():
    made = record("%s: %s", "Not Found", "/reset/", request=object())

    assert RouteFilter().filter(made)
    assert line_of(made)["message"] == "Not Found: /reset/"


def test_of_a_flood_so_many_a_minute_are_written():
    limit = PerMinuteFilter(most=2)

    def written(second, *, line=1, level=logging.WARNING):
        made = record()
        made.levelno, made.lineno, made.created = level, line, float(second)
        return limit.filter(made), getattr(made, "left_out", None)

    assert [written(second) for second in (0, 1, 2, 59)] == [
        (True, None),
        (True, None),
        (False, None),
        (False, None),
    ]
    # Another line of code, and what is no warning.
    assert written(59, line=2) == (True, None)
    assert written(59, level=logging.INFO) == (True, None)
    assert [written(second) for second in (60, 61)] == [(True, 2), (True, None)]
    assert written(180) == (True, None)


def test_so_many_lines_in_each_minute():
    limit = PerMinute(most=2)

    assert [limit.take(second) for second in (0, 1, 2, 59.9)] == [0, 0, None, None]
    assert [limit.take(second) for second in (60, 61, 62)] == [2, 0, None]
    assert limit.take(300) == 1
