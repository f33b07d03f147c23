"""A host chooses the bodies of answers and refusals: those of docs/api.md for example."""

from __future__ import annotations

import json
import re
import sys
from io import BytesIO
from pathlib import Path
from types import ModuleType
from unittest.mock import patch

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections

from affiliates.api.short_path import VisitShortPath
from tests.affiliates.api.calls import SHOP, VISIT, register, visit, visit_body
from tests.cases import each
from tests.database import nothing_written

pytestmark = pytest.mark.portable

PAGE = (Path(__file__).parents[4] / "docs/api.md").read_text("utf-8")
EXAMPLE = re.search(r"```python\n# (\S+)\.py\n(.*?)```", PAGE, re.DOTALL)
REQUIRED = "This field is required."


@pytest.fixture
def shaped(settings, monkeypatch):
    """The settings and the module as the page has them."""
    for name, path in re.findall(
        r'^(AFFILIATES_\w+_SHAPE) = "(.+)"$', PAGE, re.MULTILINE
    ):
        setattr(settings, name, path)
    module = ModuleType("yourportal.shapes")
    exec(EXAMPLE[2], vars(module))  # noqa: S102 - our own page
    assert EXAMPLE[1] == "yourportal/shapes"
    monkeypatch.setitem(sys.modules, "yourportal", ModuleType("yourportal"))
    monkeypatch.setitem(sys.modules, "yourportal.shapes", module)


def test_an_answer_is_what_the_host_makes_of_its_data(shaped, api, brand):
    answer = visit(api)

    assert answer.status_code == 200
    assert answer.json() == {
        "data": {"redirect_url": "https://shop.example.com/#"},
        "error": None,
    }


def test_a_refusal_has_a_message_and_data(shaped, api, brand):
    with nothing_written():
        answer = api.post(VISIT, {"visit_url": f"{SHOP}/"}, format="json")

    assert answer.status_code == 400
    assert answer.json() == {
        "data": None,
        "error": {
            "message": REQUIRED,
            "data": {
                "code": "required",
                "fields": {"referrer_url": REQUIRED, "user_agent": REQUIRED},
            },
        },
    }


@each(
    ("method", "path", "status", "code"),
    [
        ("get", "/api/unknown", 404, "not_found"),
        ("get", VISIT, 405, "method_not_allowed"),
        ("patch", "/api/orders/1/convert", 401, "not_authenticated"),
    ],
)
def test_so_has_every_other(shaped, method, path, status, code, api, brand):
    answer = getattr(api, method)(path)

    assert answer.status_code == status
    assert answer.json()["error"]["data"] == {"code": code, "fields": {}}


def test_a_registration_is_answered_in_the_same_shape(shaped, api, brand):
    answer = register(api)

    assert answer.status_code == 201
    body = answer.json()
    assert (set(body), body["data"]["email"]) == (
        {"data", "error"},
        "ada@example.org",
    )


@pytest.fixture
def _one_connection():
    request_started.disconnect(close_old_connections)
    request_finished.disconnect(close_old_connections)
    with patch(f"{VisitShortPath.__module__}.close_old_connections"):
        yield
    request_started.connect(close_old_connections)
    request_finished.connect(close_old_connections)


@pytest.mark.usefixtures("_one_connection")
def test_the_short_path_answers_in_the_same_shape(shaped, brand):
    content = json.dumps(visit_body()).encode()
    paths = []

    def django(environ, start_response):
        paths.append(environ["REMOTE_ADDR"])
        return WSGIHandler()(environ, start_response)

    application = VisitShortPath(django)
    answered = b"".join(
        application(
            {
                "REQUEST_METHOD": "POST",
                "PATH_INFO": VISIT,
                "CONTENT_TYPE": "application/json",
                "CONTENT_LENGTH": str(len(content)),
                "HTTP_HOST": "testserver",
                "HTTP_ORIGIN": SHOP,
                "REMOTE_ADDR": "203.0.113.7",
                "SERVER_NAME": "testserver",
                "SERVER_PORT": "80",
                "wsgi.url_scheme": "http",
                "wsgi.input": BytesIO(content),
            },
            lambda *_: None,
        )
    )

    assert json.loads(answered) == {
        "data": {"redirect_url": "https://shop.example.com/#"},
        "error": None,
    }
    # Django was asked for the headers of such answers, and not for this one.
    assert set(paths) == {"127.0.0.1"}
