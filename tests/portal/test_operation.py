"""The portal as load balancers, Prometheus and readers of its log see it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections import Counter
from io import BytesIO

import pytest
from django.test import Client, override_settings

from portal.wsgi import application
from tests.affiliates.api.calls import SHOP, VISIT, visit_body
from tests.cases import each
from tests.database import nothing_written

REQUEST = "01920000000070008000000000000001"
LOG = """
import logging, logging.config, sys
from affiliates.telemetry.request_ids import within_request
from portal.logs import log_configuration
logging.config.dictConfig(log_configuration(form=sys.argv[1], level="INFO"))
with within_request("01920000000070008000000000000001"):
    logging.getLogger("affiliates.outbox").info("Delivery attempted", extra={"delivery": 7})
    logging.getLogger("affiliates").debug("Left out")
"""


@override_settings(SECURE_SSL_REDIRECT=True, ALLOWED_HOSTS=["shop.example.com"])
def test_load_balancers_ask_over_http_and_by_address():
    asked = {"host": "10.0.0.7:8000"}

    assert Client().get("/health/live", headers=asked).status_code == 200
    assert Client().get("/metrics", headers=asked).status_code == 404
    assert Client().get("/admin/login/", headers=asked).status_code == 400


@pytest.mark.django_db
@override_settings(SECURE_SSL_REDIRECT=True, ALLOWED_HOSTS=["shop.example.com"])
@each(
    ("method", "path"),
    [
        ("POST", VISIT),
        ("POST", "/api/clients/login"),
        ("GET", "/api/affiliate/profile"),
        ("POST", "/api/payments/webhook/acme"),
        ("GET", "/api/docs/more"),
    ],
)
def test_a_call_by_plain_http_is_refused_with_a_problem(method, path):
    asked = {"host": "shop.example.com", "authorization": "Bearer s3cret"}

    with nothing_written():
        answer = Client().generic(method, path, headers=asked)

    assert (answer.status_code, answer["Content-Type"]) == (403, "application/json")
    error = {"code": "https_required", "detail": "Call it by https.", "attr": None}
    assert answer.json() == {"type": "client_error", "errors": [error]}


@override_settings(ALLOWED_HOSTS=["shop.example.com"])
@each(
    ("method", "path"),
    [
        ("GET", "/api/products"),
        ("GET", "/api/unknown"),
        ("POST", "/api/clients/login"),
        ("OPTIONS", "/api/clients/login"),
        ("POST", VISIT),
        ("OPTIONS", VISIT),
        ("GET", "/api/affiliate/profile"),
        ("POST", "/api/payments/webhook/acme"),
        ("GET", "/api/docs"),
        ("GET", "/"),
        ("GET", "/account"),
        ("POST", "/account/password"),
        ("GET", "/unknown"),
        ("GET", "/admin"),
        ("GET", "/admin/login/"),
        ("POST", "/admin/login/"),
        ("GET", "/admin/affiliates/brand/"),
        ("GET", "/affiliate/"),
        ("GET", "/affiliate/brand.css"),
        ("GET", "/affiliate/images/1.1"),
        ("GET", "/static/admin/css/base.css"),
        ("GET", "/.well-known/security.txt"),
        ("GET", "/healthy"),
        ("GET", "/metrics/"),
    ],
)
def test_every_path_answers_on_allowed_hosts_only(method, path, db):
    def ask_at(host):
        return Client().generic(method, path, headers={"host": host, "origin": SHOP})

    own = ask_at("shop.example.com")
    with nothing_written():
        other = ask_at("evil.example")

    # A file of static/ is open until it is read.
    own.getvalue()
    assert own.status_code != 400 or own.json()["errors"][0]["code"] != "bad_request"
    assert other.status_code == 400
    assert "Access-Control-Allow-Origin" not in other
    assert "frame-ancestors" in other["Content-Security-Policy"]
    if path.startswith("/api/"):
        assert other.json()["errors"][0]["code"] == "bad_request"


@override_settings(SECURE_SSL_REDIRECT=True, ALLOWED_HOSTS=["shop.example.com"])
@each("path", ["/", "/account?orders=2", "/admin/login/", "/api/docs"])
def test_a_page_by_plain_http_redirects_people(path):
    answer = Client().get(path, headers={"host": "shop.example.com"})

    assert answer.status_code == 301
    assert answer["Location"] == f"https://shop.example.com{path}"


def ask(path, **environ):
    answered = []
    body = json.dumps(visit_body(f"{SHOP}/")).encode()
    response = application(
        {
            "REQUEST_METHOD": "POST",
            "PATH_INFO": path,
            "SERVER_NAME": "testserver",
            "SERVER_PORT": "80",
            "REMOTE_ADDR": "127.0.0.1",
            "CONTENT_TYPE": "application/json",
            "CONTENT_LENGTH": str(len(body)),
            "HTTP_HOST": "testserver",
            "HTTP_ORIGIN": SHOP,
            "wsgi.url_scheme": "http",
            "wsgi.input": BytesIO(body),
            "wsgi.errors": sys.stderr,
            **environ,
        },
        lambda status, headers, *rest: answered.append((status, headers)),
    )
    b"".join(response)
    response.close() if hasattr(response, "close") else None
    [(status, headers)] = answered
    return status, [value for name, value in headers if name == "X-Request-ID"]


@pytest.mark.django_db(transaction=True)
def test_every_answer_names_its_request(brand, settings):
    settings.ALLOWED_HOSTS = ["testserver"]
    named = {"HTTP_X_REQUEST_ID": REQUEST}

    for _ in range(2):
        assert ask(VISIT, **named) == ("200 OK", [REQUEST])
    # Django's own path, which the short path leaves such a visit to.
    assert ask(VISIT, QUERY_STRING="a=1", **named) == ("200 OK", [REQUEST])
    assert ask("/api/unknown", **named) == ("404 Not Found", [REQUEST])
    (_, [one]), (_, [other]) = ask(VISIT), ask(VISIT)
    assert len({one, other, REQUEST}) == 3


def log_of(script: str, *arguments: str) -> list[str]:
    """The lines that the script writes in a process of its own."""
    done = subprocess.run(  # noqa: S603 - ourselves
        [sys.executable, "-c", script, *arguments],
        env=os.environ,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stderr.splitlines()


@pytest.mark.parametrize("form", ["line", "json"])
def test_each_line_of_the_log_names_its_request(form):
    [line] = log_of(LOG, form)
    assert REQUEST in line
    assert "Delivery attempted" in line
    if form == "json":
        assert json.loads(line)["delivery"] == 7


FAILURE = """
import logging, logging.config, sys
from types import SimpleNamespace
from portal.logs import log_configuration
logging.config.dictConfig(log_configuration(form=sys.argv[1], level="INFO"))
match = SimpleNamespace(route="password-reset/<str:token>")
request = SimpleNamespace(path="/password-reset/s3cret", resolver_match=match)
for name in ("django.request", "django.security.csrf", "portal"):
    said = "Internal Server Error", request.path
    logging.getLogger(name).error("%s: %s", *said, extra={"request": request})
"""


@pytest.mark.parametrize("form", ["line", "json"])
def test_no_line_of_the_log_has_a_path_with_a_token(form):
    lines = log_of(FAILURE, form)

    said = "Internal Server Error: /password-reset/<str:token>"
    assert [said in line for line in lines] == [True] * 3
    assert "s3cret" not in "".join(lines)


FLOOD = """
import logging, logging.config
from portal.logs import log_configuration
logging.config.dictConfig(log_configuration(form="json", level="ERROR"))
for number in range(99):
    logging.getLogger("portal.security").warning("Login failed")
    logging.getLogger("django.security.DisallowedHost").error("Invalid: %s", number)
    logging.getLogger("django.security.csrf").warning("Forbidden: /s3cret")
logging.getLogger("portal.security").info("Logged in")
"""


def test_logins_are_in_the_log_at_any_level_and_floods_are_not():
    written = Counter(json.loads(one)["logger"] for one in log_of(FLOOD))
    # A run may go over the end of a minute.
    assert 61 <= written["portal.security"] <= 100
    assert 60 <= written["django.security.DisallowedHost"] <= 99
    assert written["django.security.csrf"] == 0
