from __future__ import annotations

import pytest
from django.contrib.messages import get_messages
from django.http import HttpResponse
from django.test import Client, RequestFactory

from affiliates.core.content_policy import HEADER
from portal.middleware import (
    PagesAuthenticationMiddleware,
    PagesCsrfViewMiddleware,
    PagesMessageMiddleware,
    PagesSessionMiddleware,
    PagesWhiteNoiseMiddleware,
)


def answer(request):
    return HttpResponse("view")


@pytest.mark.parametrize("path", ["/api/products", "/api/", "/api/orders/1/items"])
def test_api_requests_get_no_page_middleware(path):
    request = RequestFactory().get(path)
    chain = PagesWhiteNoiseMiddleware(
        PagesSessionMiddleware(
            PagesAuthenticationMiddleware(PagesMessageMiddleware(answer))
        )
    )

    assert chain(request).content == b"view"
    assert not hasattr(request, "session")
    assert not hasattr(request, "user")
    assert list(get_messages(request)) == []


@pytest.mark.parametrize("path", ["/", "/admin/", "/apiary", "/demo-bank/x"])
def test_pages_get_it(path):
    request = RequestFactory().get(path)

    PagesSessionMiddleware(
        PagesAuthenticationMiddleware(PagesMessageMiddleware(answer))
    )(request)

    assert hasattr(request, "session")
    assert hasattr(request, "user")


@pytest.mark.parametrize(
    ("path", "status"), [("/api/orders", None), ("/demo-bank/x", 403)]
)
def test_csrf_is_checked_on_pages_alone(path, status):
    request = RequestFactory(enforce_csrf_checks=True).post(path)
    middleware = PagesCsrfViewMiddleware(answer)

    refusal = middleware.process_view(request, answer, (), {})

    assert (None if refusal is None else refusal.status_code) == status


def test_static_files_are_served():
    response = Client().get("/static/admin/css/base.css")

    assert response["Content-Type"].startswith("text/css")
    assert b"body" in b"".join(response.streaming_content)


def test_every_answer_of_the_portal_says_who_may_frame_it(db):
    paths = {
        "/admin/login/": 200,
        "/admin/": 302,
        "/api/docs": 200,
        "/api/unknown": 404,
        "/api/schema": 200,
        "/static/admin/css/base.css": 200,
        "/health/live": 200,
    }

    answers = {path: Client().get(path) for path in paths}
    for one in answers.values():
        one.close()

    assert {path: one.status_code for path, one in answers.items()} == paths
    assert [
        path
        for path, one in answers.items()
        if "frame-ancestors 'none'" not in one.headers.get(HEADER, "")
    ] == []
