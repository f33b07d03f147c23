"""On which paths the middleware sets a policy, and which."""

from __future__ import annotations

import asyncio

import pytest
from django.http import HttpResponse, HttpResponseRedirect, JsonResponse
from django.test import Client, RequestFactory
from django.urls import include, path, reverse

from affiliates.admin_tools.theme import HAS_UNFOLD
from affiliates.api.http.content_policy import ContentPolicyMiddleware
from affiliates.core.content_policy import ADMIN, HEADER, THEMED, content_policy

OF_ADMIN = content_policy(THEMED if HAS_UNFOLD else ADMIN)


# Of a host that shows the description of our endpoints alone.
urlpatterns = [path("", include("affiliates.api.schema_urls"))]


def policy_at(where, response=None):
    answer = response or HttpResponse("page")
    ContentPolicyMiddleware(lambda request: answer)(RequestFactory().get(where))
    return answer.headers.get(HEADER)


@pytest.mark.parametrize(
    ("_case", "answer"),
    [
        ("page", HttpResponse("page")),
        ("missing", HttpResponse("Not found", status=404)),
        ("fault", HttpResponse("Server Error", status=500)),
        ("redirect", HttpResponseRedirect("/admin/login/")),
    ],
)
def test_every_answer_of_the_admin_has_one(_case, answer):
    assert policy_at(f"{reverse('admin:index')}nothing/", answer) == OF_ADMIN


@pytest.mark.usefixtures("area")
def test_paths_of_the_area_have_the_strict_one():
    below = f"{reverse('affiliates_area:dashboard')}nothing"

    assert policy_at(below) == content_policy()


@pytest.mark.parametrize("path", ["/", "/shop", "/administration", "/affiliates"])
def test_other_paths_of_the_host_are_left_alone(path, settings):
    settings.AFFILIATES_CSP_PATHS = []

    assert policy_at(path) is None


def test_paths_that_the_host_names_have_the_strict_one(settings):
    settings.AFFILIATES_CSP_PATHS = ["/shop/"]

    assert policy_at("/shop/basket") == content_policy()
    assert policy_at("/blog/") is None


def test_a_view_adds_sources(settings):
    settings.AFFILIATES_CSP_PATHS = ["/"]
    answer = HttpResponse("page")
    answer.csp_sources = {"connect-src": ["https://api.example.com"]}

    policy = policy_at("/shop", answer)

    assert "connect-src 'self' https://api.example.com;" in policy


def test_pictures_on_another_host_are_shown(settings):
    settings.STORAGES = {
        **settings.STORAGES,
        "affiliates_images": {
            "BACKEND": "django.core.files.storage.InMemoryStorage",
            "OPTIONS": {"base_url": "https://cdn.example.net/"},
        },
    }

    policy = policy_at(reverse("admin:index"))

    assert "img-src 'self' data: https://cdn.example.net;" in policy


def test_a_policy_that_is_there_stays():
    answer = HttpResponse("page", headers={HEADER: "default-src 'self'"})

    assert policy_at(reverse("admin:index"), answer) == "default-src 'self'"


def test_json_loads_nothing_and_is_shown_in_no_frame(settings):
    settings.AFFILIATES_CSP_PATHS = ["/api/"]

    assert policy_at("/api/orders", JsonResponse({})) == (
        "default-src 'none'; frame-ancestors 'none'"
    )
    assert policy_at("/blog/", JsonResponse({})) is None


def test_refusals_are_reported_where_the_setting_says(settings):
    settings.AFFILIATES_CSP_REPORT_URI = "https://reports.example.com/csp"

    policy = policy_at(reverse("admin:index"))

    assert policy == f"{OF_ADMIN}; report-uri https://reports.example.com/csp"


def test_the_same_where_the_application_is_asynchronous():
    answer = HttpResponse("page")

    async def respond(request):
        return answer

    request = RequestFactory().get(reverse("admin:index"))
    asyncio.run(ContentPolicyMiddleware(respond)(request))

    assert answer.headers[HEADER] == OF_ADMIN


@pytest.mark.parametrize(
    ("place", "sources"),
    [
        ("SIDECAR", "'self'"),
        ("https://cdn.example.net/ui", "'self' https://cdn.example.net/ui/"),
    ],
)
def test_the_description_is_loaded_from_where_the_host_says(
    place, sources, settings, monkeypatch
):
    docs = pytest.importorskip("affiliates.api.http.docs")
    monkeypatch.setattr(docs.spectacular_settings, "SWAGGER_UI_DIST", place)
    settings.ROOT_URLCONF = __name__
    settings.MIDDLEWARE = []

    answer = Client().get("/api/docs")

    assert 'data-schema="/api/schema"' in answer.text
    assert answer.text.count("<script") == answer.text.count("<script src=")
    policy = answer.headers[HEADER]
    assert f"; script-src {sources}; style-src {sources}; img-src" in policy
