from __future__ import annotations

import logging
from inspect import iscoroutine

import pytest
from django.core.checks import ERROR, INFO
from django.http import HttpResponseForbidden
from django.test import Client

from affiliates.operations.health import requests
from affiliates.visits.models import Click
from tests.cases import each

pytestmark = pytest.mark.django_db

PATH = "/api/affiliate_link/visit"


def refuses_posts(get_response):
    def answer(request):
        if request.method == "POST":
            return HttpResponseForbidden()
        return get_response(request)

    return answer


def refuses_all(get_response):
    return lambda request: HttpResponseForbidden()


def breaks(get_response):
    def answer(request):
        if request.method == "POST":
            raise LookupError("no session")
        return get_response(request)

    return answer


class OnlySynchronous:
    """Under ASGI its ``get_response`` is a coroutine function, which it ignores."""

    sync_capable = async_capable = True

    def __init__(self, get_response) -> None:
        self.get_response = get_response

    def __call__(self, request):
        response = self.get_response(request)
        if iscoroutine(response):
            response.close()  # Else it is complained of that nobody waited for it.
        response.headers["X-Shop"] = "1"
        return response


def test_a_client_areas_calls_are_answered_and_write_nothing(brand, now):
    assert list(requests.calls(now)) == []
    assert Click.objects.count() == 0


def test_calls_of_ours_are_not_logged_as_a_visitors_are(brand, now, caplog):
    caplog.set_level(logging.WARNING, logger="django.request")
    assert list(requests.calls(now)) == []
    assert caplog.messages == []

    Client().post(PATH, {}, content_type="application/json")

    assert caplog.messages == [f"Bad Request: {PATH}"]


def test_one_host_is_named_under_asgi_too(brand, settings, now):
    settings.ASGI_APPLICATION = "shop.asgi.application"
    settings.ALLOWED_HOSTS = ["api.example.com"]
    settings.MIDDLEWARE = [
        "django.middleware.common.CommonMiddleware",
        *settings.MIDDLEWARE,
    ]

    assert list(requests.calls(now)) == []


def test_without_a_client_area_there_is_nobody_to_call(now):
    assert list(requests.calls(now)) == []


@each(
    ("name", "said"),
    [
        (
            "refuses_all",
            f"OPTIONS {PATH} from https://shop.example.com is not permitted (status 403).",
        ),
        ("refuses_posts", "status 403"),
        ("breaks", "status 500, LookupError: no session"),
    ],
)
def test_middleware_in_the_way_is_named(name, said, brand, settings, now):
    sound = list(settings.MIDDLEWARE)
    settings.MIDDLEWARE = [*sound[:1], f"{__name__}.{name}", *sound[1:]]
    if name == "refuses_all":
        settings.MIDDLEWARE = [f"{__name__}.{name}", *sound]

    first, *_ = requests.calls(now)
    settings.MIDDLEWARE = sound

    assert (first.id, first.level) == ("affiliates.D019", ERROR)
    assert said in first.msg
    assert first.hint.startswith("Look at what stands in MIDDLEWARE")


@each(("asgi", "level"), [(None, INFO), ("shop.asgi.application", ERROR)])
def test_what_breaks_under_asgi_alone_is_named(asgi, level, brand, settings, now):
    settings.ASGI_APPLICATION = asgi
    settings.MIDDLEWARE = [f"{__name__}.OnlySynchronous"]

    asynchronous = [
        one for one in requests.calls(now) if one.msg.startswith("Under ASGI: ")
    ]

    assert [(one.id, one.level) for one in asynchronous] == [("affiliates.D019", level)]
    assert "TypeError: object JsonResponse can't be used in 'await'" in (
        asynchronous[0].msg
    )
